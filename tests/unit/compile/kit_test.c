/* kit_test.c: with a kit what comes out, and what is said, is what nvcc makes of the same source; a
 * kit that is damaged or made for other lines is not used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/compile/compile.h"

#define HEAD "#line 1 \"warpbook\"\n#include <math.h>\n#include <stdio.h>\n"

static char *folder; /* a private place; the cache lies under it too */
static wb_device device = {.kind = WB_DEVICE_SOFT, .capability = 90};
static const char *const no_sandbox[] = {"/usr/bin/env", NULL};
static const char *const uncompressed[] = {"-no-compress", NULL};

static int set_up(void **state) {
    (void)state;
    folder = wb_dir_temp("kit-test", NULL);
    setenv("XDG_CACHE_HOME", folder ? folder : "", 1);
    return folder ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    return 0;
}

static wb_compile_spec spec_of(const char *const *sources, const char *output) {
    return (wb_compile_spec){.kind = WB_COMPILE_SHARED,
                             .sources = sources,
                             .flags = uncompressed,
                             .output = output,
                             .cwd = folder,
                             .device = &device,
                             .no_cache = true,
                             .line_info = true,
                             .wrapper = no_sandbox};
}

/* The device code in the library: without the names of files, which say where they lay, and of each
 * line's marks the first, without its column: those count in what was preprocessed. */
static char *code_of(const char *path) {
    wb_buf file = {0}, code = {0};
    assert_true(wb_file_read(path, 0, &file, NULL));
    const char *at = memmem(file.data, file.len, ".version ", 9);
    assert_non_null(at);
    char *all = strdup(at), *rest = all;
    int last = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        int number = 0;
        bool mark = sscanf(line, " .loc %*d %d", &number) == 1;
        if (strstr(line, ".b8 ") == line || strstr(line, ".file") || (mark && number == last))
            continue;
        if (mark)
            wb_buf_printf(&code, "line %d\n", last = number);
        else
            wb_buf_printf(&code, "%s\n", line);
    }
    free(all);
    wb_buf_free(&file);
    return wb_buf_steal(&code);
}

/* Compiles `rest` behind `head`, with the kit or without; the device code, or what was said. */
static char *made(const char *head, const char *rest, const char *kit) {
    char *source = wb_format("%s/submission.cu", folder), *output = wb_format("%s/out.so", folder);
    char *text = wb_format("%s#line 1 \"mine.cu\"\n%s", head, rest);
    wb_compile_spec spec = spec_of((const char *const[]){source, NULL}, output);
    wb_compile_result result;
    wb_error err = {0};
    spec.kit = kit;
    unlink(output);
    assert_true(wb_file_write(source, text, strlen(text), NULL));
    if (!wb_compile(&spec, &result, &err))
        fail_msg("%s", err.text);
    char *out = result.ok ? code_of(output) : wb_format("%s", result.log);
    wb_compile_result_free(&result);
    free(text);
    free(source);
    free(output);
    return out;
}

static char *take_kit(const char *head) {
    wb_compile_spec spec = spec_of(NULL, "");
    return wb_compile_kit(&spec, head);
}

static void same(const char *rest, const char *kit, const char *sign) {
    char *with = made(HEAD, rest, kit), *without = made(HEAD, rest, NULL);
    assert_non_null(strstr(without, sign));
    for (int i = 0; i < 2; i++) { /* "1 error detected in the compilation of PATH" */
        char *path = strstr(i ? with : without, " in the compilation of ");
        *(path ? path : strchr(i ? with : without, '\0')) = '\0';
    }
    assert_string_equal(with, without);
    free(with);
    free(without);
}

static void test_same(void **state) {
    (void)state;
    char *kit = take_kit(HEAD);
    assert_non_null(kit);
    same("#include <cstdlib>\n#include <math.h>\n"
         "template <int N> __global__ void k(float *x) { x[threadIdx.x] = INFINITY + N; }\n"
         "void solve(float *x) { k<3><<<1, 32>>>(x); printf(\"%d\\n\", (int)x[0]); }\n",
         kit, ".entry _Z1kILi3EEvPf");
    same("void solve(int m) { no_such_thing(m); }\n", kit, "mine.cu(1): error: identifier");
    free(kit);
}

static void test_not_used(void **state) {
    (void)state;
    char *kit = take_kit(HEAD), *again;
    /* other first lines, whose macro would be missing */
    char *code = made("#include <climits>\n", "__global__ void k(int *x) { *x = INT_MAX; }\n", kit);
    assert_non_null(strstr(code, ".entry _Z1kPi"));
    free(code);
    again = take_kit(HEAD);
    assert_string_equal(kit, again);
    free(again);
    free(kit);
}

/* In another process, as this one has checked it. */
static void test_damaged(void **state) {
    (void)state;
    char *kit = take_kit(HEAD), *part = wb_format("%s/device.ii", kit);
    wb_buf before = {0}, after = {0};
    assert_true(wb_file_read(part, 0, &before, NULL));
    assert_int_equal(truncate(part, 1000), 0);
    char *const argv[] = {"kit_test", "take", NULL};
    pid_t pid = fork();
    if (pid == 0)
        execv("/proc/self/exe", argv);
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(wb_file_read(part, 0, &after, NULL));
    assert_int_equal(after.len, before.len);
    wb_buf_free(&before);
    wb_buf_free(&after);
    free(part);
    free(kit);
}

/* Others need its room: who has checked it makes it anew. */
static void test_gone(void **state) {
    (void)state;
    char *kit = take_kit(HEAD), *again;
    assert_true(wb_dir_remove(kit, NULL));
    again = take_kit(HEAD);
    assert_string_equal(kit, again);
    assert_int_equal(access(kit, F_OK), 0);
    free(again);
    free(kit);
}

/* Three processes make the same one at once: from when it is there it stays, as one may use it. */
static void test_many_make_it(void **state) {
    (void)state;
    enum { PROCESSES = 3 };
    char *kit = take_kit(HEAD), *const argv[] = {"kit_test", "take", NULL};
    int left = PROCESSES;
    bool seen = false;
    assert_true(wb_dir_remove(kit, NULL));
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            execv("/proc/self/exe", argv);
    while (left) {
        int status = 0;
        bool there = access(kit, F_OK) == 0;
        assert_true(there || !seen);
        seen = there;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            assert_int_equal(status, 0);
            left--;
        }
    }
    assert_true(seen);
    free(kit);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc == 2) { /* test_damaged's other process */
        folder = getenv("XDG_CACHE_HOME");
        char *kit = take_kit(HEAD);
        bool taken = kit != NULL;
        free(kit);
        return taken ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_not_used),
                                       cmocka_unit_test(test_damaged), cmocka_unit_test(test_gone),
                                       cmocka_unit_test(test_many_make_it)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
