/* base_test.c: runtime/base. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/base/base.h"
#include "runtime/base/language.h"
#include "runtime/base/language.h"
#include "runtime/base/sha256.h"
#include "runtime/base/words.h"

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

static void markup_shows_what_the_text_says(void **state) {
    (void)state;
    wb_buf b = {0};
    assert_true(wb_buf_markup(&b, "a<b> && \"c\"\n\x1b[1m\x07\té"));
    assert_true(wb_buf_markup(&b, NULL));
    assert_string_equal(b.data, "a&lt;b&gt; &amp;&amp; &quot;c&quot;\n?[1m?\té");
    wb_buf_free(&b);
}

static void markup_escapes_the_texts_of_a_format(void **state) {
    (void)state;
    wb_buf b = {0};
    assert_true(wb_buf_markupf(&b, "<a b=\"%s\">%s%%</a>", "\"<%d", "x & y"));
    assert_true(wb_buf_markupf(&b, "%zu %4d %.1f %.4g 0x%016llx %u%s", (size_t)7, -3, 2.5, 0.125,
                               255ULL, 4000000000U, ""));
    assert_string_equal(b.data, "<a b=\"&quot;&lt;%d\">x &amp; y%</a>7   -3 2.5 0.125 "
                                "0x00000000000000ff 4000000000");
    wb_buf_free(&b);
}

static void lines_end_where_text_allows(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
        const char *lines[5];
    } cases[] = {
        {"", 5, {NULL}},
        {"short", 5, {"short"}},
        {"softgpu: the CPU's times, not a GPU's · median",
         20,
         {"softgpu: the CPU's", "times, not a GPU's ·", "median"}},
        {"as modelled, 2048 × 2048 × 64", 16, {"as modelled,", "2048 × 2048 × 64"}},
        {"it uses 12 %", 11, {"it uses", "12 %"}},
        {"two\nlines, and\n", 80, {"two", "lines, and"}},
        {"unbreakable", 4, {"unbr", "eaka", "ble"}},
        {"要了 128 字节，搬运了（32 个扇区）。",
         14,
         {"要了 128 字", "节，搬运了（32", "个扇区）。"}},
        {"中文", 1, {"中", "文"}},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        const char *text = cases[i].text;
        size_t n = 0;
        while (*text) {
            size_t len = wb_utf8_line(text, cases[i].columns);
            assert_non_null(cases[i].lines[n]);
            assert_int_equal(len, strlen(cases[i].lines[n]));
            assert_memory_equal(text, cases[i].lines[n++], len);
            text += len;
            text += *text == ' ' || *text == '\n';
        }
        assert_null(cases[i].lines[n]);
    }
    static const char *const cuts[][2] = {{"abc", "abc"}, {"abcde", "ab…"}, {"中文", "中…"}};
    for (size_t i = 0; i < WB_COUNT(cuts); i++) {
        char *cut = wb_utf8_cut(cuts[i][0], 3);
        assert_string_equal(cut, cuts[i][1]);
        free(cut);
    }
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

static void arrays_grow_zeroed_and_may_shrink(void **state) {
    (void)state;
    struct {
        uint64_t at, zero;
    } *v = NULL;
    uint32_t n = 0;
    for (uint32_t most = 1; most < 200; most += 13) {
        while (n < most) {
            uint32_t at = n;
            __typeof__(v) one = WB_PUSH(v, n);
            assert_non_null(one);
            assert_int_equal(n, at + 1);
            assert_true(one == &v[at] && one->at == 0 && one->zero == 0);
            *one = (__typeof__(*v)){at, at};
        }
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(v[i].at, i);
        n = most % 3 ? most / 2 : 0;
    }
    free(v);
}

static void arrays_keep_what_they_hold_when_memory_is_out(void **state) {
    (void)state;
    char *v = NULL;
    assert_non_null(v = calloc(1, 4));
    strcpy(v, "abc");
    assert_null(wb_grow(&v, 4, SIZE_MAX / 16)); /* no such array exists */
    assert_string_equal(v, "abc");
    free(v);
}

static void lists_of_strings_end_with_null(void **state) {
    (void)state;
    wb_strings list = {0};
    for (size_t i = 0; i < 100; i++) {
        assert_true(i % 2 ? wb_strings_own(&list, wb_format("%zu", i))
                          : wb_strings_add(&list, "x"));
        assert_int_equal(list.n, i + 1);
        assert_string_equal(list.v[0], "x");
        assert_null(list.v[list.n]);
    }
    assert_string_equal(list.v[99], "99");
    assert_false(wb_strings_own(&list, NULL));
    assert_true(wb_strings_add(&list, "after") && list.failed);
    assert_int_equal(list.n, 101);
    wb_strings_free(&list);
    assert_true(!list.v && !list.n && !list.failed);
}

