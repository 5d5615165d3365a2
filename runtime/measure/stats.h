/* stats.h: what a list of times says, and whether two lists differ by more than their noise.
 *
 * Medians and quartiles, because a busy machine disturbs times upwards only and an average would
 * follow every disturbance. Intervals by the percentile bootstrap (Efron and Tibshirani, "An
 * Introduction to the Bootstrap", 1993, chapter 13), because the distribution of times is nothing
 * one could write down. The resampling is seeded, so the same times give the same interval. */
#ifndef WARPBOOK_MEASURE_STATS_H
#define WARPBOOK_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Five numbers of a sample. Quartiles interpolate linearly between order statistics (Hyndman and
 * Fan's type 7, what R, NumPy and Excel do). All zero when there is no value. */
typedef struct wb_summary {
    size_t n;
    double min, q1, median, q3, max;
} wb_summary;

wb_summary wb_stats_summary(const double *values, size_t n);

/* An estimate and the interval that holds it with the asked-for confidence. */
typedef struct wb_interval {
    double value, low, high;
} wb_interval;

/* median(reference) / median(times) with its 95 % interval: above 1, `times` is the faster. Two
 * lists of equal length are taken as measured in rounds (A B A B ...): whole rounds are resampled,
 * so that a clock that drifts for both cancels out. Lists of unequal length are resampled each by
 * itself. NaN in all three when a list is empty or a median is not above zero. */
wb_interval wb_stats_speedup(const double *times, size_t n, const double *reference, size_t m,
                             uint64_t seed);

typedef enum wb_verdict {
    WB_TOO_CLOSE, /* the interval reaches into 1 +- the floor: no difference can be claimed */
    WB_FASTER,
    WB_SLOWER
} wb_verdict;

/* What a speed-up's interval allows one to say. floor is the smallest relative difference worth
 * the name, 0.005 for half a percent: clocks differ by that from day to day. */
wb_verdict wb_stats_verdict(wb_interval speedup, double floor);

/* "faster", "slower", "too close to tell". */
const char *wb_stats_verdict_text(wb_verdict verdict);

/* Seconds as people read them, three digits: "12.3 µs", "1.20 s". Returns text. */
const char *wb_stats_seconds(double seconds, char *text, size_t size);
/* A number with at least three digits and commas between thousands: "1,876", "50.3", "0.0123". */
const char *wb_stats_number(double value, char *text, size_t size);

#endif
