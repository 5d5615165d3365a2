/* reference_test.c: what was measured is told as it was, what lies between is drawn between, and
 * nothing beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/model/reference.h"

static model_references *h200;

static int load(void **state) {
    (void)state;
    wb_error err = {0};
    wb_buf text = {0};
    if (!wb_file_read("runtime/model/references/h200.json", 0, &text, &err))
        return -1;
    h200 = model_references_parse("h200.json", text.data, text.len, &err);
    wb_buf_free(&text);
    return h200 ? 0 : -1;
}

static int unload(void **state) {
    (void)state;
    model_references_free(h200);
    return 0;
}

static model_reference at(const char *name, const char *type, size_t n, double a, double b,
                          double c) {
    const double sizes[3] = {a, b, c};
    model_reference out = {0};
    wb_error err = {0};
    if (!model_reference_time(h200, name, type, sizes, n, &out, &err))
        fail_msg("%s", err.text);
    return out;
}

static void measured_sizes_come_out_as_measured(void **state) {
    (void)state;
    model_reference r = at("cublas.sgemm", "float", 3, 1024, 1024, 1024);
    assert_true(r.exact && r.seconds == 6.3808e-05);
    assert_string_equal(r.near, "1024 x 1024 x 1024");
    r = at("cuda.memcpy", "float", 1, 4.0 * 8192 * 8192, 0, 0);
    assert_true(r.exact && r.seconds == 0.00012544);
    r = at("cub.reduce", "double", 1, 16777216, 0, 0);
    assert_true(r.exact && r.seconds == 3.7536e-05);
}

/* A copy of twice the bytes takes longer; half way (by the logarithm) it is the mean's root. */
static void copies_lie_on_a_line_between(void **state) {
    (void)state;
    double low = at("cuda.memcpy", "float", 1, 4.0 * 2048 * 2048, 0, 0).seconds;
    double high = at("cuda.memcpy", "float", 1, 4.0 * 4096 * 4096, 0, 0).seconds;
    model_reference r = at("cuda.memcpy", "float", 1, 4.0 * 2048 * 4096, 0, 0);
    assert_false(r.exact);
    assert_true(fabs(r.seconds - sqrt(low * high)) < 1e-12);
    double before = low;
    for (double n = 2048; n <= 4096; n += 128) {
        double seconds = at("cuda.memcpy", "float", 1, 4 * n * n, 0, 0).seconds;
        assert_true(seconds >= before);
        before = seconds;
    }
    /* of bytes that are no whole pages the driver makes two launches, 3 us more */
    double more = at("cuda.memcpy", "float", 1, 4.0 * 2048 * 4096 + 16, 0, 0).seconds - r.seconds;
    assert_true(more > 2.9e-6 && more < 3.1e-6);
    /* and a measured size of that kind says nothing of its neighbours */
    assert_true(at("cuda.memcpy", "float", 1, 4096 * 980, 0, 0).seconds < 6e-6);
}

/* Products between measured ones take a time between the least and the best rate would have, and
 * what that rate would be at a fifth. */
static void products_between(void **state) {
    (void)state;
    const double sizes[][3] = {{1024, 1024, 256},
                               {900, 1100, 300},
                               {2000, 2100, 2200},
                               {3000, 3000, 3000},
                               {777, 600, 500}};
    for (size_t i = 0; i < WB_COUNT(sizes); i++) {
        const double *s = sizes[i];
        double flops = 2 * s[0] * s[1] * s[2];
        double seconds = at("cublas.sgemm", "float", 3, s[0], s[1], s[2]).seconds;
        assert_true(seconds > flops / 60e12 && seconds < 8e-6 + flops / 20e12);
    }
    double r = at("cublas.sgemm", "float", 3, 1028, 1020, 1030).seconds;
    assert_true(fabs(log(r / 6.4e-5)) < 0.1);
}

static void nothing_is_drawn_beyond(void **state) {
    (void)state;
    const struct {
        const char *name, *type;
        size_t n;
        double sizes[3];
        const char *says;
    } cases[] = {
        {"cuda.memcpy", "float", 1, {1000}, "not measured near 1000 on an NVIDIA H200"},
        {"cuda.memcpy", "float", 1, {1e12}, "the nearest measured size is 4294967296"},
        {"cublas.sgemm", "float", 3, {1e5, 1e5, 1e5}, "not measured near 100000 x 100000"},
        {"cublas.sgemm", "double", 3, {1024, 1024, 1024}, "cublas.sgemm of double was not"},
        {"cublas.dgemm", "double", 3, {2049, 2048, 2048}, "the nearest measured size is 2048"},
        {"cublas.strsm", "float", 3, {1024, 1024, 1024}, "cublas.strsm of float was not"},
        {"cub.reduce", "float", 1, {0}, "not measured near 0"},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        model_reference out;
        wb_error err = {0};
        assert_false(model_reference_time(h200, cases[i].name, cases[i].type, cases[i].sizes,
                                          cases[i].n, &out, &err));
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s does not say: %s", err.text, cases[i].says);
    }
    wb_error err = {0};
    assert_null(model_references_load("a100", &err));
    assert_non_null(strstr(err.text, "not measured on a100"));
    assert_null(model_references_load("../gpus/h200", &err));
}

static void broken_files_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "{}",
                                        "[1]",
                                        "{\"title\":\"a\",\"references\":[]}",
                                        "{\"title\":\"a\",\"references\":[3]}",
                                        "{\"title\":\"a\",\"references\":[{\"name\":\"a\",\"type\":"
                                        "\"b\",\"sizes\":[\"n\"],\"times\":[]}]}",
                                        "{\"title\":\"a\",\"references\":[{\"name\":\"a\",\"type\":"
                                        "\"b\",\"sizes\":[\"n\"],\"times\":[[1]]}]}",
                                        "{\"title\":\"a\",\"references\":[{\"name\":\"a\",\"type\":"
                                        "\"b\",\"sizes\":[\"n\"],\"times\":[[1,0]]}]}"};
    for (size_t i = 0; i < WB_COUNT(texts); i++) {
        wb_error err = {0};
        assert_null(model_references_parse("mine.json", texts[i], strlen(texts[i]), &err));
        assert_non_null(strstr(err.text, "mine.json"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_sizes_come_out_as_measured),
        cmocka_unit_test(copies_lie_on_a_line_between),
        cmocka_unit_test(products_between),
        cmocka_unit_test(nothing_is_drawn_beyond),
        cmocka_unit_test(broken_files_are_refused),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
