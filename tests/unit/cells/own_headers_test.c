/* own_headers_test.c: what a cell's unit has of the headers of the user's own that it includes, and
 * the two steps before it: conditionals that are known beforehand, macros that stand for
 * specifiers. Units are written, not compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/cells/cellgen.h"
#include "runtime/cells/headers/directives.h"
#include "runtime/cells/headers/specifiers.h"

static char *folder;
static wb_cellgen *gen;

static int set_up(void **state) {
    (void)state;
    folder = wb_dir_temp("own-headers-test", NULL);
    char *lib = wb_format("%s/lib", folder);
    bool ok = folder && lib && wb_dir_make(lib, NULL);
    free(lib);
    return ok ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    return 0;
}

static void begin(void) {
    wb_cellgen_free(gen);
    gen = wb_cellgen_new();
    assert_true(gen && wb_cellgen_folders(gen, folder, NULL));
}

static int end(void **state) {
    (void)state;
    wb_cellgen_free(gen);
    gen = NULL;
    return 0;
}

static void file(const char *name, const char *text) {
    char *path = wb_format("%s/%s", folder, name);
    assert_true(wb_file_write(path, text, strlen(text), NULL));
    free(path);
}

/* Runs the cell, as far as the generator is concerned; the unit's source, "" where there is nothing
 * to compile, or the error. */
static char *cell(const char *code, const char *origin) {
    wb_unit unit;
    wb_error err = {0};
    wb_cellgen_origin(gen, origin);
    bool ok = wb_cellgen_unit(gen, code, strlen(code), 1, false, &unit, &err);
    char *source = wb_format("%s", !ok ? err.text : unit.source ? unit.source : "");
    if (ok && !unit.empty)
        free(wb_cellgen_accept(gen, &unit, "/nonexistent", NULL, SIZE_MAX));
    wb_unit_free(&unit);
    return source;
}

static void run(const char *code, const char *origin) {
    free(cell(code, origin));
}

/* How often `what` stands in the cell's unit. */
static void expect(const char *code, const char *origin, const char *what, int wanted) {
    char *source = cell(code, origin);
    int found = 0;
    for (const char *p = source; (p = strstr(p, what)); p++)
        found++;
    if (found != wanted)
        fail_msg("\"%s\": \"%s\" is there %d times, not %d:\n%s", code, what, found, wanted,
                 source);
    free(source);
}

#define DEFINITION "int counter() { return 5; }"

static void test_once(void **state) {
    (void)state;
    file("plain.h", DEFINITION "\n");
    const char *const guarded[] = {"#include \"guard.h\"\nint a;", "#include <pragma.h>\nint a;"};
    for (size_t i = 0; i < WB_COUNT(guarded); i++) {
        file("guard.h", "#ifndef GUARD_H\n#define GUARD_H\n" DEFINITION "\n#endif /* GUARD_H */\n");
        file("pragma.h", "// one\n#  pragma once\nstatic " DEFINITION);
        begin();
        expect(guarded[i], "one", DEFINITION, 1);
        expect(guarded[i], "two", DEFINITION, 0);
        expect(guarded[i], "one", DEFINITION, 1); /* a cell that is run again defines again */
        expect(guarded[i], NULL, DEFINITION, 0);
        expect("counter()", "three", DEFINITION, 0);
        run("float counter;", "three"); /* it is not there any more */
        expect(guarded[i], "four", DEFINITION, 1);
        file("guard.h",
             "#ifndef GUARD_H\n#define GUARD_H\n" DEFINITION "\n#include <vector>\n#endif\n");
        file("pragma.h", "#pragma once\n#include <vector>\n" DEFINITION);
        expect(guarded[i], "five", DEFINITION, 1); /* changed */
        expect(guarded[i], "six", DEFINITION, 0);
        run("#include <vector>\n", "seven"); /* another cell's from now on */
        expect(guarded[i], "eight", DEFINITION, 0);
    }
    begin();
    expect("#include \"plain.h\"\n", "one", DEFINITION, 1);
    expect("#include \"plain.h\"\n", "two", DEFINITION, 1);
    begin();
    expect("#include \"guard.h\"\n#include \"./guard.h\"\n", "one", DEFINITION, 1);
}

/* A macro that the cell defines may make another thing of the header. */
static void test_steered(void **state) {
    (void)state;
    file("sized.h", "#pragma once\n#include \"lib/inner.h\"\n");
    file("lib/inner.h", "#pragma once\nint array[SIZE];\n");
    begin();
    expect("#define SIZE 4\n#include \"sized.h\"\n", "one", "int array[SIZE];", 1);
    expect("#include \"sized.h\"\nint b;", "two", "int array[SIZE];", 0);
    expect("#define OTHER 8\n#include \"sized.h\"\n", "three", "int array[SIZE];", 0);
    expect("#define SIZE 8\n#include \"sized.h\"\n", "four", "int array[SIZE];", 1);
}

