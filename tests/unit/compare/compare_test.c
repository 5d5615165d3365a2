/* compare_test.c: what compare reads: signatures, sizes, events. Its whole way is in tests/kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "runtime/base/base.h"
#include "runtime/compare/user.h"
#include "runtime/compare/view.h"

/* Names as g++ and nvcc mangle them. */
static void parameters_are_read_from_mangled_names(void **state) {
    (void)state;
    static const struct {
        const char *symbol, *function, *kinds;
    } cases[] = {
        {"_Z5solvePKfPfii", "solve", "FFii"},
        {"_Z5solvePfS_ii", "solve", "FFii"},
        {"_Z5solvePKfS0_Pfiii", "solve", "FFFiii"},
        {"_Z5solvePKdS0_PdiiiddP11CUstream_st", "solve", "DDDiiidds"},
        {"_Z5solvePKfPfS1_mP11CUstream_st", "solve", "FFFms"},
        {"_Z5solvePfm", "solve", "Fm"},
        {"_Z1fPK13__nv_bfloat16S1_PS_iiiffP11CUstream_st", "f", "BBBiiiffs"},
        {"_Z1gP13__nv_bfloat16PKS_", "g", "BB"},
        {"_Z1gP13__nv_bfloat16PKS0_", "g", ""},
        {"_Z5solvePfj", "solve", "Fj"},
        {"_Z9histogramPKhPim", "histogram", "HIm"},
        {"_Z5solvePsi", "solve", ""},   /* short * is no parameter of ours */
        {"_Z5solvePfS5_", "solve", ""}, /* refers to what is not there */
        {"_Z5solveRKSt6vectorIfSaIfEE", "solve", ""},
        {"_Z6solve2PKfPfii", "solve", ""},
        {"_Z5solvePKf", "solve", "F"},
        {"_Z5solveP", "solve", ""},
        {"_Z5solveS", "solve", ""},
        {"solve", "solve", ""},
    };
    char kinds[32];
    for (size_t i = 0; i < WB_COUNT(cases); i++)
        assert_string_equal(
            user_parameters(cases[i].symbol, cases[i].function, kinds, sizeof kinds),
            cases[i].kinds);
    assert_string_equal(user_parameters("_Z1fiiiiiiiiiiii", "f", kinds, 4), "iii");
}

