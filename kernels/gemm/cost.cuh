/* cost.cuh: how long 15_parts takes with tiles of a kind and k in so many parts, in microseconds.
 * What is fastest is then calculated, size by size; no size is listed anywhere.
 *
 * The model, on one page. A block computes a part of a tile: T steps along k. A multiprocessor
 * holds RESIDENT blocks of a kind, so a device works in rounds of RESIDENT * multiprocessors
 * blocks; in the last round a multiprocessor has j of them, perhaps fewer.
 *
 *     round(j) = start + T max(latency, j pace) + j edge
 *
 * - latency: a step of a block that is alone: copies, a barrier, a chain of multiplications;
 * - pace: a step when enough blocks are there to hide that, which is what the FMA units, or for
 *   narrow tiles the copies, take for it;
 * - edge: filling a block's ring and storing its results; start: what all of them wait for at once.
 * Where B and C can't be accessed 16 bytes at a time all four are others. The rounds follow one
 * another; memory works meanwhile: each matrix crosses once, at 4.3 TB/s less 5 %. Which of the two
 * decides is sharp at the ends and smooth between: the fourth root of the sum of fourth powers.
 * Then a launch, and where k is in several parts a second one that adds them up: it reads `parts`
 * numbers for each result, one after the other.
 *
 * Fitted to 600 random shapes (8 to 16384 a side, log-uniform, a third of them multiples of 64, a
 * third of 4) on an H200, every kind of tiles with several numbers of parts each, cold L2: 12,000
 * times. Median error 3.6 %, nine of ten within 10.6 %. On 400 other shapes what it chose took 1.6
 * % longer than the fastest of all that were tried (geometric mean), one in twenty 8 % or more. */
#ifndef WARPBOOK_GEMM_COST_CUH
#define WARPBOOK_GEMM_COST_CUH

#include <math.h>

/* The model's four times, in microseconds. */
struct tile_times {
    double latency, pace, edge, start;
};

/* A kind of tiles: its sizes, how many of its blocks a multiprocessor holds, and its times with B
 * and C 16 bytes at a time, and element by element. */
struct tile_kind {
    int rows, cols, depth, resident;
    tile_times vectors, scalars;
};

/* A launch; the second one, what it takes for a megabyte of parts, and for each part in turn. */
constexpr double LAUNCH = 4.35, ADDING = 2.1, ADDING_MEGABYTE = 0.127, ADDING_PART = 0.055;
/* Bytes that cross between memory and the device in a microsecond. */
constexpr double MEMORY_PACE = 4.3e6 / 1.05;

/* ceil(a / b) for positive numbers */
static inline long long whole(long long a, long long b) {
    return (a + b - 1) / b;
}

static inline double round_time(const tile_times &times, double steps, double blocks) {
    if (blocks <= 0)
        return 0;
    return times.start + steps * fmax(times.latency, blocks * times.pace) + blocks * times.edge;
}

/* Microseconds that the three matrices take to cross once. */
static inline double crossing_time(double m, double n, double k) {
    return 4 * (m * k + k * n + m * n) / MEMORY_PACE;
}

/* The time of C = A B with tiles of this kind, k in `parts` parts. */
static inline double parts_time(const tile_kind &kind, int m, int n, int k, long long parts,
                                int processors, bool vectors) {
    long long tiles = whole(m, kind.rows) * whole(n, kind.cols), blocks = tiles * parts;
    long long steps = whole(whole(k > 0 ? k : 1, kind.depth), parts);
    long long at_once = (long long)kind.resident * processors, rounds = blocks / at_once;
    double last = (double)whole(blocks - rounds * at_once, processors);
    const tile_times &times = vectors ? kind.vectors : kind.scalars;
    double computing = rounds * round_time(times, (double)steps, kind.resident) +
                       round_time(times, (double)steps, last);
    double crossing = crossing_time(m, n, k);
    double time = LAUNCH + pow(pow(computing, 4) + pow(crossing, 4), 0.25);
    if (parts > 1)
        time += ADDING + ADDING_PART * parts +
                ADDING_MEGABYTE * (double)blocks * kind.rows * kind.cols * 4e-6;
    return time;
}

/* What 15_parts takes on the current device, with the tiles and parts that it would choose. */
double wbk_sgemm_parts_time(int m, int n, int k, bool vectors);

#endif
