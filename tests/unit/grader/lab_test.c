/* lab.json: the labs that ship are valid; every mistake is told with its line and what was
 * expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/job/job.h"
#include "grader/lab/lab.h"

static char *good; /* labs/gemm/lab.json */

static gr_lab *parse(const char *text, wb_error *err) {
    return gr_lab_parse("lab.json", text, strlen(text), err);
}

static void test_the_labs_are_valid(void **state) {
    (void)state;
    static const char *const labs[] = {"coalescing", "transpose", "reduce",  "gemm",
                                       "histogram",  "scan",      "softmax", "convolution",
                                       "spmv",       "jacobi"};
    for (size_t i = 0; i < WB_COUNT(labs); i++) {
        char path[100];
        wb_error err = {0};
        snprintf(path, sizeof path, "labs/%s/lab.json", labs[i]);
        gr_lab *lab = gr_lab_read(path, &err);
        if (!lab)
            fail_msg("%s", err.text);
        assert_string_equal(lab->name, labs[i]);
        assert_float_equal(gr_lab_max_score(lab, true), 100, 1e-9);
        assert_float_equal(gr_lab_max_score(lab, false), 100, 1e-9);
        gr_lab_free(lab);
    }
}

static void test_signature(void **state) {
    (void)state;
    wb_error err;
    gr_lab *lab = gr_lab_read("labs/gemm/lab.json", &err);
    assert_non_null(lab);
    char *signature = gr_lab_signature(lab);
    assert_string_equal(signature, "void solve(int m, int n, int k, float alpha, const float *a, "
                                   "const float *b, float beta, float *c)");
    free(signature);
    gr_lab_free(lab);
}

/* A change of the good text and what is said about it. */
typedef struct mistake {
    const char *from, *to, *says;
} mistake;

