/* stats.h: summarises a list of times, and decides whether two lists differ by more than their
 * noise.
 *
 * It uses medians and quartiles: a busy machine only makes times longer, and each disturbance would
 * change an average. Intervals come from the percentile bootstrap (Efron and Tibshirani, "An
 * Introduction to the Bootstrap", 1993, chapter 13), because times follow no known distribution.
 * The resampling is seeded, so the same times give the same interval. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Five numbers of a sample. Quartiles interpolate linearly between order statistics (Hyndman and
 * Fan's type 7, as in R, NumPy and Excel). All are zero if there is no value. */
typedef struct wb_summary {
    size_t n;
    double min, q1, median, q3, max;
} wb_summary;

wb_summary wb_stats_summary(const double *values, size_t n);

/* An estimate and its confidence interval. */
typedef struct wb_interval {
    double value, low, high;
} wb_interval;

/* Returns median(reference) / median(times) with its 95 % interval. Above 1, `times` is faster.
 * Lists of equal length count as measured in rounds (A B A B ...). Then whole rounds are resampled,
 * which cancels a clock drift. Lists of unequal length are resampled separately. All three are NaN
 * if a list is empty or a median is not above zero. */
wb_interval wb_stats_speedup(const double *times, size_t n, const double *reference, size_t m,
                             uint64_t seed);

typedef enum wb_verdict {
    WB_TOO_CLOSE, /* the interval overlaps 1 +- floor, so no difference can be claimed */
    WB_FASTER,
    WB_SLOWER
} wb_verdict;

/* Returns what a speed-up's interval proves. `floor` is the smallest relative difference that
 * counts. Clocks differ by 0.005 (half a percent) from day to day. */
wb_verdict wb_stats_verdict(wb_interval speedup, double floor);

/* Returns "faster", "slower" or "too close to tell". */
const char *wb_stats_verdict_text(wb_verdict verdict);

/* Writes seconds with three digits and a unit: "12.3 µs", "1.20 s". Returns text. */
const char *wb_stats_seconds(double seconds, char *text, size_t size);
/* Writes a number with at least three digits and commas between thousands: "1,876", "50.3",
 * "0.0123". Returns text. */
const char *wb_stats_number(double value, char *text, size_t size);
