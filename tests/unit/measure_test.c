/* measure_test.c: statistics against numbers worked out elsewhere, charts against what they must
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/measure/chart.h"
#include "runtime/measure/stats.h"
#include "runtime/measure/table.h"

#undef assert_double_equal /* cmocka 1.1.6 and later have one that asks for more */
#define assert_double_equal(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void summary_follows_type_7(void **state) {
    (void)state;
    const double values[] = {9, 1, 4, 2, 7, 3}; /* numpy.quantile: 2.25, 3.5, 6.25 */
    wb_summary s = wb_stats_summary(values, 6);
    assert_int_equal(s.n, 6);
    assert_double_equal(s.min, 1, 0);
    assert_double_equal(s.q1, 2.25, 1e-12);
    assert_double_equal(s.median, 3.5, 1e-12);
    assert_double_equal(s.q3, 6.25, 1e-12);
    assert_double_equal(s.max, 9, 0);
    assert_int_equal(wb_stats_summary(NULL, 0).n, 0);
    assert_double_equal(wb_stats_summary(values, 1).q3, 9, 0);
}

/* Times around `centre` with a tail upwards, as a busy machine makes them. */
static void make_times(double *times, size_t n, double centre, double noise, unsigned seed) {
    srand(seed);
    for (size_t i = 0; i < n; i++) {
        double u = rand() / (double)RAND_MAX;
        times[i] = centre * (1 + noise * u * u);
    }
}

static void speedup_is_found_and_bounded(void **state) {
    (void)state;
    double a[60], b[60];
    make_times(a, 60, 1.0, 0.05, 1);
    make_times(b, 60, 1.3, 0.05, 2);
    wb_interval s = wb_stats_speedup(a, 60, b, 60, 7);
    assert_true(s.low < s.value && s.value < s.high);
    assert_true(s.low > 1.25 && s.high < 1.35);
    assert_int_equal(wb_stats_verdict(s, 0.005), WB_FASTER);
    wb_interval inverse = wb_stats_speedup(b, 60, a, 60, 7);
    assert_int_equal(wb_stats_verdict(inverse, 0.005), WB_SLOWER);
    wb_interval again = wb_stats_speedup(a, 60, b, 60, 7);
    assert_memory_equal(&s, &again, sizeof s); /* the same times, the same interval */
}

static void noise_is_too_close_to_tell(void **state) {
    (void)state;
    double a[40], b[40];
    int told = 0;
    for (unsigned trial = 0; trial < 40; trial++) {
        make_times(a, 40, 1.0, 0.2, 100 + trial);
        make_times(b, 40, 1.0, 0.2, 900 + trial);
        told += wb_stats_verdict(wb_stats_speedup(a, 40, b, 40, trial), 0) != WB_TOO_CLOSE;
    }
    assert_true(told <= 6); /* 5 % of 40 is 2; more than 6 has a chance below 1 % */
}

static void drift_common_to_both_cancels(void **state) {
    (void)state;
    double a[40], b[40];
    for (int i = 0; i < 40; i++) { /* the clock falls by half over the run; b always 3 % slower */
        a[i] = 1 + i / 40.0;
        b[i] = a[i] * 1.03;
    }
    wb_interval s = wb_stats_speedup(a, 40, b, 40, 3);
    assert_int_equal(wb_stats_verdict(s, 0.005), WB_FASTER);
    wb_interval unpaired = wb_stats_speedup(a, 40, b, 39, 3);
    assert_int_equal(wb_stats_verdict(unpaired, 0.005), WB_TOO_CLOSE);
}

static void nothing_measured_is_nan(void **state) {
    (void)state;
    const double one[] = {1}, zero[] = {0};
    assert_true(isnan(wb_stats_speedup(one, 1, NULL, 0, 1).value));
    assert_true(isnan(wb_stats_speedup(zero, 1, one, 1, 1).low));
    assert_int_equal(wb_stats_verdict(wb_stats_speedup(one, 1, NULL, 0, 1), 0), WB_TOO_CLOSE);
}

static void numbers_read_well(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *seconds, *number;
    } cases[] = {{0.0000000421, "42.1 ns", "4.21e-08"},
                 {0.00001234, "12.3 µs", "1.23e-05"},
                 {0.0009999, "1.00 ms", "0.001"},
                 {0.5, "500 ms", "0.500"},
                 {1.203, "1.20 s", "1.20"},
                 {1876.4, "1876 s", "1,876"},
                 {50.34, "50.3 s", "50.3"},
                 {999.6, "1000 s", "1,000"},
                 {12345678, "12345678 s", "12,345,678"}};
    char text[64];
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        assert_string_equal(wb_stats_seconds(cases[i].value, text, sizeof text), cases[i].seconds);
        assert_string_equal(wb_stats_number(cases[i].value, text, sizeof text), cases[i].number);
    }
    assert_string_equal(wb_stats_number(-1876, text, sizeof text), "-1,876");
}

