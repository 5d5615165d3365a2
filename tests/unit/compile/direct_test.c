/* direct_test.c: which units g++ compiles, with nvcc for the device alone, and the texts that both
 * get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/compile/direct/prelude/headers.h"
#include "runtime/compile/direct/prelude/options.h"
#include "runtime/compile/direct/texts.h"

#define UNIT "#line 1 \"warpbook\"\n#include <stdio.h>\n#line 1 \"cell [1]\"\n"

static void expect(const char *text, wb_unfit wanted) {
    wb_texts texts;
    char *unit = wb_format("%s%s", UNIT, text);
    wb_unfit got = wb_texts_make(unit, &texts);
    if (got != wanted)
        fail_msg("%d, not %d: %s", (int)got, (int)wanted, text);
    wb_texts_free(&texts);
    free(unit);
}

static void test_fits(void **state) {
    (void)state;
    static const char *const units[] = {
        "",
        "int x = 3; const char *s = \"k<<<1, 2>>>(3) {\"; char c = '{'; // }\n/* ( */",
        "auto raw = R\"x(\")\" {)x\"; long n = 1'000'000;",
        "struct S { int a; S() : a{1} {} int f() const { return a; } } s;",
        "template <class T> T twice(T x) { return 2 * x; }",
        "__global__ void k(int *p, float (*m)[8], const int n = 3) { p[0] = n; }\nint f() { k<<<1, "
        "2>>>(0, 0); return 0; }",
        "template <typename T, int N = 2> __global__ void k(T *p) { p[0] = N; }\nvoid f() { "
        "k<float, 3><<<dim3(1), 2, 0, 0>>>(0); k<int><<<1, 1>>>(0); }",
        "namespace a { namespace b { __global__ void k() {} } }\nvoid f() { ::a::b::k<<<1, 1>>>(); "
        "a::b::k<<<1, 1>>>(); }",
        "extern \"C\" { __global__ void k() {} }\nextern \"C\" __global__ void l() {}",
        "__device__ int n = 5; __constant__ float t[2][2] = {{1, 2}, {3, 4}};\nvoid f(int *p) { "
        "cudaMemcpyFromSymbol(p, n, 4); cudaMemcpyToSymbol<int>(n, p, 4); }",
        "__host__ __device__ inline int both(int x) { return x; }\nint y = both(3);",
        "#define N 8\n#ifdef N\nint x = N;\n#endif",
        "__host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\nreturn 1;\n#else\nreturn "
        "2;\n#endif\n}",
        "#ifndef __CUDA_ARCH__\nnamespace { extern __device__ int x "
        "__attribute__((weakref(\"y\"))); }\n#else\nstatic int &x = *(int *)0;\n#endif\n__global__ "
        "void k() {}\nvoid f(int *p) { cudaMemcpyFromSymbol(p, x, 4); }",
        "__global__ void k(int);\nvoid f() { void (*at)(int) = k; k<<<1, 1>>>(3); }",
    };
    for (size_t i = 0; i < WB_COUNT(units); i++)
        expect(units[i], WB_FITS);
}

