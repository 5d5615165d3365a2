/* The gradebook: rosters, late days, what is kept of a submission, what counts; and files that are
 * none, are damaged, locked, full. */
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

#include "grader/book/class.h"
#include "grader/book/csv.h"
#include "grader/book/digest.h"
#include "grader/book/entry.h"
#include "grader/book/roster.h"

typedef struct place {
    char *folder, *book;
} place;

static int make_place(void **state) {
    place *p = calloc(1, sizeof *p);
    p->folder = wb_dir_temp("book-test", NULL);
    p->book = wb_format("%s/class.book", p->folder);
    *state = p;
    return p->folder ? 0 : -1;
}

static int remove_place(void **state) {
    place *p = *state;
    wb_dir_remove(p->folder, NULL);
    free(p->book);
    free(p->folder);
    free(p);
    return 0;
}

static gr_book *open_book(const place *p) {
    wb_error err = {0};
    gr_book *book = gr_book_open(p->book, true, &err);
    assert_string_equal(err.text, "");
    assert_non_null(book);
    return book;
}

static char *write_file(const place *p, const char *name, const char *text) {
    char *path = wb_format("%s/%s", p->folder, name);
    assert_true(wb_file_write(path, text, strlen(text), NULL));
    return path;
}

/* ---- CSV, roster ---------------------------------------------------------------------------- */

static void test_csv(void **state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbfid;name;note\r\n"
                               "a;\"Lovelace; \"\"Ada\"\"\";\"two\r\nlines\"\r\n\r\nb;B\n\"\";x;";
    gr_csv csv;
    wb_error err = {0};
    assert_true(gr_csv_parse("x.csv", text, sizeof text - 1, &csv, &err));
    assert_int_equal(csv.n, 4);
    assert_string_equal(csv.rows[0].fields.v[0], "id");
    assert_string_equal(csv.rows[1].fields.v[1], "Lovelace; \"Ada\"");
    assert_string_equal(csv.rows[1].fields.v[2], "two\r\nlines");
    assert_int_equal(csv.rows[2].fields.n, 2);
    assert_int_equal(csv.rows[2].line, 5);
    assert_int_equal(csv.rows[3].fields.n, 3);
    assert_string_equal(csv.rows[3].fields.v[0], "");
    gr_csv_free(&csv);
    assert_false(gr_csv_parse("x.csv", "a,b\nc,\"d\n\n", 10, &csv, &err));
    assert_string_equal(err.text, "x.csv:2: a quote is opened here and never closed");
    gr_csv_free(&csv);
    assert_false(gr_csv_parse("x.csv", "a\xff", 2, &csv, &err));
    assert_non_null(strstr(err.text, "UTF-8"));
    gr_csv_free(&csv);
}

static bool take_roster(const place *p, gr_book *book, const char *text, gr_roster_news *news,
                        wb_error *err) {
    char *path = write_file(p, "roster.csv", text);
    bool ok = gr_roster_read(book, path, news, err);
    free(path);
    return ok;
}

static void test_roster(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    gr_roster_news news;
    wb_error err = {0};
    assert_true(take_roster(p, book, "Login ID,Name\nada,A\nbob,B\n", &news, &err));
    assert_int_equal(news.added, 2);
    assert_true(take_roster(p, book, "id,name\nada,Ada\neve,E\n", &news, &err));
    assert_int_equal(news.added, 1);
    assert_int_equal(news.changed, 1);
    assert_int_equal(news.missing, 1); /* bob stays in the book */
    assert_null(news.warning);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"id,name\nx,1\ny,2\nx,3\n", ":4: the student x is in line 2 already"},
        {"id\n../x\n", ":2: '../x' can be no student's id"},
        {"id,name\n,Nobody\n", ":2: '' can be no student's id"},
        {"colour\nred\n", "no column is called id"},
        {"id\n", "names no student"},
        {"", "names no student"},
    };
    for (size_t i = 0; i < WB_COUNT(bad); i++) {
        assert_false(take_roster(p, book, bad[i].text, &news, &err));
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s says: %s", bad[i].text, err.text);
    }
    /* what was refused has changed nothing */
    gr_roster roster;
    assert_true(gr_roster_load(book, &roster, &err));
    assert_int_equal(roster.ids.n, 2);
    gr_roster_free(&roster);
    assert_true(take_roster(p, book, "id,name\nli1,Li\nli2,Li\n", &news, &err));
    assert_non_null(strstr(news.warning, "count as two students"));
    free(news.warning);
    gr_book_close(book);
}

