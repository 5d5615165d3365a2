/* compile_test.c: the toolkit, the nvcc driver, its diagnostics and the cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/compile/cache.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/diag.h"
#include "runtime/compile/disassemble.h"

static char *folder; /* a private place; the cache lies under it too */

static int set_up(void **state) {
    (void)state;
    folder = wb_dir_temp("compile-test", NULL);
    if (!folder)
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

static void put(const char *name, const char *text) {
    char *path = wb_format("%s/%s", folder, name);
    wb_error err = {0};
    if (!wb_file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
    free(path);
}

static wb_compile_result compile(wb_compile_spec spec) {
    static const char *const sources[] = {"a.cu", NULL};
    char *output = wb_format("%s/out", folder);
    wb_device soft = {.kind = WB_DEVICE_SOFT, .capability = 90};
    spec.sources = sources;
    spec.output = output;
    spec.cwd = folder;
    spec.device = &soft;
    wb_compile_result result;
    wb_error err = {0};
    if (!wb_compile(&spec, &result, &err))
        fail_msg("%s", err.text);
    free(output);
    return result;
}

static void parse(wb_compile_result *r, const char *log) {
    *r = (wb_compile_result){.log = strdup(log)};
    assert_true(wb_diag_parse(r));
}

static void test_toolkit(void **state) {
    (void)state;
    wb_toolkit toolkit;
    wb_error err = {0};
    if (!wb_toolkit_find(&toolkit, &err))
        fail_msg("%s", err.text);
    assert_true(toolkit.version >= 1300);
    char *header = wb_format("%s/cuda_runtime.h", toolkit.include_dir);
    assert_true(wb_file_exists(header));
    free(header);
    setenv("WARPBOOK_NVCC", "/nowhere/nvcc", 1);
    assert_false(wb_toolkit_find(&toolkit, &err));
    assert_non_null(strstr(err.text, "/nowhere/nvcc"));
    unsetenv("WARPBOOK_NVCC");
}

static void test_diagnostics(void **state) {
    (void)state;
    wb_compile_result r;
    parse(&r, "cell [3](12): error: identifier \"m\" is undefined\n"
              "  a[i] += m;\n"
              "          ^\n"
              "\n"
              "cell [3](2): warning #177-D: variable \"z\" was declared but never referenced\n"
              "  int z;\n"
              "      ^\n"
              "\n"
              "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
              "\n"
              "a.cu(9): error: no instance of function \"f\" matches\n"
              "            argument types are: (int)\n"
              "    f(3);\n"
              "    ^\n"
              "cell [3]:3:10: fatal error: nosuch.h: No such file or directory\n"
              "    3 | #include \"nosuch.h\"\n"
              "      |          ^~~~~~~~~~\n"
              "compilation terminated.\n"
              "2 errors detected in the compilation of \"a.cu\".\n");
    assert_int_equal(r.n_diagnostics, 4);
    const wb_diagnostic *d = r.diagnostics;
    assert_int_equal(d[0].severity, WB_DIAG_ERROR);
    assert_string_equal(d[0].file, "cell [3]");
    assert_int_equal(d[0].line, 12);
    assert_string_equal(d[0].text, "identifier \"m\" is undefined");
    assert_string_equal(d[0].excerpt, "  a[i] += m;\n          ^");
    assert_int_equal(d[1].severity, WB_DIAG_WARNING);
    assert_string_equal(d[2].text, "no instance of function \"f\" matches\n"
                                   "            argument types are: (int)");
    assert_int_equal(d[3].line, 3);
    assert_int_equal(d[3].column, 10);
    assert_string_equal(d[3].excerpt, "#include \"nosuch.h\"\n         ^~~~~~~~~~");
    wb_compile_result_free(&r);

    parse(&r, "ptxas error   : Entry function '_Z1kv' uses too much shared data\n"
              "nvcc fatal   : Unknown option '-foo'\n"
              "/usr/bin/ld: 0.o: in function `bar()':\n"
              "/usr/bin/ld: a.cu:2: undefined reference to `foo()'\n"
              "b (1).cu:7:(.text._ZN1GC2Ev[_ZN1GC5Ev]+0x16): undefined reference to `bar()'\n"
              "collect2: error: ld returned 1 exit status\n");
    assert_int_equal(r.n_diagnostics, 5);
    assert_null(r.diagnostics[0].file);
    assert_string_equal(r.diagnostics[1].text, "Unknown option '-foo'");
    assert_string_equal(r.diagnostics[2].file, "a.cu");
    assert_int_equal(r.diagnostics[2].line, 2);
    assert_string_equal(r.diagnostics[2].text, "undefined reference to `foo()'");
    assert_string_equal(r.diagnostics[3].file, "b (1).cu");
    assert_int_equal(r.diagnostics[3].line, 7);
    assert_string_equal(r.diagnostics[3].text, "undefined reference to `bar()'");
    wb_compile_result_free(&r);

    char *clean = wb_diag_clean("/t/x/tmpxft_0001abcd_00000000-6_a.cu: /t/xy", "/t/x");
    assert_string_equal(clean, "a.cu: /t/xy");
    free(clean);
}

/* One good compile, then the cache with everything that must and must not miss. */
static void test_cache(void **state) {
    (void)state;
    wb_compile_spec ptx = {.kind = WB_COMPILE_PTX};
    put("h.h", "#define N 1\n");
    put("a.cu", "#include \"h.h\"\n\n"
                "#line 2 \"cell [3]\"\n__global__ void k(int *a) { int unused; *a = N; }\n");
    wb_compile_result r = compile(ptx);
    assert_true(r.ok);
    assert_false(r.from_cache);
    assert_int_equal(r.n_diagnostics, 1);
    wb_compile_result_free(&r);

    r = compile(ptx);
    assert_true(r.from_cache);
    assert_int_equal(r.n_diagnostics, 1); /* the warning comes again */
    assert_int_equal(r.diagnostics[0].line, 2);
    wb_compile_result_free(&r);
    char *path = wb_format("%s/out", folder);
    wb_buf text = {0};
    assert_true(wb_file_read(path, 0, &text, NULL));
    assert_non_null(strstr(text.data, ".visible .entry"));
    wb_buf_free(&text);
    free(path);

    put("h.h", "#define N 2\n");
    r = compile(ptx);
    assert_true(r.ok && !r.from_cache);
    wb_compile_result_free(&r);
    wb_compile_spec other = ptx;
    other.flags = (const char *const[]){"-DM=3", NULL};
    r = compile(other);
    assert_true(r.ok && !r.from_cache);
    wb_compile_result_free(&r);
    r = compile(other);
    assert_true(r.from_cache);
    wb_compile_result_free(&r);

    other.flags = (const char *const[]){"-std=c++20", NULL}; /* in place of ours, without a word */
    r = compile(other);
    assert_true(r.ok && r.n_diagnostics == 1);
    wb_compile_result_free(&r);
}

/* A kernel that no source can define is told without compiling any of them. */
static void test_disassemble(void **state) {
    (void)state;
    wb_device soft = {.kind = WB_DEVICE_SOFT, .capability = 90};
    wb_error err = {0};
    put("one.cu", "__global__ void one(int *a) { *a = 1; }\n");
    put("two.cu", "#define K(n) __global__ void n##_two(int *a) { *a = 2; }\nK(part)\n");
    char *one = wb_format("%s/one.cu", folder), *two = wb_format("%s/two.cu", folder);
    char *cache = wb_format("%s/warpbook", folder);
    const char *const sources[] = {one, two}, *const flags[] = {NULL};
    wb_dir_remove(cache, NULL);
    assert_null(wb_disassemble(sources, 1, flags, &soft, "nosuch", false, &err));
    assert_non_null(strstr(err.text, "no cell that ran defines a kernel called 'nosuch'"));
    assert_false(wb_file_exists(cache));
    static const char *const found[] = {"one", "_Z3onePi", "part_two", NULL};
    for (size_t i = 0; i < WB_COUNT(found); i++) {
        char *text = wb_disassemble(sources, 2, flags, &soft, found[i], false, &err);
        if (!text)
            fail_msg("%s: %s", found[i], err.text);
        assert_non_null(strstr(text, i < 2 ? ".entry _Z3onePi" : ".entry _Z8part_twoPi"));
        free(text);
    }
    assert_true(wb_file_exists(cache));
    free(one);
    free(two);
    free(cache);
}

static void test_errors(void **state) {
    (void)state;
    put("a.cu", "int f() {\n  return x;\n}\n");
    wb_compile_result r = compile((wb_compile_spec){.kind = WB_COMPILE_SHARED});
    assert_false(r.ok);
    assert_int_equal(r.n_diagnostics, 1);
    assert_string_equal(r.diagnostics[0].file, "a.cu");
    assert_int_equal(r.diagnostics[0].line, 2);
    assert_null(strstr(r.log, ".nvcc-"));
    wb_compile_result_free(&r);

    wb_compile_spec limited = {.kind = WB_COMPILE_PTX, .timeout_s = 0.01, .no_cache = true};
    r = compile(limited);
    assert_true(r.timed_out && !r.ok);
    wb_compile_result_free(&r);
    static const volatile int stop = 1;
    r = compile((wb_compile_spec){.kind = WB_COMPILE_PTX, .stop = &stop, .no_cache = true});
    assert_true(r.stopped && !r.ok);
    wb_compile_result_free(&r);
}

/* A process that keeps the same entry over and over, killed at random moments: what is found
 * afterwards is whole. */
static void test_killed(void **state) {
    (void)state;
    static char content[1 << 20];
    memset(content, 'x', sizeof content);
    content[sizeof content - 1] = '\0';
    put("big", content);
    put("deps", "out : a.cu \\\n  h.h\n");
    put("h.h", "1");
    char *big = wb_format("%s/big", folder), *deps = wb_format("%s/deps", folder);
    char *got = wb_format("%s/got", folder);
    char key[WB_CACHE_KEY];
    assert_true(wb_cache_hash("k", 1, key));
    static const char *const sources[] = {"a.cu", NULL};
    int hits = 0;
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        if (pid == 0)
            for (;;)
                wb_cache_put(key, folder, big, "log", deps, sources);
        usleep((unsigned)(3000 + 1700 * i));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        wb_buf log = {0}, text = {0};
        if (wb_cache_get(key, folder, got, &log)) {
            hits++;
            assert_string_equal(log.data, "log");
            assert_true(wb_file_read(got, 0, &text, NULL));
            assert_int_equal(text.len, sizeof content - 1);
        }
        wb_buf_free(&log);
        wb_buf_free(&text);
    }
    assert_true(hits > 0);
    put("h.h", "2");
    wb_buf log = {0};
    assert_false(wb_cache_get(key, folder, got, &log));
    wb_buf_free(&log);
    free(big);
    free(deps);
    free(got);
}

static void test_trim(void **state) {
    (void)state;
    static char content[1 << 20];
    memset(content, 'x', sizeof content - 1);
    put("big", content);
    put("deps", "out : a.cu\n");
    char *big = wb_format("%s/big", folder), *deps = wb_format("%s/deps", folder);
    char *got = wb_format("%s/got", folder);
    setenv("WARPBOOK_CACHE_MB", "3", 1);
    static const char *const sources[] = {"a.cu", NULL};
    char first[WB_CACHE_KEY] = "", key[WB_CACHE_KEY];
    for (int i = 0; i < 6; i++) {
        const char name[2] = {(char)('a' + i), 0};
        assert_true(wb_cache_hash(name, 1, key));
        if (i == 0)
            strcpy(first, key);
        wb_cache_put(key, folder, big, "", deps, sources);
        usleep(20000);
    }
    wb_buf log = {0};
    assert_true(wb_cache_get(key, folder, got, &log)); /* the newest is there */
    assert_false(wb_cache_get(first, folder, got, &log));
    int kept = 0;
    for (int i = 0; i < 6; i++) {
        char name[2] = {(char)('a' + i), 0};
        assert_true(wb_cache_hash(name, 1, key));
        kept += wb_cache_get(key, folder, got, &log);
    }
    assert_in_range(kept, 2, 3);
    unsetenv("WARPBOOK_CACHE_MB");
    wb_buf_free(&log);
    free(big);
    free(deps);
    free(got);
}

static void test_device(void **state) {
    (void)state;
    wb_device device;
    wb_error err = {0};
    assert_true(wb_device_select("soft", &device, &err));
    assert_int_equal(device.kind, WB_DEVICE_SOFT);
    assert_true(device.memory > 0);
    char *environment = wb_device_environment(&device);
    assert_int_equal(strncmp(environment, "LD_LIBRARY_PATH=", 16), 0);
    assert_non_null(strstr(environment, "/softgpu"));
    free(environment);
    assert_false(wb_device_select("toaster", &device, &err));
    assert_non_null(strstr(err.text, "toaster"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolkit), cmocka_unit_test(test_diagnostics),
        cmocka_unit_test(test_cache),   cmocka_unit_test(test_disassemble),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_killed),
        cmocka_unit_test(test_trim),    cmocka_unit_test(test_device),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
