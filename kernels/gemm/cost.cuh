/* cost.cuh: models the time of 15_parts, in microseconds, for a kind of tiles and a number of parts
 * of k. The fastest choice is computed for each size; no size is listed.
 *
 * A block computes a part of a tile: T steps along k. A multiprocessor holds RESIDENT blocks of a
 * kind. So a device works in rounds of RESIDENT * multiprocessors blocks. In the last round a
 * multiprocessor has j of them, maybe fewer.
 *
 *   round(j) = start + T max(latency, j pace) + j edge
 * - latency: a step of a block that runs alone: copies, a barrier, dependent multiplications.
 * - pace: a step if enough blocks hide that latency: the FMA units or, for narrow tiles, the
 *   copies.
 * - edge: filling a block's ring and storing its results.
 * - start: what all blocks wait for at once.
 *
 * All four differ if B and C cannot be accessed 16 bytes at a time. Rounds follow one another.
 * Meanwhile each matrix crosses memory once, at 4.3 TB/s minus 5 %. The two times are combined by
 * the fourth root of the sum of their fourth powers, which is smooth near equality. Then comes a
 * launch and, for several parts, a second one that reads `parts` numbers for each result in turn.
 *
 * Fitted to 12,000 times at 600 random shapes on an H200 (8 to 16384 a side, cold L2): median error
 * 3.6 %, nine of ten within 10.6 %. At 400 other shapes its choice took 1.6 % longer than the
 * fastest (geometric mean). */
#pragma once

#include <math.h>

/* The model's four times, in microseconds. */
struct tile_times {
    double latency, pace, edge, start;
};

/* A kind of tiles: sizes, resident blocks per multiprocessor, and times with 16-byte and with
 * single-element accesses to B and C. */
struct tile_kind {
    int rows, cols, depth, resident;
    tile_times vectors, scalars;
};

/* A launch; the second launch; its time per megabyte of parts; its time per part. */
constexpr double LAUNCH = 4.35, ADDING = 2.1, ADDING_MEGABYTE = 0.127, ADDING_PART = 0.055;
/* Bytes per microsecond between memory and the device. */
constexpr double MEMORY_PACE = 4.3e6 / 1.05;

/* Returns ceil(a / b) for positive numbers. */
static inline long long whole(long long a, long long b) {
    return (a + b - 1) / b;
}

static inline double round_time(const tile_times &times, double steps, double blocks) {
    if (blocks <= 0)
        return 0;
    return times.start + steps * fmax(times.latency, blocks * times.pace) + blocks * times.edge;
}

/* Returns the time of `blocks` blocks of that many steps, in rounds. */
static inline double rounds_time(const tile_times &times, double steps, long long blocks,
                                 int resident, int processors) {
    long long at_once = (long long)resident * processors, rounds = blocks / at_once;
    double last = (double)whole(blocks - rounds * at_once, processors);
    return (double)rounds * round_time(times, steps, resident) + round_time(times, steps, last);
}

/* Returns the microseconds in which the three matrices cross memory once. */
static inline double crossing_time(double m, double n, double k) {
    return 4 * (m * k + k * n + m * n) / MEMORY_PACE;
}

/* Returns the time of C = A B with these tiles and k in `parts` parts. */
static inline double parts_time(const tile_kind &kind, int m, int n, int k, long long parts,
                                int processors, bool vectors) {
    long long tiles = whole(m, kind.rows) * whole(n, kind.cols), blocks = tiles * parts;
    long long steps = whole(whole(k > 0 ? k : 1, kind.depth), parts);
    double computing = rounds_time(vectors ? kind.vectors : kind.scalars, (double)steps, blocks,
                                   kind.resident, processors);
    double crossing = crossing_time(m, n, k);
    double time = LAUNCH + pow(pow(computing, 4) + pow(crossing, 4), 0.25);
    if (parts > 1)
        time += ADDING + ADDING_PART * parts +
                ADDING_MEGABYTE * (double)blocks * kind.rows * kind.cols * 4e-6;
    return time;
}

/* Returns the time of 15_parts on the current device, with its choice of tiles and parts. */
double wbk_sgemm_parts_time(int m, int n, int k, bool vectors);