static void test_places(void **state) {
    (void)state;
    file("lib/a.h", "#pragma once\n#include \"b.h\"\nint in_a;\n#include <vector>\n");
    file("lib/b.h", "#pragma once\r\n#include \"a.h\"\r\n\r\nint in_b;");
    begin();
    char *source = cell("int before;\n  #include \"lib/a.h\" /* a\n comment */\nint after;", "one");
    const char *const lines[] = {
        "#line 1 \"cell [",  "int before;",           "#line 4 \"lib/b.h\"\n",
        "int in_b;",         "#line 3 \"lib/a.h\"\n", "int in_a;",
        "#include <vector>", "#line 4 \"cell [",      "int after;"};
    const char *at = source;
    for (size_t i = 0; i < WB_COUNT(lines); i++) {
        const char *found = strstr(at, lines[i]);
        if (!found)
            fail_msg("\"%s\" is not (there) in\n%s", lines[i], source);
        at = found + strlen(lines[i]);
    }
    free(source);
    expect("in_a", "two", "extern", 0); /* its type was not read: nothing was compiled */
    expect("/*\n#include \"lib/a.h\"\n*/ const char *s = R\"(\n#include \"lib/a.h\"\n)\";", "three",
           "in_a", 0);
}

/* Some headers stay #include lines. */
static void test_whole(void **state) {
    (void)state;
    file("list.h", "X(1)\nX(2)\n");
    file("inner.h", "#pragma once\nint inner;\n");
    file("broken.h", "#include \"inner.h\"\n) } what(\n");
    file("outer.h", "#include \"broken.h\"\nint outer;\n");
    begin();
    expect("#define X(n) int x##n;\n#include \"list.h\"\n", "one", "#include \"list.h\"", 1);
    expect("namespace n {\n#include \"inner.h\"\n}", "two", "int inner;", 0);
    expect("#include \"/dev/zero\"\n", "two", "#include \"/dev/zero\"", 1); /* is not read */
    begin();
    expect("#ifdef MAYBE\n#include \"inner.h\"\n#endif\n", "three", "#include \"inner.h\"", 1);
    expect("#include \"nosuch.h\"\n", "four", "#include \"nosuch.h\"", 1);
    begin();
    char *path = wb_format("#include \"%s/broken.h\"\n", folder);
    expect("#include \"outer.h\"\n", "one", path, 1);
    expect("#include \"outer.h\"\n", "one", "int outer;", 1);
    expect("#include \"inner.h\"\n", "two", "int inner;", 0); /* broken.h has it */
    free(path);
    begin();
    run("#include \"inner.h\"\n", "one");
    expect("#include \"broken.h\"\n", "two", "inner.h is part of the notebook", 1);
}

/* A library in one header, which a macro makes more than declarations. */
static void test_library(void **state) {
    (void)state;
    file("library.h",
         "#ifdef LIBRARY_IMPLEMENTATION\nint run() { static int n; return ++n; }\n#endif\n");
    begin();
    expect("#include \"library.h\"\n#define LIBRARY_IMPLEMENTATION\n", "one", "#ifdef", 1);
    begin();
    expect("#define LIBRARY_IMPLEMENTATION\n#include \"library.h\"\n", "one", "#ifdef", 0);
    expect("run()", "two", "static int n", 0);
    expect("run()", "two", "int run();", 1);
}

/* "main" makes a cell a program, which stays as it is. */
static void test_program(void **state) {
    (void)state;
    file("inner.h", "#pragma once\nint inner;\n");
    begin();
    expect("#include \"inner.h\"\nint main() { return inner; }", "one", "#include \"inner.h\"", 1);
}

static void test_folders(void **state) {
    (void)state;
    file("lib/only.h", "int only_here;\n");
    begin();
    char *flag = wb_format("%s/lib", folder);
    const char *flags[] = {"-O3", "-I", flag, NULL};
    expect("#include \"only.h\"\n", "one", "int only_here;", 0);
    assert_true(wb_cellgen_folders(gen, folder, flags));
    expect("#include <only.h>\n", "two", "int only_here;", 1);
    free(flag);
}

static int known(void *ctx, const char *name, size_t len) {
    (void)ctx;
    return len == 3 && memcmp(name, "YES", 3) == 0 ? 1 : -1;
}

