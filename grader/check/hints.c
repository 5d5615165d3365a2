/* hints.c: sums that went wrong in a way that can be told. */
#include "grader/check/hints.h"
#include "grader/job/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_at(const void *data, gr_type type, int64_t i) {
    if (type == GR_DOUBLE)
        return ((const double *)data)[i];
    return type == GR_FLOAT ? ((const float *)data)[i] : ((const int32_t *)data)[i];
}

/* What rounding explains of any element: that of a mistake has another size than the right one. */
static double most_allowed(const gr_expected *e) {
    double most = 0;
    for (int64_t i = 0; e->allowed && i < e->arg->count; i++)
        most = fmax(most, e->allowed[i]);
    return 4 * most;
}

enum { FEW = 8 };

bool gr_equals(const gr_expected *e, const void *got, gr_mistake *mistake, const void *ctx) {
    double near = most_allowed(e);
    bool told = false; /* the mistake and the right result can be told from each other */
    if (e->allowed && e->arg->count < FEW)
        return false;
    for (int64_t i = 0; i < e->arg->count; i++) {
        double value = value_at(got, e->arg->type, i), other = mistake(ctx, i);
        double exact = e->arg->type == GR_FLOAT ? (double)(float)other : other;
        if (e->allowed ? !(fabs(value - other) <= near) : value != exact)
            return false;
        told |= fabs(other - e->value[i]) > 4 * near;
    }
    return told;
}

/* Longer sums are not tried. */
static const int64_t most_terms = 1 << 23;

/* Of each line the elements from, from + by, ... below to, `times` over. */
typedef struct part {
    const gr_lines *lines;
    int64_t from, to, by;
    double times;
} part;

static double part_of_a_line(const void *ctx, int64_t line) {
    const part *p = ctx;
    double sum = 0;
    for (int64_t i = p->from; i < p->to; i += p->by)
        sum += value_at(p->lines->data, p->lines->type, line * p->lines->next + i * p->lines->step);
    return sum * p->times;
}

static bool is_part(const gr_expected *e, const void *got, const part *p) {
    return p->from < p->to && gr_equals(e, got, part_of_a_line, p);
}

/* The sums that belong into another output. */
static bool hint_swapped(const gr_expected *e, const void *got, const gr_lines *lines, char *hint) {
    part all = {lines->others, 0, lines->others ? lines->others->n : 0, 1, 1};
    if (!lines->others || lines->n_others != e->arg->count || !is_part(e, got, &all))
        return false;
    snprintf(hint, GR_HINT_SIZE,
             " %s holds what belongs into %s: are the two arrays mixed up, or the way along a row "
             "and the way down a column?",
             lines->what, lines->other);
    return true;
}

/* The whole sum several times over: as often as the first one says. */
static bool hint_times(const gr_expected *e, const void *got, const gr_lines *lines, char *hint) {
    part all = {lines, 0, lines->n, 1, 1};
    double once = e->value[0], ratio = round(value_at(got, e->arg->type, 0) / once);
    if (!(ratio >= 2 && ratio <= 4096))
        return false;
    all.times = ratio;
    if (!is_part(e, got, &all))
        return false;
    snprintf(
        hint, GR_HINT_SIZE,
        " That is %.0f times the sum: is each part added %.0f times, by %.0f threads where one "
        "should?",
        ratio, ratio, ratio);
    return true;
}

static bool hint_ends(const gr_expected *e, const void *got, const gr_lines *lines, char *hint) {
    int64_t n = lines->n;
    const struct {
        part p;
        const char *says;
    } ends[] = {
        {{lines, 1, n, 1, 1}, "all but the first element: does the index begin at 1?"},
        {{lines, 0, n - 1, 1, 1},
         "all but the last element: does the loop, or the condition, stop "
         "one too early?"},
    };
    for (size_t i = 0; i < WB_COUNT(ends); i++)
        if (is_part(e, got, &ends[i].p)) {
            snprintf(hint, GR_HINT_SIZE, " That is the sum of %s", ends[i].says);
            return true;
        }
    return false;
}

/* Blocks, warps, vectors: what begins, ends or strides with their sizes. */
static bool hint_blocks(const gr_expected *e, const void *got, const gr_lines *lines, char *hint) {
    for (int64_t size = 2048; size >= 2; size /= 2) {
        part first = {lines, 0, size, 1, 1}, whole = {lines, 0, lines->n / size * size, 1, 1};
        part one_each = {lines, 0, lines->n, size, 1};
        if (size < lines->n && is_part(e, got, &whole) && size < lines->n / size * size)
            snprintf(hint, GR_HINT_SIZE,
                     " That is the sum of the first %" PRId64 " of %" PRId64
                     " elements: the last %" PRId64 ", which fill no block of %" PRId64
                     ", are missing.",
                     whole.to, lines->n, lines->n - whole.to, size);
        else if (size < lines->n && is_part(e, got, &first))
            snprintf(hint, GR_HINT_SIZE,
                     " That is the sum of the first %" PRId64 " of %" PRId64
                     " elements alone: what the others make never reaches the result.",
                     size, lines->n);
        else if (size <= lines->n && is_part(e, got, &one_each))
            snprintf(hint, GR_HINT_SIZE,
                     " That is the sum of one element in %" PRId64 ": of each %" PRId64
                     " threads only the first one's element is added.",
                     size, size);
        else
            continue;
        return true;
    }
    return false;
}

bool gr_hint_sums(const gr_expected *e, const void *got, const gr_lines *lines,
                  char hint[GR_HINT_SIZE]) {
    return lines->n > 1 && lines->n <= most_terms &&
           (hint_swapped(e, got, lines, hint) || hint_times(e, got, lines, hint) ||
            hint_ends(e, got, lines, hint) || hint_blocks(e, got, lines, hint));
}
