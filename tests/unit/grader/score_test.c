/* Points and words: from counts and times to what a student reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/report/report.h"
#include "grader/score/explain.h"
#include "grader/score/measure.h"
#include "grader/score/modelled.h"
#include "grader/score/speed.h"

/* A naive transpose of 1024 x 1024 floats: one line that loads and stores, stores scattered. */
static const char naive[] =
    "{\"launches\":[{\"counters\":{\"global_load_sectors\":131072,\"global_store_sectors\":1048576,"
    "\"global_load_bytes\":4194304,\"global_store_bytes\":4194304,\"lane_instructions\":20971520,"
    "\"shared_load_wavefronts\":32768},\"lines\":["
    "{\"file\":\"/x/a.cu\",\"line\":3,\"counters\":{\"lane_instructions\":5}},"
    "{\"file\":\"/x/a.cu\",\"line\":7,\"counters\":{\"global_load_requests\":32768,"
    "\"global_load_sectors\":131072,\"global_load_bytes\":4194304,\"global_store_requests\":32768,"
    "\"global_store_sectors\":1048576,\"global_store_bytes\":4194304}}]}]}";

/* The kinds of findings, a blank behind each. */
static void assert_kinds(const json_t *findings, const char *kinds) {
    wb_buf b = {0};
    const json_t *finding;
    size_t i;
    json_array_foreach(findings, i, finding)
        wb_buf_printf(&b, "%s ", wb_field_text(finding, "kind"));
    char *text = wb_buf_steal(&b);
    assert_string_equal(text, kinds);
    free(text);
}

