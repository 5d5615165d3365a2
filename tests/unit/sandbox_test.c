/* The sandbox: what must work in it does, what must not does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sandbox/sandbox.h"

/* Runs `sh -c script` in a sandbox; its output in r. */
static void run(const wb_sandbox_spec *spec, const char *script, wb_proc_result *r) {
    wb_error err = {0};
    char **wrapper = wb_sandbox_argv(spec, &err);
    if (!wrapper)
        fail_msg("%s", err.text);
    const char *argv[300] = {NULL};
    size_t n = 0;
    for (; wrapper[n]; n++)
        argv[n] = wrapper[n];
    argv[n++] = "/bin/sh";
    argv[n++] = "-c";
    argv[n++] = script;
    wb_proc_spec proc = {.argv = argv, .timeout_s = 600, .max_output = 65536, .merge_stderr = true};
    assert_true(wb_proc_run(&proc, r, &err));
    wb_sandbox_argv_free(wrapper);
}

static void expect(const wb_sandbox_spec *spec, const char *script, int status, const char *text) {
    wb_proc_result r;
    run(spec, script, &r);
    if (r.exit_code != status || (text && (!r.out.data || !strstr(r.out.data, text))))
        fail_msg("%s: exit status %d, signal %d, said: %s", script, r.exit_code, r.signal,
                 r.out.data ? r.out.data : "");
    wb_proc_result_free(&r);
}

static void test_the_probe_finds_no_hole(void **state) {
    (void)state;
    wb_error err = {0};
    if (!wb_sandbox_check(&err))
        fail_msg("%s", err.text);
    assert_true(wb_sandbox_check(&err)); /* the second answer is the first's */
}

/* The sandbox hides the home folder, even if Warpbook itself is in one. */
static void see_nothing_of(const wb_sandbox_spec *spec, const char *home) {
    if (!home || strncmp(home, "/tmp", 4) == 0)
        return; /* the sandbox has a /tmp of its own */
    char *secret = NULL, script[512];
    assert_true(asprintf(&secret, "%s/.warpbook-test-XXXXXX", home) > 0);
    int fd = mkstemp(secret);
    assert_true(fd >= 0 && write(fd, "secret\n", 7) == 7 && fchmod(fd, 0644) == 0);
    close(fd);
    snprintf(script, sizeof script, "cat %s", secret);
    expect(spec, script, 1, "No such file");
    unlink(secret);
    free(secret);
}

static void test_system_is_read_only_and_homes_are_gone(void **state) {
    (void)state;
    wb_sandbox_spec spec = {0};
    expect(&spec, "echo hi > /tmp/a && cat /tmp/a", 0, "hi");
    expect(&spec, "echo x > /usr/x", 2, NULL);
    see_nothing_of(&spec, getenv("HOME"));
    expect(&spec, "id -u; test $(id -u) != 0", 0, NULL);
    expect(&spec, "cat /proc/net/dev | grep -c :", 0, "1"); /* lo alone */
}

static void test_environment_is_ours(void **state) {
    (void)state;
    setenv("WARPBOOK_TEST_SECRET", "x", 1);
    const char *env[] = {"GIVEN=a=b", NULL};
    wb_sandbox_spec spec = {.env = env};
    expect(&spec, "test -z \"$WARPBOOK_TEST_SECRET\" && echo $GIVEN", 0, "a=b");
}

static void test_paths_are_as_given(void **state) {
    (void)state;
    wb_error err = {0};
    char *folder = wb_dir_temp("sandbox-test", &err);
    assert_non_null(folder);
    assert_true(wb_sandbox_give(folder, &err));
    const char *paths[] = {folder, NULL};
    wb_sandbox_spec spec = {.writable = paths, .cwd = folder};
    expect(&spec, "echo data > file && pwd", 0, folder);
    wb_sandbox_spec reader = {.read_only = paths, .cwd = folder};
    expect(&reader, "cat file", 0, "data");
    expect(&reader, "echo more > other", 2, NULL);
    assert_true(wb_dir_remove(folder, &err));
    free(folder);
}

static void test_limits_hold(void **state) {
    (void)state;
    wb_sandbox_spec files = {.file = 4096};
    expect(&files, "head -c 100000 /dev/zero > /tmp/big; test $(stat -c %s /tmp/big) -le 4096", 0,
           NULL);
    wb_sandbox_spec tmp = {.tmp = 1 << 20};
    expect(&tmp, "head -c 9000000 /dev/zero > /tmp/big; test $(stat -c %s /tmp/big) -le 1048576", 0,
           NULL);
    wb_sandbox_spec memory = {.memory = (size_t)32 << 20};
    expect(&memory, "head -c 100000000 /dev/zero | tail -c 100000000 | wc -c | grep -v 100000000",
           0, NULL);
    wb_sandbox_spec few = {.processes = 6};
    expect(&few, "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1 & done; wait", 2, NULL);
}

/* warpbook-isolate: descriptors pass, all else is a sandbox's; no sandbox, no program. */
static void test_a_tool_is_isolated(void **state) {
    (void)state;
    char *isolate = wb_path_lib("warpbook-isolate");
    const char *script = "echo kept >&3; id -u; test $(id -u) != 0; echo x > /usr/x || echo closed";
    const char *argv[] = {isolate, "/bin/sh", "-c", script, NULL};
    FILE *file = tmpfile();
    assert_true(isolate && file && dup2(fileno(file), 3) == 3);
    wb_proc_spec proc = {
        .argv = argv, .timeout_s = 600, .max_output = 65536, .merge_stderr = true, .pass_fd = 3};
    wb_proc_result r;
    wb_error err = {0};
    assert_true(wb_proc_run(&proc, &r, &err));
    if (r.exit_code != 0 || !strstr(r.out.data, "closed"))
        fail_msg("status %d: %s", r.exit_code, r.out.data);
    char kept[8] = "";
    rewind(file);
    assert_string_equal(fgets(kept, sizeof kept, file), "kept\n");
    wb_proc_result_free(&r);
    const char *const nowhere[] = {"PATH=/nowhere", NULL};
    proc.env = nowhere;
    assert_true(wb_proc_run(&proc, &r, &err));
    assert_true(r.exit_code == 126 || r.exit_code == 0); /* 0: bubblewrap came with Warpbook */
    wb_proc_result_free(&r);
    fclose(file);
    free(isolate);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_probe_finds_no_hole),
        cmocka_unit_test(test_system_is_read_only_and_homes_are_gone),
        cmocka_unit_test(test_environment_is_ours),
        cmocka_unit_test(test_paths_are_as_given),
        cmocka_unit_test(test_limits_hold),
        cmocka_unit_test(test_a_tool_is_isolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
