/* gpu_test.c: the GPUs that ship can be read; a file with a mistake is told with file, line, key
 * and what was wanted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/model/gpu.h"

static const char *const shipped[] = {"a100", "h100", "h200", "rtx4060-laptop", "rtx4090", "t4"};

#define KEY(field, unit, about) {#field, unit},
static const struct { const char *key, *unit; } figures[] = {MODEL_GPU_FIGURES(KEY, KEY)};
#undef KEY

static wb_buf good; /* h200.json */

static bool parse(const char *text, model_gpu *gpu, wb_error *err) {
    return model_gpu_parse("my.json", text, strlen(text), gpu, err);
}

static void every_shipped_gpu_can_be_read(void **state) {
    (void)state;
    for (size_t i = 0; i < WB_COUNT(shipped); i++) {
        wb_error err = {0};
        model_gpu gpu;
        if (!model_gpu_load(shipped[i], &gpu, &err))
            fail_msg("%s", err.text);
        assert_string_equal(gpu.name, shipped[i]);
        assert_int_equal(gpu.measured,
                         strcmp(shipped[i], "h200") == 0 || strcmp(shipped[i], "h100") == 0);
        /* what must follow from figures of other sources */
        double clocked = 2 * gpu.memory_clock_hz * (double)gpu.memory_bus_bits / 8;
        assert_true(gpu.dram_bytes_per_s > 0.99 * clocked && gpu.dram_bytes_per_s < 1.01 * clocked);
        assert_int_equal(gpu.max_threads, 32 * gpu.max_warps);
        assert_int_equal(gpu.registers % (gpu.schedulers * gpu.register_unit), 0);
        assert_true(gpu.l2_bytes_per_s <=
                    gpu.l1_fill_bytes * (double)gpu.multiprocessors * gpu.clock_hz);
        assert_true(gpu.l2_bytes_per_s > gpu.dram_bytes_per_s);
    }
}

static void the_h200_is_what_we_know(void **state) {
    (void)state;
    model_gpu gpu;
    assert_true(model_gpu_load("runtime/model/gpus/h200.json", &gpu, NULL));
    assert_string_equal(gpu.title, "NVIDIA H200");
    assert_true(model_gpu_load("H200", &gpu, NULL));
    assert_int_equal(gpu.capability, 90);
    assert_int_equal(gpu.multiprocessors, 132);
    assert_int_equal(gpu.shared_bytes, 228 * 1024);
    double flops = 2 * gpu.fp32_lanes * (double)gpu.multiprocessors * gpu.clock_hz;
    assert_true(flops > 66.8e12 && flops < 67e12); /* the data sheet's 67 TFLOP/s */
}

static void unknown_names_are_told_with_the_nearest(void **state) {
    (void)state;
    static const struct {
        const char *name, *says;
    } cases[] = {{"h20", "no GPU is called h20, did you mean h200? (there are a100, h100, h200, "
                         "rtx4060-laptop, rtx4090, t4, and any file ending in .json"},
                 {"rtx4080", "did you mean rtx4090?"},
                 {"H100-SXM", "no GPU is called h100-sxm"},
                 {"voodoo-graphics", "no GPU is called voodoo-graphics (there are a100"},
                 {"", "no GPU is called  (there are a100"},
                 {"none.json", "none.json"},
                 {"./h200", "./h200"},
                 {"runtime/model", "runtime/model"}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        wb_error err = {0};
        model_gpu gpu;
        assert_false(model_gpu_load(cases[i].name, &gpu, &err));
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].name, err.text);
    }
}

/* Whether the document is refused with a sentence that holds all of these. */
static void refused(json_t *document, const char *file, const char *key, const char *wanted) {
    wb_error err = {0};
    model_gpu gpu;
    char *text = json_dumps(document, JSON_INDENT(1));
    assert_non_null(text);
    bool ok = parse(text, &gpu, &err);
    if (ok || !strstr(err.text, file) || !strstr(err.text, key) || !strstr(err.text, wanted))
        fail_msg("%s was %s: %s", key, ok ? "accepted" : "refused thus", err.text);
    free(text);
}

/* Sets (or takes away, with NULL) part of each figure in turn. */
static void each_figure(const char *part, const char *value, bool unit_is_told, const char *says) {
    for (size_t i = 0; i < WB_COUNT(figures); i++) {
        json_t *document = json_loadb(good.data, good.len, 0, NULL);
        json_t *all = json_object_get(document, "figures");
        json_t *figure = json_object_get(all, figures[i].key);
        if (!part)
            json_object_del(all, figures[i].key);
        else if (!value)
            json_object_del(figure, part);
        else
            json_object_set_new(figure, part, json_loads(value, JSON_DECODE_ANY, NULL));
        refused(document, "my.json:", figures[i].key, unit_is_told ? figures[i].unit : says);
        refused(document, "my.json:", figures[i].key, says);
        json_decref(document);
    }
}

