/* speed.c: compares a GPU's times with the reference's. */
#include "grader/score/speed.h"
#include "grader/score/measure.h"
#include "runtime/measure/stats.h"

#include <math.h>

static double *values_of(const json_t *list, size_t *n) {
    *n = json_array_size(list);
    double *values = calloc(*n + 1, sizeof *values);
    for (size_t i = 0; values && i < *n; i++)
        values[i] = json_number_value(json_array_get(list, i));
    return values;
}

/* The device's copy moves the same bytes from beyond the L2. No kernel can be `impossible` times as
 * fast, so the measurement must be wrong. */
static const double impossible = 1.5, remarkable = 1.1;

/* Returns true if later runs are less than half as long as the first three, relative to the rival.
 * A run keeps no state that could help later ones, and a rising clock helps both. */
static bool grows_faster(const double *mine, const double *theirs, size_t n, size_t m) {
    enum { FIRST = 3 };
    if (n != m || n < 2 * FIRST)
        return false;
    wb_interval first = wb_stats_speedup(mine, FIRST, theirs, FIRST, 1);
    wb_interval later = wb_stats_speedup(mine + n / 2, n - n / 2, theirs + n / 2, n - n / 2, 1);
    return later.value > 2 * first.value;
}

char *gr_explain_speed(const gr_criterion *criterion, const json_t *time, double minimum_bytes,
                       double *value, bool *rejected) {
    size_t n, m;
    double *mine = values_of(json_object_get(time, "times"), &n);
    double *theirs = values_of(json_object_get(time, "reference_times"), &m);
    const char *name = json_string_value(json_object_get(time, "reference"));
    bool copy = json_is_true(json_object_get(time, "copy"));
    wb_buf b = {0};
    *value = NAN;
    *rejected = false;
    if (mine && theirs && n && m) {
        wb_interval ratio = wb_stats_speedup(mine, n, theirs, m, 1);
        wb_summary own = wb_stats_summary(mine, n), other = wb_stats_summary(theirs, m);
        char a[40], c[40];
        *value = ratio.value;
        wb_buf_printf(&b,
                      _("median %s (quartiles %.3g to %.3g ms, %zu runs); %s %s; ratio %.3g "
                        "(95 %% interval %.3g to %.3g)."),
                      wb_stats_seconds(own.median, a, sizeof a), own.q1 * 1e3, own.q3 * 1e3, n,
                      name ? name : "reference", wb_stats_seconds(other.median, c, sizeof c),
                      ratio.value, ratio.low, ratio.high);
        if (copy)
            wb_buf_printf(&b, _(" That is %.4g GB/s."), minimum_bytes / own.median / 1e9);
        bool above_peak = own.median < json_number_value(json_object_get(time, "least"));
        *rejected = above_peak || (copy && ratio.value > impossible);
        if (above_peak)
            wb_buf_puts(&b,
                        _(" Faster than all multiplications take at the device's peak: fewer bits "
                          "were multiplied, or not all of them. It earns nothing."));
        else if (*rejected)
            wb_buf_puts(
                &b, _(" Faster than memory allows: this time can't be true and earns nothing."));
        else if (grows_faster(mine, theirs, n, m))
            wb_buf_puts(&b, _(" Its later runs took less than half of its first ones, beside the "
                              "reference: look at it before believing it."));
        else if (ratio.value > remarkable)
            wb_buf_puts(&b, _(" It beats the reference: look at it before believing it."));
        else if (gr_fraction(criterion, ratio.value) < 1)
            wb_buf_printf(&b, _(" Full marks need %.3g. %s"), criterion->full,
                          wb_tr(criterion->advice));
    }
    WB_FREE(mine, theirs);
    return wb_buf_steal(&b);
}
