/* banks.c: shared memory has 32 banks of 4 bytes. A pass (wavefront) serves one word of each bank.
 * So a request costs as many passes as the bank with the most distinct words. 8-byte accesses are
 * served by half-warps, 16-byte accesses by quarter-warps (NVIDIA, "CUDA C++ Programming Guide",
 * shared memory). Loads and stores agree with ncu on an H200, atomic operations with its times. */
#include "runtime/softgpu/watch/queue/banks.h"

/* A request to shared memory. Lane i uses word[i] to word[i] + per_lane - 1. An inactive lane has
 * the words of an active one. */
typedef struct request {
    int32_t word[SG_LANES];
    uint32_t mask, per_lane;
} request;

static void request_of(request *q, const uint32_t *addresses, int64_t offset, uint32_t mask,
                       uint32_t bytes) {
    static const uint32_t bit[SG_LANES] = {
        1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
        1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
        1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
        1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    uint32_t first = addresses[__builtin_ctz(mask)], at = (uint32_t)offset;
    q->mask = mask;
    q->per_lane = bytes < 4 ? 1 : bytes / 4;
    if (mask == SG_ALL)
        for (uint32_t i = 0; i < SG_LANES; i++)
            q->word[i] = (int32_t)((addresses[i] + at) / 4);
    else
        for (uint32_t i = 0; i < SG_LANES; i++)
            q->word[i] = (int32_t)(((mask & bit[i] ? addresses[i] : first) + at) / 4);
}

/* Returns true if all words are in one row of the 32 banks, as in the most common requests. */
static bool in_a_row(const request *q) {
    int32_t off = 0;
    for (uint32_t i = 0; i < SG_LANES; i++)
        off |= q->word[i] ^ q->word[0];
    return !(off & ~31);
}

/* Returns true if all words are among 32 neighbours, and so in different banks. */
static bool close_together(const request *q) {
    int32_t least = q->word[0], most = q->word[0];
    for (uint32_t i = 0; i < SG_LANES; i++) {
        least = q->word[i] < least ? q->word[i] : least;
        most = q->word[i] > most ? q->word[i] : most;
    }
    return most - least + (int32_t)q->per_lane <= SG_LANES;
}

/* Returns true if each word is the same step beyond the previous one. The lanes that share a bank
 * are then the largest power of two that divides the step. */
static bool in_steps(const request *q, uint32_t *passes) {
    int32_t step = q->word[1] - q->word[0], off = 0;
    if (q->mask != SG_ALL || q->per_lane != 1 || !step || abs(step) > INT32_MAX / SG_LANES)
        return false;
    for (int32_t i = 0; i < SG_LANES; i++)
        off |= q->word[i] - q->word[0] - i * step;
    if (!off)
        *passes = 1u << __builtin_ctz((uint32_t)step | SG_LANES);
    return !off;
}

#define ROWS 8 /* rows of 32 words, each kept as a bit per bank */

/* Returns the most rows that share a bit. Adds up all banks at once: planes[k] holds bit 2^k of
 * each bank's sum. */
static uint32_t most_in_common(const uint32_t rows[ROWS]) {
    uint32_t planes[4] = {0}, most = 0, banks = UINT32_MAX;
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t k = 0, carry = rows[r]; k < 4; k++) {
            uint32_t both = planes[k] & carry;
            planes[k] ^= carry;
            carry = both;
        }
    for (uint32_t k = 4; k-- > 0;)
        if (planes[k] & banks) {
            banks &= planes[k];
            most |= 1u << k;
        }
    return most;
}

/* Returns true if each lane uses one word and all words are among ROWS rows. Inactive lanes add
 * none.
 */
static bool in_rows(const request *q, uint32_t *passes) {
    uint32_t rows[ROWS] = {0}, far = q->per_lane != 1;
    int32_t first = q->word[0];
    for (uint32_t i = 0; i < SG_LANES; i++)
        first = q->word[i] < first ? q->word[i] : first;
    for (uint32_t i = 0; i < SG_LANES; i++) {
        uint32_t row = (uint32_t)(q->word[i] >> 5) - (uint32_t)(first >> 5);
        far |= row / ROWS;
        rows[row % ROWS] |= 1u << (q->word[i] & 31);
    }
    *passes = most_in_common(rows);
    return !far;
}

/* Returns the most distinct words in any bank. Atomic operations on one word run one after another,
 * so each of their lanes counts as a distinct word. */
static uint32_t worst_bank(const request *q, bool atomic) {
    uint32_t words[32][SG_LANES], n[32] = {0}, most = 0;
    for (uint32_t m = q->mask; m; m &= m - 1) {
        uint32_t at = (uint32_t)q->word[__builtin_ctz(m)];
        for (uint32_t word = at; word < at + q->per_lane; word++) {
            uint32_t bank = word & 31, i = 0;
            while (i < n[bank] && (atomic || words[bank][i] != word))
                i++;
            if (i < n[bank])
                continue;
            words[bank][n[bank]++] = word;
            most = n[bank] > most ? n[bank] : most;
        }
    }
    return most;
}

/* Returns the passes for lanes that are served together. */
static uint32_t passes_at_once(const uint32_t *addresses, int64_t offset, uint32_t mask,
                               uint32_t bytes, bool atomic) {
    uint32_t passes = 1;
    request q;
    request_of(&q, addresses, offset, mask, bytes);
    if (atomic ||
        (!in_a_row(&q) && !in_steps(&q, &passes) && !close_together(&q) && !in_rows(&q, &passes)))
        passes = worst_bank(&q, atomic);
    return passes;
}

uint32_t sg_wavefronts(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                       bool atomic) {
    uint32_t wavefronts = 0, group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
    for (uint32_t first = 0; first < 32; first += group) {
        uint32_t part = mask & (group == 32 ? SG_ALL : ((1u << group) - 1) << first);
        wavefronts += part ? passes_at_once(addresses, offset, part, bytes, atomic) : 0;
    }
    return wavefronts;
}

/* Returns true if each lane of `mask` uses the same word as the lane `apart` from it. */
static bool paired(const uint32_t *addresses, uint32_t mask, uint32_t apart) {
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m), other = i ^ apart;
        if (mask >> other & 1 && addresses[i] != addresses[other])
            return false;
    }
    return true;
}

uint32_t sg_passes(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes) {
    uint32_t passes = 0, group = bytes <= 8 ? 32 : 16;
    for (uint32_t first = 0; first < 32; first += group) {
        uint32_t part = mask & (group == 32 ? SG_ALL : 0xffffu << first);
        if (part && bytes > 4 && (paired(addresses, part, 1) || paired(addresses, part, 2)))
            passes += passes_at_once(addresses, offset, part, bytes, false);
        else if (part)
            passes += sg_wavefronts(addresses, offset, part, bytes, false);
    }
    return passes;
}