static const mistake mistakes[] = {
    {"\"version\": 1,", "\"version\": 1", "expected valid JSON"},
    {"\"version\": 1,", "\"version\": 2,", "lab.json:2: version: expected a number from 1 to 1"},
    {"\"version\": 1,", "", "version: missing"},
    {"\"version\": 1,", "\"version\": 1, \"version\": 1,", "duplicate"},
    {"\"name\": \"gemm\"", "\"name\": \"ge/mm\"", "lab.json:3: name: expected a letter"},
    {"\"name\": \"gemm\"", "\"name\": 7", "lab.json:3: name: expected a string, found a number"},
    {"\"title\": \"Matrix times matrix\"", "\"title\": \"\"",
     "lab.json:4: title: expected some text"},
    {"\"reference\": \"reference.cpp\"", "\"reference\": \"gemm\"",
     "lab.json:6: reference: expected a .cu or .cpp file beside lab.json; found "
     "\"gemm\""},
    {"\"summary\"", "\"sumary\"",
     "lab.json:5: sumary: there is no such key, did you mean summary?"},
    {"\"role\": \"inout\"", "\"role\": \"both\"",
     "lab.json:16: arguments[7].role: expected "
     "\"input\""},
    {"\"name\": \"k\", \"role\": \"size\", \"type\": \"int\"",
     "\"name\": \"k\", \"role\": \"size\", \"type\": \"float\"",
     "lab.json:11: arguments[2]: expected the type \"int\""},
    {"\"name\": \"k\"", "\"name\": \"n\"", "stands here twice"},
    {"\"name\": \"k\"", "\"name\": \"q\"", "cases[0].sizes.k: there is no such key"},
    {"\"count\": \"m * k\"", "\"count\": \"m * \"", "expected a number, a size or '('"},
    {"\"count\": \"m * k\"", "\"count\": \"m * q\"", "not one of the lab's sizes"},
    {"\"work\": \"m * n * k\"", "\"work\": \"m / 0\"",
     "work: in \"m / 0\", column 6: division by "
     "zero"},
    {"\"minimum_bytes\": \"4", "\"minimum_bytes\": \"(4", "minimum_bytes: in"},
    {"[\"cublas\", \"cub\", \"thrust\"]", "[\"cufft\"]", "forbidden[0]: expected \"cublas\""},
    {"[\"cublas\", \"cub\", \"thrust\"]", "\"cublas\"",
     "forbidden: expected an array, found a "
     "string"},
    {"{\"m\": 64, \"n\": 64, \"k\": 64}", "{\"m\": 64, \"n\": 64}", "cases[0].sizes.k: missing"},
    {"{\"m\": 64, \"n\": 64, \"k\": 64}", "{\"m\": -1, \"n\": 64, \"k\": 64}",
     "expected a whole number from 0"},
    {"{\"m\": 64, \"n\": 64, \"k\": 64}", "{\"m\": [9, 3], \"n\": 64, \"k\": 64}",
     "or [least, most]"},
    {"{\"m\": 64, \"n\": 64, \"k\": 64}", "{\"m\": 64, \"n\": 64, \"k\": 64, \"x\": 1}",
     "there is no such key"},
    {"{\"m\": 64, \"n\": 64, \"k\": 64}", "{\"m\": 2000000, \"n\": 2000000, \"k\": 64}",
     "too many"},
    {"{\"alpha\": 1, \"beta\": 0}, \"values\": \"exact\"",
     "{\"alpha\": \"1\", \"beta\": 0}, \"values\": \"exact\"",
     "scalars.alpha: expected a number, found a string"},
    {"{\"alpha\": 1, \"beta\": 0}, \"values\": \"exact\"",
     "{\"alpha\": 1, \"beta\": 0}, \"values\": \"bits\"",
     "expected \"real\", \"exact\", \"large\" or \"tiny\", found \"bits\""},
    {"\"points\": 12", "\"points\": \"12\"", "points: expected a number, found a string"},
    {"\"points\": 40", "\"points\": 41", "they must be equal"},
    {"\"hidden\": true", "\"hidden\": 1", "hidden: expected true or false, found a number"},
    {"\"name\": \"alpha and beta\"", "\"name\": \"square matrices\"", "has the name"},
    {"\"measure\": \"traffic\"", "\"measure\": \"speed\"", "\"speed\" earns points"},
    {"\"gpu\": {", "\"gpu\": {\"x\": 1,", "performance.gpu.x: there is no such key"},
    {"\"full\": 0.6, \"none\": 0.12", "\"full\": 0.01, \"none\": 0.6",
     "of \"speed\" more is better, so \"full\" must be above \"none\""},
    {"\"full\": 6,", "\"full\": 6, \"none\": 9,", "reasons[2].none: there is no such key"},
    {"\"measure\": \"contention\"", "\"points\": 3, \"measure\": \"contention\"",
     "reasons[4].points: there is no such key"},
    {"\"reasons\": [", "\"reasons\": [7,", "reasons[0]: expected an object"},
    {"\"reasons\": [", "\"conditions\": [7], \"reasons\": [", "conditions[0]: expected an object"},
    {"\"reasons\": [",
     "\"conditions\": [{\"name\": \"a\", \"measure\": \"parallelism\", \"full\": 4, \"none\": 24, "
     "\"advice\": \"b\"}], \"reasons\": [",
     "of \"parallelism\" more is better, so \"full\" must be above \"none\""},
    {"\"gpu\": {", "\"gpu\": {\"conditions\": [],", "conditions: there is no such key"},
    {"\"gpu\": {", "\"gpu\": {\"reasons\": [],", "reasons: there is no such key"},
    {"\"gpu\": {", "\"gpu\": {\"case\": {},", "\"case\" stands there too"},
    {"\"cases\": [\n        {\"sizes\": {\"m\": 1024",
     "\"cases\": [], \"x\": [\n        {\"sizes\": {\"m\": 1024",
     "performance.soft.x: there is no such key"},
    {"[768, 1024, 128]", "[768, 1024, 100]", "a number of steps away from least"},
    {"[768, 1024, 128]", "[768, 1024, 0]", "a number of steps away from least"},
    {"[768, 1024, 128]", "[768, 1024, 128, 1]", "a number of steps away from least"},
    {"[768, 1024, 128]", "[768]", "or [least, most]"},
    {"\"performance\": {", "\"performance\": {\"tpu\": {},", "there is no such key"},
    {"\"tests\": [", "\"tests\": [], \"x\": [", "there is no such key"},
};

static char *changed(const mistake *m) {
    const char *at = strstr(good, m->from);
    if (!at)
        fail_msg("the lab has no %s", m->from);
    return wb_format("%.*s%s%s", (int)(at - good), good, m->to, at + strlen(m->from));
}

static void test_mistakes_are_told(void **state) {
    (void)state;
    for (size_t i = 0; i < WB_COUNT(mistakes); i++) {
        wb_error err = {0};
        char *text = changed(&mistakes[i]);
        gr_lab *lab = parse(text, &err);
        if (lab)
            fail_msg("accepted: %s", mistakes[i].to);
        if (!strstr(err.text, mistakes[i].says) || !strstr(err.text, "lab.json:"))
            fail_msg("for %s expected ...%s..., got: %s", mistakes[i].to, mistakes[i].says,
                     err.text);
        free(text);
    }
}

static void test_documents_that_are_no_labs(void **state) {
    (void)state;
    static const char *const texts[] = {"",     "[]", "1",       "{}", "{\"version\": 1}",
                                        "null", "{",  "\"\xff\""};
    for (size_t i = 0; i < WB_COUNT(texts); i++) {
        wb_error err = {0};
        assert_null(parse(texts[i], &err));
        assert_non_null(strstr(err.text, "lab.json:"));
    }
}

static void test_cut_anywhere(void **state) {
    (void)state;
    size_t len = strlen(good);
    for (size_t n = 0; n < len - 2; n += 37) {
        wb_error err = {0};
        assert_null(gr_lab_parse("lab.json", good, n, &err));
    }
}

