/* elements.c: compares every element with its expected value, and explains the first wrong one. */
#include "grader/check/check.h"
#include "grader/job/input.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>

/* Counts of wrong elements by their properties. */
typedef struct tally {
    uint64_t wrong, poison, leaked, zero, nan, unchanged, same_number;
    int64_t first;
    double worst; /* largest error / allowed error */
} tally;

static uint64_t bits_at(const void *data, gr_type type, int64_t i) {
    uint64_t bits = 0;
    size_t size = gr_type_size(type);
    memcpy(&bits, (const char *)data + (size_t)i * size, size);
    return bits;
}

/* Returns true if an element equals memory filled with the word. Bytes tell too little. */
static bool is_word(const void *data, gr_type type, int64_t i, uint32_t word) {
    size_t size = gr_type_size(type);
    uint64_t pattern = (uint64_t)word << 32 | word;
    if (size == 1)
        return false;
    if (size == 2)
        return bits_at(data, type, i) == (pattern >> 16 * (i & 1) & 0xffff);
    return bits_at(data, type, i) == (size == 8 ? pattern : word);
}

static bool is_poison(const void *data, gr_type type, int64_t i) {
    return is_word(data, type, i, GR_POISON);
}

/* Returns true for the initial content of a temporary, copied or computed with. */
static bool is_leaked(const void *data, gr_type type, int64_t i) {
    return is_word(data, type, i, GR_POISON_TEMPORARY);
}

static const char *name_element(const gr_expected *e, int64_t i, char *text, size_t size) {
    if (e->row_length > 0) {
        int64_t major = i / e->row_length, minor = i % e->row_length;
        snprintf(text, size, _("%s[%" PRId64 "] (row %" PRId64 ", column %" PRId64 ")"),
                 e->arg->name, i, major, minor);
    } else {
        snprintf(text, size, "%s[%" PRId64 "]%s%s", e->arg->name, i, e->field ? "." : "",
                 e->field ? e->field : "");
    }
    return text;
}

const gr_cause_words gr_causes[GR_CAUSES] = {
    {"unknown", true, ""},
    {"some-unwritten", true,
     N_(" These elements were never written: do the blocks cover every element, also when the "
        "sizes are no multiple of the block?")},
    {"unwritten", false,
     N_(" Nothing was written there: does the kernel run, and on the right pointer? Or was only "
        "added to what was there before? Outputs hold garbage; set them to 0 first "
        "(cudaMemsetAsync).")},
    {"unset-memory", false,
     N_(" Every wrong element comes from memory of cudaMalloc that was read before anything was "
        "written there.")},
    {"same-numbers", false,
     N_(" The numbers are the same, their bits are not: move the elements, and do not compute "
        "with them, not even + 0.")},
    {"unchanged", false, N_(" Every wrong element still holds what was there before.")},
    {"nan", false,
     N_(" Every wrong element is NaN: inf / inf, inf - inf, 0 / 0, or something was read before it "
        "was written.")},
    {"zero", true, N_(" Every wrong element is 0.")},
    {"edges", true,
     N_(" Most elements are right: look at the edges, where a block or tile is not full, or "
        "where neighbours lie outside of the array.")}};

static gr_cause common_cause(const gr_expected *e, const tally *t) {
    uint64_t n = (uint64_t)e->arg->count;
    return t->poison == t->wrong   ? (t->wrong < n ? GR_CAUSE_SOME_UNWRITTEN : GR_CAUSE_UNWRITTEN)
           : t->leaked == t->wrong ? GR_CAUSE_UNSET_MEMORY
           : t->same_number == t->wrong ? GR_CAUSE_SAME_NUMBERS
           : t->unchanged == t->wrong   ? GR_CAUSE_UNCHANGED
           : t->nan == t->wrong         ? GR_CAUSE_NAN
           : t->zero == t->wrong        ? GR_CAUSE_ZERO
           : t->wrong * 4 < n           ? GR_CAUSE_EDGES
                                        : GR_CAUSE_UNKNOWN;
}