static void test_does_not_fit(void **state) {
    (void)state;
    static const struct {
        wb_unfit why;
        const char *unit;
    } units[] = {
        {WB_UNFIT_SYNTAX, "int f( { return 0; }"},
        {WB_UNFIT_SYNTAX, "char *s = \"open;\n"},
        {WB_UNFIT_HEADER, "#include <thrust/sort.h>\n"},
        {WB_UNFIT_HEADER, "#include <cub/cub.cuh>\n"},
        {WB_UNFIT_MACRO, "#define HD __host__ __device__\nHD int f() { return 1; }\n__device__ int "
                         "g() { return 1; }"},
        {WB_UNFIT_MACRO, "#define GO(k) k<<<1, 1>>>()\n__global__ void k() {}"},
        {WB_UNFIT_CONDITION, "__device__ int f() {\n#ifdef N\nreturn 1;\n#endif\nreturn 2; }"},
        {WB_UNFIT_CONDITION,
         "#ifdef __CUDA_ARCH__\n#if N\nint x;\n#endif\n#endif\n__global__ void k() {}"},
        {WB_UNFIT_CONDITION, "#if 1\n__global__ void k() {}\n#endif"},
        {WB_UNFIT_LAMBDA, "auto f = [] __device__ (int x) { return x; };"},
        {WB_UNFIT_LAMBDA, "void f() { auto g = [=] __host__ __device__ (int i) { return i; }; }"},
        {WB_UNFIT_VARIABLE, "__managed__ int x;"},
        {WB_UNFIT_VARIABLE, "extern __device__ int x;"},
        {WB_UNFIT_VARIABLE, "__device__ int x, y;"},
        {WB_UNFIT_VARIABLE, "__device__ int (*at)(int);"},
        {WB_UNFIT_TEMPLATE,
         "template <class T> __global__ void k(T x) {}\nvoid f() { k<<<1, 1>>>(3); }"},
        {WB_UNFIT_LAUNCH, "__global__ void k() {}\nvoid f() { k<<<1, 1>>>; }"},
        {WB_UNFIT_TEMPLATE, "void f(void (*k[1])()) { k[0]<<<1, 1>>>(); }"},
        {WB_UNFIT_KERNEL, "__global__ void k(int) {}"},
        {WB_UNFIT_KERNEL, "template <class... T> __global__ void k(T... x) {}"},
        {WB_UNFIT_KERNEL, "namespace { __global__ void k() {} }"},
        {WB_UNFIT_KERNEL, "static __global__ void k() {}"},
        {WB_UNFIT_KERNEL, "struct S { __global__ void k(int *p) { *p = 1; } };"},
        {WB_UNFIT_TEMPLATE,
         "template <int N> __global__ void k(int *p) {}\ntemplate __global__ void k<4>(int *);"},
        {WB_UNFIT_NAME, "__device__ int d(int x) { return x; }\nint y = d(3);"},
        {WB_UNFIT_NAME, "__device__ int n;\nint y = n;"},
        {WB_UNFIT_NAME, "#ifndef __CUDA_ARCH__\nextern __device__ int n;\n#endif\nint y = n;"},
        {WB_UNFIT_NAME, "__global__ void k() {}\nvoid f() { k(); }"},
        {WB_UNFIT_NAME,
         "struct S { __device__ int d() { return 1; } };\nint f(S s) { return s.d(); }"},
    };
    for (size_t i = 0; i < WB_COUNT(units); i++)
        expect(units[i].unit, units[i].why);
}

static void has(const char *text, const char *part) {
    if (!text || !strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text ? text : "nothing");
}

static void test_texts(void **state) {
    (void)state;
    wb_texts texts;
    assert_int_equal(
        wb_texts_make(UNIT "const int W = 4; int unused = 3;\n"
                           "namespace n { __constant__ int c; }\n"
                           "__device__ int twice(int x) {\n    return 2 * x; }\n"
                           "template <int N> __global__ void k(int *p) { p[W] = twice(N); }\n"
                           "void f(int *p) { k<W><<<1, 2>>>(p); }\n",
                      &texts),
        WB_FITS);
    assert_string_equal(texts.head, "#include <stdio.h>\n");
    has(texts.host, "(::__cudaPushCallConfiguration(1, 2)) ? (void)0 : k<W>(p);");
    has(texts.host, "__wb_direct_launch((const void *)k<N>, __wb_a)");
    has(texts.host, "{(const void *)&::n::c, \"_ZN1n1cE\", sizeof(::n::c), 1}");
    has(texts.host, "WB_DIRECT_REGISTER");
    has(texts.device, "const int W = 4;");
    has(texts.device, "p[W] = twice(N);");
    assert_null(strstr(texts.device, "unused"));
    assert_null(strstr(texts.device, "void f("));
    assert_int_equal(texts.instances.n, 1);
    assert_string_equal(texts.instances.v[0], "k<W>");
    /* lines stay what they are: the kernel's is the fifth behind the last #line */
    const char *from = strstr(texts.host, "#line 1 \"cell [1]\"");
    const char *kernel = strstr(texts.host, "template <int N>");
    int line = 0;
    assert_non_null(from);
    for (const char *p = strchr(from, '\n') + 1; p < kernel; p++)
        line += *p == '\n';
    assert_int_equal(line, 4);
    wb_texts_free(&texts);
}

static void test_options(void **state) {
    (void)state;
    static const char *const good[] = {"/x/nvcc",    "-std=c++17",
                                       "-O2",        "-shared",
                                       "-Xcompiler", "-fPIC,-g1",
                                       "-cudart",    "shared",
                                       "-gencode",   "arch=compute_90,code=compute_90",
                                       "-DX=1",      "-Ihere",
                                       "-Xlinker",   "--dynamic-list=l",
                                       "a.o",        "-lm",
                                       NULL};
    static const char *const bad[] = {"/x/nvcc", "-G", NULL};
    static const char *const gpu[] = {"/x/nvcc", "-gencode",
                                      "arch=compute_90,code=[sm_90,compute_90]", NULL};
    wb_options o;
    assert_true(wb_options_read(good, &o));
    assert_string_equal(o.device.v[1], "-arch=compute_90");
    assert_string_equal(o.folders.v[0], "-Ihere");
    assert_int_equal(o.link.n, 5);
    wb_options_free(&o);
    assert_false(wb_options_read(bad, &o));
    wb_options_free(&o);
    assert_false(wb_options_read(gpu, &o));
    wb_options_free(&o);
}

