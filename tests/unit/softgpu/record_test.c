/* record_test.c: what a launch keeps to be drawn: of kernels drawn at random, the requests of all
 * warps together are what the launch counted, line by line, and each that is kept whole is drawn
 * with as many sectors, or passes, as it was counted. */
#include <time.h>

#include "runtime/base/base.h"
#include "runtime/draw/access.h"
#include "runtime/softgpu/recorded.h"
#include "tests/unit/softgpu/engine_kit.h"

static uint64_t state;

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* ---- kernels ------------------------------------------------------------------------------- */

enum { SPACES = 3, LINES = 12 };

/* One access at an address that some function of the thread and of the loop's turn gives. */
static void put_access(wb_buf *out, int line) {
    static const char *const types[] = {"u8", "u16", "u32", "u64", "v2.u32", "v4.u32"};
    static const char *const values[] = {"%h1",  "%h1",       "%r6",
                                         "%rd9", "{%r6,%r7}", "{%r6,%r7,%r8,%r9}"};
    static const uint32_t bytes[] = {1, 2, 4, 8, 8, 16};
    uint32_t type = draw(WB_COUNT(types)), space = draw(3), how = draw(5);
    const char *guard = draw(4) == 0 ? "@%p3 " : draw(4) == 0 ? "@!%p3 " : "";
    wb_buf_printf(out, ".loc 1 %d 0\n", line);
    wb_buf_printf(out,
                  "mul.lo.u32 %%r4, %%r1, %u; mad.lo.u32 %%r4, %%r20, %u, %%r4; "
                  "add.u32 %%r4, %%r4, %u; xor.b32 %%r4, %%r4, %u; and.b32 %%r4, %%r4, %u; "
                  "mul.lo.u32 %%r4, %%r4, %u; cvt.u64.u32 %%rd5, %%r4;\n",
                  (uint32_t[]){0, 1, 1, 2, 3, 17, 32, 33}[draw(8)], draw(9), draw(40),
                  draw(3) ? 0 : draw(32), 2048 / bytes[type] - 1, bytes[type]);
    wb_buf_printf(out, "setp.lt.u32 %%p3, %%r1, %u;\n", draw(70));
    const char *base = space == 0 ? "%r11" : space == 1 ? "%rd6" : "%rd7";
    wb_buf_printf(out, "%s %s, %s, %s;\n", space == 0 ? "add.u32" : "add.s64", base,
                  space == 0   ? "%r10"
                  : space == 1 ? "%rd10"
                               : "%rd11",
                  space == 0 ? "%r4" : "%rd5");
    const char *where = space == 0 ? "shared" : space == 1 ? "global" : "";
    const char *dot = *where ? "." : "";
    if (how == 0 && bytes[type] == 4 && type == 2)
        wb_buf_printf(out, "%sred%s%s.add.u32 [%s], 1;\n", guard, dot, where, base);
    else if (how < 3)
        wb_buf_printf(out, "%sld%s%s.%s %s, [%s+%u];\n", guard, dot, where, types[type],
                      values[type], base, bytes[type] * draw(3));
    else
        wb_buf_printf(out, "%sst%s%s.%s [%s], %s;\n", guard, dot, where, types[type], base,
                      values[type]);
}

static char *kernel(void) {
    wb_buf out = {0};
    int line = 10;
    wb_buf_puts(&out, HEAD ".file 1 \"a.cu\"\n" BEGIN ".shared .align 16 .b8 s[4096];\n"
                           "mov.u32 %r10, s; ld.param.u64 %rd10, [in]; ld.param.u64 %rd11, [out]; "
                           "mov.u32 %r20, 0; mov.u64 %rd9, 5; mov.u32 %r6, 1; mov.u32 %r7, 2; "
                           "mov.u32 %r8, 3; mov.u32 %r9, 4; mov.b16 %h1, 7;\n");
    wb_buf_puts(&out, "LOOP:\n");
    for (uint32_t k = 0, n = 1 + draw(6); k < n; k++) {
        bool apart = draw(3) == 0;
        if (apart)
            wb_buf_printf(&out,
                          "and.b32 %%r5, %%r1, %u; setp.eq.u32 %%p2, %%r5, 0; @%%p2 bra L%u;\n",
                          1u << draw(6), k);
        put_access(&out, line++);
        if (draw(3) == 0)
            put_access(&out, line - 1);
        if (apart)
            wb_buf_printf(&out, "L%u:\n", k);
    }
    wb_buf_printf(&out,
                  "add.u32 %%r20, %%r20, 1; setp.lt.u32 %%p1, %%r20, %u; @%%p1 bra LOOP;\n" END,
                  1 + draw(5));
    return wb_buf_steal(&out);
}