static void signatures_fit_their_shapes(void **state) {
    (void)state;
    static const struct {
        const char *kinds;
        wbk_shape shape;
        wbk_type type;
        bool fits, has_work, has_scalars;
    } cases[] = {
        {"FFii", WBK_TRANSPOSE, WBK_F32, true, false, false},
        {"FFiis", WBK_TRANSPOSE, WBK_F32, true, false, false},
        {"FFiiss", WBK_TRANSPOSE, WBK_F32, false, false, false},
        {"DDii", WBK_TRANSPOSE, WBK_F32, false, false, false},
        {"DDii", WBK_TRANSPOSE, WBK_F64, true, false, false},
        {"FFi", WBK_TRANSPOSE, WBK_F32, false, false, false},
        {"FFi", WBK_REDUCE, WBK_F32, true, false, false},
        {"FFFm", WBK_REDUCE, WBK_F32, true, true, false},
        {"FFFms", WBK_MAXIMUM, WBK_F32, true, true, false},
        {"FFii", WBK_COLUMN_SUMS, WBK_F32, true, false, false},
        {"FFFii", WBK_COLUMN_SUMS, WBK_F32, true, true, false},
        {"FFFii", WBK_TRANSPOSE, WBK_F32, false, false, false},
        {"FFFiii", WBK_GEMM, WBK_F32, true, false, false},
        {"FFFiiiffs", WBK_GEMM, WBK_F32, true, false, true},
        {"FFFiiidd", WBK_GEMM, WBK_F32, false, false, false},
        {"FFFiiiff", WBK_GEMM, WBK_TF32, true, false, true},
        {"BBBiiiff", WBK_GEMM, WBK_BF16, true, false, true},
        {"FFFiiiff", WBK_GEMM, WBK_BF16, false, false, false},
        {"XXXiiiff", WBK_GEMM, WBK_F16, true, false, true},
        {"BBBiiiff", WBK_GEMM, WBK_F16, false, false, false},
        {"FFFm", WBK_SCAN, WBK_F32, true, true, false},
        {"FFi", WBK_SCAN, WBK_F32, true, false, false},
        {"HIm", WBK_HISTOGRAM, WBK_BYTE, true, false, false},
        {"HIis", WBK_HISTOGRAM, WBK_BYTE, true, false, false},
        {"HHm", WBK_HISTOGRAM, WBK_BYTE, false, false, false},
        {"FFii", WBK_SOFTMAX, WBK_F32, true, false, false},
        {"FFFii", WBK_SOFTMAX, WBK_F32, true, true, false},
        {"Fm", WBK_UPDATE, WBK_F32, true, false, false},
        {"", WBK_UPDATE, WBK_F32, false, false, false},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        bool work, scalars;
        assert_int_equal(
            user_matches(cases[i].kinds, cases[i].shape, cases[i].type, &work, &scalars),
            cases[i].fits);
        assert_int_equal(work, cases[i].has_work);
        assert_int_equal(scalars, cases[i].has_scalars);
    }
    assert_true(user_is("a/b.cu:solve"));
    assert_false(user_is("a/b.cu"));
    assert_false(user_is("a/b.cu:"));
    assert_false(user_is(".cu:x"));
    assert_false(user_is("gemm.naive"));
}

static void sizes_are_read_and_refused(void **state) {
    (void)state;
    wbk_size s;
    assert_true(wbk_parse_size(WBK_REDUCE, "2^24", &s) && s.n == 1 << 24);
    assert_true(wbk_parse_size(WBK_REDUCE, "1e8", &s) && s.n == 100000000);
    assert_true(wbk_parse_size(WBK_REDUCE, "0", &s) && s.n == 0);
    assert_true(wbk_parse_size(WBK_TRANSPOSE, "100x7", &s) && s.m == 100 && s.n == 7);
    assert_true(wbk_parse_size(WBK_GEMM, "64", &s) && s.m == 64 && s.n == 64 && s.k == 64);
    assert_true(wbk_parse_size(WBK_GEMM, "1x2x3", &s) && s.m == 1 && s.n == 2 && s.k == 3);
    assert_true(wbk_parse_size(WBK_GEMM_BATCH, "4x1x2x3", &s) && s.batch == 4 && s.m == 1);
    assert_true(wbk_parse_size(WBK_GEMM_BATCH, "64", &s) && s.batch == 16 && s.k == 64);
    assert_false(wbk_parse_size(WBK_GEMM_BATCH, "1x2x3", &s));
    static const char *const bad[] = {"",    "x",    "12x",  "1x2", "1x2x3x4", "-1",
                                      "1.5", "nan",  "1e99", "2^",  "2^999",   " 1",
                                      "1 ",  "0x10", "1e10", "inf"};
    for (size_t i = 0; i < WB_COUNT(bad); i++)
        assert_false(wbk_parse_size(WBK_GEMM, bad[i], &s));
    char text[60];
    assert_string_equal(wbk_format_size(WBK_REDUCE, (wbk_size){.n = 1 << 20}, text, sizeof text),
                        "2^20");
    assert_string_equal(
        wbk_format_size(WBK_GEMM, (wbk_size){.m = 1, .n = 2, .k = 3}, text, sizeof text),
        "1 × 2 × 3");
    assert_string_equal(wbk_format_size(WBK_GEMM_BATCH,
                                        (wbk_size){.m = 1, .n = 2, .k = 3, .batch = 4}, text,
                                        sizeof text),
                        "4 of 1 × 2 × 3");
}

