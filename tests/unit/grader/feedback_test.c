/* Similarity, mistakes, Markdown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "grader/feedback/mistakes.h"
#include "grader/feedback/similar.h"
#include "grader/feedback/student.h"
#include "grader/feedback/tokens.h"

static void test_names_numbers_and_looks_do_not_count(void **state) {
    (void)state;
    gr_tokens a =
        gr_tokens_of("#include <x>\nint row = blockIdx.x * 32; // mine\nout[row] = 1.5e-3f;");
    gr_tokens b = gr_tokens_of("/* yours */ int   r=blockIdx . x*16 ;\n\n\nb[ r ]=7;");
    gr_tokens c = gr_tokens_of("int row = blockIdx.y * 32; out[row] = 1.5e-3f;");
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++)
        assert_int_equal(a.list[i].kind, b.list[i].kind);
    assert_int_equal(a.list[0].line, 2);
    assert_int_equal(b.list[b.n - 1].line, 4);
    assert_int_equal(a.n, c.n); /* .x and .y are names */
    gr_tokens_free(&a);
    gr_tokens_free(&b);
    gr_tokens_free(&c);
    static const char *const odd[] = {
        "", "\"never closed", "/* never closed", "'", "#", "\\", "..", "1e+", "\"a\\"};
    for (size_t i = 0; i < WB_COUNT(odd); i++) {
        a = gr_tokens_of(odd[i]);
        assert_false(a.failed);
        gr_tokens_free(&a);
    }
}