/* ---- together with the counters ------------------------------------------------------------ */

typedef struct sums {                               /* of a line */
    uint64_t requests[SPACES][2], moved[SPACES][2]; /* load, store, atomic; global, shared */
} sums;

static void add_recorded(sums *s, const sg_recorded *r) {
    for (uint32_t k = 0; k < r->n_requests; k++) {
        const sg_requests *q = &r->requests[k];
        sums *to = &s[q->line];
        assert_true(q->line < 64);
        to->requests[q->kind][q->shared] += q->times;
        to->moved[q->kind][q->shared] += q->moved;
    }
}

static void as_counted(const sums *s, const sg_launch *l) {
    assert_true(l->n_lines > 0);
    for (uint32_t k = 0; k < l->n_lines; k++) {
        const sg_counters *c = &l->lines[k].counters;
        const sums *of = &s[l->lines[k].line];
        assert_int_equal(of->requests[SG_REQUEST_LOAD][0], c->global_load_requests);
        assert_int_equal(of->moved[SG_REQUEST_LOAD][0], c->global_load_sectors);
        assert_int_equal(of->requests[SG_REQUEST_STORE][0], c->global_store_requests);
        assert_int_equal(of->moved[SG_REQUEST_STORE][0], c->global_store_sectors);
        assert_int_equal(of->requests[SG_REQUEST_ATOMIC][0], c->global_atomic_requests);
        assert_int_equal(of->moved[SG_REQUEST_ATOMIC][0], c->global_atomic_sectors);
        assert_int_equal(of->requests[SG_REQUEST_LOAD][1], c->shared_load_requests);
        assert_int_equal(of->moved[SG_REQUEST_LOAD][1], c->shared_load_wavefronts);
        assert_int_equal(of->requests[SG_REQUEST_STORE][1], c->shared_store_requests);
        assert_int_equal(of->moved[SG_REQUEST_STORE][1], c->shared_store_wavefronts);
        assert_int_equal(of->requests[SG_REQUEST_ATOMIC][1], c->shared_atomic_requests);
        assert_int_equal(of->moved[SG_REQUEST_ATOMIC][1], c->shared_atomic_wavefronts);
    }
}

static void drawn_as_counted(const sg_requests *q, const sg_request *one) {
    static const char *const kinds[] = {"load", "store", "atomic"};
    draw_access a = {.kind = kinds[q->kind],
                     .shared = q->shared,
                     .bytes = q->bytes,
                     .mask = one->mask,
                     .moved = one->moved};
    if (!one->time)
        return;
    memcpy(a.at, one->at, sizeof a.at);
    assert_int_equal(draw_access_moved(&a), one->moved);
    if (!q->shared)
        assert_int_equal(one->moved * 32 - draw_access_used(&a), one->wasted);
}

/* One launch for each warp of the grid, all of the same kernel. */
static void all_warps(sg_module *m, uint32_t grid, uint32_t block, uint32_t time) {
    const void *params[2] = {out, in};
    sums s[64];
    memset(s, 0, sizeof s);
    for (uint32_t b = 0; b < grid; b++)
        for (uint32_t w = 0; w < (block + 31) / 32; w++) {
            sg_wish wish = {.what = SG_RECORD_ACCESS, .block = {b, 0, 0}, .warp = w, .time = time};
            sg_launch l = {.options = SG_RECORD | SG_LINES, .wish = &wish};
            if (launch(m, "k", grid, block, params, &l))
                fail_msg("%s%s", l.fault.text, refusal);
            assert_non_null(l.recorded);
            assert_true(l.recorded->ran);
            assert_int_equal(l.recorded->left_out, 0);
            add_recorded(s, l.recorded);
            for (uint32_t k = 0; k < l.recorded->n_requests; k++) {
                const sg_requests *q = &l.recorded->requests[k];
                drawn_as_counted(q, &q->wished);
                drawn_as_counted(q, &q->worst);
                assert_true(q->wished.time == (q->times >= time ? time : 0));
            }
            if (b == grid - 1 && w == (block + 31) / 32 - 1)
                as_counted(s, &l);
            free(l.lines);
            sg_recorded_free(l.recorded);
        }
}

static void kernels_at_random(void **unused) {
    (void)unused;
    for (int k = 0; k < 60; k++) {
        char *ptx = kernel();
        sg_module *m = load(ptx);
        all_warps(m, 1 + draw(3), 1 + draw(100), 1 + draw(3));
        sg_module_unload(m);
        free(ptx);
    }
}