static void the_registry_is_whole(void **state) {
    (void)state;
    WBK_EACH(k) {
        assert_ptr_equal(wbk_find(k->name), k); /* so names are unique */
        assert_true(k->lab && *k->title && *k->teaches);
        size_t launchers = 0;
        for (wbk_type t = 0; t < WBK_TYPES; t++)
            if (k->symbol[t]) {
                assert_non_null(wbk_reference(k->shape, t));
                launchers++;
            }
        assert_true(launchers > 0);
        wbk_size size = {.m = 64, .n = 32, .k = 16, .batch = 2};
        assert_true(wbk_bytes(k, size, WBK_F32, false) > 0);
        assert_true(wbk_bytes(k, size, WBK_F64, true) >= 2 * wbk_bytes(k, size, WBK_F32, false));
    }
    const wbk_kernel *gemm = wbk_find("gemm.naive"), *transpose = wbk_find("transpose.copy");
    assert_true(wbk_flops(gemm, (wbk_size){.m = 2, .n = 3, .k = 4}) == 48);
    assert_true(wbk_bytes(gemm, (wbk_size){.m = 2, .n = 3, .k = 4}, WBK_F32, false) ==
                4 * (8 + 12 + 6));
    assert_true(wbk_bytes(gemm, (wbk_size){.m = 2, .n = 3, .k = 4}, WBK_F32, true) ==
                4 * (8 + 12 + 12));
    assert_true(wbk_bytes(transpose, (wbk_size){.m = 10, .n = 10, .k = 0}, WBK_F64, false) == 1600);
    assert_null(wbk_find("gemm.nive"));
}

static void kernels_refuse_what_they_can_not_do(void **state) {
    (void)state;
    char why[300] = "";
    const wbk_kernel any = {.name = "lab.any"},
                     ampere = {.name = "lab.mma", .needs = WBK_NEEDS_SM80},
                     hopper = {.name = "lab.wgmma", .needs = WBK_NEEDS_SM90A, .row_bytes = 16};
    assert_true(wbk_runs_on(&any, "old", 50, false, why, sizeof why));
    assert_true(wbk_runs_on(&ampere, "softgpu", 90, true, why, sizeof why));
    assert_true(wbk_runs_on(&ampere, "new", 120, false, why, sizeof why));
    assert_true(wbk_runs_on(&hopper, "NVIDIA H200", 90, false, why, sizeof why));
    assert_string_equal(why, "");
    assert_false(wbk_runs_on(&ampere, "NVIDIA T4", 75, false, why, sizeof why));
    assert_string_equal(why, "lab.mma needs mma.sync of bf16 and TF32, so a GPU of compute "
                             "capability 8.0 or later, or softgpu; this device is NVIDIA T4, of "
                             "compute capability 7.5");
    assert_false(wbk_runs_on(&hopper, "NVIDIA B200", 100, false, why, sizeof why));
    assert_non_null(strstr(why, "NVIDIA B200, of compute capability 10.0"));
    assert_false(wbk_runs_on(&hopper, "softgpu", 90, true, why, sizeof why));
    assert_non_null(strstr(why, "lab.wgmma needs Hopper's own instructions"));
    assert_non_null(strstr(why, "this device is softgpu"));

    assert_true(
        wbk_takes_size(&any, WBK_BF16, (wbk_size){.m = 3, .n = 5, .k = 7}, why, sizeof why));
    assert_true(
        wbk_takes_size(&hopper, WBK_BF16, (wbk_size){.m = 3, .n = 8, .k = 16}, why, sizeof why));
    assert_true(
        wbk_takes_size(&hopper, WBK_TF32, (wbk_size){.m = 3, .n = 4, .k = 12}, why, sizeof why));
    assert_false(
        wbk_takes_size(&hopper, WBK_BF16, (wbk_size){.m = 8, .n = 8, .k = 12}, why, sizeof why));
    assert_string_equal(why, "lab.wgmma takes n and k that are multiples of 8 (rows of 16 bytes)");

    wbk_type type;
    for (wbk_type t = 0; t < WBK_TYPES; t++)
        assert_true(wbk_parse_type(wbk_type_name(t), &type) && type == t);
    assert_false(wbk_parse_type("half", &type));
}