static void add_to_verdict(const gr_expected *e, const tally *t, const char *first,
                           gr_verdict *verdict) {
    verdict->total += (uint64_t)e->arg->count;
    verdict->wrong += t->wrong;
    if (!t->wrong || verdict->array[0])
        return;
    char where[120];
    snprintf(verdict->array, sizeof verdict->array, "%s", e->arg->name);
    verdict->cause = common_cause(e, t);
    if (e->arg->count == 1)
        snprintf(verdict->text, sizeof verdict->text, _("%s is wrong: %s."),
                 name_element(e, 0, where, sizeof where), first);
    else
        snprintf(verdict->text, sizeof verdict->text,
                 _("%" PRIu64 " of %" PRId64 " elements of %s %s wrong; the first is %s: %s."),
                 t->wrong, e->arg->count, e->arg->name, t->wrong == 1 ? "is" : "are",
                 name_element(e, t->first, where, sizeof where), first);
}

static void tally_wrong(const gr_expected *e, const void *got, int64_t i, tally *t) {
    if (t->wrong++ == 0)
        t->first = i;
    double value = gr_type_get(e->arg->type, got, i);
    bool poison = is_poison(got, e->arg->type, i);
    t->poison += poison;
    t->leaked += is_leaked(got, e->arg->type, i);
    t->nan += !poison && isnan(value);
    t->zero += value == 0;
}

/* Shows a NaN without its sign, which would only confuse. */
static const char *show(double value, char text[40]) {
    if (isnan(value))
        return "NaN";
    snprintf(text, 40, "%.9g", value);
    return text;
}

/* An array whose elements several threads compare. */
typedef struct comparison {
    const gr_expected *e;
    const void *got, *unchanged;
    tally all;
    pthread_mutex_t lock; /* of all */
} comparison;

static void add_part(comparison *c, const tally *t) {
    tally *all = &c->all;
    pthread_mutex_lock(&c->lock);
    if (t->wrong && (!all->wrong || t->first < all->first))
        all->first = t->first;
    all->wrong += t->wrong;
    all->poison += t->poison;
    all->leaked += t->leaked;
    all->zero += t->zero;
    all->nan += t->nan;
    all->unchanged += t->unchanged;
    all->same_number += t->same_number;
    all->worst = fmax(all->worst, t->worst);
    pthread_mutex_unlock(&c->lock);
}

static void compare_all(comparison *c, void (*part)(void *ctx, int64_t from, int64_t to)) {
    enum { FEW = 1 << 18 }; /* so few are not worth a thread */
    if (c->e->arg->count < FEW)
        part(c, 0, c->e->arg->count);
    else
        wb_parallel(c->e->arg->count, part, c);
}

static bool has_bound(const gr_expected *e) {
    return e->bound.by == GR_BY_ERROR || e->bound.by == GR_BY_CONDITION;
}

/* Returns the allowed error of an element with a bound: 0 if its value is not finite. */
static double allowed_error(const gr_expected *e, int64_t i, double want) {
    if (!isfinite(want))
        return 0;
    if (e->bound.by == GR_BY_ERROR)
        return e->bound.absolute + e->bound.relative * fabs(want);
    double magnitude;
    memcpy(&magnitude, e->magnitude + (size_t)i * sizeof magnitude, sizeof magnitude);
    return fmin(e->bound.factor * gr_type_rounding(e->arg->type) * fabs(magnitude), GR_ANY_NUMBER);
}

static void compare_part(void *ctx, int64_t from, int64_t to) {
    comparison *c = ctx;
    const gr_expected *e = c->e;
    tally t = {0};
    for (int64_t i = from; i < to; i++) {
        double value = gr_type_get(e->arg->type, c->got, i);
        double want = gr_type_get(e->arg->type, e->want, i);
        bool right = value == want || (isnan(want) && isnan(value));
        if (has_bound(e)) {
            double error = fabs(value - want), allowed = allowed_error(e, i, want);
            double ratio = error / (allowed + 1e-300);
            right |= error <= allowed;
            if ((right || isfinite(ratio)) && ratio > t.worst) /* false for a NaN */
                t.worst = ratio;
        }
        if (!right)
            tally_wrong(e, c->got, i, &t);
    }
    add_part(c, &t);
}

