/* The fat binary reader on what nvcc writes in each compression mode, and on damaged copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/softgpu/cudart/fatbin.h"
#include "runtime/softgpu/machine/refused.h"

/* build/tests/fatbin/NAME, beside this program. */
static char *sample(const char *name, size_t *len) {
    char path[4200];
    ssize_t n = readlink("/proc/self/exe", path, 4000);
    assert_true(n > 0);
    path[n] = '\0';
    sprintf(strrchr(path, '/'), "/fatbin/%s.fatbin", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *data = malloc(1 << 20);
    *len = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

static void expect_target(char *ptx, size_t len, const char *target) {
    assert_non_null(ptx);
    assert_int_equal(strlen(ptx), len);
    assert_non_null(strstr(ptx, ".version "));
    assert_non_null(strstr(ptx, target));
    assert_non_null(strstr(ptx, ".entry _Z6powersILi9EEvPfPKfi"));
    free(ptx);
}

static void reads_every_compression(void **state) {
    (void)state;
    static const char *const modes[] = {"none", "size", "speed"};
    for (size_t i = 0; i < 3; i++) {
        size_t len, n = 0;
        char *data = sample(modes[i], &len);
        wb_error err;
        fatbin_reader reader;
        fatbin_entry entry;
        assert_int_equal(fatbin_identify(data, len), FATBIN_FORM_CONTAINER);
        assert_true(fatbin_open(&reader, data, len, &err));
        while (fatbin_next(&reader, &entry, &err) > 0) {
            assert_int_equal(entry.kind, FATBIN_PTX);
            assert_int_equal((entry.flags & 0x8000) != 0, strcmp(modes[i], "size") == 0);
            assert_int_equal((entry.flags & 0x2000) != 0, strcmp(modes[i], "speed") == 0);
            n++;
        }
        assert_int_equal(n, 3);
        free(data);
    }
}

static void picks_the_ptx_that_suits(void **state) {
    (void)state;
    static const struct {
        unsigned capability;
        const char *target;
    } cases[] = {{90, ".target sm_90"}, {89, ".target sm_80"},   {80, ".target sm_80"},
                 {75, ".target sm_80"}, {103, ".target sm_100"}, {100, ".target sm_100"}};
    size_t len, ptx_len;
    char *data = sample("size", &len);
    wb_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *ptx = fatbin_ptx(data, len, cases[i].capability, &ptx_len, &err);
        expect_target(ptx, ptx_len, cases[i].target);
    }
    free(data);
}

static void follows_the_wrapper(void **state) {
    (void)state;
    size_t len, ptx_len;
    char *data = sample("speed", &len);
    struct {
        uint32_t magic, version;
        const void *data;
        const void *file;
    } wrapper = {0x466243b1, 1, data, NULL};
    wb_error err;
    char *ptx = fatbin_ptx(&wrapper, SIZE_MAX, 90, &ptx_len, &err);
    expect_target(ptx, ptx_len, ".target sm_90");
    size_t one = ptx_len;
    wrapper.version = 3;
    assert_null(fatbin_ptx(&wrapper, SIZE_MAX, 90, &ptx_len, &err));
    wrapper.version = 2;
    assert_null(fatbin_ptx(&wrapper, SIZE_MAX, 90, &ptx_len, &err));
    const void *sources[] = {data, data, NULL};
    wrapper.file = sources;
    ptx = fatbin_ptx(&wrapper, SIZE_MAX, 90, &ptx_len, &err);
    assert_non_null(ptx);
    assert_int_equal(ptx_len, 2 * (one + 1)); /* a NUL behind each text */
    assert_string_equal(ptx, ptx + one + 1);
    free(ptx);
    free(data);
}

static void takes_ptx_text(void **state) {
    (void)state;
    static const char text[] = "//\n// a comment\n\n.version 9.0\n.target sm_90\n";
    size_t len;
    wb_error err;
    char *ptx = fatbin_ptx(text, SIZE_MAX, 90, &len, &err);
    assert_string_equal(ptx, text);
    free(ptx);
    assert_int_equal(fatbin_identify("hello", 5), FATBIN_FORM_UNKNOWN);
    assert_int_equal(fatbin_identify("", 0), FATBIN_FORM_UNKNOWN);
}

static void names_the_machine_code_when_there_is_no_ptx(void **state) {
    (void)state;
    size_t len, ptx_len;
    char *data = sample("machine", &len);
    wb_error err;
    assert_null(fatbin_ptx(data, len, 90, &ptx_len, &err));
    assert_non_null(strstr(err.text, "sm_90"));
    assert_non_null(strstr(err.text, "sm_80"));
    assert_non_null(strstr(err.text, "-gencode arch=compute_90,code=compute_90"));
    assert_int_equal(sg_refused_kind(err.code), SG_REFUSED_MACHINE_CODE);
    assert_null(fatbin_ptx("\177ELF....", 8, 90, &ptx_len, &err));
    assert_non_null(strstr(err.text, "cubin"));
    free(data);
}

/* Every cut and every changed byte of a header gives PTX or an error, within the bounds given:
 * the copy has exactly `len` bytes, so the sanitizers see a read beyond it. */
static void damage_is_an_error(void **state) {
    (void)state;
    size_t len, ptx_len;
    char *data = sample("size", &len);
    wb_error err;
    for (size_t cut = 0; cut < len; cut += cut < 128 ? 1 : 97) {
        char *copy = malloc(cut + 1);
        memcpy(copy, data, cut);
        char *exact = realloc(copy, cut > 0 ? cut : 1);
        assert_null(fatbin_ptx(exact, cut, 90, &ptx_len, &err));
        free(exact);
    }
    size_t refused = 0;
    for (size_t at = 0; at < 160; at++) {
        char *copy = malloc(len);
        memcpy(copy, data, len);
        copy[at] ^= 0xff;
        char *ptx = fatbin_ptx(copy, len, 90, &ptx_len, &err);
        refused += ptx == NULL;
        free(ptx);
        free(copy);
    }
    assert_true(refused > 20);
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_compression),
        cmocka_unit_test(picks_the_ptx_that_suits),
        cmocka_unit_test(follows_the_wrapper),
        cmocka_unit_test(takes_ptx_text),
        cmocka_unit_test(names_the_machine_code_when_there_is_no_ptx),
        cmocka_unit_test(damage_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