static void table_aligns_and_escapes(void **state) {
    (void)state;
    wb_table *t = wb_table_new();
    wb_table_column(t, "kernel", false);
    wb_table_column(t, "GB/s", true);
    wb_table_row(t, false);
    wb_table_cell(t, "合并 <a&b>");
    wb_table_cell(t, "%d", 7);
    wb_table_row(t, true);
    wb_table_mark(t);
    wb_table_cell(t, "x");
    char *text = wb_table_text(t), *html = wb_table_html(t);
    assert_string_equal(text, "kernel      GB/s\n"
                              "──────────  ────\n"
                              "合并 <a&b>     7\n"
                              "──────────  ────\n"
                              "x\n");
    assert_non_null(strstr(html, "合并 &lt;a&amp;b&gt;"));
    assert_non_null(strstr(html, "<tr style=\"font-weight:bold\">"));
    free(text);
    free(html);
    wb_table_free(t);
    assert_null(wb_table_text(NULL));
}

/* Colours and bars repeat what words say: the text has the bar, the page all of them. */
static void table_colours_its_cells(void **state) {
    (void)state;
    wb_table *t = wb_table_new();
    wb_table_tint(t, WB_BLUE, 1); /* no cell yet: nothing happens */
    wb_table_column(t, "time", true);
    wb_table_column(t, "source", false);
    wb_table_row(t, false);
    wb_table_cell(t, "50 %%");
    wb_table_bar(t, WB_ORANGE, 0.5);
    wb_table_cell(t, "    a < b;");
    wb_table_code(t);
    wb_table_tint(t, WB_GREEN, 7);
    wb_table_row(t, false);
    wb_table_cell(t, "6 %%");
    wb_table_bar(t, WB_ORANGE, 0.0625 * 1.25);
    char *text = wb_table_text(t), *html = wb_table_html(t);
    assert_string_equal(text, "         time  source\n"
                              "─────────────  ──────────\n"
                              "████     50 %      a < b;\n"
                              "▋         6 %\n");
    assert_non_null(strstr(html, "width:2.50em;background-color:rgba(213,94,0,1.00)"));
    assert_non_null(strstr(html, "white-space:pre;font-family:monospace;"
                                 "background-color:rgba(0,158,115,0.45)"));
    assert_non_null(strstr(html, ">    a &lt; b;</td>"));
    free(text);
    free(html);
    wb_table_free(t);
}

static const wb_chart_row ROWS[] = {
    {.name = "transpose.naive", .group = "1024", .value = 548, .low = 540, .high = 551},
    {.name = "a<b & \"c\"", .group = "1024", .value = 1876, .note = "slower"},
    {.name = "copy", .group = "1024", .value = 4162, .reference = true},
    {.name = "copy", .group = "2048", .reference = true, .pending = true},
};
static const wb_chart CHART = {.title = "transpose",
                               .subtitle = "softgpu: the CPU's times",
                               .quantity = "throughput",
                               .unit = "GB/s",
                               .limit = 4800,
                               .limit_name = "HBM",
                               .rows = ROWS,
                               .n_rows = 4};

static void chart_compares_within_its_group(void **state) {
    (void)state;
    char label[200];
    assert_double_equal(wb_chart_ratio(&CHART, 0), 548.0 / 4162, 1e-12);
    assert_double_equal(wb_chart_ratio(&CHART, 3), 0, 0);
    assert_string_equal(wb_chart_label(&CHART, 1, label, sizeof label),
                        "1,876 GB/s · 0.45× · slower");
    assert_string_equal(wb_chart_label(&CHART, 3, label, sizeof label), "measuring …");
    wb_chart times = CHART;
    times.lower_is_better = true;
    assert_double_equal(wb_chart_ratio(&times, 0), 4162.0 / 548, 1e-12);
}

static const char *bundle_text(const json_t *bundle, const char *mime) {
    const char *text = json_string_value(json_object_get(bundle, mime));
    assert_non_null(text);
    return text;
}

static size_t count_of(const char *text, const char *part) {
    size_t n = 0;
    while ((text = strstr(text, part)) != NULL) {
        n++;
        text += strlen(part);
    }
    return n;
}