static void apply(compare_view *view, const char *text) {
    json_t *event = json_loads(text, 0, NULL);
    assert_non_null(event);
    view_apply(view, event);
    json_decref(event);
}

static void events_become_a_result(void **state) {
    (void)state;
    compare_view view = {.wanted_sizes = 1};
    apply(&view, "{\"event\":\"device\",\"name\":\"x\",\"soft\":true}");
    apply(&view, "{\"event\":\"size\",\"size\":0,\"text\":\"8\",\"type\":\"float\",\"m\":8,\"n\":8,"
                 "\"k\":8,\"flops\":true}");
    apply(&view,
          "{\"event\":\"kernel\",\"size\":0,\"kernel\":0,\"name\":\"a\",\"title\":\"A\","
          "\"reference\":false,\"bytes\":768,\"flops\":1024,\"efficiency\":0,\"problem\":null}");
    apply(&view, "{\"event\":\"kernel\",\"size\":0,\"kernel\":1,\"name\":\"b\",\"title\":\"B\","
                 "\"reference\":true,\"bytes\":768,\"flops\":1024,\"problem\":null}");
    apply(&view, "{\"event\":\"kernel\",\"size\":0,\"kernel\":2,\"name\":\"c\",\"title\":\"C\","
                 "\"reference\":false,\"bytes\":768,\"flops\":1024,\"problem\":\"no library\"}");
    apply(&view, "{\"event\":\"check\",\"size\":0,\"kernel\":0,\"ok\":true,\"text\":\"\"}");
    apply(&view, "{\"event\":\"counters\",\"size\":0,\"kernel\":0,\"report\":{\"launches\":["
                 "{\"counters\":{\"global_load_requests\":2,\"global_load_sectors\":64}},"
                 "{\"counters\":{\"global_load_requests\":2,\"global_load_sectors\":64}}]}}");
    apply(&view,
          "{\"event\":\"round\",\"size\":0,\"round\":1,\"done\":0.5,\"times\":[0.002,0.001,null]}");
    assert_true(view.done == 0.5 && view.sizes[0].rows[0].n_times == 1);
    apply(&view, "{\"event\":\"result\",\"size\":0,\"kernel\":0,\"times\":[0.002,0.002,0.002]}");
    apply(&view, "{\"event\":\"result\",\"size\":0,\"kernel\":1,\"times\":[0.001,0.001,0.001]}");
    apply(&view, "{\"event\":\"end\",\"wrong\":0}");
    json_t *document = view_document(&view);
    json_t *rows =
        json_object_get(json_array_get(json_object_get(document, "sizes"), 0), "kernels");
    json_t *speedup = json_object_get(json_array_get(rows, 0), "speedup");
    assert_true(json_number_value(json_object_get(speedup, "value")) == 0.5);
    assert_string_equal(json_string_value(json_object_get(speedup, "verdict")), "slower");
    assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 2), "status")),
                        "unavailable");
    char *text = view_table_text(&view), *html = view_table_html(&view);
    assert_non_null(strstr(text, "GFLOP/s"));
    assert_non_null(strstr(text, "32 / –")); /* 128 sectors over 4 requests, no stores */
    assert_non_null(strstr(text, "c at 8: no library"));
    assert_non_null(strstr(html, "<table"));
    free(text);
    free(html);
    json_decref(document);
    view_free(&view);
}

