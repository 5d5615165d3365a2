/* The option table: every kind of value with its limits, every refusal, and the lines of help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/language.h"
#include "runtime/cli/option.h"

typedef struct record {
    bool json;
    int form, by;
    const char *file, *device, *share;
    double limit;
    int64_t n;
    wb_seed seed;
    char first; /* of what `read` takes */
} record;

static bool read_letter(const char *text, void *target) {
    *(char *)target = text[0];
    return text[0] >= 'a' && text[0] <= 'z' && !text[1];
}

#define WB_RECORD record
static const wb_option options[] = {
    WB_OPTION_JSON(json),
    WB_OPTION("--csv", PICK, form, NULL, "a table", .least = 3, .shell = true),
    WB_OPTION("--xml", PICK, form, NULL, "a tree", .least = 4),
    WB_OPTION("--file", TEXT, file, "FILE", "where it goes"),
    WB_OPTION("--device", WORD, device, "soft|gpu|auto", "where it runs", .only = "run walk"),
    WB_OPTION("--by", INDEX, by, "thread|warp|block", "whose"),
    WB_OPTION("--share", NUMBER, share, "S", "a share", .least = 0.001, .most = 1e9),
    WB_OPTION("--limit", REAL, limit, "S", "seconds", .least = 0.5, .most = 3600),
    WB_OPTION("-n", WHOLE, n, "N", "how many", .least = 0, .most = 64),
    WB_OPTION_SEED(seed),
    {.name = "--letter",
     .kind = WB_KIND_READ,
     .at = offsetof(record, first),
     .value = "L",
     .read = read_letter,
     .wants = "a letter"},
    {0}};

enum { MOST = 16 };

/* Reads a line of words; the plain ones are joined by blanks into `left`. */
static char *read_line(const char *line, wb_option_place place, record *r, char left[100]) {
    static char text[200];
    char *words[MOST], *plain[MOST], *rest = NULL;
    int n = 0;
    strcpy(text, line);
    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        words[n++] = w;
    wb_option_fault fault;
    int n_plain = wb_option_read(options, place, words, n, r, plain, &fault);
    left[0] = '\0';
    for (int i = 0; i < n_plain; i++)
        strcat(strcat(left, i ? " " : ""), plain[i]);
    if (n_plain >= 0)
        assert_null(plain[n_plain]);
    return n_plain < 0 ? wb_option_sentence(options, &fault) : NULL;
}

static void kinds_store_what_they_should(void **state) {
    (void)state;
    record r = {0};
    char left[100];
    assert_null(read_line("run a --json --csv --xml --file=x=y --device gpu --by block --share 1e3 "
                          "--limit 0.5 b",
                          WB_OPTION_ANYWHERE, &r, left));
    assert_string_equal(left, "run a b");
    assert_true(r.json && r.form == 4 && r.by == 2 && r.limit == 0.5);
    assert_string_equal(r.file, "x=y");
    assert_string_equal(r.device, "gpu");
    assert_string_equal(r.share, "1e3");
    assert_null(
        read_line("-n64 --seed 0xFFFFFFFFFFFFFFFF --letter q - x", WB_OPTION_BEFORE, &r, left));
    assert_string_equal(left, "- x");
    assert_true(r.n == 64 && r.seed.given && r.seed.value == UINT64_MAX && r.first == 'q');
    assert_null(
        read_line("-n 0 --seed 010 --seed=18446744073709551615", WB_OPTION_ANYWHERE, &r, left));
    assert_true(r.n == 0 && r.seed.value == UINT64_MAX);
    assert_null(read_line("--seed 010", WB_OPTION_ANYWHERE, &r, left));
    assert_int_equal(r.seed.value, 10);
}

