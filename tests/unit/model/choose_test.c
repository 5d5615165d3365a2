/* choose_test.c: a device by its name, and a GPU's name in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/model/choose.h"

static int forget_environment(void **state) {
    (void)state;
    unsetenv("WARPBOOK_DEVICE");
    unsetenv("WARPBOOK_SOFTGPU_MODEL");
    unsetenv("WARPBOOK_SOFTGPU_DESCRIBE");
    setenv("WARPBOOK_SOFTGPU_PTXAS", "/nowhere/ptxas", 1);
    return 0;
}

/* "NAME=VALUE" of the entries that a child gets, or NULL. */
static const char *entry(char *const *entries, const char *name) {
    for (; *entries; entries++)
        if (strncmp(*entries, name, strlen(name)) == 0)
            return *entries + strlen(name);
    return NULL;
}

static void plain_softgpu_tells_the_usual_gpus_times(void **state) {
    (void)state;
    static const char *const names[] = {"soft", "softgpu", "none"};
    for (size_t i = 0; i < WB_COUNT(names); i++) {
        wb_device device;
        assert_true(model_choose_device(names[i], &device, NULL));
        assert_true(device.kind == WB_DEVICE_SOFT && !device.stands_in);
        assert_string_equal(device.name, "softgpu");
        assert_string_equal(device.gpu_title, "NVIDIA H200");
        assert_true(device.gpu_measured && device.capability == 90);
        char **entries = wb_device_gpu_entries(&device);
        assert_non_null(strstr(entry(entries, "WARPBOOK_SOFTGPU_MODEL="), "/h200.json"));
        assert_string_equal(entry(entries, "WARPBOOK_SOFTGPU_TRACE="), "0");
        assert_string_equal(entry(entries, "WARPBOOK_SOFTGPU_DESCRIBE="), "0");
        wb_device_entries_free(entries);
    }
}

static void a_gpus_name_is_softgpu_standing_in(void **state) {
    (void)state;
    static const struct {
        const char *name, *title;
        int capability;
    } cases[] = {{"t4", "NVIDIA T4", 75}, {"A100", "NVIDIA A100", 80}, {"h100", "NVIDIA H100", 90}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        wb_device device;
        assert_true(model_choose_device(cases[i].name, &device, NULL));
        assert_true(device.kind == WB_DEVICE_SOFT && device.stands_in);
        assert_non_null(strstr(device.gpu_title, cases[i].title));
        assert_non_null(strstr(device.name, "(softgpu)"));
        assert_int_equal(device.capability, cases[i].capability);
        assert_true(device.gpu_file[0] == '/');
        char **entries = wb_device_gpu_entries(&device);
        assert_string_equal(entry(entries, "WARPBOOK_SOFTGPU_DESCRIBE="), "1");
        assert_null(entry(entries, "WARPBOOK_SOFTGPU_PTXAS=")); /* the environment has one */
        /* A shell's programs run where the notebook does. */
        char **shell = wb_device_shell(&device);
        assert_string_equal(entry(shell, "WARPBOOK_DEVICE="), "soft");
        assert_string_equal(entry(shell, "WARPBOOK_SOFTGPU_MODEL="), device.gpu_file);
        setenv("WARPBOOK_SOFTGPU_MODEL", device.gpu_file, 1);
        wb_device within;
        assert_true(model_choose_device("soft", &within, NULL));
        assert_true(within.stands_in);
        assert_string_equal(within.gpu_file, device.gpu_file);
        setenv("WARPBOOK_SOFTGPU_DESCRIBE", "0", 1); /* a worker's of plain softgpu */
        assert_true(model_choose_device("soft", &within, NULL));
        assert_false(within.stands_in);
        forget_environment(NULL);
        wb_device_entries_free(entries);
        wb_device_entries_free(shell);
    }
}

static void the_environment_says_what_auto_is(void **state) {
    (void)state;
    wb_device device;
    setenv("WARPBOOK_DEVICE", "rtx4090", 1);
    assert_true(model_choose_device("auto", &device, NULL) && device.stands_in);
    assert_int_equal(device.capability, 89);
    assert_true(model_choose_device("soft", &device, NULL) && !device.stands_in);
    forget_environment(NULL);
}

static void what_is_no_gpu_is_told_with_the_nearest(void **state) {
    (void)state;
    wb_device device;
    wb_error err = {0};
    assert_false(model_choose_device("h10", &device, &err));
    assert_non_null(strstr(err.text, "did you mean h100?"));
    assert_false(model_choose_device("/nowhere/mine.json", &device, &err));
    assert_non_null(strstr(err.text, "/nowhere/mine.json"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_softgpu_tells_the_usual_gpus_times),
        cmocka_unit_test(a_gpus_name_is_softgpu_standing_in),
        cmocka_unit_test(the_environment_says_what_auto_is),
        cmocka_unit_test(what_is_no_gpu_is_told_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, forget_environment, NULL);
}