void gr_compare(const gr_expected *e, const void *got, gr_verdict *verdict) {
    comparison c = {.e = e, .got = got, .lock = PTHREAD_MUTEX_INITIALIZER};
    gr_type type = e->arg->type;
    compare_all(&c, compare_part);
    tally t = c.all;
    verdict->worst = fmax(verdict->worst, t.worst);
    if (!t.wrong) {
        add_to_verdict(e, &t, "", verdict);
        return;
    }
    char first[300], text[40];
    double value = gr_type_get(type, got, t.first), want = gr_type_get(type, e->want, t.first);
    double allowed = has_bound(e) ? allowed_error(e, t.first, want) : 0;
    if (allowed >= GR_ANY_NUMBER)
        snprintf(first, sizeof first, "%s",
                 is_poison(got, type, t.first) ? _("never written") : show(value, text));
    else if (is_poison(got, type, t.first))
        snprintf(first, sizeof first, _("never written, expected %.9g"), want);
    else if (allowed > 0 && isfinite(value))
        snprintf(first, sizeof first, _("%.9g, expected %.9g; off by %.3g where %s at most %.3g"),
                 value, want, fabs(value - want),
                 e->bound.by == GR_BY_ERROR ? _("the lab allows") : _("rounding explains"),
                 allowed);
    else
        snprintf(first, sizeof first, _("%s, expected %s%.9g"), show(value, text),
                 allowed > 0 ? "" : _("exactly "), want);
    add_to_verdict(e, &t, first, verdict);
}

static void compare_bits_part(void *ctx, int64_t from, int64_t to) {
    comparison *c = ctx;
    gr_type type = c->e->arg->type;
    tally t = {0};
    for (int64_t i = from; i < to; i++) {
        if (bits_at(c->e->want, type, i) == bits_at(c->got, type, i))
            continue;
        tally_wrong(c->e, c->got, i, &t);
        double a = gr_type_get(type, c->e->want, i), b = gr_type_get(type, c->got, i);
        bool given = !is_poison(c->got, type, i) && !is_leaked(c->got, type, i);
        t.same_number += given && (a == b || (isnan(a) && isnan(b)));
        t.unchanged += c->unchanged && bits_at(c->unchanged, type, i) == bits_at(c->got, type, i);
    }
    add_part(c, &t);
}

void gr_compare_bits(const gr_expected *e, const void *got, const void *unchanged,
                     gr_verdict *verdict) {
    comparison c = {.e = e, .got = got, .unchanged = unchanged, .lock = PTHREAD_MUTEX_INITIALIZER};
    gr_type type = e->arg->type;
    const void *want = e->want;
    if (memcmp(want, got, gr_job_arg_bytes(e->arg)) != 0)
        compare_all(&c, compare_bits_part);
    tally t = c.all;
    char first[200] = "";
    if (t.wrong && is_poison(got, type, t.first))
        snprintf(first, sizeof first, _("never written"));
    else if (t.wrong && type == GR_LONG)
        snprintf(first, sizeof first, _("%" PRId64 ", expected %" PRId64),
                 ((const int64_t *)got)[t.first], ((const int64_t *)want)[t.first]);
    else if (t.wrong && gr_type_is_whole(type))
        snprintf(first, sizeof first, _("%.0f, expected %.0f"), gr_type_get(type, got, t.first),
                 gr_type_get(type, want, t.first));
    else if (t.wrong)
        snprintf(first, sizeof first,
                 _("the bits 0x%0*" PRIx64 " (%.6g), expected 0x%0*" PRIx64 " (%.6g)"),
                 (int)gr_type_size(type) * 2, bits_at(got, type, t.first),
                 gr_type_get(type, got, t.first), (int)gr_type_size(type) * 2,
                 bits_at(want, type, t.first), gr_type_get(type, want, t.first));
    add_to_verdict(e, &t, first, verdict);
}
