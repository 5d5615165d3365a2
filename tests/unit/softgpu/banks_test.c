/* banks_test.c: passes over the banks of shared memory, beside a count that takes its time. */
#include "runtime/softgpu/watch/queue/banks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define WORDS 16384 /* 64 KB */

static uint32_t seed;

static uint32_t draw(uint32_t from, uint32_t to) {
    seed = seed * 1664525u + 1013904223u;
    return from + (uint32_t)((uint64_t)seed * (to - from + 1) >> 32);
}

/* Returns the passes of a group of lanes: each bank serves one word a pass, to all lanes that want
 * it. */
static uint32_t passes_of(const uint32_t *at, uint32_t mask, uint32_t bytes, bool atomic) {
    static uint8_t wanted[WORDS];
    uint32_t in_bank[32] = {0}, most = 0;
    memset(wanted, 0, sizeof wanted);
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t b = 0; mask >> i & 1 && b < bytes; b += 4) {
            uint32_t word = (at[i] + b) / 4, bank = word % 32;
            in_bank[bank] += atomic || !wanted[word];
            wanted[word] = 1;
            most = in_bank[bank] > most ? in_bank[bank] : most;
        }
    return most;
}

/* Addresses as kernels have them: rows, columns, tiles of all widths, one word, any. */
static void draw_addresses(uint32_t *at, uint32_t bytes) {
    uint32_t kind = draw(0, 5), base = draw(0, 500), step = draw(0, 70), width = 1u << draw(0, 5);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t element = base + (kind == 0   ? i * step
                                   : kind == 1 ? i % width * step + i / width
                                   : kind == 2 ? i / width * step + i % width
                                   : kind == 3 ? 0
                                   : kind == 4 ? draw(0, step)
                                               : (31 - i) * step);
        at[i] = element * bytes;
    }
}

static void passes_are_those_of_the_worst_bank(void **state) {
    (void)state;
    for (int k = 0; k < 20000; k++) {
        uint32_t before = seed, bytes = 1u << draw(0, 4), at[32], want = 0;
        uint32_t mask = draw(0, 2) ? SG_ALL : draw(0, UINT32_MAX - 1) | 1u << draw(0, 31);
        bool atomic = !draw(0, 3) && bytes >= 4 && bytes <= 8;
        uint32_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
        int64_t offset = bytes * draw(0, 40);
        draw_addresses(at, bytes);
        for (uint32_t i = 0; i < 32; i++)
            at[i] += (uint32_t)offset;
        for (uint32_t first = 0; first < 32; first += group)
            want += passes_of(at, mask & (uint32_t)(((1ull << group) - 1) << first), bytes, atomic);
        for (uint32_t i = 0; i < 32; i++)
            at[i] = mask >> i & 1 ? at[i] - (uint32_t)offset : draw(0, UINT32_MAX - 1);
        if (sg_wavefronts(at, offset, mask, bytes, atomic) != want)
            fail_msg("seed %u: %u passes, not %u", before,
                     sg_wavefronts(at, offset, mask, bytes, atomic), want);
    }
}

static int begin(void **state) {
    (void)state;
    seed = (uint32_t)time(NULL);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(passes_are_those_of_the_worst_bank, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
