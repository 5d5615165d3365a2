/* flags_test.c: paths in nvcc's flags are the notebook's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/worker/session/flags.h"

static void test_paths(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"-Ilib", "-I/home/lib"},
                                           {"-I../lib", "-I/home/../lib"},
                                           {"-I/usr/lib", "-I/usr/lib"},
                                           {"-L.", "-L/home/."},
                                           {"mine.o", "/home/mine.o"},
                                           {"/mine.a", "/mine.a"},
                                           {"-O3", "-O3"},
                                           {"-lmine", "-lmine"},
                                           {"-DFILE=a.o", "-DFILE=a.o"},
                                           {"-arch=sm_90", "-arch=sm_90"},
                                           {"-isystem", "-isystem"},
                                           {"inc", "/home/inc"},
                                           {"-include", "-include"},
                                           {"all.h", "/home/all.h"},
                                           {"-I", "-I"},
                                           {"/opt", "/opt"},
                                           {"--include-path=x", "--include-path=/home/x"},
                                           {"-Xcompiler", "-Xcompiler"},
                                           {"-Wall", "-Wall"},
                                           {"-I", "-I"}};
    const char *flags[WB_COUNT(cases) + 1] = {0};
    for (size_t i = 0; i < WB_COUNT(cases); i++)
        flags[i] = cases[i][0];
    char **copy = wb_flags_copy(flags, "/home");
    assert_non_null(copy);
    for (size_t i = 0; i < WB_COUNT(cases); i++)
        assert_string_equal(copy[i], cases[i][1]);
    assert_null(copy[WB_COUNT(cases)]);
    wb_flags_free(copy);
    copy = wb_flags_copy(NULL, NULL);
    assert_true(copy && !copy[0]);
    wb_flags_free(copy);
}

static void test_all(void **state) {
    (void)state;
    char *flags[] = {"-O3", NULL}, *own[] = {"cell_1.so", NULL}, *include;
    const char **all = wb_flags_all(flags, "/home", own, false, &include);
    static const char *const wanted[] = {"-O3", "-I/home", "-Xlinker", "-rpath-link=.",
                                         "cell_1.so"};
    for (size_t i = 0; i < WB_COUNT(wanted); i++)
        assert_string_equal(all[i], wanted[i]);
    assert_null(all[WB_COUNT(wanted)]);
    free(all);
    free(include);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths), cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
