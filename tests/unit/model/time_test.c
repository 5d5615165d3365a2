/* time_test.c: each limit comes from what it should, and the whole is never less than any of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/model/time.h"

static model_gpu h200(void) {
    wb_error err = {0};
    model_gpu gpu;
    if (!model_gpu_load("runtime/model/gpus/h200.json", &gpu, &err))
        fail_msg("%s", err.text);
    return gpu;
}

static const model_occupancy eight = {.blocks = 8};

/* A grid of many blocks that does next to nothing. */
static model_traits idle(void) {
    return (model_traits){.blocks = 132 * 8 * 20, .warps = 8, .issued = 1, .chain = 1};
}

static void each_limit_has_its_figure(void **state) {
    (void)state;
    model_gpu gpu = h200();
    double sm_clocks = 132 * gpu.clock_hz; /* of all multiprocessors in a second */
    const struct {
        size_t trait;
        model_bound bound;
        double per_second; /* of that trait */
    } cases[] = {
        {offsetof(model_traits, issued), MODEL_ISSUE, 4 * sm_clocks},
        {offsetof(model_traits, fp32), MODEL_ISSUE, 4 * sm_clocks},
        {offsetof(model_traits, integer), MODEL_ISSUE, 2 * sm_clocks},
        {offsetof(model_traits, special), MODEL_ISSUE, 0.5 * sm_clocks},
        {offsetof(model_traits, half), MODEL_ISSUE, gpu.half2_lanes / 32 * sm_clocks},
        {offsetof(model_traits, constant_words), MODEL_ISSUE, sm_clocks / gpu.constant_clocks},
        {offsetof(model_traits, fp64), MODEL_ISSUE, 2 * sm_clocks},
        {offsetof(model_traits, tensor), MODEL_TENSOR,
         gpu.tensor_fp16_flops * gpu.mma_sync_share * sm_clocks},
        {offsetof(model_traits, l1_clocks), MODEL_L1, sm_clocks},
        {offsetof(model_traits, l1_requests), MODEL_L1, sm_clocks / model_fitted.request_clocks},
        {offsetof(model_traits, shared_wavefronts), MODEL_L1, sm_clocks},
        {offsetof(model_traits, memory), MODEL_L1, sm_clocks},
        {offsetof(model_traits, l2_writes), MODEL_L2, gpu.l2_bytes_per_s / 32},
        {offsetof(model_traits, dram_sectors), MODEL_DRAM,
         gpu.dram_bytes_per_s * gpu.dram_copy_share / 32},
        {offsetof(model_traits, busiest_address), MODEL_ATOMICS, 1 / gpu.atomic_queue_s},
        {offsetof(model_traits, busiest_queue), MODEL_ATOMICS, 1 / gpu.atomic_pass_s},
        {offsetof(model_traits, atomic_passes), MODEL_L2, gpu.l2_atomic_sectors_per_s},
        {offsetof(model_traits, atomic_words), MODEL_L2, gpu.l2_atomic_words_per_s},
        {offsetof(model_traits, answered_passes), MODEL_L2,
         gpu.l2_atomic_sectors_per_s / (1 / gpu.l2_answer_share - 1)},
        {offsetof(model_traits, atomic_fills), MODEL_L2, gpu.l2_bytes_per_s / 32},
        {offsetof(model_traits, longest_chain), MODEL_LATENCY, gpu.clock_hz},
        {offsetof(model_traits, prints), MODEL_PRINT, 1 / 2.2e-6},
        {offsetof(model_traits, printed), MODEL_PRINT, 1 / 0.3e-6},
        {offsetof(model_traits, longest_prints), MODEL_PRINT, 1 / 23e-6},
    };
    for (size_t k = 0; k < WB_COUNT(cases); k++) {
        model_traits t = idle();
        *(double *)((char *)&t + cases[k].trait) = 0.01 * cases[k].per_second; /* 10 ms */
        model_time time = model_time_of(&gpu, &t, &eight);
        assert_int_equal(time.bound, cases[k].bound);
        assert_true(fabs(time.limits[time.bound] - 0.01) < 1e-5);
        assert_true(time.seconds >= 0.01 && time.seconds < 0.0101);
    }
}

