/* device_test.c: for which GPUs the kernel set has machine code. */
#include "runtime/device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char note[200];

static void build_for(const char *archs) {
    FILE *f = fopen(note, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", archs);
    fclose(f);
}

static bool has_code(int capability, wb_error *why) {
    return wb_device_has_code(
        &(wb_device){.kind = WB_DEVICE_GPU, .name = "NVIDIA X", .capability = capability}, why);
}

static void code_runs_on_its_gpus(void **state) {
    (void)state;
    static const struct {
        const char *archs;
        int capability;
        bool has;
    } cases[] = {{"75 80 86 89 90a 100 120", 75, true},
                 {"75 80 86 89 90a 100 120", 87, true},
                 {"75 80 86 89 90a 100 120", 90, true},
                 {"75 80 86 89 90a 100 120", 103, true},
                 {"75 80 86 89 90a 100 120", 121, true},
                 {"75 80 86 89 90a 100 120", 70, false},
                 {"75 80 86 89 90a 100 120", 130, false},
                 {"90a", 100, false},
                 {"90a", 90, true},
                 {"86", 80, false},
                 {"86", 89, true},
                 {"100a", 103, false},
                 {"", 90, false}};
    for (size_t k = 0; k < WB_COUNT(cases); k++) {
        wb_error why = {0};
        build_for(cases[k].archs);
        if (has_code(cases[k].capability, &why) != cases[k].has)
            fail_msg("'%s' on %d", cases[k].archs, cases[k].capability);
        assert_int_equal(strlen(why.text) > 0, !cases[k].has);
    }
    wb_error why = {0};
    build_for("");
    assert_false(has_code(90, &why));
    assert_non_null(strstr(why.text, "the NVIDIA X (compute capability 9.0)"));
    assert_non_null(strstr(why.text, "make KERNEL_ARCHS=all"));
}

static void who_says_nothing_is_not_doubted(void **state) {
    (void)state;
    build_for("");
    assert_true(wb_device_has_code(&(wb_device){.kind = WB_DEVICE_SOFT, .capability = 90}, NULL));
    remove(note);
    assert_true(has_code(90, NULL));
}

static int begin(void **state) {
    (void)state;
    static char folder[] = "/tmp/warpbook-device-XXXXXX";
    char path[100];
    if (!mkdtemp(folder))
        return -1;
    setenv("WARPBOOK_PREFIX", folder, 1);
    snprintf(path, sizeof path, "%s/lib/warpbook", folder);
    snprintf(note, sizeof note, "%s/kernel_code", path);
    return wb_dir_make(path, NULL) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    return wb_dir_remove(wb_path_prefix(), NULL) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_runs_on_its_gpus),
        cmocka_unit_test(who_says_nothing_is_not_doubted),
    };
    return cmocka_run_group_tests_name("device", tests, begin, end);
}