static void words_and_lines(void **state) {
    (void)state;
    assert_true(wb_begins("kernel.cu", "kernel") && wb_begins("a", "") &&
                !wb_begins("ke", "kernel"));
    assert_true(wb_ends("kernel.cu", ".cu") && wb_ends("a", "") && !wb_ends("u", ".cu"));
    assert_true(wb_word_whole("_a1") && wb_word_whole("größe"));
    assert_false(wb_word_whole("1a") || wb_word_whole("") || wb_word_whole("a-b"));
    const char *text = "a\nb\n\nc";
    assert_int_equal(wb_line_at(text, text), 1);
    assert_int_equal(wb_line_at(text, text + 1), 1);
    assert_int_equal(wb_line_at(text, text + 5), 4);
    wb_buf b = {0};
    assert_true(wb_buf_replace(&b, "aXbXX", "X", "XX"));
    assert_string_equal(b.data, "aXXbXXXX");
    wb_buf_free(&b);
    char *name = strdup("k<int>, k"), *none = NULL;
    wb_text_replace(&name, "k", "kernel");
    wb_text_replace(&none, "k", "kernel");
    assert_string_equal(name, "kernel<int>, kernel");
    wb_text_replace(&name, "float", "double");
    assert_string_equal(name, "kernel<int>, kernel");
    wb_text_replace(&name, "kernel<int>, kernel", "");
    assert_string_equal(name, "");
    assert_null(none);
    WB_FREE(name, none);
}

static WB_PRINTF(2, 3) char *say(char cut[8], const char *format, ...) {
    char text[8];
    WB_FORMAT_INTO(text, format);
    memcpy(cut, text, sizeof text);
    return WB_FORMATTED(format);
}

static void only_a_mark_translates(void **state) {
    (void)state;
    if (!wb_language_has(WB_CHINESE))
        skip();
    wb_language_set(WB_CHINESE);
    char cut[8], *plain = wb_format("out of memory"), *marked = wb_format(_("out of memory")),
                 *said = say(cut, "out of memory");
    wb_buf b = {0};
    wb_error err;
    wb_buf_printf(&b, "out of memory");
    wb_fail(&err, 1, "out of memory");
    wb_language_set(WB_ENGLISH);
    assert_string_equal(plain, "out of memory");
    assert_string_equal(said, "out of memory");
    assert_string_equal(b.data, "out of memory");
    assert_string_equal(err.text, "out of memory");
    assert_string_not_equal(marked, "out of memory");
    WB_FREE(plain, marked, said);
    wb_buf_free(&b);
}