static double drawn(double most) {
    return most * pow((double)rand() / RAND_MAX, 4);
}

/* More of anything never takes less time, and the whole is no less than its parts. */
static void more_takes_longer(void **state) {
    (void)state;
    model_gpu gpu = h200();
    unsigned seed = (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    srand(seed);
    for (int n = 0; n < 2000; n++) {
        double values[sizeof(model_traits) / sizeof(double)];
        for (size_t k = 0; k < WB_COUNT(values); k++)
            values[k] = drawn(1e9);
        model_traits t;
        memcpy(&t, values, sizeof t);
        t.blocks = 1 + floor(drawn(1e6));
        t.warps = 1 + rand() % 32;
        t.l2_partial_writes = drawn(t.l2_writes);
        model_occupancy occupancy = {.blocks = (uint64_t)(1 + rand() % 32)};
        model_time a = model_time_of(&gpu, &t, &occupancy);
        double greatest = 0;
        for (int k = 0; k < MODEL_BOUNDS; k++)
            greatest = fmax(greatest, a.limits[k]);
        assert_true(a.limits[a.bound] == greatest);
        assert_true(a.seconds >= greatest && a.low < a.seconds && a.seconds < a.high);
        size_t which = 2 + (size_t)rand() % (WB_COUNT(values) - 2);
        double *more = (double *)&t + which;
        if (more != &t.l2_partial_writes)
            *more *= 2;
        assert_true(model_time_of(&gpu, &t, &occupancy).seconds >= a.seconds * (1 - 1e-9));
    }
}

/* Blocks come in waves: one more than fit at once takes a second wave. */
static void waves(void **state) {
    (void)state;
    model_gpu gpu = h200();
    model_traits t = {.blocks = 132 * 8, .warps = 8, .chain = 100000};
    double one = model_time_of(&gpu, &t, &eight).seconds - gpu.launch_s;
    t.blocks++;
    assert_true(fabs((model_time_of(&gpu, &t, &eight).seconds - gpu.launch_s) / one - 2) < 0.01);
    t.blocks = 1;
    assert_true(fabs((model_time_of(&gpu, &t, &eight).seconds - gpu.launch_s) / one - 1) < 0.01);
}

/* A single block uses one multiprocessor. */
static void one_block_of_many(void **state) {
    (void)state;
    model_gpu gpu = h200();
    model_traits t = {.blocks = 132 * 80, .warps = 8, .issued = 1e10, .l1_clocks = 1e8};
    model_time shared = model_time_of(&gpu, &t, &eight);
    t.longest_share = 0.5;
    model_time alone = model_time_of(&gpu, &t, &eight);
    assert_true(fabs(alone.limits[MODEL_ISSUE] / shared.limits[MODEL_ISSUE] - 66) < 0.01);
    assert_true(fabs(alone.limits[MODEL_L1] / shared.limits[MODEL_L1] - 66) < 0.01);
    assert_true(alone.limits[MODEL_DRAM] == shared.limits[MODEL_DRAM]);
}

static void nothing_but_a_launch(void **state) {
    (void)state;
    model_gpu gpu = h200();
    model_traits t = {.blocks = 1, .warps = 1};
    model_time time = model_time_of(&gpu, &t, &eight);
    assert_int_equal(time.bound, MODEL_LAUNCH);
    assert_true(time.seconds > gpu.launch_s && time.seconds < 1.3 * gpu.launch_s);
}

/* A launch cut into parts: their shares are those of the whole, whatever limits it. */
static void shares_of_parts(void **state) {
    (void)state;
    enum { FIELDS = sizeof(model_traits) / sizeof(double), PARTS = 5 };
    model_gpu gpu = h200();
    unsigned seed = (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    srand(seed);
    for (int n = 0; n < 2000; n++) {
        double all[FIELDS], part[FIELDS], sum = 0;
        model_traits t, one;
        for (size_t k = 0; k < FIELDS; k++)
            all[k] = drawn(1e9);
        memcpy(&t, all, sizeof t);
        t.blocks = 1 + floor(drawn(1e6));
        t.warps = 1 + rand() % 32;
        t.l2_partial_writes = drawn(t.l2_writes);
        t.longest_share = 0;
        memcpy(all, &t, sizeof t);
        double cut[FIELDS][PARTS + 1];
        for (size_t k = 0; k < FIELDS; k++) {
            cut[k][PARTS] = 0;
            for (int p = 0; p < PARTS; p++)
                cut[k][PARTS] += cut[k][p] = 1 + rand() % 9;
        }
        for (int p = 0; p < PARTS; p++) {
            for (size_t k = 0; k < FIELDS; k++)
                part[k] = all[k] * cut[k][p] / cut[k][PARTS];
            memcpy(&one, part, sizeof one);
            one.blocks = one.warps = 0;
            one.l2_partial_writes = fmin(one.l2_partial_writes, one.l2_writes);
            model_share share = model_share_of(&gpu, &t, &one, &eight);
            double of_limits = 0;
            for (int k = 0; k < MODEL_BOUNDS; k++)
                of_limits += share.limits[k];
            assert_true(share.all >= 0 && fabs(share.all - of_limits) < 1e-9);
            sum += share.all;
        }
        assert_true(sum > 0 && sum < 1 + 1e-6);
    }
}

/* Only work on the critical path counts in a launch's time. */
static void shares_of_what_holds_up(void **state) {
    (void)state;
    model_gpu gpu = h200();
    model_traits t = idle(), reads = {.dram_sectors = 0}, idles = {.issued = 1e6};
    t.dram_sectors = 1e9;
    t.issued = 1e6;
    reads.dram_sectors = 0.25 * t.dram_sectors;
    model_share share = model_share_of(&gpu, &t, &reads, &eight);
    assert_true(fabs(share.all - 0.25) < 0.002 && share.limits[MODEL_DRAM] == share.all);
    assert_true(model_share_of(&gpu, &t, &idles, &eight).all < 1e-6);
    t = (model_traits){.blocks = 1, .warps = 1, .issued = 1};
    assert_true(model_share_of(&gpu, &t, &t, &eight).all < 0.01); /* the launch is no part's */
}

static void a_sentence_for_each_bound(void **state) {
    (void)state;
    for (int k = 0; k < MODEL_BOUNDS; k++) {
        model_time time = {.bound = (model_bound)k};
        time.limits[k] = 1;
        char *alone = model_sentence(&time, 32);
        time.limits[(k + 1) % MODEL_BOUNDS] = 0.5;
        char *both = model_sentence(&time, 0);
        assert_true(strlen(model_bound_name((model_bound)k)) > 0);
        assert_null(strstr(alone, "Second limit"));
        assert_non_null(strstr(both, "(50 % of the first)."));
        free(alone);
        free(both);
    }
}

/* Idle lanes are named where instructions are what there is too much of, and nowhere else. */
static void idle_lanes_are_named(void **state) {
    (void)state;
    for (int k = 0; k < MODEL_BOUNDS; k++) {
        model_time time = {.bound = (model_bound)k};
        time.limits[k] = 1;
        char *few = model_sentence(&time, 8.25), *most = model_sentence(&time, 30);
        assert_int_equal(k == MODEL_ISSUE, strstr(few, "8.25 of a warp's 32 lanes") != NULL);
        assert_null(strstr(most, "lanes are on"));
        free(few);
        free(most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit_has_its_figure),
        cmocka_unit_test(more_takes_longer),
        cmocka_unit_test(waves),
        cmocka_unit_test(one_block_of_many),
        cmocka_unit_test(nothing_but_a_launch),
        cmocka_unit_test(shares_of_parts),
        cmocka_unit_test(shares_of_what_holds_up),
        cmocka_unit_test(a_sentence_for_each_bound),
        cmocka_unit_test(idle_lanes_are_named),
    };
    return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