static void test_fold(void **state) {
    (void)state;
    static const struct {
        const char *text, *folded;
        bool once;
    } cases[] = {
        {"#ifdef __CUDACC__\na\n#else\nb\n#endif\nc", "\na\n\n\n\nc", false},
        {"#ifndef __CUDACC__\na\n#else\nb\n#endif", "\n\n\nb\n", false},
        {"#if defined(__cplusplus) // C++\nextern \"C\" {\n#endif\n", "\nextern \"C\" {\n\n",
         false},
        {"#if !defined ( _WIN32 )\na\n#endif", "\na\n", false},
        {"#if 0\n#if X\na\n#endif\n#else\nb\n#endif", "\n\n\n\n\nb\n", false},
        {"#if 1 /* on */\na\n#elif Y\nb\n#endif", "#if 1 /* on */\na\n#elif Y\nb\n#endif", false},
        {"#ifdef X\n#ifdef _WIN32\na\n#endif\nb\n#endif", "#ifdef X\n\n\n\nb\n#endif", false},
        {"#if __CUDA_ARCH__ >= 600\na\n#endif", "#if __CUDA_ARCH__ >= 600\na\n#endif", false},
        {"#if defined(__CUDACC__) && X\na\n#endif", "#if defined(__CUDACC__) && X\na\n#endif",
         false},
        {"/* h */\n#ifndef H\n#define H\na\n#endif // H\n/* end */\n",
         "/* h */\n\n#define H\na\n\n/* end */\n", true},
        {"#if !defined(H)\n#define H 1\na\n#endif", "\n#define H 1\na\n", true},
        {"#ifndef H\n#define H\na\n#endif\nb", "#ifndef H\n#define H\na\n#endif\nb", false},
        {"#ifndef H\n#define H 4\n#endif\nint n = H;", "#ifndef H\n#define H 4\n#endif\nint n = H;",
         false},
        {"#pragma once\na", "\na", true},
        {"\"#if 0\"\n'\"'\n#if 0\na\n#endif", "\"#if 0\"\n'\"'\n\n\n", false},
        {"R\"x(\n#if 0\n)x\"\n1'000\n#if 0\n'\n#endif", "R\"x(\n#if 0\n)x\"\n1'000\n\n\n", false},
        {"// \\\n#if 0\na", "// \\\n#if 0\na", false},
        {"#ifdef YES\na\n#else\nb\n#endif", "\na\n\n\n", false},
        {"#ifndef YES\na\n#endif", "\n\n", false},
        {"#if 0\na", "#if 0\na", false},
        {"#endif\n#else\n#elif\n#", "#endif\n#else\n#elif\n#", false},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *text = strdup(cases[i].text), *w = text;
        bool once;
        assert_true(wb_directives_fold(text, strlen(text), true, known, NULL, &once));
        for (char *p = text; *p; p++) /* without the blanks at the ends of lines */
            for (*w++ = *p; *p == '\n' && w - 1 > text && w[-2] == ' ';)
                w--, w[-1] = '\n';
        while (w > text && w[-1] == ' ')
            w--;
        *w = '\0';
        assert_string_equal(text, cases[i].folded);
        assert_int_equal(once, cases[i].once);
        free(text);
    }
}

static const char *defines(void *ctx, const char *name, size_t len, size_t at) {
    (void)ctx, (void)at;
    static const char *const known[] = {
        "#define HD __host__ __device__",
        "#define DEVICE __device__ /* there */ inline",
        "#define KERNEL(n) __global__ void __launch_bounds__(n)",
        "#define ENTRY __global__ \\\n  void __launch_bounds__(256)",
        "#define API",
        "#define BOTH HD INLINE",
        "#define INLINE __forceinline__",
        "#define REAL float",
        "#define LOOP LOOP",
        "#define N 64"};
    for (size_t i = 0; i < WB_COUNT(known); i++)
        if (strncmp(known[i] + 8, name, len) == 0 &&
            !strchr("ABDEFGHIKLMNOPRTY_", known[i][8 + len] ? known[i][8 + len] : ' '))
            return known[i];
    return NULL;
}

static void test_specifiers(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"HD float f(int HDR);", "__host__ __device__ float f(int HDR);"},
        {"struct S { HD S(); HD ~S(); };",
         "struct S { __host__ __device__ S(); __host__ __device__ ~S(); };"},
        {"BOTH int f();", "__host__ __device__ __forceinline__ int f();"},
        {"DEVICE\nint n;", "__device__ inline\nint n;"},
        {"ENTRY k() {}", "__global__ void __launch_bounds__(256) k() {}"},
        {"API int f();", " int f();"},
        {"KERNEL(3) k();", "KERNEL(3) k();"}, /* has arguments */
        {"REAL x; LOOP y; N z;", "REAL x; LOOP y; N z;"},
        {"#define HD HD\n\"HD x\" // HD x\n", "#define HD HD\n\"HD x\" // HD x\n"},
        {"HD; (HD) HD + 1", "HD; (HD) HD + 1"},
        {"R\"(HD x)\" HD int n;", "R\"(HD x)\" __host__ __device__ int n;"},
        {"0xHD int; 1HD x", "0xHD int; 1HD x"},
        {"", ""},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        size_t len;
        char *text = wb_specifiers_expand(cases[i][0], strlen(cases[i][0]), defines, NULL, &len);
        assert_non_null(text);
        assert_string_equal(text, cases[i][1]);
        assert_int_equal(len, strlen(text));
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_once, end),
        cmocka_unit_test_teardown(test_steered, end),
        cmocka_unit_test_teardown(test_places, end),
        cmocka_unit_test_teardown(test_whole, end),
        cmocka_unit_test_teardown(test_program, end),
        cmocka_unit_test_teardown(test_library, end),
        cmocka_unit_test_teardown(test_folders, end),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_specifiers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