/* Preprocessed headers: each declaration has a word of its own. */
static const char header[] =
    "# 1 \"/usr/include/a.h\" 1 3\n"
    "typedef unsigned long size_t;\n"
    "extern \"C\" {\n"
    "extern int printf (const char *__restrict format, ...) __attribute__ ((nothrow));\n"
    "  extern int puts (const char *);\n"
    "}\n"
    "# 10 \"/usr/include/b.h\" 3\n"
    "#pragma pack(push, 1)\n"
    "struct __attribute__((aligned(8))) pair_of { int x, y; } one_pair;\n"
    "#pragma pack(pop)\n"
    "# 20 \"/opt/c.h\"\n"
    "namespace std __attribute__ ((__visibility__ (\"default\"))) {\n"
    "inline namespace v1 {\n"
    "template <typename T, bool = sizeof(T) >= 4> struct box : base<T, (1 > 0)>, other { T in; box "
    "&operator=(T); };\n"
    "template <typename T> struct base<T, true> { int (x); };\n"
    "template <typename T, bool B> box<T, B> &box<T, B>::operator=(T t) { in = t; return *this; }\n"
    "template <typename T> bool operator==(const box<T> &box_a, const box<T> &box_b) {\n"
    "# 40 \"/opt/c.h\"\n"
    "return box_a.in == box_b.in; }\n"
    "template <int N, bool = N < less_than<int>(3)> struct unclear { };\n"
    "enum color : int { RED = (1, 2), GREEN };\n"
    "static int (*handler)(int first), spare = 3;\n"
    "} }\n"
    "namespace other_space { int far_away; }\n"
    "using namespace other_space;\n"
    "#pragma nv_exec_check_disable\n"
    "int checked() { return 1; }\n"
    "void *operator new(size_t n, void *at) noexcept { return at; }\n"
    "static_assert(sizeof(int) == 4, \"\");\n";

static char *chosen(const char *unit) {
    char folder[] = "/tmp/headers-XXXXXX", *text, *index;
    wb_buf in = {0}, out = {0};
    assert_non_null(mkdtemp(folder));
    assert_non_null(text = wb_format("%s/device.ii", folder));
    assert_non_null(index = wb_format("%s/index", folder));
    assert_true(wb_file_write(text, header, sizeof header - 1, NULL));
    assert_true(wb_buf_puts(&in, unit));
    assert_true(wb_headers_choose(folder, &in, &out));
    size_t first = out.len;
    assert_true(wb_headers_choose(folder, &in, &out)); /* by the index that is there now */
    assert_int_equal(out.len, 2 * first);
    assert_memory_equal(out.data, out.data + first, first);
    out.data[first] = '\0';
    unlink(text);
    unlink(index);
    rmdir(folder);
    WB_FREE(text, index);
    wb_buf_free(&in);
    return out.data;
}

static void test_headers(void **state) {
    (void)state;
    static const struct {
        const char *unit, *with, *without;
    } rows[] = {
        {"int main() { printf(3); }", "# 3 \"/usr/include/a.h\" 3\nextern int printf", "puts"},
        {"puts", "extern \"C\" {\n\n# 4 \"/usr/include/a.h\" 3\n  extern int puts", "printf"},
        {"one_pair", "pack(push, 1)", "printf"},
        {"pair_of", "} one_pair;", "size_t"},
        {"std::box<int> b;", "struct base<T, true>", "GREEN"},
        {"box", "box_a.in == box_b.in; }", "unclear"},
        {"box", "&box<T, B>::operator=(T t) {", "handler"},
        {"box_a", "pragma pack(pop)", "struct box"},
        {"unclear", "struct unclear { };", "handler"},
        {"GREEN", "inline namespace v1 {\n\n# 42 \"/opt/c.h\"\nenum color", "handler"},
        {"RED", "enum color", "handler"},
        {"handler", "spare = 3;", "GREEN"},
        {"first", "using namespace other_space;", "(*handler)"},
        {"x", "namespace other_space {", "far_away"},
        {"far_away", "int far_away;", "checked"},
        {"checked", "#pragma nv_exec_check_disable\nint checked", "far_away;"},
        {"new (p) int", "operator new(size_t", "printf"},
        {"new", "typedef unsigned long size_t;", "printf"},
    };
    for (size_t i = 0; i < WB_COUNT(rows); i++) {
        char *text = chosen(rows[i].unit);
        if (!strstr(text, rows[i].with) || strstr(text, rows[i].without))
            fail_msg("%s: %s", rows[i].unit, text);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fits),
                                       cmocka_unit_test(test_does_not_fit),
                                       cmocka_unit_test(test_texts), cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
