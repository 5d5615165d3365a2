/* stats.c: order statistics and the bootstrap. */
#include "runtime/measure/stats.h"
#include "runtime/canvas/canvas.h"
#include "runtime/base/scoped.h"

#include <math.h>

enum { RESAMPLES = 2000 };
static const double CONFIDENCE = 0.95;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the p-quantile, 0 <= p <= 1, of values in ascending order. */
static double wb_stats_quantile(const double *sorted, size_t n, double p) {
    if (n == 0)
        return 0;
    double place = p * (double)(n - 1);
    size_t below = (size_t)place;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Returns a sorted copy, or NULL if there is nothing to sort or no memory. */
static double *sorted_copy(const double *values, size_t n) {
    double *copy = n ? malloc(n * sizeof *copy) : NULL;
    if (copy) {
        memcpy(copy, values, n * sizeof *copy);
        qsort(copy, n, sizeof *copy, by_value);
    }
    return copy;
}

wb_summary wb_stats_summary(const double *values, size_t n) {
    WB_SCOPED double *s = sorted_copy(values, n);
    if (!s)
        return (wb_summary){0};
    return (wb_summary){
        .n = n,
        .min = s[0],
        .q1 = wb_stats_quantile(s, n, 0.25),
        .median = wb_stats_quantile(s, n, 0.5),
        .q3 = wb_stats_quantile(s, n, 0.75),
        .max = s[n - 1],
    };
}

/* Returns the next number of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), which suffices to
 * draw indices. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t draw(uint64_t *state, size_t n) {
    return (size_t)(((unsigned __int128)next_random(state) * n) >> 64);
}

/* Returns the median by Hoare's quickselect. Reorders the values. */
static double median_of(double *values, size_t n) {
    size_t low = 0, high = n - 1, middle = n / 2;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i >= j)
                break;
            double swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (middle <= j)
            high = j;
        else
            low = j + 1;
    }
    double upper = values[middle];
    if (n % 2)
        return upper;
    double lower = values[0];
    for (size_t i = 1; i < middle; i++)
        if (values[i] > lower)
            lower = values[i];
    return (lower + upper) / 2;
}

static wb_interval interval_of(double value, double *estimates, size_t n) {
    qsort(estimates, n, sizeof *estimates, by_value);
    double tail = (1 - CONFIDENCE) / 2;
    return (wb_interval){
        .value = value,
        .low = wb_stats_quantile(estimates, n, tail),
        .high = wb_stats_quantile(estimates, n, 1 - tail),
    };
}

wb_interval wb_stats_speedup(const double *times, size_t n, const double *reference, size_t m,
                             uint64_t seed) {
    wb_interval interval = {NAN, NAN, NAN};
    wb_summary ours = wb_stats_summary(times, n), theirs = wb_stats_summary(reference, m);
    if (!(ours.median > 0) || !(theirs.median > 0))
        return interval;
    WB_SCOPED double *a = malloc(n * sizeof *a);
    WB_SCOPED double *b = malloc(m * sizeof *b);
    WB_SCOPED double *estimates = malloc(RESAMPLES * sizeof *estimates);
    if (!a || !b || !estimates)
        return interval;
    bool rounds = n == m;
    for (size_t r = 0; r < RESAMPLES; r++) {
        for (size_t i = 0; i < n; i++) {
            size_t pick = draw(&seed, n);
            a[i] = times[pick];
            if (rounds)
                b[i] = reference[pick];
        }
        for (size_t i = 0; i < m && !rounds; i++)
            b[i] = reference[draw(&seed, m)];
        estimates[r] = median_of(b, m) / median_of(a, n);
    }
    return interval_of(theirs.median / ours.median, estimates, RESAMPLES);
}

wb_verdict wb_stats_verdict(wb_interval speedup, double floor) {
    if (speedup.low > 1 + floor)
        return WB_FASTER;
    if (speedup.high < 1 - floor)
        return WB_SLOWER;
    return WB_TOO_CLOSE;
}

const char *wb_stats_verdict_text(wb_verdict verdict) {
    static const char *const words[] = {N_("too close to tell"), N_("faster"), N_("slower")};
    return words[verdict];
}

const char *wb_stats_seconds(double seconds, char *text, size_t size) {
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, "ns"}, {1e6, "µs"}, {1e3, "ms"}, {1, "s"}};
    size_t u = 0;
    while (u < 3 && seconds * units[u].scale >= 999.5)
        u++;
    double value = seconds * units[u].scale;
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(text, size, "%.*f %s", decimals, value, units[u].unit);
    return text;
}

const char *wb_stats_number(double value, char *text, size_t size) {
    double magnitude = fabs(value);
    if (!(magnitude >= 999.5) || magnitude >= 1e15) {
        int decimals = magnitude >= 99.95    ? 0
                       : magnitude >= 9.995  ? 1
                       : magnitude >= 0.9995 ? 2
                                             : 3;
        if (magnitude >= 1e15 || (magnitude > 0 && magnitude < 0.0995))
            snprintf(text, size, "%.3g", value);
        else
            snprintf(text, size, "%.*f", decimals, value);
        return text;
    }
    char digits[32];
    snprintf(text, size, "%s%s", value < 0 ? "-" : "",
             draw_number((uint64_t)llround(magnitude), digits));
    return text;
}