static void test_formulas(void **state) {
    (void)state;
    gr_vars vars = {.names = {"rows", "n"}, .values = {7, 100}, .n = 2};
    static const struct {
        const char *text;
        int64_t value;
    } right[] = {{"1 + 2 * 3", 7},         {"(1 + 2) * 3", 9},  {"-rows + n", 93},
                 {"n / rows", 14},         {"n % rows", 2},     {"max(rows, n)", 100},
                 {"min(rows, n) * 2", 14}, {" rows*rows ", 49}, {"--3", 3},
                 {"10 - 2 - 3", 5}};
    static const char *const wrong[] = {"",
                                        "1 +",
                                        "(1",
                                        "1)",
                                        "cols",
                                        "1 2",
                                        "n / 0",
                                        "n % 0",
                                        "max(1)",
                                        "min(1, 2",
                                        "9223372036854775808",
                                        "9223372036854775807 + 1",
                                        "9223372036854775807 * 2",
                                        "&"};
    for (size_t i = 0; i < WB_COUNT(right); i++) {
        int64_t value = 0;
        wb_error err = {0};
        if (!gr_expr(right[i].text, &vars, &value, &err) || value != right[i].value)
            fail_msg("%s gave %lld %s", right[i].text, (long long)value, err.text);
    }
    for (size_t i = 0; i < WB_COUNT(wrong); i++) {
        int64_t value;
        wb_error err = {0};
        if (gr_expr(wrong[i], &vars, &value, &err) || !err.text[0])
            fail_msg("%s was accepted", wrong[i]);
    }
    char deep[1000];
    memset(deep, '(', sizeof deep);
    deep[999] = '\0';
    int64_t value;
    assert_false(gr_expr(deep, &vars, &value, NULL));
}

static void test_jobs_survive_json(void **state) {
    (void)state;
    wb_error err = {0};
    gr_lab *lab = parse(good, &err);
    assert_non_null(lab);
    for (size_t t = 0; t < lab->n_tests; t++)
        for (size_t c = 0; c < lab->tests[t].n_cases; c++) {
            gr_job job, again;
            assert_true(gr_job_make(lab, &lab->tests[t].cases[c], 0xfedcba9876543210u,
                                    (uint32_t)(t * 100 + c), &job, &err));
            json_t *json = gr_job_save(&job);
            assert_non_null(json);
            memset(&again, 0, sizeof again);
            assert_true(gr_job_load(json, &again, &err));
            assert_int_equal(again.seed, job.seed);
            assert_int_equal(gr_job_find(&again, "k")->count, gr_job_find(&job, "k")->count);
            assert_float_equal(gr_job_find(&again, "beta")->scalar,
                               gr_job_find(&job, "beta")->scalar, 0);
            assert_int_equal(gr_job_find(&again, "c")->count,
                             gr_job_find(&job, "m")->count * gr_job_find(&job, "n")->count);
            job.values = job.n_sets;
            json_t *damaged = gr_job_save(&job);
            assert_false(gr_job_load(damaged, &again, &err));
            json_decref(damaged);
            json_decref(json);
        }
    gr_lab_free(lab);
}

static void test_sizes_come_from_the_seed(void **state) {
    (void)state;
    wb_error err = {0};
    gr_lab *lab = parse(good, &err);
    gr_case at = lab->tests[0].cases[0];
    at.sizes[0] = (gr_range){10, 19, 1};
    int seen[10] = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        gr_job job, same;
        assert_true(gr_job_make(lab, &at, seed, 3, &job, &err));
        assert_true(gr_job_make(lab, &at, seed, 3, &same, &err));
        assert_int_equal(gr_job_find(&job, "m")->count, gr_job_find(&same, "m")->count);
        assert_in_range(gr_job_find(&job, "m")->count, 10, 19);
        seen[gr_job_find(&job, "m")->count - 10]++;
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(seen[i], 10, 60);
    /* in steps: 16, 32 and 48, the ends too */
    int stepped[3] = {0};
    at.sizes[0] = (gr_range){16, 48, 16};
    for (uint64_t seed = 0; seed < 100; seed++) {
        gr_job job;
        assert_true(gr_job_make(lab, &at, seed, 3, &job, &err));
        assert_int_equal(gr_job_find(&job, "m")->count % 16, 0);
        stepped[gr_job_find(&job, "m")->count / 16 - 1]++;
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(stepped[i], 15, 60);
    gr_lab_free(lab);
}

int main(void) {
    wb_buf text = {0};
    wb_error err;
    if (!wb_file_read("labs/gemm/lab.json", 0, &text, &err)) {
        fprintf(stderr, "%s (run from the root of the repository)\n", err.text);
        return 1;
    }
    good = text.data;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_labs_are_valid),
        cmocka_unit_test(test_signature),
        cmocka_unit_test(test_mistakes_are_told),
        cmocka_unit_test(test_documents_that_are_no_labs),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_jobs_survive_json),
        cmocka_unit_test(test_sizes_come_from_the_seed),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    wb_buf_free(&text);
    return rc;
}