/* {"event":"counters"} of one launch for each pair of seconds and interval. */
static void apply_launches(compare_view *view, int kernel, const double *seconds, size_t n) {
    wb_buf text = {0};
    wb_buf_printf(&text,
                  "{\"event\":\"counters\",\"size\":0,\"kernel\":%d,\"report\":{\"launches\":[",
                  kernel);
    for (size_t i = 0; i < n; i++)
        wb_buf_printf(&text,
                      "%s{\"counters\":{\"global_load_sectors\":1},\"model\":{\"gpu\":\"x1\","
                      "\"seconds\":%g,\"low\":%g,\"high\":%g,\"bound\":\"%s\",\"limits\":{"
                      "\"memory\":1e-6,\"launch\":2.5e-6},\"sentence\":\"s\"}}",
                      i ? "," : "", seconds[i], seconds[i] / 2, seconds[i] * 2,
                      seconds[i] > 1e-5 ? "memory" : "launch");
    wb_buf_puts(&text, "]}}");
    apply(view, text.data);
    wb_buf_free(&text);
}

/* A sampled kernel has a GPU's time, but no counts, no CPU time and no check. */
static void a_sample_has_a_gpus_time_alone(void **state) {
    (void)state;
    const model_gpu gpu = {
        .name = "x1", .title = "GPU X1", .capability = 80, .dram_bytes_per_s = 1e12};
    compare_view view = {.wanted_sizes = 1, .gpu = &gpu};
    apply(&view, "{\"event\":\"device\",\"name\":\"softgpu\",\"soft\":true}");
    apply(&view, "{\"event\":\"size\",\"size\":0,\"text\":\"2^30\",\"type\":\"float\",\"n\":1}");
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"event\":\"kernel\",\"size\":0,\"kernel\":%d,\"name\":\"row%d\",\"bytes\":8000,"
                 "\"efficiency\":1}",
                 i, i);
        apply(&view, text);
    }
    apply(&view, "{\"event\":\"sampled\",\"size\":0,\"kernel\":0,\"report\":{\"launches\":[{"
                 "\"counters\":{\"global_load_sectors\":7},\"model\":{\"gpu\":\"x1\","
                 "\"seconds\":2e-3,\"low\":1e-3,\"high\":3e-3,\"bound\":\"L2\",\"ran\":14}}]}}");
    apply(&view, "{\"event\":\"sampled\",\"size\":0,\"kernel\":1,\"report\":{\"launches\":[{"
                 "\"model\":{\"gpu\":\"x1\",\"why\":\"its blocks take long\"}}]}}");
    apply(&view, "{\"event\":\"check\",\"size\":0,\"kernel\":2,\"ok\":false,\"text\":\"it fell\"}");
    apply(&view, "{\"event\":\"round\",\"size\":0,\"done\":1}");
    assert_true(view.done == 1);
    apply(&view, "{\"event\":\"end\",\"wrong\":1}");
    const view_row *rows = view.sizes[0].rows;
    assert_int_equal(rows[0].status, VIEW_SAMPLED);
    assert_int_equal(rows[1].status, VIEW_SAMPLED);
    assert_int_equal(rows[2].status, VIEW_WRONG);
    assert_true(rows[0].model.seconds == 2e-3 && !rows[0].counters && !rows[1].model.known);
    char *text = view_table_text(&view);
    assert_non_null(strstr(text, "2.00 ms"));
    assert_non_null(strstr(text, "not run"));
    assert_non_null(strstr(text, "No time for row1 at 2^30: its blocks take long."));
    assert_non_null(strstr(text, "no result was checked"));
    assert_null(strstr(text, "counts are exact"));
    json_t *document = view_document(&view);
    char *json = json_dumps(document, JSON_COMPACT);
    assert_non_null(strstr(json, "\"status\":\"sampled\""));
    assert_null(strstr(json, "\"time\":"));
    free(json);
    json_decref(document);
    free(text);
    view_free(&view);
}