static void refusals_name_option_range_and_value(void **state) {
    (void)state;
    static const char seeds[] = "a whole number from 0 to 18446744073709551615";
    char seed[200];
    snprintf(seed, sizeof seed, "--seed takes %s, not '-1'", seeds);
    const struct {
        const char *line, *says;
    } cases[] = {{"--jsn", "there is no option --jsn, did you mean --json?"},
                 {"--file", "--file needs a value"},
                 {"-n", "-n needs a value: a whole number from 0 to 64"},
                 {"--json=1", "--json takes no value"},
                 {"--csv=1", "--csv takes no value"},
                 {"-n 65", "-n takes a whole number from 0 to 64, not '65'"},
                 {"-n -1", "-n takes a whole number from 0 to 64, not '-1'"},
                 {"-n 1e1", "-n takes a whole number from 0 to 64, not '1e1'"},
                 {"-n99999999999999999999",
                  "-n takes a whole number from 0 to 64, not '99999999999999999999'"},
                 {"--limit nan", "--limit takes a number from 0.5 to 3600, not 'nan'"},
                 {"--limit inf", "--limit takes a number from 0.5 to 3600, not 'inf'"},
                 {"--share 0", "--share takes a number from 0.001 to 1000000000, not '0'"},
                 {"--seed -1", seed},
                 {"--by tread", "--by takes one of thread, warp, block, not 'tread'"},
                 {"--device=sof", "--device takes one of soft, gpu, auto, not 'sof'"},
                 {"--letter ab", "--letter takes a letter, not 'ab'"},
                 {"--letter", "--letter needs a value: a letter"},
                 {"sit --device gpu", "--device is for run, walk; sit has no use for it"}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        record r = {0};
        char left[100], *said = read_line(cases[i].line, WB_OPTION_ANYWHERE, &r, left);
        assert_non_null(said);
        assert_string_equal(said, cases[i].says);
        free(said);
    }
}

static void options_end_where_the_place_says(void **state) {
    (void)state;
    record r = {0};
    char left[100];
    assert_null(read_line("--json a.cu --file -O3 --x", WB_OPTION_LEADING, &r, left));
    assert_string_equal(left, "a.cu --file -O3 --x");
    assert_null(read_line("-O3 --json", WB_OPTION_LEADING, &r, left));
    assert_string_equal(left, "-O3 --json");
    char *said = read_line("--x a.cu", WB_OPTION_LEADING, &r, left);
    assert_non_null(said);
    free(said);
    assert_null(read_line("--json -- --json", WB_OPTION_LEADING, &r, left));
    assert_string_equal(left, "-- --json");
    assert_null(read_line("-n 3 --i; -n 4", WB_OPTION_BEFORE, &r, left));
    assert_string_equal(left, "--i; -n 4");
    assert_int_equal(r.n, 3);
}

static void a_magic_checks_without_a_record(void **state) {
    (void)state;
    char left[100];
    assert_null(read_line("a --xml --seed 3 -n 4", WB_OPTION_ANYWHERE, NULL, left));
    assert_string_equal(left, "a");
    const char *const refused[] = {"--csv", "-n 65", "--seed x", "--by x"};
    for (size_t i = 0; i < WB_COUNT(refused); i++) {
        char *said = read_line(refused[i], WB_OPTION_ANYWHERE, NULL, left);
        assert_non_null(said);
        free(said);
    }
}

static void help_is_one_list(void **state) {
    (void)state;
    wb_buf out = {0};
    wb_option_list(&out, options, true);
    assert_null(strstr(out.data, "--csv"));
    assert_null(strstr(out.data, "--letter"));
    assert_non_null(strstr(out.data, "\n  --file FILE        where it goes\n"));
    assert_non_null(strstr(out.data, "\n                     run, walk: where it runs\n"));
    wb_buf_free(&out);
    wb_option_usage(&out, "NAME", options, false);
    assert_string_equal(out.data, "NAME [OPTION...]");
    wb_buf_free(&out);
    wb_option_usage(&out, "CODE", options + 8, true);
    assert_string_equal(out.data, "[-n N] [--seed S] CODE");
    wb_buf_free(&out);
}

/* No line is wider than the page, no word is lost, and no line of Chinese begins with a full stop.
 */
static void text_is_wrapped(void **state) {
    (void)state;
    wb_buf text = {0}, out = {0};
    for (int i = 0; i < 60; i++)
        wb_buf_puts(&text, i % 3 ? "单元格运行一次。（" : "kernel grid ");
    wb_option_wrap(&out, text.data, 4);
    size_t at = 0, lines = 0;
    for (char *line = out.data, *end; line; line = end ? end + 1 : NULL, lines++) {
        size_t n = (end = strchr(line, '\n')) ? (size_t)(end - line) : strlen(line);
        assert_true(wb_utf8_width(line, n) <= 96);
        line += lines ? 4 : 0;
        n -= lines ? 4 : 0;
        assert_true(strncmp(line, "。", 3) != 0);
        while (text.data[at] == ' ')
            at++;
        assert_memory_equal(line, text.data + at, n);
        at += n;
    }
    assert_true(lines > 5 && at + 1 >= text.len);
    wb_buf_free(&text);
    wb_buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_store_what_they_should),
        cmocka_unit_test(refusals_name_option_range_and_value),
        cmocka_unit_test(options_end_where_the_place_says),
        cmocka_unit_test(a_magic_checks_without_a_record),
        cmocka_unit_test(help_is_one_list),
        cmocka_unit_test(text_is_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
