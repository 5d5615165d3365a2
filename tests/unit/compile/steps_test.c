/* steps_test.c: nvcc's steps, taken two at a time: what comes out, and what is said, is nvcc's. */
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

/* Both ways; the same must be said, and the same headers be read. */
static bool same(const char *text) {
    wb_compile_result plain = compile(text, false, "plain.so"), r = compile(text, true, "steps.so");
    assert_false(plain.from_cache || r.from_cache);
    assert_int_equal(plain.ok, r.ok);
    assert_string_equal(plain.log, r.log);
    assert_int_equal(plain.n_diagnostics, r.n_diagnostics);
    bool ok = r.ok;
    if (ok) {
        assert_non_null(strstr(r.inputs, "/cuda_runtime.h\n"));
        assert_non_null(strstr(r.inputs, "/crt/math_functions.hpp\n"));
    }
    wb_compile_result_free(&plain);
    wb_compile_result_free(&r);
    return ok;
}

#define UNIT "#line 1 \"warpbook\"\n#line 1 \"cell [1]\"\n"

/* Units that are compiled both ways: whether that goes well, and for a GPU. */
static const struct {
    bool well, gpu;
    const char *text;
} UNITS[] = {
    {true, false, UNIT "int x = 3, y = sizeof(x) + 3;\n"},
    {true, false, UNIT "int x = 1.5, y = 3000000000;\n"},
    {true, false, UNIT "int f() { int unused; return 3; }\n"},
    {true, false,
     UNIT "__global__ void k(int *x) { int unused; *x = 1; }\n"
          "int f() { int idle; return 3; }\n"},
    /* hidden from a look at the source */
    {true, false,
     UNIT "#define KERNEL(name) __glo##bal__ void name(int *x) { *x = 1; }\n"
          "KERNEL(k)\nvoid run() { k<<<1, 1>>>(nullptr); }\n"},
    {true, false, UNIT "#warning twice\nint x;\n"},
    /* whose own code is made, too */
    {true, true, UNIT "__global__ void k(int *x) { int unused; *x = 1; }\n"},
    {false, false, UNIT "int f() {\n  return x;\n}\n"},
    {false, false, UNIT "#include <nosuch.h>\n"},
    {false, false, UNIT "__global__ void k(int *x) { *x = y; }\n"},
    {false, false, UNIT "int f() { return __ldg((const int *)nullptr); }\n"},
    {false, false, UNIT "__global__ void k() { asm(\"nonsense;\"); }\n"},
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
        assert_int_equal(same(UNITS[i].text), UNITS[i].well);
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
    char *script = wb_steps_script(steps);
    assert_non_null(strstr(script, "& host=$!"));
    free(script);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan), cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
