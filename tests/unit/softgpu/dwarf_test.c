/* dwarf_test.c: the variables of kernels. nvcc -arch=sm_90 -G -ptx made tests/fuzz/corpus/dwarf/
 * kernel.ptx of softgpu/dwarf/kernel.cu. Its variables are written out, which must be kernel.out.
 * Set WARPBOOK_UPDATE=1 to write it anew, then read the difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/base/base.h"
#include "runtime/softgpu/debug/dwarf.h"

#define PTX "tests/fuzz/corpus/dwarf/kernel.ptx"
#define OUT "tests/unit/softgpu/dwarf/kernel.out"

static void put_variable(wb_buf *out, const sg_watched *w) {
    static const char *const kinds[] = {"signed", "unsigned", "float", "half", "bfloat", "pointer"};
    wb_buf_printf(out, "  %s: %s %u", w->name, kinds[w->kind], w->bytes);
    if (w->kind == SG_VALUE_POINTER)
        wb_buf_printf(out, " to %u", w->pointee);
    if (w->is_array)
        wb_buf_printf(out, " [%llu][%llu] by %llu", (unsigned long long)w->rows,
                      (unsigned long long)w->cols, (unsigned long long)w->stride);
    for (uint32_t k = 0; k < w->n_places; k++) {
        const sg_value_place *p = &w->places[k];
        if (w->is_array)
            wb_buf_printf(out, " %s", p->name);
        else if (p->is_register)
            wb_buf_printf(out, " %u-%u %s", p->from, p->to, p->name);
        else
            wb_buf_printf(out, " %u-%u %s+%lld", p->from, p->to, p->name, (long long)p->offset);
    }
    wb_buf_putc(out, '\n');
}

static void put_function(wb_buf *out, const dbg_info *info, const ptx_function *f) {
    wb_strings names = {0};
    dbg_names(info, f, &names);
    wb_buf_printf(out, "%s\n", f->name);
    for (size_t i = 0; i < names.n; i++) {
        dbg_list list = {0};
        assert_true(dbg_watch(info, f, names.v[i], &list));
        for (uint32_t k = 0; k < list.n; k++)
            put_variable(out, &list.v[k]);
        dbg_list_free(&list);
    }
    wb_strings_free(&names);
}

static ptx_module *module_of(const wb_buf *text) {
    ptx_error err;
    ptx_module *m = ptx_parse(text->data, text->len, &err);
    if (!m)
        fail_msg("line %u: %s", err.ptx_line, err.text);
    return m;
}

static void variables_have_places(void **state) {
    wb_buf text = {0}, out = {0}, wanted = {0};
    (void)state;
    assert_true(wb_file_read(PTX, 0, &text, NULL));
    ptx_module *m = module_of(&text);
    dbg_info *info = dbg_open(m);
    assert_non_null(info);
    for (uint32_t f = 0; f < m->n_functions; f++)
        put_function(&out, info, m->functions[f]);
    if (getenv("WARPBOOK_UPDATE"))
        assert_true(wb_file_write(OUT, out.data, out.len, NULL));
    assert_true(wb_file_read(OUT, 0, &wanted, NULL));
    assert_string_equal(out.data, wanted.data);
    dbg_close(info);
    ptx_free(m);
    WB_BUF_FREE(&text, &out, &wanted);
}

static void names_mean_numbers(void **state) {
    static const struct {
        const char *name;
        uint32_t n; /* 0: not known */
    } cases[] = {{"mine", 1},   {"q", 4},   {"q.w", 1},  {"acc", 4}, {"acc[2]", 1},
                 {"p", 2},      {"p.n", 1}, {"p.m", 0},  {"q.", 0},  {"acc[", 0},
                 {"acc[4]", 0}, {"b", 0},   {"tile", 1}, {"", 0},    {".x", 0}};
    wb_buf text = {0};
    (void)state;
    assert_true(wb_file_read(PTX, 0, &text, NULL));
    ptx_module *m = module_of(&text);
    dbg_info *info = dbg_open(m);
    wb_strings parameters = {0};
    dbg_parameters(info, ptx_find(m, "_Z1kPKfPfi"), &parameters);
    assert_int_equal(parameters.n, 3);
    assert_string_equal(parameters.v[1], "out");
    wb_strings_free(&parameters);
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        dbg_list list = {0};
        assert_int_equal(dbg_watch(info, ptx_find(m, "_Z1kPKfPfi"), cases[i].name, &list),
                         cases[i].n > 0);
        assert_int_equal(list.n, cases[i].n);
        dbg_list_free(&list);
    }
    dbg_close(info);
    ptx_free(m);
    wb_buf_free(&text);
}

static void text_without_sections_has_none(void **state) {
    static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k()\n{\n\tret;\n}\n";
    ptx_error err;
    (void)state;
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    assert_non_null(m);
    assert_null(dbg_open(m));
    ptx_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(variables_have_places),
                                       cmocka_unit_test(names_mean_numbers),
                                       cmocka_unit_test(text_without_sections_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