static uint32_t next(uint32_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

/* Code at random: `n` statements. */
static void add_code(wb_buf *b, uint32_t *seed, int n) {
    static const char *const forms[] = {"a = b + c;\n",
                                        "for (int i = 0; i < n; i++) {\n",
                                        "}\n",
                                        "if (a[i] > b[j]) c = d;\n",
                                        "x += y[i * n + j] * 2;\n",
                                        "__syncthreads();\n",
                                        "s[threadIdx.x] = in[i];\n",
                                        "while (!done) t = t / 2 - u;\n",
                                        "return f(a, b);\n",
                                        "float v = 0, w = -1;\n",
                                        "p->q = (r & 3) ? *s : &t;\n"};
    for (int i = 0; i < n; i++)
        wb_buf_puts(b, forms[next(seed) % WB_COUNT(forms)]);
}

/* Whatever stands around it, a passage of GR_SURELY tokens is found (the promise of winnowing). */
static void test_a_shared_passage_is_found(void **state) {
    (void)state;
    for (uint32_t round = 1; round <= 300; round++) {
        uint32_t seed = round * 2654435761u;
        wb_buf shared = {0}, a = {0}, b = {0};
        add_code(&shared, &seed, 12); /* 36 tokens and more */
        add_code(&a, &seed, (int)(next(&seed) % 30));
        add_code(&b, &seed, (int)(next(&seed) % 30));
        int from = 1;
        for (const char *p = a.data; p && *p; p++)
            from += *p == '\n';
        wb_buf_puts(&a, shared.data);
        wb_buf_puts(&b, shared.data);
        add_code(&a, &seed, (int)(next(&seed) % 30));
        const char *texts[] = {a.data, NULL, b.data};
        gr_similar similar;
        assert_true(gr_similar_find(texts, 3, NULL, 0, 10, &similar));
        /* fewer than three fingerprints are no pair: a passage of 12 statements has more */
        if (similar.n != 1)
            fail_msg("round %u: %zu pairs", round, similar.n);
        assert_int_equal(similar.pairs[0].who[0], 0);
        assert_int_equal(similar.pairs[0].who[1], 2);
        bool covers = false;
        for (size_t i = 0; i < similar.pairs[0].n_passages; i++) {
            const gr_passage *p = &similar.pairs[0].passages[i];
            covers |= p->from[0] < from + 12 && p->to[0] >= from;
            assert_true(p->from[0] >= 1 && p->to[0] >= p->from[0]);
        }
        assert_true(covers);
        gr_similar_free(&similar);
        wb_buf_free(&shared);
        wb_buf_free(&a);
        wb_buf_free(&b);
    }
}

static void test_the_starter_and_what_all_have_do_not_count(void **state) {
    (void)state;
    uint32_t seed = 77;
    wb_buf starter = {0}, common = {0}, mine = {0}, theirs = {0};
    add_code(&starter, &seed, 40);
    add_code(&common, &seed, 40);
    wb_buf_printf(&mine, "%s", starter.data);
    wb_buf_printf(&theirs, "%s", starter.data);
    const char *two[] = {mine.data, theirs.data};
    gr_similar similar;
    assert_true(gr_similar_find(two, 2, NULL, 0.5, 10, &similar));
    assert_int_equal(similar.n, 1);
    assert_float_equal(similar.pairs[0].part[0], 1, 0);
    gr_similar_free(&similar);
    assert_true(gr_similar_find(two, 2, starter.data, 0.5, 10, &similar));
    assert_int_equal(similar.n, 0);
    gr_similar_free(&similar);
    const char *class[12];
    for (int i = 0; i < 12; i++)
        class[i] = common.data;
    assert_true(gr_similar_find(class, 10, NULL, 0.5, 1000, &similar));
    assert_int_equal(similar.n, 45); /* ten may have it from each other */
    gr_similar_free(&similar);
    assert_true(gr_similar_find(class, 10, NULL, 0.5, 7, &similar));
    assert_int_equal(similar.n, 7);
    gr_similar_free(&similar);
    assert_true(gr_similar_find(class, 12, NULL, 0.5, 1000, &similar));
    assert_int_equal(similar.n, 0); /* twelve have it from the course */
    gr_similar_free(&similar);
    wb_buf_free(&starter);
    wb_buf_free(&common);
    wb_buf_free(&mine);
    wb_buf_free(&theirs);
}

static void test_mistakes_that_are_the_same(void **state) {
    (void)state;
    /* who has which findings, whatever they say; the last two are of an earlier version */
    static const char *const reports[] = {
        "\"tests\":[{\"name\":\"t\",\"findings\":[{\"kind\":\"wrong\",\"subject\":\"out\","
        "\"cause\":"
        "\"zero\",\"text\":\"3 of 4\"}]}]",
        "\"tests\":[{\"name\":\"t\",\"findings\":[{\"kind\":\"wrong\",\"subject\":\"out\","
        "\"cause\":"
        "\"zero\",\"text\":\"9 of 9\"},{\"kind\":\"race\",\"text\":\"r\"}]}]",
        "\"tests\":[{\"name\":\"t\",\"findings\":[{\"kind\":\"wrong\",\"subject\":\"sum\","
        "\"cause\":"
        "\"zero\",\"text\":\"3 of 4\"}]}]",
        "\"findings\":[{\"kind\":\"undefined-name\",\"text\":\"x\"}],\"message\":\"x\",\"tests\":[{"
        "\"name\":\"t\",\"findings\":[]}]",
        "\"tests\":[{\"name\":\"v\",\"kind\":\"performance\",\"findings\":[{\"kind\":\"time\","
        "\"text\":"
        "\"9 us\"},{\"kind\":\"count\",\"subject\":\"traffic\",\"name\":\"n\",\"text\":\"2 "
        "times\"}]}]",
        "\"tests\":[{\"name\":\"t\",\"output\":\"3 of 4\"}]",
        "\"tests\":[{\"name\":\"t\",\"output\":\"9 of 9\"}]"};
    enum { N = WB_COUNT(reports) };
    gr_student students[N] = {0};
    gr_standing standings[N] = {0};
    char *texts[N];
    gr_book_lab lab = {.name = "one", .title = "A lab", .max_score = 10};
    for (size_t i = 0; i < N; i++) {
        texts[i] = wb_format("{\"title\":\"A lab\",%s}", reports[i]);
        standings[i] = (gr_standing){.submission = 1, .n_submissions = 1, .report = texts[i]};
    }
    gr_class class = {
        .students = students, .n_students = N, .labs = &lab, .n_labs = 1, .standings = standings};
    gr_view view;
    gr_mistakes m;
    wb_error err = {0};
    assert_true(gr_view_make(&class, 0, &view, &err));
    assert_true(gr_mistakes_find(&view, &m));
    wb_buf b = {0};
    for (size_t i = 0; i < m.n; i++)
        wb_buf_printf(&b, "%zu %s %s; ", m.list[i].n, m.list[i].test,
                      wb_field_text(m.list[i].finding, "kind"));
    assert_string_equal(b.data, "2 t wrong; 2 t other; 1 v count; 1 t wrong; 1  undefined-name; ");
    wb_buf_free(&b);
    gr_mistakes_free(&m);
    gr_view_free(&view);
    for (size_t i = 0; i < N; i++)
        free(texts[i]);
}

/* Text of a submission is text: no heading, list, link, picture or markup of HTML comes of it. */
static void test_markdown_is_plain(void **state) {
    (void)state;
    gr_student student = {"eve", "# <b>Eve</b>", "", "", true};
    gr_book_lab lab = {.name = "one", .title = "A lab", .max_score = 10};
    gr_standing is = {.submission = 1,
                      .n_submissions = 1,
                      .report =
                          "{\"title\":\"A lab\",\"tests\":[{\"name\":\"t\",\"max_score\":5,"
                          "\"output\":\"1. a\\n- b\\n[x](http://y) ![z](w) www.x.y\\n| * _\"}]"
                          ",\"message\":\"```\\n# h\"}",
                      .comment = "Well *done*"};
    gr_class class = {
        .students = &student, .n_students = 1, .labs = &lab, .n_labs = 1, .standings = &is};
    gr_view view;
    wb_error err = {0};
    assert_true(gr_view_make(&class, 0, &view, &err));
    const char *source = "````\nint x;\n";
    wb_buf text = {0}, page = {0};
    gr_student_markdown(&view, 1, 0, &source, &text);
    assert_non_null(strstr(text.data, "# \\# \\<b\\>Eve\\</b\\>\n"));
    assert_non_null(strstr(text.data, "> Well \\*done\\*\n"));
    assert_non_null(strstr(text.data, "  > 1\\. a\\\n  > \\- b\\\n  > \\[x\\](http\\://y) "
                                      "\\!\\[z\\](w) www\\.x.y\\\n  > \\| \\* \\_\n"));
    assert_non_null(strstr(text.data, "````text\n```\n# h\n````\n"));
    assert_non_null(strstr(text.data, "`````cuda\n````\nint x;\n`````\n"));
    gr_student_html(&view, 1, 0, &source, &page);
    assert_non_null(strstr(page.data, "# &lt;b&gt;Eve&lt;/b&gt;"));
    assert_null(strstr(page.data, "<b>Eve"));
    wb_buf_free(&text);
    wb_buf_free(&page);
    gr_view_free(&view);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_numbers_and_looks_do_not_count),
        cmocka_unit_test(test_a_shared_passage_is_found),
        cmocka_unit_test(test_the_starter_and_what_all_have_do_not_count),
        cmocka_unit_test(test_mistakes_that_are_the_same),
        cmocka_unit_test(test_markdown_is_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