static void variadic_functions_have_their_text(void **state) {
    (void)state;
    char cut[8], *text = say(cut, "%s has %d", "kernel", 12345);
    assert_string_equal(text, "kernel has 12345");
    assert_string_equal(cut, "kernel ");
    free(text);
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
    /* processor time is that of all below it, and none goes by while it sleeps */
    static const char busy[] = "(while :; do :; done) & sh -c 'while :; do :; done'; sleep 60";
    r = run_shell((wb_proc_spec){.timeout_cpu_s = 0.3, .timeout_s = 600}, busy);
    assert_true(r.timed_out);
    wb_proc_result_free(&r);
    r = run_shell((wb_proc_spec){.timeout_cpu_s = 0.3, .timeout_s = 600}, "sleep 1");
    assert_true(!r.timed_out && r.exit_code == 0);
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

/* Two lines, then nothing more. */
static char *next_line(void *ctx) {
    int *asked = ctx;
    return ++*asked > 2 ? NULL : strdup(*asked == 1 ? "one" : "two words");
}

static void proc_asks_for_what_is_read(void **state) {
    (void)state;
    const char *code = "read a; sleep 0.3; read b; echo $b $a; cat; echo x | cat; cat </dev/null";
    const char *const argv[] = {"sh", "-c", code, NULL};
    wb_proc_result r;
    wb_error err;
    int asked = 0;
    assert_true(
        wb_proc_run(&(wb_proc_spec){.argv = argv, .ask = next_line, .ctx = &asked}, &r, &err));
    assert_string_equal(r.out.data, "two words one\nx\n");
    assert_int_equal(asked, 3); /* the third time it ends, and cat with it */
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

/* FIPS 180-4's examples, and those of NIST's for all ways in which padding meets a block. */
static void sums_are_those_of_the_standard(void **state) {
    (void)state;
    static const struct {
        const char *text, *sum;
    } cases[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
                 {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
                 {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
                 {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
                  "klmnopqrlmnopqrsmnopqrstnopqrstu",
                  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
    static const struct {
        size_t zeros;
        const char *sum;
    } zeros[] = {{55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
                 {56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
                 {57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
                 {64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
                 {1000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"},
                 {1000000, "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025"}};
    char sum[WB_SHA256_TEXT], *many = calloc(1, 1000000);
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        wb_sha256(cases[i].text, strlen(cases[i].text), sum);
        assert_string_equal(sum, cases[i].sum);
    }
    for (size_t i = 0; i < WB_COUNT(zeros); i++) {
        wb_sha256(many, zeros[i].zeros, sum);
        assert_string_equal(sum, zeros[i].sum);
    }
    memset(many, 'a', 1000000);
    wb_sha256(many, 1000000, sum);
    assert_string_equal(sum, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}

static void both_ways_to_a_sum_agree(void **state) {
    (void)state;
    unsigned char blocks[64 * 5] = "abc\x80";
    uint32_t plain[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
             quick[8];
    blocks[63] = 24;
    sha256_plainly(plain, blocks, 1);
    assert_int_equal(plain[0], 0xba7816bf);
    assert_int_equal(plain[7], 0xf20015ad);
    for (int turn = 0; sha256_has_instructions() && turn < 100; turn++) {
        for (size_t i = 0; i < sizeof blocks; i++)
            blocks[i] = (unsigned char)(wb_hash(WB_HASH, plain, sizeof plain) >> i % 57);
        memcpy(quick, plain, sizeof plain);
        sha256_plainly(plain, blocks, (size_t)turn % 6);
        sha256_by_instructions(quick, blocks, (size_t)turn % 6);
        assert_memory_equal(quick, plain, sizeof plain);
    }
}

/* Files are read in pieces, and end where they end. */
static void a_sum_of_files_is_that_of_their_bytes(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{0, 1}, {63, 2}, {64, 64}, {262144, 1}, {262145, 600001}};
    char *dir = wb_dir_temp("base-test", NULL), sum[WB_SHA256_TEXT], all[WB_SHA256_TEXT];
    char *one = wb_format("%s/one", dir), *two = wb_format("%s/two", dir);
    char *bytes = malloc(1000000);
    for (size_t i = 0; i < 1000000; i++)
        bytes[i] = (char)(i * i / 7);
    for (size_t i = 0; i < WB_COUNT(sizes); i++) {
        assert_true(wb_file_write(one, bytes, sizes[i][0], NULL));
        assert_true(wb_file_write(two, bytes + sizes[i][0], sizes[i][1], NULL));
        assert_true(wb_sha256_files((const char *const[]){one, two, NULL}, sum));
        wb_sha256(bytes, sizes[i][0] + sizes[i][1], all);
        assert_string_equal(sum, all);
    }
    assert_false(wb_sha256_files((const char *const[]){one, dir, NULL}, sum));
    assert_true(wb_dir_remove(dir, NULL));
    free(bytes), free(one), free(two), free(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_standard),
        cmocka_unit_test(both_ways_to_a_sum_agree),
        cmocka_unit_test(a_sum_of_files_is_that_of_their_bytes),
        cmocka_unit_test(buf_grows_and_terminates),
        cmocka_unit_test(markup_shows_what_the_text_says),
        cmocka_unit_test(markup_escapes_the_texts_of_a_format),
        cmocka_unit_test(lines_end_where_text_allows),
        cmocka_unit_test(buf_refuses_what_does_not_fit),
        cmocka_unit_test(arrays_grow_zeroed_and_may_shrink),
        cmocka_unit_test(arrays_keep_what_they_hold_when_memory_is_out),
        cmocka_unit_test(lists_of_strings_end_with_null),
        cmocka_unit_test(words_and_lines),
        cmocka_unit_test(only_a_mark_translates),
        cmocka_unit_test(variadic_functions_have_their_text),
        cmocka_unit_test(files_are_written_whole),
        cmocka_unit_test(what_the_killed_left_is_tidied_up),
        cmocka_unit_test(proc_gives_output_and_status),
        cmocka_unit_test(proc_hands_output_on_as_it_comes),
        cmocka_unit_test(proc_keeps_its_limits),
        cmocka_unit_test(proc_ignores_a_child_that_never_reads),
        cmocka_unit_test(proc_asks_for_what_is_read),
        cmocka_unit_test(proc_says_what_could_not_start),
        cmocka_unit_test(utf8_survives_every_cut),
        cmocka_unit_test(nearest_name_is_near),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