/* A GPU's times lead, of several launches the sum; a library's is the one that was measured. */
static void modelled_times_lead(void **state) {
    (void)state;
    static const char measured[] =
        "{\"title\":\"GPU X1\",\"references\":[{\"name\":\"cub.reduce\",\"type\":\"float\","
        "\"sizes\":[\"n\"],\"times\":[[1000,4e-6],[4000,16e-6]]}]}";
    static const char *const names[] = {"mine", "cub.reduce", "reduce.host_final", "waiting"};
    model_references *references =
        model_references_parse("x1.json", measured, strlen(measured), NULL);
    const model_gpu gpu = {
        .name = "x1", .title = "GPU X1", .capability = 80, .dram_bytes_per_s = 1e12};
    compare_view view = {.wanted_sizes = 1, .gpu = &gpu, .references = references};
    assert_non_null(references);
    apply(&view, "{\"event\":\"device\",\"name\":\"softgpu\",\"soft\":true}");
    apply(&view, "{\"event\":\"size\",\"size\":0,\"text\":\"2000\",\"type\":\"float\",\"n\":2000}");
    for (int i = 0; i < (int)WB_COUNT(names); i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"event\":\"kernel\",\"size\":0,\"kernel\":%d,\"name\":\"%s\",\"reference\":%s,"
                 "\"bytes\":8000}",
                 i, names[i], i == 1 ? "true" : "false");
        apply(&view, text);
    }
    apply_launches(&view, 0, (double[]){15e-6, 3e-6}, 2);
    apply_launches(&view, 1, (double[]){1e-3}, 1); /* softgpu's own in the library's place */
    apply_launches(&view, 2, (double[]){1e-5}, 1);
    apply(&view, "{\"event\":\"counters\",\"size\":0,\"kernel\":3,\"report\":{\"launches\":["
                 "{\"model\":{\"gpu\":\"x1\",\"why\":\"it waits\"}}]}}");
    for (int i = 0; i < (int)WB_COUNT(names); i++) {
        char text[100];
        snprintf(text, sizeof text,
                 "{\"event\":\"result\",\"size\":0,\"kernel\":%d,\"times\":[0.002]}", i);
        apply(&view, text);
    }
    apply(&view, "{\"event\":\"end\",\"wrong\":0}");
    const view_row *rows = view.sizes[0].rows;
    /* The second launch costs 1 us less: the GPU hears of it while the first one runs. */
    assert_float_equal(rows[0].model.seconds, 17e-6, 1e-12);
    assert_string_equal(rows[0].model.bound, "memory");
    assert_float_equal(rows[0].model.rate, 8000 / 17e-6 * 1e-9, 1e-9);
    assert_float_equal(rows[1].model.seconds, 8e-6, 1e-12); /* halfway, by logarithms */
    assert_float_equal(rows[0].model.speedup.value, 8.0 / 17, 1e-9);
    assert_string_equal(rows[2].model.why,
                        "the host does part of its work, which the model does not time");
    assert_string_equal(rows[3].model.why, "it waits");
    char *text = view_table_text(&view), subtitle[300];
    assert_non_null(strstr(text, "17.0 µs"));
    assert_non_null(strstr(text, "2.00 ms")); /* the CPU's, at the end */
    assert_non_null(strstr(text, "No time for waiting at 2000: it waits."));
    assert_non_null(strstr(text, "GPU X1 (from published figures, not measured by us)"));
    wb_chart chart;
    assert_true(view_chart(&view, VIEW_TIMES, subtitle, &chart));
    assert_true(chart.rows[0].low < chart.rows[0].value &&
                chart.rows[0].value < chart.rows[0].high);
    assert_true(chart.rows[1].high == 0 &&
                strcmp(chart.rows[1].note, "between measured sizes") == 0);
    assert_string_equal(chart.rows[3].note, "it waits");
    json_t *document = view_document(&view),
           *kernels =
               json_object_get(json_array_get(json_object_get(document, "sizes"), 0), "kernels");
    json_t *model = json_object_get(json_array_get(kernels, 0), "model");
    assert_string_equal(json_string_value(json_object_get(model, "gpu")), "x1");
    assert_float_equal(
        json_number_value(json_object_get(json_object_get(model, "limits"), "memory")), 2e-6,
        1e-12);
    json_decref(document);
    free((void *)chart.rows);
    free(text);
    view_free(&view);
    model_references_free(references);
}