/* ---- what is known beforehand -------------------------------------------------------------- */

static sg_recorded *record(const char *ptx, uint32_t grid, uint32_t block, const sg_wish *wish) {
    sg_launch l = {.options = SG_RECORD, .wish = wish};
    if (run(ptx, grid, block, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    free(l.lines);
    return l.recorded;
}

static void a_stride(void **unused) {
    (void)unused;
    static const char ptx[] = HEAD BEGIN
        "mul.wide.u32 %rd4, %r1, 124; add.s64 %rd4, %rd2, %rd4; ld.global.u32 %r2, [%rd4];" END;
    sg_wish wish = {.what = SG_RECORD_ACCESS, .time = 1};
    sg_recorded *r = record(ptx, 1, 8, &wish);
    assert_int_equal(r->n_requests, 1);
    const sg_requests *q = &r->requests[0];
    assert_true(q->kind == SG_REQUEST_LOAD && !q->shared && q->bytes == 4 && q->times == 1);
    assert_true(q->base == (uint64_t)(uintptr_t)in && q->range_bytes == 4096);
    assert_string_equal(q->name, "in");
    assert_true(q->wished.mask == 0xff && q->moved == 8 && q->wasted == 8 * 28);
    for (uint64_t i = 0; i < 8; i++)
        assert_true(q->wished.at[i] == q->base + 128 * i);
    sg_recorded_free(r);
}

/* All warps' steps together are the instructions that were counted, and their lanes. */
static void steps_at_random(void **unused) {
    (void)unused;
    for (int k = 0; k < 30; k++) {
        char *ptx = kernel();
        sg_module *m = load(ptx);
        const void *params[2] = {out, in};
        uint32_t block = 1 + draw(100), warps = (block + 31) / 32;
        uint64_t instructions = 0, lanes = 0;
        for (uint32_t w = 0; w < warps; w++) {
            sg_wish wish = {.what = SG_RECORD_LANES, .warp = w};
            sg_launch l = {.options = SG_RECORD | SG_LINES, .wish = &wish};
            if (launch(m, "k", 1, block, params, &l))
                fail_msg("%s%s", l.fault.text, refusal);
            assert_int_equal(l.recorded->left_out, 0);
            assert_true(l.recorded->n_steps > 0 && l.recorded->n_requests == 0);
            for (uint32_t i = 0; i < l.recorded->n_steps; i++) {
                const sg_step_kept *s = &l.recorded->steps[i];
                instructions += s->instructions;
                lanes += (uint64_t)s->instructions * (uint32_t)__builtin_popcount(s->mask);
            }
            if (w == warps - 1) {
                assert_int_equal(instructions, l.counters.warp_instructions);
                assert_int_equal(lanes, l.counters.lane_instructions);
            }
            free(l.lines);
            sg_recorded_free(l.recorded);
        }
        sg_module_unload(m);
        free(ptx);
    }
}

/* Byte by byte of both arrays: what was read is what was counted, whoever read it. */
static void maps_at_random(void **unused) {
    (void)unused;
    for (int k = 0; k < 20; k++) {
        char *ptx = kernel();
        sg_module *m = load(ptx);
        const void *params[2] = {out, in};
        uint32_t grid = 1 + draw(3), block = 1 + draw(100);
        uint64_t touches = 0, rows = 1u << draw(10);
        for (int a = 0; a < 2; a++) {
            sg_wish wish = {.what = SG_RECORD_MAP,
                            .name = "no variable of the module",
                            .variable = a ? (const void *)&in : (const void *)&out,
                            .variable_bytes = sizeof in,
                            .rows = rows,
                            .cols = 4096 / rows,
                            .of = SG_MAP_READS};
            sg_launch l = {.options = SG_RECORD | SG_LINES, .wish = &wish};
            if (launch(m, "k", grid, block, params, &l))
                fail_msg("%s%s", l.fault.text, refusal);
            const sg_map_kept *map = l.recorded->map;
            assert_true(map->found == SG_MAP_FOUND && map->element == 1 && map->beyond == 0);
            assert_true(map->field_rows <= SG_MAP_FIELDS && map->field_cols <= SG_MAP_FIELDS);
            uint64_t sum = 0;
            for (uint64_t f = 0; f < map->field_rows * map->field_cols; f++) {
                sum += map->fields[f].touches;
                assert_true(map->fields[f].first < (uint64_t)grid * block);
            }
            assert_int_equal(sum, map->touches);
            touches += sum;
            if (a)
                assert_int_equal(touches, l.counters.global_load_bytes +
                                              4 * l.counters.global_atomic_operations);
            free(l.lines);
            sg_recorded_free(l.recorded);
        }
        sg_module_unload(m);
        free(ptx);
    }
}

static sg_map_kept map_of(const char *ptx, uint32_t grid, uint32_t block, const sg_wish *wish) {
    sg_recorded *r = record(ptx, grid, block, wish);
    sg_map_kept map = *r->map;
    map.fields = malloc(map.field_rows * map.field_cols * sizeof *map.fields);
    assert_non_null(map.fields);
    memcpy(map.fields, r->map->fields, map.field_rows * map.field_cols * sizeof *map.fields);
    sg_recorded_free(r);
    return map;
}

/* Two blocks of 32 write every other word in two turns, the second block what the first one did. */
static void who_came_first(void **unused) {
    (void)unused;
    static const char ptx[] =
        HEAD BEGIN "add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r1; "
                   "st.global.u32 [%rd4+256], %r1; ld.global.u32 %r2, [%rd4+512];" END;
    sg_wish wish = {.what = SG_RECORD_MAP,
                    .variable = &out,
                    .variable_bytes = sizeof out,
                    .rows = 8,
                    .cols = 128,
                    .of = SG_MAP_WRITES};
    sg_map_kept map = map_of(ptx, 2, 32, &wish);
    assert_true(map.element == 4 && map.row_step == 1 && map.col_step == 1 && map.timed);
    assert_true(map.touches == 128 && map.last_time == 2);
    for (uint64_t k = 0; k < 8 * 128; k++) {
        const sg_field *f = &map.fields[k];
        bool written = k < 128 && k % 2 == 0;
        assert_int_equal(f->touches, written ? 2 : 0);
        assert_true(!written || (f->first == k % 64 / 2 && f->time == k / 64));
        assert_true(!written || (f->threads && f->warps && f->blocks));
    }
    free(map.fields);
}

/* Each reason not to draw. */
static void no_map(void **unused) {
    (void)unused;
    static const char ptx[] = HEAD BEGIN "ld.global.u32 %r2, [%rd2];" END;
    const void *both[2] = {out, in}, *none = &none;
    sg_wish wish = {.what = SG_RECORD_MAP, .rows = 32, .cols = 32, .of = SG_MAP_READS};
    static const enum sg_map_found found[] = {SG_MAP_NO_VARIABLE, SG_MAP_SEVERAL,   SG_MAP_NO_ARRAY,
                                              SG_MAP_TOO_LARGE,   SG_MAP_TOO_LARGE, SG_MAP_FOUND};
    const void *const variables[] = {NULL, both, &none, &in, &in, &in};
    static const uint64_t rows[] = {32, 32, 32, 33, 3, 8};
    for (size_t k = 0; k < WB_COUNT(found); k++) {
        wish.variable = variables[k];
        wish.variable_bytes = variables[k] == both ? sizeof both : sizeof none;
        wish.rows = rows[k];
        wish.element = k == 5 ? 4 : 0;
        sg_map_kept map = map_of(ptx, 1, 32, &wish);
        assert_int_equal(map.found, found[k]);
        free(map.fields);
    }
}

static const sg_gpu gpu = {.latency = {[SG_LATENCY_ALU] = 4,
                                       [SG_LATENCY_SHUFFLE] = 25,
                                       [SG_LATENCY_BARRIER] = 50,
                                       [SG_LATENCY_SHARED] = 30,
                                       [SG_LATENCY_SHARED_ATOMIC] = 60,
                                       [SG_LATENCY_L1] = 40,
                                       [SG_LATENCY_L2] = 300,
                                       [SG_LATENCY_DRAM] = 700,
                                       [SG_LATENCY_ATOMIC] = 400},
                           .l1_bytes = 1 << 16,
                           .l2_bytes = 1 << 20,
                           .l1_lines_per_clock = 4,
                           .l2_sectors_per_clock = 2,
                           .constant_clocks = 4,
                           .clocks_per_ns = 2};

/* Checks that a warp's spans never overlap and end with the block, as in the trace. Returns the
 * clocks of that kind. */
static uint64_t spans_of(const char *ptx, uint32_t grid, uint32_t block, const sg_wish *wish,
                         int what) {
    sg_launch l = {.options = SG_RECORD | SG_TRACE, .gpu = &gpu, .wish = wish};
    uint32_t end = 0, last = 0;
    uint64_t clocks = 0;
    if (run(ptx, grid, block, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    const sg_recorded *r = l.recorded;
    assert_true(r->ran && r->left_out == 0);
    for (uint32_t k = 0; k < r->n_spans; k++) {
        const sg_span_kept *s = &r->spans[k];
        assert_true(s->from < s->to && s->warp < (block + 31) / 32);
        clocks += s->what == what ? s->to - s->from : 0;
        if (s->what < 0)
            continue;
        if (k == 0 || r->spans[k - 1].warp != s->warp)
            last = 0;
        assert_true(s->from >= last);
        last = s->to;
        end = last > end ? last : end;
    }
    assert_true(l.traits.traced == 1 && l.traits.longest_chain == end);
    assert_int_equal(l.counters.blocks, grid);
    free(l.lines);
    sg_recorded_free(l.recorded);
    return clocks;
}

static void clocks_of_a_block(void **unused) {
    (void)unused;
    static const char ptx[] =
        HEAD BEGIN "setp.lt.u32 %p1, %r1, 32; @!%p1 bra MEET; ld.global.u32 %r2, [%rd2]; "
                   "add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2; MEET: bar.sync 0;" END;
    for (uint32_t block = 0; block < 3; block += 2) {
        sg_wish wish = {.what = SG_RECORD_BLOCK, .block = {block, 0, 0}};
        assert_true(spans_of(ptx, 3, 64, &wish, SG_WAIT_LOAD) >= 500);    /* of the first warp */
        assert_true(spans_of(ptx, 3, 64, &wish, SG_WAIT_BARRIER) >= 500); /* of the second */
        assert_true(spans_of(ptx, 3, 64, &wish, -1) >= 515);
    }
    for (int k = 0; k < 20; k++) {
        char *drawn = kernel();
        uint32_t grid = 1 + draw(3);
        sg_wish wish = {.what = SG_RECORD_BLOCK, .block = {draw(grid), 0, 0}};
        spans_of(drawn, grid, 1 + draw(100), &wish, 0);
        free(drawn);
    }
}

/* No block or warp of that number: nothing is kept, and it says so. */
static void nowhere(void **unused) {
    (void)unused;
    static const char ptx[] = HEAD BEGIN "ld.global.u32 %r2, [%rd2];" END;
    sg_wish wishes[] = {{.what = SG_RECORD_ACCESS, .block = {2, 0, 0}},
                        {.what = SG_RECORD_ACCESS, .block = {0, 1, 0}},
                        {.what = SG_RECORD_ACCESS, .warp = 1}};
    for (size_t k = 0; k < WB_COUNT(wishes); k++) {
        sg_recorded *r = record(ptx, 2, 32, &wishes[k]);
        assert_true(!r->ran && r->n_requests == 0);
        sg_recorded_free(r);
    }
}

/* Turns of a loop that waited in vain are not counted, and not kept. */
static void a_wait(void **unused) {
    (void)unused;
    static const char ptx[] = HEAD BEGIN
        "mov.u32 %r3, %ctaid.x; ld.param.u64 %rd5, [out]; setp.eq.u32 %p1, %r3, 1; @%p1 bra SET;"
        "LOOP: ld.volatile.global.u32 %r2, [%rd5+64]; setp.eq.u32 %p2, %r2, 0; @%p2 bra LOOP;"
        "bra DONE; SET: st.volatile.global.u32 [%rd5+64], 1; DONE:" END;
    sg_wish wish = {.what = SG_RECORD_ACCESS, .time = 1};
    sg_launch l = {.options = SG_RECORD, .wish = &wish};
    out[16] = 0;
    assert_int_equal(run(ptx, 2, 32, &l), 0);
    assert_int_equal(l.recorded->n_requests, 1);
    assert_int_equal(l.recorded->requests[0].times, l.counters.global_load_requests);
    sg_recorded_free(l.recorded);
    free(l.lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_at_random),
        cmocka_unit_test(steps_at_random),
        cmocka_unit_test(maps_at_random),
        cmocka_unit_test(who_came_first),
        cmocka_unit_test(clocks_of_a_block),
        cmocka_unit_test(no_map),
        cmocka_unit_test(a_stride),
        cmocka_unit_test(nowhere),
        cmocka_unit_test(a_wait),
    };
    const char *seed = getenv("RECORD_TEST_SEED");
    state = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("# RECORD_TEST_SEED=%llu\n", (unsigned long long)state);
    return cmocka_run_group_tests_name("record", tests, setup, teardown);
}