static void bundle_serves_every_front_end(void **state) {
    (void)state;
    json_t *bundle = wb_chart_bundle(&CHART);
    const char *text = bundle_text(bundle, "text/plain");
    const char *svg = bundle_text(bundle, "image/svg+xml");
    assert_int_equal(count_of(svg, "<rect class=\"kernel\""), 2);
    assert_int_equal(count_of(svg, "<rect class=\"reference\""), 1); /* the other is pending */
    assert_int_equal(count_of(svg, "class=\"head\""), 2);            /* a heading for each group */
    assert_int_equal(count_of(svg, "class=\"limit\""), 1);
    assert_non_null(strstr(svg, "a&lt;b &amp; &quot;c&quot;   1,876 GB/s"));
    assert_null(strstr(svg, "class=\"words near")); /* a file has one width */
    const char *markdown = bundle_text(bundle, "text/markdown");
    assert_non_null(strstr(markdown, "<b>transpose</b>"));
    assert_non_null(strstr(markdown, "<small>softgpu: the CPU's times</small><br>"));
    assert_non_null(strstr(markdown, "class=%22words%20near"));
    assert_non_null(strstr(markdown, "\" width=\"100%\" height=\""));
    assert_non_null(strstr(markdown, "throughput (GB/s); line: the reference; dotted: HBM"));
    assert_non_null(strstr(text, "1,876 GB/s · 0.45×"));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        char copy[400];
        snprintf(copy, sizeof copy, "%.*s", (int)(strchr(line, '\n') - line), line);
        assert_true(wb_table_width(copy) <= 78);
    }
    json_decref(bundle);
}

/* A chart's text alternative has every value, in each of its forms. */
static void a_chart_has_words(void **state) {
    (void)state;
    json_t *bundle = wb_chart_bundle(&CHART);
    const char *svg = bundle_text(bundle, "image/svg+xml");
    assert_non_null(strstr(svg, "role=\"img\""));
    assert_non_null(strstr(svg, "<title>transpose</title>"));
    assert_non_null(strstr(strstr(svg, "<desc>"), "transpose.naive 548 GB/s · 0.13×"));
    assert_non_null(strstr(strstr(svg, "<desc>"), "copy 4,162 GB/s · reference"));
    const char *image = strstr(bundle_text(bundle, "text/markdown"), "<img alt=\"");
    assert_non_null(strstr(image, "a&lt;b &amp; &quot;c&quot; 1,876 GB/s"));
    assert_non_null(image = strstr(image, "src=\"data:image/svg+xml,%3Csvg%20"));
    assert_int_equal(strcspn(image + 5, "<\" "), strstr(image, "\">\n") - image - 5);
    json_decref(bundle);
}

/* Bars begin at zero; where one would be a sliver there are points, and the axis says why. */
static void a_wide_spread_is_drawn_on_a_logarithmic_axis(void **state) {
    (void)state;
    wb_chart_row rows[] = {{.name = "naive", .value = 2.65, .low = 2.5, .high = 2.7},
                           {.name = "mine", .value = 5.1, .yours = true},
                           {.name = "best", .value = 49.5, .reference = true}};
    wb_chart chart = {
        .title = "gemm", .quantity = "arithmetic", .unit = "GFLOP/s", .rows = rows, .n_rows = 3};
    for (int wide = 0; wide < 2; wide++) {
        rows[0].value = wide ? 2.4 : 2.65; /* 20.6 and 18.7 times below */
        json_t *bundle = wb_chart_bundle(&chart);
        const char *svg = bundle_text(bundle, "image/svg+xml");
        const char *text = bundle_text(bundle, "text/plain");
        assert_int_equal(strstr(svg, "logarithmic scale") != NULL, wide);
        assert_int_equal(strstr(svg, "<circle class=\"kernel\"") != NULL, wide);
        assert_int_equal(strstr(text, "logarithmic scale") != NULL, wide);
        assert_int_equal(strstr(text, "█") != NULL, !wide);
        assert_non_null(strstr(svg, "class=\"yours\""));
        assert_non_null(strstr(text, "5.10 GFLOP/s · 0.10× · yours"));
        json_decref(bundle);
    }
}