static void test_whose_it_is(void **state) {
    (void)state;
    char *ids[] = {"Ada", "ada_b", "bob", "li"};
    gr_roster roster = {{ids, WB_COUNT(ids), false}, true};
    wb_error err = {0};
    static const struct {
        const char *path, *student;
    } cases[] = {
        {"ada.cu", "Ada"},           {"in/ada_b.cu", "ada_b"},        {"x/ada-final.cu", "Ada"},
        {"bob/transpose.cu", "bob"}, {"bob/transpose/", "bob"},       {"li_late_4711.cu", "li"},
        {"bob/x/y.cu", "bob"},       {"in/12_ada_b_lab.cu", "ada_b"},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *student = gr_roster_whose(&roster, cases[i].path, "transpose", &err);
        assert_non_null(student);
        assert_string_equal(student, cases[i].student);
        free(student);
    }
    assert_null(gr_roster_whose(&roster, "in/alice.cu", "transpose", &err));
    assert_non_null(strstr(err.text, "names no student on the roster"));
    assert_null(gr_roster_whose(&roster, "Ada+bob.cu", "transpose", &err));
    assert_non_null(strstr(err.text, "may be "));
    roster.listed = false;
    char *anybody =
        gr_roster_whose(&roster, "hand in/carl/transpose/transpose.ipynb", "transpose", &err);
    assert_string_equal(anybody, "carl");
    free(anybody);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static void test_late_days(void **state) {
    (void)state;
    enum { DAY = 86400 };
    gr_rules r = {.has_due = true, .due = 1000, .grace = 60, .penalty = 10, .days = 3};
    assert_int_equal(gr_days_late(&r, 1000, 0), 0);
    assert_int_equal(gr_days_late(&r, 1060, 0), 0);
    assert_int_equal(gr_days_late(&r, 1061, 0), 1);
    assert_int_equal(gr_days_late(&r, 1000 + DAY, 0), 1);
    assert_int_equal(gr_days_late(&r, 1001 + DAY, 0), 2);
    assert_int_equal(gr_days_late(&r, 1001 + DAY, 2), 0);
    assert_float_equal(gr_after_penalty(&r, 80, 0), 80, 0);
    assert_float_equal(gr_after_penalty(&r, 80, 2), 64, 1e-9);
    assert_float_equal(gr_after_penalty(&r, 80, 4), 0, 0);
    assert_int_equal(gr_free_days(&r, 2, 5), 2);
    assert_int_equal(gr_free_days(&r, 5, 1), 0); /* would not help: not spent */
    assert_int_equal(gr_free_days(&r, 5, 2), 2);
    r.days = -1;
    assert_float_equal(gr_after_penalty(&r, 80, 11), 0, 0);
    r.has_due = false;
    assert_int_equal(gr_days_late(&r, 1 << 30, 0), 0);
}

static void test_times(void **state) {
    (void)state;
    int64_t t, u;
    char text[GR_TIME_TEXT];
    assert_true(gr_time_read("2026-11-30T22:59Z", &t));
    assert_int_equal(t, 1796079540);
    assert_true(gr_time_read("2026-11-30 22:59", &t));
    assert_string_equal(gr_time_text(t, text), "2026-11-30 22:59");
    assert_true(gr_time_read("2026-11-30", &u));
    assert_int_equal(u - t, 3600 + 59);
    static const char *const bad[] = {"",           "tomorrow",         "2026-13-01",
                                      "2026-06-31", "2026-06-30 25:00", "2026-06-30 12:61",
                                      "2026-06-30x"};
    for (size_t i = 0; i < WB_COUNT(bad); i++)
        assert_false(gr_time_read(bad[i], &t));
}

/* ---- what is handed in ---------------------------------------------------------------------- */

static void test_files_come_back_as_they_were(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    char *folder = wb_format("%s/in", p->folder), *deep = wb_format("%s/in/deep", p->folder);
    assert_true(wb_dir_make(deep, &err));
    free(write_file(p, "in/b.cu", "int b;\n"));
    free(write_file(p, "in/deep/a.cuh", "int a;\n"));
    free(write_file(p, "in/.hidden", "no\n"));
    gr_handed one, two;
    assert_true(gr_handed_read(folder, &one, &err));
    assert_null(one.unreadable);
    assert_int_equal(one.n, 2);
    assert_true(gr_handed_keep(book, &one, &err) && gr_handed_keep(book, &one, &err));
    assert_true(gr_handed_load(book, one.content, &two, &err));
    char *out = wb_format("%s/out", p->folder);
    char *path = gr_handed_write(&two, out, &err);
    assert_non_null(path);
    gr_handed again;
    assert_true(gr_handed_read(path, &again, &err));
    assert_string_equal(again.content, one.content);
    gr_handed_free(&again);
    /* a letter elsewhere is another submission */
    free(write_file(p, "in/deep/a.cuh", "int c;\n"));
    assert_true(gr_handed_read(folder, &again, &err));
    assert_string_not_equal(again.content, one.content);
    gr_handed_free(&again);
    gr_handed_free(&one);
    gr_handed_free(&two);
    free(path);
    free(out);
    free(deep);
    free(folder);
    gr_book_close(book);
}

static void test_links_and_pipes_are_kept_as_a_sentence(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    char *link = wb_format("%s/link.cu", p->folder), *pipe = wb_format("%s/pipe.cu", p->folder);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const paths[] = {link, pipe};
    static const char *const says[] = {"is a symbolic link", "is no regular file"};
    for (int i = 0; i < 2; i++) {
        gr_handed handed, back;
        assert_true(gr_handed_read(paths[i], &handed, &err));
        assert_non_null(strstr(handed.unreadable, says[i]));
        assert_int_equal(handed.n, 0);
        assert_true(gr_handed_keep(book, &handed, &err));
        assert_true(gr_handed_load(book, handed.content, &back, &err));
        assert_string_equal(back.unreadable, handed.unreadable);
        assert_string_equal(back.name, handed.name);
        gr_handed_free(&handed);
        gr_handed_free(&back);
    }
    gr_handed none;
    char *missing = wb_format("%s/missing.cu", p->folder);
    assert_false(gr_handed_read(missing, &none, &err));
    assert_non_null(strstr(err.text, "there is no such file"));
    gr_handed_free(&none);
    free(missing);
    free(link);
    free(pipe);
    gr_book_close(book);
}

/* ---- results -------------------------------------------------------------------------------- */

enum { MONDAY = 1000000, A_DAY = 86400 };

static bool know(gr_book *book, const char *name, const char *of, wb_error *err) {
    gr_lab lab = {.name = (char *)name, .title = "A lab", .path = "/none/lab.json"};
    return gr_entry_lab(book, &lab, of, 100, err);
}

/* A submission of some text, at a time; its id. */
static int64_t hand_in(gr_book *book, const char *student, const char *lab, const char *text,
                       int64_t at) {
    wb_error err = {0};
    gr_file file = {.name = "a.cu"};
    gr_handed handed = {.name = "a.cu", .files = &file, .n = 1};
    int64_t id = 0;
    wb_buf_puts(&file.data, text);
    wb_sha256(text, strlen(text), handed.content);
    assert_true(gr_entry_add(book, student, lab, "in/a.cu", &handed, at, &id, &err));
    wb_buf_free(&file.data);
    return id;
}

static bool grade(gr_book *book, int64_t id, const char *of, double score, wb_error *err) {
    gr_report r = {.submission = "in/a.cu",
                   .lab = "one",
                   .title = "A lab",
                   .device = "softgpu",
                   .seed = 7,
                   .message = "",
                   .printed = "",
                   .max_score = 100};
    gr_report_add(&r, "a test", "about", score, 100,
                  json_pack("[o]", wb_finding(WB_FOUND_WRONG, "because")), false, false);
    gr_report_finish(&r);
    bool ok = gr_entry_result(book, id, of, "v", &r, err);
    free(r.items[0].name);
    free(r.items[0].about);
    free(r.items[0].output);
    json_decref(r.items[0].findings);
    free(r.items);
    return ok;
}

static gr_standing standing(gr_book *book, const char *student, const char *lab) {
    wb_error err = {0};
    gr_class *class = gr_class_read(book, &err);
    assert_non_null(class);
    long s = gr_class_student(class, student, &err), l = gr_class_lab(class, lab, &err);
    assert_true(s >= 0 && l >= 0);
    gr_standing is = *gr_class_at(class, (size_t)s, (size_t)l);
    is.path = is.report = is.content = is.seed = is.device = is.version = is.comment = NULL;
    gr_class_free(class);
    return is;
}

static size_t pending(gr_book *book, const char *lab, bool again) {
    gr_entries entries = {.n = 0};
    assert_true(gr_entry_pending(book, lab, again, &entries, NULL));
    size_t n = entries.n;
    gr_entries_free(&entries);
    return n;
}

static void test_what_counts(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    assert_true(know(book, "one", "x", &err) && know(book, "two", "x", &err));
    int64_t first = hand_in(book, "ada", "one", "good", MONDAY);
    int64_t second = hand_in(book, "ada", "one", "worse", MONDAY + A_DAY / 2);
    assert_int_equal(hand_in(book, "ada", "one", "good", MONDAY + 9 * A_DAY), first);
    assert_int_equal(pending(book, "one", false), 1); /* the last one */
    assert_true(grade(book, first, "x", 80, &err) && grade(book, second, "x", 50, &err));
    assert_int_equal(pending(book, "one", false), 0);
    assert_int_equal(pending(book, "one", true), 1);
    gr_standing is = standing(book, "ada", "one");
    assert_int_equal(is.submission, second);
    assert_int_equal(is.n_submissions, 2);
    assert_float_equal(is.points, 50, 0);
    assert_true(gr_book_run(book, &err, "UPDATE labs SET best=1, penalty=50, due=? WHERE lab='one'",
                            "i", (int64_t)(MONDAY - A_DAY / 2)));
    is = standing(book, "ada", "one"); /* both a day late, one begun */
    assert_int_equal(is.submission, first);
    assert_float_equal(is.points, 40, 1e-9);
    assert_int_equal(is.late, 1);
    /* a change of the lab: what counts is to be graded again, the old points stand until then */
    assert_true(know(book, "one", "y", &err));
    assert_int_equal(pending(book, "one", false), 2);
    is = standing(book, "ada", "one");
    assert_true(is.stale);
    assert_true(grade(book, first, "y", 90, &err));
    is = standing(book, "ada", "one");
    assert_false(is.stale);
    assert_float_equal(is.points, 45, 1e-9);
    gr_book_close(book);
}

static void test_free_days_are_spent_where_they_first_help(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    assert_true(know(book, "one", "x", &err) && know(book, "two", "x", &err));
    assert_true(
        gr_book_run(book, &err, "UPDATE labs SET penalty=10, days=2, due=?", "i", (int64_t)MONDAY));
    assert_true(gr_book_run(book, &err, "UPDATE labs SET due=due+864000 WHERE lab='two'", ""));
    assert_true(gr_book_run(book, &err, "INSERT INTO course VALUES('free_days', 3)", ""));
    int64_t one = hand_in(book, "ada", "one", "a", MONDAY + 2 * A_DAY);
    int64_t two = hand_in(book, "ada", "two", "b", MONDAY + 12 * A_DAY);
    assert_true(grade(book, one, "x", 100, &err) && grade(book, two, "x", 100, &err));
    gr_standing is = standing(book, "ada", "one");
    assert_int_equal(is.late, 2);
    assert_int_equal(is.free, 2);
    assert_float_equal(is.points, 100, 0);
    is = standing(book, "ada", "two"); /* one is left */
    assert_int_equal(is.free, 1);
    assert_float_equal(is.points, 90, 1e-9);
    /* the teacher's word stands above all of it, an extension gives the day back */
    assert_true(gr_book_run(book, &err,
                            "INSERT INTO marks VALUES('ada','one',NULL,'ill',2),"
                            "('ada','two',77,NULL,NULL)",
                            ""));
    is = standing(book, "ada", "one");
    assert_int_equal(is.late, 0);
    is = standing(book, "ada", "two");
    assert_int_equal(is.free, 2);
    assert_true(is.overridden);
    assert_float_equal(is.points, 77, 0);
    gr_book_close(book);
}

static void test_a_report_comes_back(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    assert_true(know(book, "one", "x", &err));
    int64_t id = hand_in(book, "ada", "one", "a", MONDAY);
    gr_report back;
    bool found;
    assert_true(gr_entry_report(book, id, &back, &found, &err));
    assert_false(found);
    assert_true(grade(book, id, "x", 33.25, &err));
    assert_true(gr_entry_report(book, id, &back, &found, &err));
    assert_true(found);
    assert_float_equal(back.score, 33.25, 0);
    assert_int_equal(back.seed, 7);
    assert_int_equal(back.status, GR_PARTIAL);
    assert_string_equal(wb_field_text(json_array_get(back.items[0].findings, 0), "kind"), "wrong");
    assert_string_equal(back.items[0].output, "because");
    assert_string_equal(back.device, "softgpu");
    gr_report_free(&back);
    gr_book_close(book);
}

/* ---- files that are no gradebook, and disks that are full ----------------------------------- */

static void refused(const char *path, const char *says) {
    struct stat before, after;
    wb_error err = {0};
    assert_int_equal(stat(path, &before), 0);
    assert_null(gr_book_open(path, true, &err));
    if (!strstr(err.text, says))
        fail_msg("'%s' is not in: %s", says, err.text);
    assert_int_equal(stat(path, &after), 0); /* and it is left alone */
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

static void test_what_is_no_gradebook(void **state) {
    const place *p = *state;
    wb_error err = {0};
    char *text = write_file(p, "notes.txt", "not a database at all, but some text of a teacher's");
    refused(text, "is no gradebook (no SQLite file)");
    assert_null(gr_book_open("/nowhere/at/all.book", true, &err));
    assert_non_null(strstr(err.text, "can't be written to"));
    assert_null(gr_book_open("/nowhere/at/all.book", false, &err));
    assert_non_null(strstr(err.text, "there is no gradebook"));
    sqlite3 *other;
    char *path = wb_format("%s/other.db", p->folder);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    sqlite3_exec(other, "CREATE TABLE t(x)", NULL, NULL, NULL);
    sqlite3_close(other);
    refused(path, "another program's SQLite file");
    free(path);
    free(text);
}

static void test_another_version(void **state) {
    const place *p = *state;
    static const struct {
        const char *pragma, *says;
    } cases[] = {{"PRAGMA user_version=0", "an older Warpbook"},
                 {"PRAGMA user_version=99", "a newer Warpbook"}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        gr_book *book = open_book(p);
        sqlite3_exec(book->db, cases[i].pragma, NULL, NULL, NULL);
        gr_book_close(book);
        refused(p->book, cases[i].says);
        sqlite3 *db;
        sqlite3_open(p->book, &db);
        sqlite3_exec(db, "PRAGMA user_version=1", NULL, NULL, NULL);
        sqlite3_close(db);
    }
}

static void test_a_damaged_one(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    assert_true(know(book, "one", "x", &err));
    for (int i = 0; i < 400; i++) {
        char text[32];
        snprintf(text, sizeof text, "text %d", i);
        hand_in(book, "ada", "one", text, MONDAY);
    }
    gr_book_close(book);
    FILE *file = fopen(p->book, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    assert_true(size > 20000);
    for (long at = 8192; at < size; at += 64) {
        fseek(file, at, SEEK_SET);
        fwrite("\xee\xee\xee\xee\xee\xee\xee\xee", 1, 8, file);
    }
    fclose(file);
    refused(p->book, "is damaged");
}

static void test_a_locked_one(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    assert_true(know(book, "one", "x", &err));
    sqlite3 *other;
    assert_int_equal(sqlite3_open(p->book, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_busy_timeout(book->db, 50);
    assert_false(know(book, "two", "x", &err));
    assert_non_null(strstr(err.text, "is locked by another program"));
    sqlite3_close(other);
    assert_true(know(book, "two", "x", &err));
    gr_book_close(book);
}

/* A full disk keeps earlier entries, the book reports those it loses, and it goes on when
 * there is room. */
static void test_a_full_disk(void **state) {
    const place *p = *state;
    gr_book *book = open_book(p);
    wb_error err = {0};
    assert_true(know(book, "one", "x", &err));
    int64_t id = hand_in(book, "ada", "one", "a", MONDAY);
    int64_t pages = 0;
    assert_true(gr_book_number(book, &err, &pages, "PRAGMA page_count", ""));
    char limit[64];
    snprintf(limit, sizeof limit, "PRAGMA max_page_count=%d", (int)pages + 1);
    sqlite3_exec(book->db, limit, NULL, NULL, NULL);
    int kept = 0;
    while (kept < 1000 && grade(book, id, "x", kept, &err))
        kept++;
    assert_in_range(kept, 1, 999);
    assert_non_null(strstr(err.text, "the disk is full. Its content is safe"));
    sqlite3_exec(book->db, "PRAGMA max_page_count=100000", NULL, NULL, NULL);
    gr_report back;
    bool found;
    assert_true(gr_entry_report(book, id, &back, &found, &err) && found);
    assert_float_equal(back.score, kept - 1, 0);
    gr_report_free(&back);
    assert_true(grade(book, id, "x", 99, &err));
    gr_book_close(book);
}

/* ---- what touches a result ------------------------------------------------------------------ */

static void digest_of(const place *p, const char *json, bool gpu, char digest[WB_SHA256_TEXT]) {
    wb_error err = {0};
    char *path = write_file(p, "lab.json", json);
    assert_true(gr_lab_digest(path, gpu, digest, &err));
    free(path);
}

static void test_changes_that_touch_results(void **state) {
    const place *p = *state;
    static const char before[] = "{\"title\":\"T\",\"tests\":[{\"points\":5}],\"performance\":"
                                 "{\"soft\":{\"a\":1},\"gpu\":{\"a\":1}}}";
    char was[WB_SHA256_TEXT], is[WB_SHA256_TEXT];
    digest_of(p, before, false, was);
    static const char same[] = "{ \"tests\": [ {\"points\": 5} ], \"summary\": \"new\",\n"
                               "\"performance\":{\"gpu\":{\"a\":2},\"soft\":{\"a\":1}}}";
    digest_of(p, same, false, is);
    assert_string_equal(was, is);
    digest_of(p, same, true, is);
    assert_string_not_equal(was, is);
    static const char other[] = "{\"tests\":[{\"points\":6}],\"performance\":"
                                "{\"soft\":{\"a\":1},\"gpu\":{\"a\":1}}}";
    digest_of(p, other, false, is);
    assert_string_not_equal(was, is);
    free(write_file(p, "starter.cu", "int x;"));
    digest_of(p, before, false, is);
    assert_string_equal(was, is);
    free(write_file(p, "reference.cu", "int x;"));
    digest_of(p, before, false, is);
    assert_string_not_equal(was, is);
}

#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        IN_A_PLACE(test_roster),
        cmocka_unit_test(test_whose_it_is),
        cmocka_unit_test(test_late_days),
        cmocka_unit_test(test_times),
        IN_A_PLACE(test_files_come_back_as_they_were),
        IN_A_PLACE(test_links_and_pipes_are_kept_as_a_sentence),
        IN_A_PLACE(test_what_counts),
        IN_A_PLACE(test_free_days_are_spent_where_they_first_help),
        IN_A_PLACE(test_a_report_comes_back),
        IN_A_PLACE(test_what_is_no_gradebook),
        IN_A_PLACE(test_another_version),
        IN_A_PLACE(test_a_damaged_one),
        IN_A_PLACE(test_a_locked_one),
        IN_A_PLACE(test_a_full_disk),
        IN_A_PLACE(test_changes_that_touch_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
