/* bring_test.c: which #include lines of earlier cells a unit has. Units are written, not compiled:
 * what the cell with the #include has read is made up from headers that every machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/cells/headers/bring.h"
#include "runtime/cells/cellgen.h"
#include "runtime/device/toolkit.h"

static wb_cellgen *gen;
static char *folder, *inputs; /* of a cell that includes <vector> and Thrust, as paths */

static int set_up(void **state) {
    (void)state;
    wb_toolkit toolkit;
    wb_error err = {0};
    glob_t vectors;
    folder = wb_dir_temp("bring-test", NULL);
    if (!folder || !wb_toolkit_find(&toolkit, &err) ||
        glob("/usr/include/c++/*/vector", 0, NULL, &vectors) != 0)
        return -1;
    inputs = wb_format("%s\n/usr/include/unistd.h\n%s/cuda_runtime.h\n", vectors.gl_pathv[0],
                       toolkit.include_dir);
    globfree(&vectors);
    return inputs ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    free(inputs);
    return 0;
}

/* Runs a cell, as far as the generator is concerned; returns its unit's source. */
static char *cell(const char *code, const char *read) {
    wb_unit unit;
    wb_error err = {0};
    if (!wb_cellgen_unit(gen, code, strlen(code), 1, false, &unit, &err))
        fail_msg("%s", err.text);
    char *source = wb_format("%s", unit.source);
    free(wb_cellgen_accept(gen, &unit, "/nonexistent", read, SIZE_MAX));
    wb_unit_free(&unit);
    return source;
}

/* Which of v(ector), t(hrust), o(f the user's own) and u(nistd.h) the unit of `code` includes, and
 * '-' where it says that it left some out. Nothing of it stays. */
static void expect(const char *code, const char *wanted) {
    static const struct {
        char mark;
        const char *line;
    } known[] = {{'v', "#include <vector>\n"},
                 {'t', "#include <thrust/sort.h>\n"},
                 {'o', "#include \"own.h\"\n"},
                 {'u', "#include <unistd.h>\n"}};
    wb_unit unit;
    wb_error err = {0};
    if (!wb_cellgen_unit(gen, code, strlen(code), 2, false, &unit, &err))
        fail_msg("%s", err.text);
    char got[8] = "";
    size_t n = 0;
    for (size_t i = 0; i < WB_COUNT(known); i++)
        if (strstr(unit.source, known[i].line))
            got[n++] = known[i].mark;
    if (unit.left_out)
        got[n++] = '-';
    if (strcmp(got, wanted) != 0)
        fail_msg("\"%s\": %s, not %s\n%s", code, got, wanted, unit.source);
    wb_unit_free(&unit);
}

#define THRUST "#include <thrust/sort.h>\n"
#define VECTOR "#include <vector>\n"

static void begin(const char *first) {
    wb_cellgen_free(gen);
    gen = wb_cellgen_new();
    free(cell(first, inputs));
}

static void test_left_out(void **state) {
    (void)state;
    begin(VECTOR THRUST);
    expect("n + 1", "vu-"); /* headers of C come in their place, always */
    expect("std::vector<int> a;", "vu-");
    expect("thrust::sort(a, b);", "vt");
    expect("std::vector<int> a; thrust :: sort(a, b);", "vt");
    expect("using namespace thrust; sort(a, b);", "vt");
    expect("namespace t = thrust; t::sort(a, b);", "vt");
    expect("namespace cd = cuda; cd::std::abs(3);", "vt");
    expect("// what thrust sorts on a cuda device\nn", "vu-");
    expect("THRUST_CHECK(n);", "vt");
    begin(VECTOR);
    expect("n + 1", "v");
}

/* A unit's repeated text counts as much as the cell itself. */
static void test_repeated(void **state) {
    (void)state;
    begin(VECTOR THRUST);
    free(cell("typedef thrust::host_vector<int> ints; struct wide { std::vector<int> v; };\n"
              "#define SORT(v) thrust::sort(v)\n"
              "ints make(int n) { return ints(n); }",
              inputs));
    expect("n", "vu-");
    expect("make(3);", "vt");
    expect("ints b;", "vt");
    expect("wide w;", "vu-");
    expect("SORT(n);", "vt");
    free(cell("using namespace thrust;", inputs));
    expect("n", "vt");
}

/* If the need is unknown, all headers come along. */
static void test_all(void **state) {
    (void)state;
    begin(VECTOR THRUST);
    expect("#ifdef THRUST_VERSION\nn = 1;\n#endif", "vt");
    expect("# if SOMETHING\nn = 1;\n#endif", "vt");
    expect("# if 1\nn = 1;\n#endif", "vu-"); /* known beforehand */
    expect("if (n) m = 1; else m = 2;", "vu-");
    wb_cellgen_ways(gen, (wb_unit_ways){.bring_all = true});
    expect("n", "vt");
    wb_cellgen_ways(gen, (wb_unit_ways){0});
    expect("n", "vu-");

    char *path = wb_format("%s/own.h", folder), *more = wb_format("%s%s\n", inputs, path);
    assert_true(wb_file_write(path, "", 0, NULL));
    free(cell("#include \"own.h\"", more));
    expect("n", "vto");
    free(path);
    free(more);
    begin("int n;");
    free(cell(VECTOR, NULL)); /* not known what it read */
    expect("n", "v");
}

static void link_to(const char *folder, const char *name, const char *to) {
    char *path = wb_format("%s/%s", folder, name);
    assert_int_equal(symlink(to, path), 0);
    free(path);
}

/* A folder of links and a script for nvcc, as some machines have below /usr/local. */
static void test_links(void **state) {
    (void)state;
    wb_toolkit real, found;
    wb_error err = {0};
    assert_true(wb_toolkit_find(&real, &err));
    char *farm = wb_format("%s/farm", folder), *bin = wb_format("%s/bin", farm),
         *include = wb_format("%s/include", farm), *nvcc = wb_format("%s/nvcc", bin),
         *script = wb_format("#!/bin/sh\nexec %s \"$@\"\n", real.nvcc),
         *header = wb_format("%s/cuda_runtime_api.h", include),
         *wanted = wb_format("%s/cuda_runtime_api.h", real.include_dir),
         *before = wb_format("%s", getenv("PATH"));
    assert_true(wb_dir_make(bin, NULL) && wb_dir_make(include, NULL));
    assert_true(wb_file_write(nvcc, script, strlen(script), NULL));
    assert_int_equal(chmod(nvcc, 0755), 0);
    link_to(farm, "lib64", real.library_dir);
    link_to(include, "cuda_runtime_api.h", wanted);

    setenv("PATH", bin, 1);
    assert_true(wb_toolkit_find(&found, &err));
    setenv("PATH", before, 1);
    assert_string_equal(found.nvcc, real.nvcc);

    setenv("WARPBOOK_NVCC", nvcc, 1); /* who names one gets that one, and no less of it */
    assert_true(wb_toolkit_find(&found, &err));
    assert_string_equal(found.nvcc, nvcc);
    char *brings = wb_brings(header);
    assert_non_null(brings);
    unsetenv("WARPBOOK_NVCC");

    char *all[] = {farm, bin, include, nvcc, script, header, wanted, before, brings};
    for (size_t i = 0; i < WB_COUNT(all); i++)
        free(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_links),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
