/* base_test.c: runtime/base. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void buf_grows_and_terminates(void **state) {
    (void)state;
    wb_buf b = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(wb_buf_printf(&b, "%d,", i));
    assert_int_equal(b.len, 3890);
    assert_int_equal(b.data[b.len], 0);
    wb_buf_consume(&b, 3886);
    assert_string_equal(b.data, "999,");
    wb_buf_free(&b);
    char *empty = wb_buf_steal(&b);
    assert_string_equal(empty, "");
    free(empty);
}

static void buf_refuses_what_does_not_fit(void **state) {
    (void)state;
    wb_buf b = {0};
    wb_buf_puts(&b, "kept");
    assert_false(wb_buf_reserve(&b, SIZE_MAX - 8));
    assert_true(b.failed);
    assert_false(wb_buf_puts(&b, "x"));
    assert_string_equal(b.data, "kept");
    wb_buf_free(&b);
}

static void files_are_written_whole(void **state) {
    (void)state;
    wb_error err = {0};
    char *dir = wb_dir_temp("base-test", &err);
    assert_non_null(dir);
    char *deep = wb_format("%s/a/b/c", dir), *file = wb_format("%s/a/b/c/f", dir);
    assert_true(wb_dir_make(deep, &err));
    assert_true(wb_dir_make(deep, &err));
    assert_true(wb_file_write(file, "one", 3, &err));
    assert_true(wb_file_write(file, "three", 5, &err));
    wb_buf text = {0};
    assert_true(wb_file_read(file, 0, &text, &err));
    assert_string_equal(text.data, "three");
    assert_false(wb_file_read(file, 4, &text, &err));
    assert_int_equal(err.code, EFBIG);
    assert_string_equal(text.data, "three");
    char *link = wb_format("%s/a/link", dir);
    assert_int_equal(symlink("/usr/include", link), 0);
    assert_true(wb_dir_remove(dir, &err));
    assert_false(wb_file_exists(dir));
    assert_true(wb_file_exists("/usr/include"));
    assert_true(wb_dir_remove(dir, &err));
    wb_buf_free(&text);
    free(link), free(deep), free(file), free(dir);
}

/* Made an hour ago, as far as one can see. */
static void age(const char *path) {
    struct timespec then[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

static void what_the_killed_left_is_tidied_up(void **state) {
    (void)state;
    char *dir = wb_dir_temp("base-test", NULL), *before = getenv("TMPDIR");
    before = before ? strdup(before) : NULL;
    setenv("TMPDIR", dir, 1);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char *path = wb_dir_temp("some", NULL), *file = wb_format("%s/f", path);
        if (!wb_file_write(file, "x", 1, NULL) || write(ends[1], path, strlen(path) + 1) < 0)
            _exit(1);
        pause();
    }
    char left[4096] = "";
    assert_true(read(ends[0], left, sizeof left - 1) > 0);
    char *mine = wb_dir_temp("some", NULL), *other = wb_format("%s/warpbook-some-else", dir);
    assert_true(wb_dir_make(other, NULL));
    age(left), age(mine), age(other);
    free(wb_dir_temp("some", NULL));
    assert_true(wb_file_exists(left)); /* its process lives */
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    free(wb_dir_temp("thing", NULL));
    assert_true(wb_file_exists(left)); /* it has another name */
    char *young = wb_dir_temp("some", NULL);
    assert_false(wb_file_exists(left));
    assert_true(wb_file_exists(mine) && wb_file_exists(other) && wb_file_exists(young));
    close(ends[0]), close(ends[1]);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    assert_true(wb_dir_remove(mine, NULL) && wb_dir_remove(young, NULL));
    assert_true(wb_dir_remove(dir, NULL));
    free(young), free(other), free(mine), free(before), free(dir);
}

static wb_proc_result run_shell(wb_proc_spec spec, const char *script) {
    const char *argv[] = {"sh", "-c", script, NULL};
    wb_proc_result r;
    wb_error err = {0};
    spec.argv = argv;
    assert_true(wb_proc_run(&spec, &r, &err));
    return r;
}

static void proc_gives_output_and_status(void **state) {
    (void)state;
    const char *env[] = {"WB_TEST=hello", "HOME", NULL};
    wb_proc_spec spec = {.env = env, .input = "input", .input_len = 5, .cwd = "/"};
    wb_proc_result r = run_shell(spec, "cat; echo $WB_TEST; pwd; echo ${HOME-unset} >&2; exit 3");
    assert_string_equal(r.out.data, "inputhello\n/\n");
    assert_string_equal(r.err.data, "unset\n");
    assert_int_equal(r.exit_code, 3);
    char text[100];
    assert_string_equal(wb_proc_describe(&r, text, sizeof text), "ended with exit status 3");
    wb_proc_result_free(&r);
}

/* Counts what comes from each descriptor and remembers when the first piece came. */
typedef struct heard {
    wb_buf out, err;
    const char *file; /* made when the first is heard */
} heard;

static void hear(void *ctx, int fd, const char *data, size_t len) {
    heard *h = ctx;
    if (h->file && !wb_file_exists(h->file))
        assert_true(wb_file_write(h->file, "", 0, NULL));
    wb_buf_append(fd == 1 ? &h->out : &h->err, data, len);
}

static void proc_hands_output_on_as_it_comes(void **state) {
    (void)state;
    char *folder = wb_dir_temp("base-test", NULL), *file = wb_format("%s/heard", folder);
    char *lines = wb_format("echo first; echo wrong >&2; until [ -e %s ]; do sleep 0.01; done; "
                            "echo last",
                            file);
    heard h = {.file = file};
    wb_proc_result r =
        run_shell((wb_proc_spec){.output = hear, .ctx = &h, .timeout_s = 600}, lines);
    assert_false(r.timed_out);
    assert_string_equal(h.out.data, "first\nlast\n");
    assert_string_equal(h.err.data, "wrong\n");
    assert_int_equal(r.out.len, 0);
    assert_int_equal(r.out_total, 11);
    wb_dir_remove(folder, NULL);
    free(folder);
    free(file);
    free(lines);
    wb_buf_free(&h.out);
    wb_buf_free(&h.err);
    wb_proc_result_free(&r);
}

static void proc_keeps_its_limits(void **state) {
    (void)state;
    wb_proc_result r = run_shell((wb_proc_spec){.timeout_s = 0.3}, "sleep 60 & sleep 60");
    assert_true(r.timed_out);
    assert_true(r.wall_s < 50);
    wb_proc_result_free(&r);
    r = run_shell((wb_proc_spec){.limit_output = 100000, .max_output = 10, .timeout_s = 600},
                  "yes");
    assert_true(r.flooded);
    assert_int_equal(r.out.len, 10);
    assert_true(r.out_total > 100000);
    wb_proc_result_free(&r);
    r = run_shell((wb_proc_spec){0}, "kill -SEGV $$");
    assert_int_equal(r.signal, SIGSEGV);
    assert_int_equal(r.exit_code, -1);
    wb_proc_result_free(&r);
}

static void proc_ignores_a_child_that_never_reads(void **state) {
    (void)state;
    static char big[1 << 20];
    wb_proc_result r = run_shell(
        (wb_proc_spec){.input = big, .input_len = sizeof big, .timeout_s = 600}, "exec true");
    assert_int_equal(r.exit_code, 0);
    wb_proc_result_free(&r);
}

static void proc_says_what_could_not_start(void **state) {
    (void)state;
    const char *argv[] = {"no-such-program", NULL};
    wb_proc_result r;
    wb_error err = {0};
    assert_false(wb_proc_run(&(wb_proc_spec){.argv = argv}, &r, &err));
    assert_string_equal(err.text, "no-such-program: there is no such program");
    wb_proc_result_free(&r);
}

/* However the bytes are cut into pieces, the decoded text is the same. */
static void utf8_survives_every_cut(void **state) {
    (void)state;
    static const char raw[] =
        "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xFF\xED\xA0\x80\xC0\xAF z\xE2\x82";
    static const char want[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBD"
                               "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD z"
                               "\xEF\xBF\xBD\xEF\xBF\xBD";
    size_t n = sizeof raw - 1;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = i; j <= n; j++) {
            wb_buf out = {0};
            char carry[4];
            size_t carry_len = 0;
            wb_utf8_decode(&out, carry, &carry_len, raw, i, false);
            wb_utf8_decode(&out, carry, &carry_len, raw + i, j - i, false);
            wb_utf8_decode(&out, carry, &carry_len, raw + j, n - j, true);
            assert_string_equal(out.data, want);
            wb_buf_free(&out);
        }
    assert_int_equal(wb_utf8_count("a\xC3\xA9z", 4), 3);
    assert_int_equal(wb_utf8_offset("a\xC3\xA9z", 4, 2), 3);
}

static void nearest_name_is_near(void **state) {
    (void)state;
    const char *names[] = {"%device", "%flags", "%who", "%reset"};
    assert_string_equal(wb_text_nearest("%devise", names, 4), "%device");
    assert_string_equal(wb_text_nearest("%rset", names, 4), "%reset");
    assert_null(wb_text_nearest("%transpose", names, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buf_grows_and_terminates),
        cmocka_unit_test(buf_refuses_what_does_not_fit),
        cmocka_unit_test(files_are_written_whole),
        cmocka_unit_test(what_the_killed_left_is_tidied_up),
        cmocka_unit_test(proc_gives_output_and_status),
        cmocka_unit_test(proc_hands_output_on_as_it_comes),
        cmocka_unit_test(proc_keeps_its_limits),
        cmocka_unit_test(proc_ignores_a_child_that_never_reads),
        cmocka_unit_test(proc_says_what_could_not_start),
        cmocka_unit_test(utf8_survives_every_cut),
        cmocka_unit_test(nearest_name_is_near),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