static json_t *load(const char *text) {
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

static void test_measures(void **state) {
    (void)state;
    json_t *report = load(naive);
    gr_counts c = gr_counts_of(report);
    double work = 1048576, least = 2 * 4194304.0;
    assert_float_equal(gr_measure_value(GR_LOAD_EFFICIENCY, &c, work, least), 1, 1e-9);
    assert_float_equal(gr_measure_value(GR_STORE_EFFICIENCY, &c, work, least), 0.125, 1e-9);
    assert_float_equal(gr_measure_value(GR_TRAFFIC, &c, work, least), 4.5, 1e-9);
    assert_float_equal(gr_measure_value(GR_WAVEFRONTS, &c, work, least), 1, 1e-9);
    assert_float_equal(gr_measure_value(GR_INSTRUCTIONS, &c, work, least), 20, 1e-9);
    json_decref(report);
}

/* Lanes that share a word want more bytes than are moved; that must not hide waste elsewhere. */
static void test_broadcasts_do_not_hide_waste(void **state) {
    (void)state;
    json_t *report = load(
        "{\"launches\":[{\"counters\":{\"global_load_sectors\":33,\"global_load_bytes\":256},"
        "\"lines\":[{\"line\":1,\"counters\":{\"global_load_sectors\":1,\"global_load_bytes\":128}}"
        ","
        "{\"line\":2,\"counters\":{\"global_load_sectors\":32,\"global_load_bytes\":128}}]}]}");
    gr_counts c = gr_counts_of(report);
    assert_float_equal(gr_measure_value(GR_LOAD_EFFICIENCY, &c, 1, 1), (32 + 128) / (33 * 32.0),
                       1e-9);
    json_decref(report);
}

static void test_fractions(void **state) {
    (void)state;
    gr_criterion more = {.full = 0.8, .none = 0.2}, less = {.full = 2, .none = 32};
    assert_float_equal(gr_fraction(&more, 0.9), 1, 0);
    assert_float_equal(gr_fraction(&more, 0.8), 1, 0);
    assert_float_equal(gr_fraction(&more, 0.4), 0.5, 1e-9);
    assert_float_equal(gr_fraction(&more, 0.2), 0, 0);
    assert_float_equal(gr_fraction(&more, 0), 0, 0);
    assert_float_equal(gr_fraction(&more, NAN), 0, 0);
    assert_float_equal(gr_fraction(&less, 0), 1, 0);
    assert_float_equal(gr_fraction(&less, 1), 1, 0);
    assert_float_equal(gr_fraction(&less, 8), 0.5, 1e-9);
    assert_float_equal(gr_fraction(&less, 40), 0, 0);
    assert_float_equal(gr_fraction(&less, NAN), 0, 0);
}

static void test_words_name_the_line(void **state) {
    (void)state;
    json_t *report = load(naive);
    gr_criterion criterion = {
        .measure = GR_STORE_EFFICIENCY, .full = 0.95, .none = 0.125, .advice = "Turn the tile."};
    char *text = gr_explain(&criterion, 0.125, report);
    assert_non_null(
        strstr(text, "a.cu line 7: its stores touch 32 sectors of 32 bytes per request"));
    assert_non_null(strstr(text, "where 4 suffice"));
    assert_non_null(strstr(text, "Turn the tile."));
    free(text);
    text = gr_explain(&criterion, 0.96, report);
    assert_string_equal(text, "");
    free(text);
    for (int m = 0; m < GR_SPEED; m++) {
        gr_criterion any = {.measure = (gr_measure)m,
                            .full = gr_more_is_better((gr_measure)m) ? 0.9 : 1.1,
                            .none = gr_more_is_better((gr_measure)m) ? 0.1 : 9,
                            .advice = "Do."};
        text = gr_explain(&any, gr_more_is_better((gr_measure)m) ? 0.5 : 4, NULL);
        assert_true(strlen(text) > 30 && (strstr(text, "full marks") || m == GR_CONTENTION) &&
                    strstr(text, "Do."));
        free(text);
    }
    json_decref(report);
}

/* Two launches: 2000 atomics at one address by 64 blocks, then one block that does all the rest. */
static const char queue[] =
    "{\"dropped\":0,\"launches\":[{\"kernel\":\"add(float*)\",\"counters\":{\"blocks\":64,"
    "\"threads\":2048,\"warp_instructions\":5280,\"longest_block\":8,\"busiest_address\":2000,"
    "\"global_atomic_operations\":2048,\"global_atomic_passes\":2048},\"lines\":["
    "{\"file\":\"/x/a.cu\",\"line\":7,\"counters\":{\"global_atomic_operations\":2048}}]},"
    "{\"kernel\":\"rest<4>(int)\",\"counters\":{\"blocks\":1,\"threads\":64,"
    "\"warp_instructions\":200,\"longest_block\":100}}]}";

static void test_conditions(void **state) {
    (void)state;
    json_t *report = load(queue);
    gr_counts c = gr_counts_of(report);
    assert_float_equal(gr_measure_value(GR_CONTENTION, &c, 4000, 1), 0.5, 1e-9);
    /* 5280 instructions on 528 warps, and 100 clocks of one block */
    assert_float_equal(gr_measure_value(GR_PARALLELISM, &c, 4000, 1), 5480 / 110.0, 1e-9);
    gr_criterion conditions[] = {
        {.name = "no queue", .measure = GR_CONTENTION, .full = 0.125, .none = 2, .advice = "Add."},
        {.name = "at work", .measure = GR_PARALLELISM, .full = 100, .none = 1, .advice = "Share."}};
    gr_performance performance = {.conditions = conditions, .n_conditions = 2};
    json_t *held = json_array();
    double worst = log(5480 / 110.0) / log(100);
    assert_float_equal(gr_held_to(&performance, report, 4000, 1, held), 0.5, 1e-9);
    assert_true(worst > 0.5);
    assert_kinds(held, "held count count ");
    char *why = wb_findings_text(held);
    json_array_clear(held);
    assert_non_null(strstr(why, "count 50 %"));
    assert_non_null(strstr(why, "no queue: 2000 atomic operations (a.cu line 7) meet at one "
                                "address, and run one after the other there. Add."));
    assert_non_null(strstr(why, "at work: On a GPU of 132 multiprocessors"));
    assert_non_null(strstr(why, "The longest launch is rest<4>, one block of 64 threads: one "
                                "multiprocessor works. Share."));
    free(why);
    conditions[0].full = 1;
    conditions[1].full = 49;
    assert_float_equal(gr_held_to(&performance, report, 4000, 1, held), 1, 0);
    assert_kinds(held, "");
    json_decref(report);
    /* what was not counted may be anything */
    report = load("{\"dropped\":2,\"launches\":[{\"counters\":{}}]}");
    performance.n_conditions = 0;
    assert_float_equal(gr_held_to(&performance, report, 1, 1, held), 0, 0);
    why = wb_findings_text(held);
    assert_non_null(strstr(why, "launches 3 kernels, of which softgpu counts 1"));
    free(why);
    json_decref(held);
    json_decref(report);
}

/* Lanes of a warp that meet wait too, wherever they meet; an atomic reads and writes. */
static void test_atomics_cost(void **state) {
    (void)state;
    json_t *report = load("{\"launches\":[{\"counters\":{\"busiest_address\":10,"
                          "\"global_atomic_operations\":3200,\"global_atomic_passes\":3200,"
                          "\"global_atomic_sectors\":100}}]}");
    gr_counts c = gr_counts_of(report);
    assert_float_equal(gr_measure_value(GR_CONTENTION, &c, 800, 1), 0.5, 1e-9);
    assert_float_equal(gr_measure_value(GR_TRAFFIC, &c, 800, 6400), 1, 1e-9);
    gr_criterion condition = {.measure = GR_CONTENTION, .full = 0.1, .none = 1, .advice = "Add."};
    char *text = gr_explain(&condition, 0.5, report);
    assert_string_equal(text, "Of 3200 atomic operations most meet others of their own warp at one "
                              "address, and run one after the other there. Add.");
    free(text);
    json_decref(report);
}

/* Copies and fills move bytes as kernels do. */
static void test_copies_count(void **state) {
    (void)state;
    json_t *report =
        load("{\"copied\":3200,\"launches\":[{\"counters\":{\"global_load_sectors\":100}}]}");
    gr_counts c = gr_counts_of(report);
    assert_float_equal(gr_measure_value(GR_TRAFFIC, &c, 1, 3200), 2, 1e-9);
    gr_criterion criterion = {.measure = GR_TRAFFIC, .full = 1, .none = 4, .advice = "Once."};
    char *text = gr_explain(&criterion, 2, report);
    assert_non_null(strstr(text, "(cudaMemcpyAsync, cudaMemsetAsync) move 50 % of them. Once."));
    free(text);
    json_decref(report);
}

static void test_speed(void **state) {
    (void)state;
    json_t *time = load("{\"times\":[0.002,0.0021,0.0019,0.002],\"reference_times\":"
                        "[0.001,0.001,0.0011,0.001],\"reference\":\"cublasSgemm\"}");
    gr_criterion criterion = {.measure = GR_SPEED, .full = 0.8, .none = 0.1, .advice = "Faster."};
    double value;
    bool rejected;
    char *text = gr_explain_speed(&criterion, time, 1e6, &value, &rejected);
    assert_float_equal(value, 0.5, 1e-9);
    assert_false(rejected);
    assert_non_null(strstr(text, "cublasSgemm"));
    assert_non_null(strstr(text, "Faster."));
    free(text);
    json_decref(time);
    time = load("{\"times\":[0.0001,0.0001,0.0001],\"reference_times\":[0.001,0.001,0.001],"
                "\"reference\":\"the device's copy of as many bytes\",\"copy\":true}");
    text = gr_explain_speed(&criterion, time, 1e6, &value, &rejected);
    assert_true(rejected);
    assert_non_null(strstr(text, "can't be true"));
    free(text);
    json_decref(time);
    /* a product at 1.2 times the peak of fp32 */
    time = load("{\"times\":[0.001,0.001,0.001],\"reference_times\":[0.002,0.002,0.002],"
                "\"reference\":\"cuBLAS\",\"least\":0.0012}");
    text = gr_explain_speed(&criterion, time, 1e6, &value, &rejected);
    assert_true(rejected);
    assert_non_null(strstr(text, "at the device's peak"));
    free(text);
    json_decref(time);
    time = load("{\"times\":[0.004,0.004,0.004,0.001,0.001,0.001],\"reference_times\":"
                "[0.001,0.001,0.001,0.001,0.001,0.001],\"reference\":\"cuBLAS\",\"least\":0.0001}");
    text = gr_explain_speed(&criterion, time, 1e6, &value, &rejected);
    assert_false(rejected);
    assert_non_null(strstr(text, "less than half of its first ones"));
    free(text);
    json_decref(time);
    time = load("{}");
    text = gr_explain_speed(&criterion, time, 1e6, &value, &rejected);
    assert_true(isnan(value));
    free(text);
    json_decref(time);
}

/* ---- a GPU's times for softgpu's runs -------------------------------------------------------- */

static gr_task product(int m, int n, int k, const char *launches, const char *rest) {
    gr_task task = {.modelled = true, .minimum_bytes = 1 << 24};
    gr_job *job = &task.job;
    const int sizes[] = {m, n, k};
    char *text = wb_format("{\"launches\":[%s]%s}", launches, rest);
    job->rival = (gr_job_rival){.kind = GR_RIVAL_CALL, .name = "cublas.sgemm", .sizes = {m, n, k}};
    job->n_args = 3;
    for (int i = 0; i < 3; i++)
        job->args[i] = (gr_job_arg){.name = {"mnk"[i]}, .role = GR_SIZE, .count = sizes[i]};
    task.report = load(text);
    free(text);
    return task;
}

#define LAUNCH(microseconds)                                                                       \
    "{\"kernel\":\"k(int)\",\"model\":{\"seconds\":" #microseconds "e-6,\"low\":" #microseconds    \
    "e-6,\"high\":" #microseconds "e-6,\"bound\":\"L2\",\"sentence\":\"Because.\"}}"

static double speed_of(gr_task *tasks, size_t n, char **text) {
    json_t *cases, *findings = json_array();
    double speed = gr_modelled_speed(tasks, n, findings, &cases);
    assert_int_equal(json_array_size(cases), n);
    *text = wb_findings_text(findings);
    json_decref(findings);
    json_decref(cases);
    for (size_t i = 0; i < n; i++)
        json_decref(tasks[i].report);
    return speed;
}

/* cuBLAS took 63.808 us at 1024 and 17.152 us at 512. */
static void test_modelled_speed(void **state) {
    (void)state;
    char *text;
    gr_task one[] = {product(1024, 1024, 1024, LAUNCH(127.616), "")};
    assert_float_equal(speed_of(one, 1, &text), 0.5, 1e-9);
    assert_non_null(strstr(text, "on an NVIDIA H200 this would take 128 µs (as modelled; "));
    assert_non_null(strstr(text, "2 times as long as cuBLAS's sgemm (63.8 µs, as measured)"));
    assert_non_null(strstr(text, "The longest launch is k, bound by L2: Because."));
    free(text);
    /* a second launch costs 1.5 us in place of the 3.3 that an empty one takes alone */
    gr_task two[] = {product(1024, 1024, 1024, LAUNCH(60.304) "," LAUNCH(5.312), ""),
                     product(512, 512, 512, LAUNCH(17.152), "")};
    assert_float_equal(speed_of(two, 2, &text), 1, 0.01);
    free(text);
    gr_task geometric[] = {product(1024, 1024, 1024, LAUNCH(127.616), ""),
                           product(512, 512, 512, LAUNCH(8.576), "")};
    assert_float_equal(speed_of(geometric, 2, &text), 1, 1e-9);
    free(text);
    /* 4.3 GB copied take 1 ms and more, and each of a thousand fills its 1.5 us */
    gr_task copies[] = {
        product(1024, 1024, 1024, LAUNCH(5), ",\"copied\":4294967296,\"copies\":{\"steps\":1000}")};
    double speed = speed_of(copies, 1, &text);
    assert_true(speed > 0.063 / 3.2 && speed < 0.063 / 2.3);
    free(text);
}

static void test_no_time_no_speed(void **state) {
    (void)state;
    char *text;
    gr_task waits[] = {
        product(1024, 1024, 1024,
                LAUNCH(1) ",{\"kernel\":\"w(int)\",\"model\":{\"why\":\"it waits\"}}", "")};
    assert_true(isnan(speed_of(waits, 1, &text)));
    assert_non_null(strstr(text, "no points are given. w: it waits."));
    free(text);
    gr_task many[] = {product(1024, 1024, 1024, LAUNCH(1), ",\"dropped\":4000")};
    assert_true(isnan(speed_of(many, 1, &text)));
    assert_non_null(strstr(text, "launches 4001 kernels, of which softgpu looks at 1"));
    free(text);
    gr_task untraced[] = {product(1024, 1024, 1024, "{\"kernel\":\"k(int)\"}", "")};
    assert_true(isnan(speed_of(untraced, 1, &text)));
    free(text);
}

/* An H200 multiplies 2^30 numbers in 8.0 us at its peak, on tensor cores with two of TF32 for each.
 * The part of 600 MB that its L2 can't hold takes 112 us. */
static void test_a_time_below_the_peak_earns_nothing(void **state) {
    (void)state;
    static const struct {
        int size;
        double bytes;
        const char *launch;
        bool possible;
    } cases[] = {{1024, 1 << 20, LAUNCH(7), false},
                 {1024, 1 << 20, LAUNCH(9), true},
                 {512, 6e8, LAUNCH(100), false},
                 {512, 6e8, LAUNCH(120), true}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *text;
        int n = cases[i].size;
        gr_task task = product(n, n, n, cases[i].launch, "");
        task.minimum_bytes = cases[i].bytes;
        assert_int_equal(isnan(speed_of(&task, 1, &text)), !cases[i].possible);
        assert_int_equal(strstr(text, "at the GPU's peak") != NULL, !cases[i].possible);
        free(text);
    }
}

static void test_sizes_beyond_are_the_labs_mistake(void **state) {
    (void)state;
    wb_error err = {0};
    gr_task fine = product(1000, 1000, 1000, "", ""), small = product(1, 2, 3, "", "");
    assert_true(gr_modelled_check(&fine, 1, &err));
    assert_false(gr_modelled_check(&small, 1, &err));
    assert_non_null(strstr(err.text, "m=1, n=2, k=3, where softgpu has nothing to compare with"));
    json_decref(fine.report);
    json_decref(small.report);
}

/* A kernel of the set and a lab's own source have no measured time. Theirs is the model's,
 * from the process that ran them. */
static void test_modelled_rivals(void **state) {
    (void)state;
    char *text;
    gr_task task[] = {product(1024, 1024, 1024, LAUNCH(100), "")};
    task->rival_s = 25e-6;
    task->job.rival = (gr_job_rival){.kind = GR_RIVAL_SOURCE, .name = "rival.cu"};
    assert_float_equal(speed_of(task, 1, &text), 0.25, 1e-9);
    assert_non_null(
        strstr(text, "4 times as long as the lab's rival.cu (25.0 µs, as modelled too)"));
    free(text);
    json_t *report = load("{\"launches\":[" LAUNCH(100) "]}"), *none = load("{\"launches\":[]}");
    wb_error err = {0};
    double seconds;
    assert_true(gr_modelled_seconds(report, &seconds, &text, &err));
    assert_null(text);
    assert_float_equal(seconds, 100e-6, 1e-12);
    assert_true(gr_modelled_seconds(none, &seconds, &text, &err));
    assert_string_equal(text, "it launches nothing");
    free(text);
    json_decref(report);
    json_decref(none);
}

/* Whatever sizes a seed chooses in the labs that we have, it is known what the reference takes. */
static void test_the_labs_have_references(void **state) {
    (void)state;
    static const char *const labs[] = {"coalescing", "transpose", "reduce",  "gemm",
                                       "histogram",  "scan",      "softmax", "convolution",
                                       "spmv",       "jacobi"};
    enum { TASKS = 400 };
    gr_task *tasks = calloc(TASKS, sizeof *tasks);
    for (size_t i = 0; i < WB_COUNT(labs); i++) {
        wb_error err = {0};
        char *path = wb_format("labs/%s/lab.json", labs[i]);
        gr_lab *lab = gr_lab_read(path, &err);
        assert_non_null(lab);
        size_t n = 0;
        for (uint64_t seed = 0; n < TASKS; seed++, n++) {
            const gr_case *at = &lab->soft.cases[seed % lab->soft.n_cases];
            assert_true(gr_job_make(lab, at, seed, 1, &tasks[n].job, &err));
            tasks[n].minimum_bytes = gr_job_formula(&tasks[n].job, lab->minimum_bytes);
        }
        if (!gr_modelled_check(tasks, n, &err))
            fail_msg("%s", err.text);
        gr_lab_free(lab);
        free(path);
    }
    free(tasks);
}

static gr_report sample(void) {
    gr_report r = {.submission = strdup("=a,\"b\"<c>&.cu"),
                   .lab = strdup("lab"),
                   .title = strdup("Title"),
                   .device = "softgpu",
                   .sandboxed = true,
                   .seed = 255,
                   .message = strdup(""),
                   .printed = strdup(""),
                   .max_score = 30};
    assert_true(gr_report_add(&r, "one", "about", 10, 10, NULL, false, false));
    assert_true(gr_report_add(
        &r, "two", "about", 2.5, 10,
        json_pack("[o]", wb_finding(WB_FOUND_WRONG, "because \x01\xff & <so>")), true, false));
    assert_true(gr_report_add(&r, "three", "about", 0, 10,
                              json_pack("[o]", wb_finding(WB_FOUND_HELD, "no")), false, true));
    gr_report_finish(&r);
    return r;
}

/* One of nine submissions takes long. Another takes four times the usual, but only 8 s. */
static void test_a_summary_names_what_took_long(void **state) {
    (void)state;
    static const double seconds[] = {2, 1.9, 2.1, 2, 8.1, 45, 2, 2, 2};
    static char names[9][8];
    gr_report r[9] = {{.seconds = 0}};
    for (int i = 0; i < 9; i++) {
        snprintf(names[i], sizeof names[i], "s%d.cu", i);
        r[i].submission = names[i];
        r[i].seconds = seconds[i];
    }
    wb_buf out = {0};
    gr_write_summary(r, 9, &out);
    assert_non_null(strstr(out.data, "s5.cu took unusually long: 45 s. Half take at most 2.0 s."));
    assert_null(strstr(out.data, "s4.cu took"));
    assert_null(strstr(out.data, "s0.cu took"));
    out.len = 0;
    gr_write_summary(r + 5, 1, &out);
    assert_null(strstr(out.data, "took"));
    wb_buf_free(&out);
}

static void test_reports(void **state) {
    (void)state;
    static void (*const writers[])(const gr_report *, size_t,
                                   wb_buf *) = {gr_write_table, gr_write_json,       gr_write_junit,
                                                gr_write_csv,   gr_write_gradescope, gr_write_html};
    static const char *const parts[][3] = {
        {"2.5 / 10", "(hidden)", "Score 12.5 of 30 (partial), seed 0x00000000000000ff"},
        {"\"score\": 12.5", "\"status\": \"partial\"", "\"seed\": \"0x00000000000000ff\""},
        {"tests=\"3\" failures=\"2\" errors=\"0\"", "because \u2401\\xff",
         "&quot;b&quot;&lt;c&gt;&amp;.cu"},
        {"\"'=a,\"\"b\"\"<c>&.cu\"", ",12.5,30,partial,", "three: no"},
        {"\"visibility\": \"after_due_date\"", "\"score\": 12.5", "\"leaderboard\""},
        {"<b class=\"partial\">12.5 of 30 points</b>", "&lt;so&gt;", "</html>"}};
    gr_report r = sample();
    for (size_t i = 0; i < WB_COUNT(writers); i++) {
        wb_buf out = {0};
        writers[i](&r, 1, &out);
        for (int k = 0; k < 3; k++)
            if (!strstr(out.data, parts[i][k]))
                fail_msg("writer %zu lacks %s in %s", i, parts[i][k], out.data);
        wb_buf_free(&out);
    }
    assert_int_equal(r.items[0].status, GR_PASSED);
    assert_int_equal(r.items[1].status, GR_PARTIAL);
    assert_int_equal(r.items[2].status, GR_FAILED);
    gr_report_free(&r);
}

static void test_batches(void **state) {
    (void)state;
    gr_report r[2] = {sample(), sample()};
    wb_buf out = {0};
    gr_write_json(r, 2, &out);
    json_t *json = load(out.data);
    assert_int_equal(json_array_size(json), 2);
    json_decref(json);
    wb_buf_clear(&out);
    gr_write_html(r, 2, &out);
    assert_non_null(strstr(out.data, "href=\"#s1\""));
    wb_buf_clear(&out);
    gr_write_table(r, 2, &out);
    assert_non_null(strstr(out.data, "----"));
    wb_buf_free(&out);
    gr_report_free(&r[0]);
    gr_report_free(&r[1]);
}

static void test_long_text_is_cut_with_a_word(void **state) {
    (void)state;
    char *text = gr_valid_text(strdup("abcdefghij\xff"), 4);
    assert_string_equal(text, "abcd\n... (7 bytes more)");
    free(text);
    text = gr_valid_text(NULL, 4);
    assert_string_equal(text, "");
    free(text);
}

static void test_controls_are_shown_and_do_nothing(void **state) {
    (void)state;
    char *text = gr_valid_text(strdup("a\x1b[2J\r\nb\tc\rd\x7f\xc2\x9b"
                                      "e\xe2\x80\xae"
                                      "f\xc3\xa4"),
                               1000);
    assert_string_equal(text, "a\u241b[2J\nb\tc\u240d"
                              "d\u2421\ufffd"
                              "e\ufffd"
                              "f\u00e4");
    free(text);
    text = gr_valid_name(strdup("\t=a\nb\r\n"), 1000);
    assert_string_equal(text, "\u2409=a\u240ab\u240d\u240a");
    free(text);
    wb_buf out = {0};
    gr_report r = {.submission = strdup("\t=1+1"),
                   .lab = strdup("=2"),
                   .title = strdup(""),
                   .status = GR_PASSED,
                   .message = strdup("\r=3"),
                   .printed = strdup("")};
    gr_write_csv(&r, 1, &out);
    assert_non_null(strstr(out.data, "\n\"'\t=1+1\",\"'=2\","));
    assert_non_null(strstr(out.data, ",\"'\r=3\"\r\n"));
    wb_buf_free(&out);
    gr_report_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_controls_are_shown_and_do_nothing),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_broadcasts_do_not_hide_waste),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_words_name_the_line),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_atomics_cost),
        cmocka_unit_test(test_copies_count),
        cmocka_unit_test(test_copies_count),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_the_labs_have_references),
        cmocka_unit_test(test_modelled_speed),
        cmocka_unit_test(test_no_time_no_speed),
        cmocka_unit_test(test_sizes_beyond_are_the_labs_mistake),
        cmocka_unit_test(test_a_time_below_the_peak_earns_nothing),
        cmocka_unit_test(test_modelled_rivals),
        cmocka_unit_test(test_a_summary_names_what_took_long),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_long_text_is_cut_with_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