static void a_figure_amiss_is_told_with_file_key_and_unit(void **state) {
    (void)state;
    each_figure(NULL, NULL, true, "missing");
    each_figure("value", NULL, true, "found none");
    each_figure("value", "-1", true, "found -1");
    each_figure("value", "\"12\"", true, "found \"12\"");
    each_figure("value", "[1]", true, "found [1]");
    each_figure("unit", "\"furlongs\"", true, "found furlongs");
    each_figure("unit", NULL, true, "found none");
    each_figure("source", NULL, false, "where the figure is from");
    each_figure("source", "\"\"", false, "where the figure is from");
}

static void texts_amiss_are_told(void **state) {
    (void)state;
    static const char *const keys[] = {"name", "title", "device_name", "measured"};
    for (size_t i = 0; i < WB_COUNT(keys); i++) {
        json_t *document = json_loadb(good.data, good.len, 0, NULL);
        json_object_set_new(document, keys[i], json_integer(7));
        refused(document, "my.json:", keys[i], "expected");
        json_object_set_new(document, keys[i], json_string(""));
        refused(document, "my.json:", keys[i], "expected");
        json_object_del(document, keys[i]);
        refused(document, "my.json:", keys[i], ":");
        json_decref(document);
    }
}

/* A change of the good text and what is said about it. */
static const struct {
    const char *from, *to, *says;
} mistakes[] = {
    {"\"l2_bytes\"", "\"l2_byte\"",
     "figures.l2_byte: there is no such key, did you mean l2_bytes?"},
    {"\"title\"", "\"titel\"", "my.json:3: titel: there is no such key, did you mean title?"},
    {"\"figures\"", "\"numbers\"", "my.json:6: numbers: there is no such key"},
    {"\"value\": 132", "\"valeu\": 132",
     "my.json:9: figures.multiprocessors.valeu: there is no such key, did you mean value?"},
    {"\"value\": 132", "\"value\": 132.5",
     "my.json:9: figures.multiprocessors.value: expected a whole number above 0 in the unit "
     "\"multiprocessors\" (how many there are), found 132.5"},
    {"\"value\": 132", "\"value\": 0", "found 0"},
    {"\"value\": 132", "\"value\": 1e300", "expected a whole number"},
    {"\"value\": 0.88", "\"value\": 1.01", "expected a number above 0 to 1"},
    {"\"value\": 132,", "\"value\": 132", "my.json:9: expected valid JSON"},
    {"\"value\": 132,", "\"value\": 132, \"value\": 133,", "my.json:9: expected valid JSON, dupl"},
    {"\"value\": 132,", "\"value\": NaN,", "my.json:9: expected valid JSON"},
    {"\"value\": 132,", "\"value\": 1e999,", "my.json:9: expected valid JSON"},
    {"\"value\": 232448", "\"value\": 232449000",
     "figures.max_block_shared_bytes: 232449000 is "
     "more than shared_bytes, 233472"},
    {"\"value\": 683", "\"value\": 200", "l2_clocks: 287 is more than dram_clocks, 200"},
    {"NVIDIA H200", "NVIDIA \xff", "expected valid JSON"},
};

static void mistakes_are_told(void **state) {
    (void)state;
    for (size_t i = 0; i < WB_COUNT(mistakes); i++) {
        char *at = strstr(good.data, mistakes[i].from);
        if (!at)
            fail_msg("there is no %s", mistakes[i].from);
        char *text = wb_format("%.*s%s%s", (int)(at - good.data), good.data, mistakes[i].to,
                               at + strlen(mistakes[i].from));
        wb_error err = {0};
        model_gpu gpu;
        bool ok = parse(text, &gpu, &err);
        if (ok || !strstr(err.text, mistakes[i].says))
            fail_msg("%s: %s", mistakes[i].to, ok ? "accepted" : err.text);
        free(text);
    }
    static const char *const others[] = {"", "{", "[]", "7", "{}", "null", "{\"name\":\"a\"}"};
    for (size_t i = 0; i < WB_COUNT(others); i++) {
        wb_error err = {0};
        model_gpu gpu;
        assert_false(parse(others[i], &gpu, &err));
        assert_true(strstr(err.text, "my.json:1: ") == err.text);
    }
}

static void a_cut_file_is_refused(void **state) {
    (void)state;
    size_t end = good.len;
    while (end > 0 && good.data[end - 1] != '}')
        end--;
    for (size_t len = 0; len < end; len += 1 + len / 40) {
        wb_error err = {0};
        model_gpu gpu;
        assert_false(model_gpu_parse("my.json", good.data, len, &gpu, &err));
        assert_non_null(strstr(err.text, "expected valid JSON"));
    }
}

static int set_up(void **state) {
    (void)state;
    return wb_file_read("runtime/model/gpus/h200.json", 0, &good, NULL) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    wb_buf_free(&good);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_gpu_can_be_read),
        cmocka_unit_test(the_h200_is_what_we_know),
        cmocka_unit_test(unknown_names_are_told_with_the_nearest),
        cmocka_unit_test(a_figure_amiss_is_told_with_file_key_and_unit),
        cmocka_unit_test(texts_amiss_are_told),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(a_cut_file_is_refused),
    };
    return cmocka_run_group_tests_name("gpu", tests, set_up, tear_down);
}
