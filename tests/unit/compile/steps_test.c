/* steps_test.c: nvcc's steps, taken two at a time: what is found to be code for the device, and
 * that what comes out, and what is said, is nvcc's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile/compile.h"
#include "runtime/device/toolkit.h"
#include "runtime/compile/steps/device_marks.h"
#include "runtime/compile/steps/prefix.h"
#include "runtime/compile/steps/steps.h"

static char *folder; /* a private place; the cache lies under it too */
static wb_toolkit toolkit;
static wb_device device = {.kind = WB_DEVICE_SOFT, .capability = 90};

static int set_up(void **state) {
    (void)state;
    wb_error err;
    folder = wb_dir_temp("steps-test", NULL);
    if (!folder || !wb_toolkit_find(&toolkit, &err))
        return -1;
    setenv("XDG_CACHE_HOME", folder, 1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    return 0;
}

static void marks(bool wanted, const char *unit) {
    char *text = wb_format("# 1 \"cuda_runtime.h\"\n__attribute__((device)) void f() {}\n"
                           "# 1 \"warpbook\"\n%s\n",
                           unit);
    if (wb_device_marks(text) != wanted)
        fail_msg("%s: %s", unit, wanted ? "nothing found" : "something found");
    free(text);
}

static void test_marks(void **state) {
    (void)state;
    marks(false, "int x = 3; int device, constant; int shared(int global);");
    marks(false,
          "__attribute__((weak)) void f(); struct __attribute__((aligned(8))) s { int a; };");
    marks(false, "__attribute__((global)) void k(float *x, int n = f(\1));");
    marks(true, "__attribute__((global)) void k(float *x, const char *s = \");\") { }");
    marks(true, "__attribute__((global)) void k(float *x) { x[0] = 1; }");
    marks(true,
          "template <int N>\n __attribute__((global)) __attribute__((aligned(8)))\nvoid k() {}");
    marks(true, "__attribute__ ( (device) ) int x;");
    marks(true, "__attribute__((unused, __device__)) int x;");
    marks(true, "static __attribute__((aligned(16))) __attribute__((constant)) int x;");
    marks(true, "extern __attribute((managed)) int x;");
    marks(true, "auto f = [] __attribute__((device)) (int i) { return i; };");
    marks(true, "__device__ int x;"); /* the macro is gone: whatever it means */
    assert_true(wb_device_marks("int x;"));
}

static void expects(bool wanted, const char *text) {
    char *unit = wb_format("#line 1 \"warpbook\"\n#include \"warpbook_cell.h\"\n"
                           "extern int a{};\n#line 3 \"cell [0]\"\n%s\n#line 1 \"warpbook\"\n"
                           "static void statements() {}\n",
                           text);
    if (wb_device_expected(unit) != wanted)
        fail_msg("%s", text);
    free(unit);
}

static void test_expected(void **state) {
    (void)state;
    expects(false, "int x = 3; x + 1");
    expects(false, "#include <vector>\n__global__ void k(int n);\nk<<<1, 2>>>(3);");
    expects(true, "int f() { int unused; return 1; }");
    expects(true, "for (int i = 0, j; i < 3; i++) f(i);");
    expects(true, "static int unused;");
    expects(true, "__device__ int x;");
    assert_true(wb_device_expected("int x;"));
}

static wb_compile_result compile(const char *text, bool steps, const char *output) {
    static const char *const sources[] = {"a.cu", NULL};
    char *path = wb_format("%s/a.cu", folder), *made = wb_format("%s/%s", folder, output);
    wb_compile_result result;
    wb_error err = {0};
    assert_true(wb_file_write(path, text, strlen(text), NULL));
    if (!steps)
        setenv("NVCC_APPEND_FLAGS", "-DBY_NVCC", 1); /* which leaves all to nvcc */
    if (!wb_compile(&(wb_compile_spec){.kind = WB_COMPILE_SHARED,
                                       .sources = sources,
                                       .output = made,
                                       .cwd = folder,
                                       .device = &device},
                    &result, &err))
        fail_msg("%s", err.text);
    unsetenv("NVCC_APPEND_FLAGS");
    free(path);
    free(made);
    return result;
}

static bool holds(const char *output, const char *text) {
    char *path = wb_format("%s/%s", folder, output);
    wb_buf bytes = {0};
    bool found =
        wb_file_read(path, 0, &bytes, NULL) && memmem(bytes.data, bytes.len, text, strlen(text));
    wb_buf_free(&bytes);
    free(path);
    return found;
}

/* Both ways; the same must be said, and the same headers be read. */
static bool same(const char *text, bool with_device) {
    wb_compile_result plain = compile(text, false, "plain.so"), r = compile(text, true, "steps.so");
    assert_false(plain.from_cache || r.from_cache);
    assert_int_equal(plain.ok, r.ok);
    assert_string_equal(plain.log, r.log);
    assert_int_equal(plain.n_diagnostics, r.n_diagnostics);
    bool ok = r.ok;
    if (ok) {
        assert_true(holds("plain.so", ".nv_fatbin"));
        assert_int_equal(holds("steps.so", ".nv_fatbin"), with_device);
        assert_non_null(strstr(r.inputs, "/cuda_runtime.h\n"));
        assert_non_null(strstr(r.inputs, "/crt/math_functions.hpp\n"));
    }
    wb_compile_result_free(&plain);
    wb_compile_result_free(&r);
    return ok;
}

#define UNIT "#line 1 \"warpbook\"\n#line 1 \"cell [1]\"\n"

/* What is compiled both ways: whether that goes well, whether code for the device comes out, for a
 * GPU. */
static const struct {
    bool well, with_device, gpu;
    const char *text;
} UNITS[] = {
    {true, false, false, UNIT "int x = 3, y = sizeof(x) + 3;\n"},
    {true, true, false, UNIT "int x = 1.5, y = 3000000000;\n"},
    {true, true, false, UNIT "int f() { int unused; return 3; }\n"},
    {true, true, false,
     UNIT "__global__ void k(int *x) { int unused; *x = 1; }\n"
          "int f() { int idle; return 3; }\n"},
    /* hidden from a look at the source */
    {true, true, false,
     UNIT "#define KERNEL(name) __glo##bal__ void name(int *x) { *x = 1; }\n"
          "KERNEL(k)\nvoid run() { k<<<1, 1>>>(nullptr); }\n"},
    {true, true, false, UNIT "#warning twice\nint x;\n"},
    /* whose own code is made, too */
    {true, true, true, UNIT "__global__ void k(int *x) { int unused; *x = 1; }\n"},
    {false, false, false, UNIT "int f() {\n  return x;\n}\n"},
    {false, false, false, UNIT "#include <nosuch.h>\n"},
    {false, true, false, UNIT "__global__ void k(int *x) { *x = y; }\n"},
    {false, false, false, UNIT "int f() { return __ldg((const int *)nullptr); }\n"},
    {false, true, false, UNIT "__global__ void k() { asm(\"nonsense;\"); }\n"},
};

/* Each costs nvcc two seconds: a plain run takes half of them, the other half by chance another
 * time. */
static void test_same(void **state) {
    (void)state;
    srandom((unsigned)(time(NULL) ^ getpid()));
    size_t left = WB_COUNT(UNITS), wanted = getenv("WARPBOOK_TEST_ALL") ? left : left / 2;
    for (size_t i = 0; i < WB_COUNT(UNITS); i++, left--) {
        if ((size_t)random() % left >= wanted)
            continue;
        wanted--;
        print_message("unit %zu\n", i);
        device.kind = UNITS[i].gpu ? WB_DEVICE_GPU : WB_DEVICE_SOFT;
        assert_int_equal(same(UNITS[i].text, UNITS[i].with_device), UNITS[i].well);
    }
    device.kind = WB_DEVICE_SOFT;
}

/* What a shell might read in its own way is left to nvcc. */
static void test_plan(void **state) {
    (void)state;
    static const char key[] = "0123456789abcdef0123";
    static const char *const odd[] = {"-DX=\"a b\"", "-DX=$HOME", "-DX=a;b", "-DX='a'", "-DX=a b"};
    char *output = wb_format("%s/out.so", folder), *source = wb_format("%s/a.cu", folder);
    char *deps = wb_format("%s/inputs.d", folder);
    assert_true(wb_file_write(source, "", 0, NULL)); /* nvcc wants to see it */
    const char *argv[] = {toolkit.nvcc,
                          "-shared",
                          "-Xcompiler",
                          "-fPIC",
                          "-nodlink",
                          "-gencode",
                          "arch=compute_90,code=compute_90",
                          "-DX=1",
                          "-MD",
                          "-MF",
                          deps,
                          "-o",
                          output,
                          "a.cu",
                          NULL};
    wb_steps *steps = wb_steps_plan(argv, "a.cu", folder, folder, key, NULL);
    assert_non_null(steps);
    char *both = wb_steps_front(steps, true), *one = wb_steps_front(steps, false);
    assert_non_null(strstr(both, "& host=$!"));
    assert_null(strstr(one, "& host=$!"));
    free(both);
    free(one);
    wb_steps_free(steps);
    for (size_t i = 0; i < WB_COUNT(odd); i++) {
        argv[7] = odd[i];
        assert_null(wb_steps_plan(argv, "a.cu", folder, folder, key, NULL));
    }
    argv[7] = "-rdc=true";
    argv[4] = "-DY=1";
    assert_null(wb_steps_plan(argv, "a.cu", folder, folder, key, NULL));
    free(output);
    free(source);
    free(deps);
}

/* Runs lines of a shell. */
static int shell(const char *lines) {
    wb_proc_result run;
    wb_error err;
    assert_true(wb_proc_run(
        &(wb_proc_spec){.argv = (const char *const[]){"sh", "-c", lines, NULL}, .timeout_s = 600},
        &run, &err));
    int code = run.exit_code;
    wb_proc_result_free(&run);
    return code;
}

#define COMMON                                                                                     \
    "#pragma GCC diagnostic ignored \"-Wattributes\"\n# 1 \"a.h\"\n"                               \
    "static inline int twice(int x) { return 2 * x; }\n"

/* What the file becomes, and what is to be done with it, as letters: c(ommand), b(uild),
 * which the caller frees. */
static const char *headers = "";

static void take(const char *text, const char *wanted, wb_prefix *p) {
    char *file = wb_format("%s/a.cpp", folder);
    char *plain = wb_format("g++ -c -x c++  -O2%s \"%s\" -o \"%s/a.o\"", headers, file, folder);
    assert_true(wb_file_write(file, text, strlen(text), NULL));
    *p = wb_prefix_take(file, plain, folder);
    assert_int_equal(p->command != NULL, *wanted == 'c');
    assert_int_equal(p->build != NULL, *wanted == 'b');
    if (!*wanted)
        wb_prefix_free(p);
    free(file);
    free(plain);
}

/* Builds what it planned, and keeps that. */
static void keep(wb_prefix *p) {
    assert_int_equal(shell(p->build), 0);
    wb_prefix_keep(p);
    wb_prefix_free(p);
}

static void test_prefix(void **state) {
    (void)state;
    static const char first[] = "# 1 \"a.cu\"\n" COMMON "# 1 \"warpbook\"\nint f() { return 1; }\n";
    static const char other[] =
        "# 1 \"b.cu\"\n" COMMON "# 7 \"cell [1]\"\nint g() { return twice(__LINE__); }\n";
    wb_prefix p;
    setenv("WARPBOOK_CACHE_MB", "100", 1); /* too small for one */
    for (int i = 0; i < 4; i++)
        take(first, "", &p);
    unsetenv("WARPBOOK_CACHE_MB");
    take(first, "", &p);
    take(other, "", &p);
    take(first, "b", &p); /* met for the third time */
    keep(&p);
    /* damaged, it is not used but made again */
    static const char *const ways[] = {"printf x | dd of=$F/p.h.gch bs=1 seek=$(($(stat -c %s "
                                       "$F/p.h.gch) / 2)) conv=notrunc status=none",
                                       "printf x | dd of=$F/p.h.gch bs=1 seek=9999 conv=notrunc "
                                       "status=none; touch -d @1 $F/p.h.gch",
                                       "printf x >>$F/p.h",
                                       ": >$F/p.h.gch",
                                       "rm $F/p.h.gch",
                                       "truncate -s -1 $F/p.h.gch",
                                       "rm -r $F; : >$F"};
    for (size_t i = 0; i < WB_COUNT(ways); i++) {
        take(other, "c", &p);
        setenv("F", p.kept, 1);
        wb_prefix_free(&p);
        if (shell(ways[i]) != 0)
            fail_msg("%s", ways[i]);
        take(first, "b", &p);
        keep(&p);
    }

    take(other, "c", &p);
    wb_buf rest = {0};
    char *file = wb_format("%s/a.cpp", folder);
    assert_true(wb_file_read(file, 0, &rest, NULL));
    assert_string_equal(rest.data, "# 1 \"b.cu\"\n#pragma GCC diagnostic ignored \"-Wattributes\"\n"
                                   "# 7 \"cell [1]\"\nint g() { return twice(__LINE__); }\n");
    wb_buf_free(&rest);
    char *used = wb_format("%s -H 2>&1 | grep -q '^! .*p.h.gch'", p.command);
    assert_int_equal(shell(used), 0);
    assert_true(holds("a.o", "_Z1gv"));
    assert_int_equal(shell(p.restore), 0);
    assert_true(wb_file_read(file, 0, &rest, NULL));
    assert_string_equal(rest.data, other);
    wb_buf_free(&rest);
    wb_prefix_free(&p);
    /* another notebook's folder, the same prefix, unless what is included lies there; another byte
     * or option, another one */
    char *mine = wb_dir_temp("steps-own", NULL), *crt = wb_format("%s/crt", mine);
    char *own = wb_format("%s/host_runtime.h", crt);
    headers = " -I\"/nowhere\" -I\"/tmp\" -g1";
    take(other, "", &p);
    headers = " -I\"/nowhere\" -I\"/tmp\"";
    take(other, "c", &p);
    wb_prefix_free(&p);
    char *with = wb_format(" -I\"/nowhere\" -I\"%s\"", mine);
    headers = with;
    take(other, "c", &p);
    wb_prefix_free(&p);
    assert_true(wb_dir_make(crt, NULL) && wb_file_write(own, "", 0, NULL));
    take(other, "", &p);
    headers = "";
    wb_dir_remove(mine, NULL);
    free(mine);
    free(crt);
    free(with);
    free(own);
    take("# 1 \"a.cu\"\n" COMMON "\n# 1 \"warpbook\"\nint f() { return 1; }\n", "", &p);
    take("# 1 \"a.cu\"\nint f() { return 1; }\n", "", &p);
    free(used);
    free(file);
}

/* With a kept prefix everything is said as before. */
static void test_kept(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) { /* the third makes it, the fourth has it */
        char *text = wb_format(UNIT "int *f%d() { int a = %d; return &a; }\n", i, i);
        assert_true(same(text, true));
        free(text);
    }
    glob_t kept;
    char *pattern = wb_format("%s/warpbook/prefix/*/p.h.gch", folder);
    assert_int_equal(glob(pattern, 0, NULL, &kept), 0);
    assert_int_equal(kept.gl_pathc, 2); /* that of test_prefix, and this */
    globfree(&kept);
    free(pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks), cmocka_unit_test(test_expected), cmocka_unit_test(test_plan),
        cmocka_unit_test(test_same),  cmocka_unit_test(test_prefix),   cmocka_unit_test(test_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