static void a_refusal_is_neither_right_nor_wrong(void **state) {
    (void)state;
    compare_view view = {.wanted_sizes = 1};
    apply(&view,
          "{\"event\":\"size\",\"size\":0,\"text\":\"8\",\"type\":\"float\",\"m\":8,\"n\":8}");
    apply(&view, "{\"event\":\"kernel\",\"size\":0,\"kernel\":0,\"name\":\"a\",\"problem\":null}");
    apply(&view, "{\"event\":\"check\",\"size\":0,\"kernel\":0,\"ok\":true,\"refused\":true,"
                 "\"text\":\"it refuses\"}");
    apply(&view, "{\"event\":\"end\",\"wrong\":0}");
    assert_int_equal(view.sizes[0].rows[0].status, VIEW_REFUSED);
    char *text = view_table_text(&view);
    assert_non_null(strstr(text, "refused"));
    assert_non_null(strstr(text, "a at 8: it refuses"));
    free(text);
    view_free(&view);
}

/* A child that misbehaves must not harm us. */
static void odd_events_do_no_harm(void **state) {
    (void)state;
    compare_view view = {0};
    static const char *const events[] = {
        "{}",
        "[]",
        "{\"event\":7}",
        "{\"event\":\"nonsense\"}",
        "{\"event\":\"kernel\",\"size\":3,\"kernel\":1}",
        "{\"event\":\"round\",\"size\":0,\"times\":[1,2,3]}",
        "{\"event\":\"size\",\"size\":0}",
        "{\"event\":\"kernel\",\"size\":0,\"kernel\":0}",
        "{\"event\":\"result\",\"size\":0,\"kernel\":-1,\"times\":[1]}",
        "{\"event\":\"result\",\"size\":0,\"kernel\":9,\"times\":[1]}",
        "{\"event\":\"result\",\"size\":0,\"kernel\":0,\"times\":[]}",
        "{\"event\":\"result\",\"size\":0,\"kernel\":0,\"times\":[null,\"x\",-1,0]}",
        "{\"event\":\"round\",\"size\":0,\"times\":{\"a\":1}}",
        "{\"event\":\"counters\",\"size\":0,\"kernel\":0,\"report\":{\"launches\":7}}",
        "{\"event\":\"skip\",\"size\":0}",
        "{\"event\":\"end\"}"};
    for (size_t i = 0; i < WB_COUNT(events); i++)
        apply(&view, events[i]);
    wb_chart chart;
    char subtitle[300];
    assert_true(view_chart(&view, VIEW_TIMES, subtitle, &chart));
    json_t *bundle = wb_chart_bundle(&chart), *document = view_document(&view);
    assert_non_null(bundle);
    assert_non_null(document);
    free(view_table_text(&view));
    json_decref(bundle);
    json_decref(document);
    free((void *)chart.rows);
    view_free(&view);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_read_from_mangled_names),
        cmocka_unit_test(signatures_fit_their_shapes),
        cmocka_unit_test(sizes_are_read_and_refused),
        cmocka_unit_test(the_registry_is_whole),
        cmocka_unit_test(kernels_refuse_what_they_can_not_do),
        cmocka_unit_test(events_become_a_result),
        cmocka_unit_test(modelled_times_lead),
        cmocka_unit_test(a_sample_has_a_gpus_time_alone),
        cmocka_unit_test(a_refusal_is_neither_right_nor_wrong),
        cmocka_unit_test(odd_events_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