/* The axis holds all there is, and its ticks lie on it. */
static void an_axis_holds_its_values(void **state) {
    (void)state;
    static const double ends[][2] = {{1, 3}, {0.004, 0.0041}, {1, 25}, {0.72, 5000}, {3e-9, 7e6}};
    for (size_t i = 0; i < WB_COUNT(ends); i++) {
        const wb_chart_row rows[] = {{.name = "a", .value = ends[i][0]},
                                     {.name = "b", .value = ends[i][1]}};
        wb_chart chart = {.title = "", .quantity = "", .unit = "", .rows = rows, .n_rows = 2};
        wb_chart_axis axis = wb_chart_axis_of(&chart);
        double a = wb_chart_place(&axis, ends[i][0]), b = wb_chart_place(&axis, ends[i][1]);
        assert_true(0 < a && a < b && b < 1);
        assert_true(axis.n_ticks >= 2 && axis.n_ticks <= WB_CHART_TICKS);
        for (size_t t = 0; t < axis.n_ticks; t++)
            assert_true(axis.ticks[t] >= axis.low * 0.999 && axis.ticks[t] <= axis.high * 1.001);
    }
}

/* A row without a value takes no room in the plot; its name and its reason stand below. */
static void rows_without_a_value_are_listed_below(void **state) {
    (void)state;
    char reason[600];
    memset(reason, 'x', sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    const wb_chart_row rows[] = {
        {.name = "wrong", .group = "8", .yours = true, .note = "wrong result: not timed"},
        {.name = "best", .group = "8", .value = 3, .reference = true},
        {.name = "late", .group = "16", .pending = true},
        {.name = "long", .group = "16", .note = reason},
        {.name = "odd", .group = "32", .value = NAN}};
    wb_chart chart = {.title = "t", .quantity = "q", .unit = "u", .rows = rows, .n_rows = 5};
    json_t *bundle = wb_chart_bundle(&chart);
    const char *svg = bundle_text(bundle, "image/svg+xml");
    const char *text = bundle_text(bundle, "text/plain");
    const char *markdown = bundle_text(bundle, "text/markdown");
    assert_int_equal(count_of(svg, "class=\"words\""), 2); /* best, late */
    assert_int_equal(count_of(svg, "class=\"head\""), 2);
    const char *const lines[] = {"wrong, 8: wrong result: not timed · yours", "odd, 32: no value"};
    for (size_t i = 0; i < WB_COUNT(lines); i++) {
        assert_non_null(strstr(svg, lines[i]));
        assert_non_null(strstr(strstr(markdown, "<small"), lines[i]));
        assert_non_null(strstr(text, lines[i]));
    }
    assert_non_null(strstr(text, "  best █"));
    assert_null(strstr(text, "\n32\n"));
    assert_non_null(strstr(strstr(markdown, "q (u)"), reason)); /* whole, however long */
    assert_non_null(strstr(markdown, "wrong wrong result: not timed · yours"));
    json_decref(bundle);
    chart.n_rows = 1; /* nothing is left to draw */
    bundle = wb_chart_bundle(&chart);
    assert_null(strstr(bundle_text(bundle, "image/svg+xml"), "class=\"plot\""));
    assert_null(strstr(bundle_text(bundle, "text/markdown"), "<img"));
    assert_non_null(strstr(bundle_text(bundle, "text/markdown"), "wrong: wrong result"));
    json_decref(bundle);
}

static void charts_draw_anything(void **state) {
    (void)state;
    const wb_chart_row odd[] = {{.name = "", .value = 0},
                                {.name = "nan", .value = NAN},
                                {.name = "tiny", .value = 1e-12},
                                {.name = "minus", .value = -3}};
    for (size_t n = 0; n <= WB_COUNT(odd); n++) {
        wb_chart chart = {.title = "", .quantity = "q", .unit = "u", .rows = odd, .n_rows = n};
        json_t *bundle = wb_chart_bundle(&chart);
        assert_non_null(bundle);
        json_decref(bundle);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_follows_type_7),
        cmocka_unit_test(speedup_is_found_and_bounded),
        cmocka_unit_test(noise_is_too_close_to_tell),
        cmocka_unit_test(drift_common_to_both_cancels),
        cmocka_unit_test(nothing_measured_is_nan),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(table_aligns_and_escapes),
        cmocka_unit_test(table_colours_its_cells),
        cmocka_unit_test(chart_compares_within_its_group),
        cmocka_unit_test(bundle_serves_every_front_end),
        cmocka_unit_test(a_chart_has_words),
        cmocka_unit_test(a_wide_spread_is_drawn_on_a_logarithmic_axis),
        cmocka_unit_test(an_axis_holds_its_values),
        cmocka_unit_test(rows_without_a_value_are_listed_below),
        cmocka_unit_test(charts_draw_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
