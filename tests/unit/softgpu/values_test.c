/* values_test.c: what variables of a warp hold (SG_RECORD_VALUES), on the kernel of dwarf_test.c.
 * Each number is computed here once more. */
#include "tests/unit/softgpu/engine_kit.h"

#include "runtime/base/base.h"
#include "runtime/softgpu/debug/dwarf.h"

#define PTX "tests/fuzz/corpus/dwarf/kernel.ptx"
#define KERNEL "_Z1kPKfPfi"

typedef struct setting {
    wb_buf text;
    ptx_module *ptx;
    dbg_info *info;
    sg_module *module;
    float *in, *out;
} setting;

static setting set;

static int set_up(void **state) {
    ptx_error why;
    sg_error err;
    if (!wb_file_read(PTX, 0, &set.text, NULL))
        return 1;
    set.ptx = ptx_parse(set.text.data, set.text.len, &why);
    set.info = dbg_open(set.ptx);
    set.module = sg_module_load(set.text.data, set.text.len, &err);
    set.in = sg_mem_alloc(64 * sizeof(float), SG_MEM_DEVICE, "", &err);
    set.out = sg_mem_alloc(64 * sizeof(float), SG_MEM_DEVICE, "", &err);
    for (int i = 0; set.in && i < 64; i++)
        set.in[i] = (float)(i * 37 % 1000) / 8;
    return setup(state) || !set.info || !set.module || !set.in || !set.out;
}

static int tear_down(void **state) {
    dbg_close(set.info);
    ptx_free(set.ptx);
    sg_module_unload(set.module);
    sg_mem_free(set.in);
    sg_mem_free(set.out);
    wb_buf_free(&set.text);
    return teardown(state);
}

/* Runs the kernel in two blocks and records the names of block 1. */
static sg_recorded *record(const char *const *names, size_t n, sg_wish wish) {
    static const char *const parameters[] = {"in", "out", "n"};
    const struct {
        const float *in;
        float *out;
        int n;
    } params = {set.in, set.out, 60};
    dbg_list list = {0};
    for (size_t i = 0; i < n; i++)
        assert_true(dbg_watch(set.info, ptx_find(set.ptx, KERNEL), names[i], &list));
    wish.what = SG_RECORD_VALUES;
    wish.block[0] = 1;
    wish.watched = list.v;
    wish.n_watched = list.n;
    wish.of_function = KERNEL;
    wish.parameters = parameters;
    wish.n_parameters = 3;
    sg_launch l = {.options = SG_RECORD, .wish = &wish};
    if (launch(set.module, KERNEL, 2, 32, &params, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    free(l.lines);
    dbg_list_free(&list);
    assert_true(l.recorded && l.recorded->ran);
    return l.recorded;
}

/* Returns the number of a lane in the last moment that has one, in row `row` of the names. */
static char *last_value(const sg_recorded *r, size_t row, int lane, char text[64]) {
    for (uint32_t m = r->n_moments; m-- > 0;) {
        const char *at = r->moments[m].values;
        for (size_t k = 0; k < row && at; k++)
            at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
        for (int i = 0; i < lane && at; i++)
            at += strcspn(at, "\t\n") + (at[strcspn(at, "\t\n")] == '\t');
        at += at && *at == '*';
        if (!at || strcspn(at, "\t\n") == 0)
            continue;
        snprintf(text, 64, "%.*s", (int)strcspn(at, "\t\n"), at);
        return text;
    }
    return strcpy(text, "none");
}

static void numbers_are_the_kernels(void **state) {
    static const char *const names[] = {"i", "d", "q", "p.n", "acc[3]", "pp", "ll", "c", "n"};
    sg_recorded *r = record(names, WB_COUNT(names), (sg_wish){.first = 1, .last = 200});
    (void)state;
    for (int lane = 0; lane < 32; lane++) {
        int i = 32 + lane;
        double x = set.in[i];
        char wanted[12][64], got[64];
        snprintf(wanted[0], 64, "%d", i);
        snprintf(wanted[1], 64, "%g", 2 * x);
        snprintf(wanted[2], 64, "%g", x);
        snprintf(wanted[3], 64, "1");
        snprintf(wanted[4], 64, "2");
        snprintf(wanted[5], 64, "%d", i);
        snprintf(wanted[6], 64, "%d", i);
        snprintf(wanted[7], 64, "%g", 3 * x);
        snprintf(wanted[8], 64, "in+%d", i);
        snprintf(wanted[9], 64, "%d", i);
        snprintf(wanted[10], 64, "%d", i);
        snprintf(wanted[11], 64, "60");
        for (size_t k = 0; k < WB_COUNT(wanted); k++)
            assert_string_equal(last_value(r, k, lane, got), wanted[k]);
    }
    sg_recorded_free(r);
}

static void the_window_is_a_part(void **state) {
    static const char *const names[] = {"s", "tile"};
    sg_recorded *all = record(names, 2, (sg_wish){.first = 1, .last = 200, .every = true});
    sg_recorded *part = record(names, 2, (sg_wish){.first = 3, .last = 5, .every = true});
    (void)state;
    assert_int_equal(all->n_moments, all->all_moments);
    assert_int_equal(part->all_moments, all->all_moments);
    assert_int_equal(part->n_moments, 3);
    uint32_t barriers = 0, rounds = 0;
    for (uint32_t k = 0; k < all->n_moments; k++) {
        const sg_moment_kept *m = &all->moments[k];
        if (k >= 2 && k < 5)
            assert_string_equal(part->moments[k - 2].values, m->values);
        barriers += m->what == SG_MOMENT_BARRIER;
        rounds = m->line == 21 && m->round > rounds ? m->round : rounds;
    }
    assert_int_equal(barriers, 6); /* one, and one in each round of the tree */
    assert_int_equal(rounds, 5);
    sg_recorded_free(all);
    sg_recorded_free(part);
}

static void a_line_changes_what_follows(void **state) {
    static const char *const names[] = {"mine"};
    (void)state;
    sg_recorded *before = record(names, 1, (sg_wish){.first = 1, .last = 200, .before = true});
    sg_recorded *after = record(names, 1, (sg_wish){.first = 1, .last = 200});
    char a[64], b[64];
    assert_string_equal(last_value(before, 0, 31, a), last_value(after, 0, 31, b));
    sg_recorded_free(before);
    sg_recorded_free(after);
    const void *params[3] = {set.in, set.out, (void *)60};
    sg_launch l = {.options = 0};
    assert_int_equal(launch(set.module, KERNEL, 2, 32, params, &l), 0);
    assert_null(l.recorded);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_the_kernels),
                                       cmocka_unit_test(the_window_is_a_part),
                                       cmocka_unit_test(a_line_changes_what_follows)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
