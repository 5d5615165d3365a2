/* widths.cuh: the best of 7_persistent's tiles for a size: 128 rows by a number of columns, with
 * single blocks or pairs that share their loads of B. */
#pragma once

#include "cost.cuh"
#include "hopper.cuh"

/* Times of persistent blocks, fitted to 5,782 times at 1,152 random shapes on an H100, cold L2:
 * median error 4.6 %, nine of ten within 15. A pair starts later, but is faster if rows of B are
 * crooked. */
static const stay_times STAY_ALONE = {5.11, 1.057, 0.00928, {0.104, 0.228}};
static const stay_times STAY_PAIRED = {6.58, 1.057, 0.00928, {0.045, 0.087}};
static const type_times STAY_MEMORY = {0, 0, 0, 0, 4.08e6, {0, 0}, {0.560, 0.438}, true};

struct tile_width {
    int cols, pair; /* pair: 1, or 2 if blocks one above the other form a cluster */
    double time;    /* microseconds, by the model */
};

static inline tile_width best_width(int m, int n, int k, int processors) {
    static const struct {
        int cols;
        double size; /* a round, relative to one of 256 columns */
    } widths[] = {{256, 1}, {240, 1}, {224, 0.902}, {192, 0.781}, {160, 0.713}, {128, 0.576}};
    tile_width best = {0, 1, 0};
    for (int pair = 1; pair <= (m > 128 && processors > 1 ? 2 : 1); pair++)
        for (auto width : widths) {
            double rounds = (double)rounds_of(m, n, pair * 128, width.cols, processors / pair);
            double time = stay_time(pair == 2 ? STAY_PAIRED : STAY_ALONE, STAY_MEMORY,
                                    rounds * width.size, m, n, k, 2);
            if (best.cols == 0 || time < best.time)
                best = {width.cols, pair, time};
        }
    return best;
}
