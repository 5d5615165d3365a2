/* input.c: makes inputs: draws numbers of a distribution from the secret seed. */
#include "grader/job/input.h"
#include "grader/job/random.h"

#include <math.h>

/* ---- two words an element -------------------------------------------------------------------- */

enum { PART = 2048 }; /* elements that share a key */

typedef struct stream {
    const gr_job *job;
    uint32_t run, key;
    uint32_t words[2 * PART];
    int64_t part; /* the part that is in words; -1: none */
} stream;

static stream open_stream(const gr_job *job, uint32_t run, int arg, int field) {
    return (stream){
        .job = job, .run = run, .key = (uint32_t)field << 28 | (uint32_t)arg << 24, .part = -1};
}

/* Returns the words of element i. They repeat after 2^24 parts (about 3 * 10^10 elements). */
static const uint32_t *words_of(stream *s, int64_t i) {
    if (s->part != i / PART) {
        s->part = i / PART;
        gr_random_fill(s->job->seed, s->job->stream, s->run,
                       s->key | ((uint32_t)s->part & 0xffffff), s->words, 2 * PART);
    }
    return s->words + 2 * (i % PART);
}

/* Returns a number in [0, 1) with 53 bits. */
static double unit(const uint32_t words[2]) {
    return (double)(((uint64_t)words[0] << 32 | words[1]) >> 11) * 0x1p-53;
}

/* Returns a number in (0, 1]. */
static double unit_above(uint32_t word) {
    return ((double)word + 1) * 0x1p-32;
}

/* ---- numbers that reveal lost bits ---------------------------------------------------------- */

/* Returns a term that reveals the precision to which inputs are rounded. It has 13 bits (4096 to
 * 7405). TF32 and half (11 bits), bfloat16 (8) and both 8-bit floats (4 and 3) all round it down,
 * also to the nearest, so the errors never cancel. */
static int32_t telling(uint32_t w) {
    return 4096 + (int32_t)(w & 3) * 1024 + (int32_t)(w >> 2 & 7) * 32 + (int32_t)(w >> 5 & 3) * 4 +
           1;
}

/* Terms for a sum of n elements whose partial sums stay below 2^24 in every order. Telling terms
 * use half of that: all terms if there are few, else about 1450. The others are small, or ones
 * among zeros. Most are positive, so that an incomplete sum shows. */
typedef struct terms {
    uint32_t telling, ones; /* probabilities, in units of 2^-28 */
    uint32_t span;          /* the small ones go from 1 to span; 0: they are ones and zeros */
} terms;

static terms terms_of(int64_t n) {
    enum {
        TELLING = 8388608 / 5751,
        SMALL = 4194304,
        CHANCES = 1 << 28
    }; /* 5751: mean of the telling terms */
    double part = n <= TELLING ? 1 : (double)TELLING / (double)n;
    int64_t span = n ? SMALL / n : 0;
    terms t = {.telling = (uint32_t)(CHANCES * part),
               .span = (uint32_t)(span < 2      ? 0
                                  : span < 1000 ? span
                                                : 1000)};
    if (!t.span)
        t.ones = t.telling + (uint32_t)(CHANCES / 2 * ((double)SMALL / (double)n));
    return t;
}

static double term(const terms *t, uint32_t w) {
    uint32_t chance = w >> 4;
    double value;
    if (chance < t->telling)
        value = telling(w * 0x9e3779b1u >> 20);
    else if (t->span)
        value = chance % t->span + 1;
    else
        return chance < t->ones;
    return (w & 15) < 3 ? -value : value;
}

/* Returns a nearby value that narrower formats always round towards zero, to the nearest or by
 * truncation. For that, 01 follows the 11 bits of TF32 and half, 0 the 8 of bfloat16, and in a
 * double 01 the 24 of a float. */
static double shaped(gr_type type, double value) {
    if (fabs(value) < 1e-30)
        return value;
    if (type == GR_DOUBLE) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits &= ~((uint64_t)((1 << 15) | (1 << 12)) << 29 | 1 << 28);
        bits |= (uint64_t)(1 << 11) << 29 | 1 << 27;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    bits = (bits & ~(uint32_t)((1 << 15) | (1 << 12))) | 1 << 11;
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

/* ---- one number ------------------------------------------------------------------------------ */

static double real_number(const gr_fill *f, double u) {
    return f->a + (f->b - f->a) * u;
}

static bool is_shaped(const gr_fill *f, gr_type type) {
    return f->c > 0 && f->c <= GR_SHAPED_TERMS && type != GR_HALF;
}

static double uniform_number(const gr_fill *f, gr_type type, double u) {
    double value = real_number(f, u);
    return is_shaped(f, type) ? shaped(type, value) : value;
}

static double whole_number(const gr_fill *f, double u) {
    return fmin(f->a + floor((f->b - f->a + 1) * u), f->b);
}

/* Letters by their frequency in 128 characters of English text. The rest are line ends. */
static const char letters[] = "                      eeeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiii"
                              "nnnnnnnssssssshhhhhhrrrrrrddddlllluuucccmmmffwwyyggppbbvk.,";

static double draw_one(const gr_fill *f, gr_type type, const uint32_t words[2]) {
    const double turn = 6.283185307179586;
    switch (f->draw) {
    case GR_DRAW_UNIFORM:
        return uniform_number(f, type, unit(words));
    case GR_DRAW_NORMAL:
        return f->a + f->b * sqrt(-2 * log(unit_above(words[0]))) * cos(turn * words[1] * 0x1p-32);
    case GR_DRAW_WHOLE:
        return whole_number(f, unit(words));
    case GR_DRAW_SPARSE:
        if (words[0] * 0x1p-32 >= f->c)
            return 0;
        return gr_type_is_whole(type) ? whole_number(f, words[1] * 0x1p-32)
                                      : real_number(f, words[1] * 0x1p-32);
    default: {
        uint32_t at = words[0] % 128;
        return at < sizeof letters - 1 ? letters[at] : '\n';
    }
    }
}

/* ---- numbers that depend on each other ------------------------------------------------------ */

typedef struct column {
    gr_type type;
    char *data; /* the first element's field */
    size_t step;
    int64_t n;
} column;

static void put(const column *c, int64_t i, double value) {
    char *at = c->data + (size_t)i * c->step;
    if (c->type != GR_FLOAT) {
        gr_type_set(c->type, at, 0, value);
        return;
    }
    float narrow = (float)value; /* the most common type */
    memcpy(at, &narrow, sizeof narrow);
}

/* Draws n numbers of [0, 1] in rising order, distributed like sorted uniform ones: sums of
 * exponential steps, divided by the sum of n + 1 of them. */
static void draw_sorted(const gr_fill *f, const column *c, stream *s) {
    double all = 0, sum = 0;
    for (int64_t i = 0; i <= c->n; i++)
        all -= log(unit_above(words_of(s, i)[0]));
    for (int64_t i = 0; i < c->n; i++) {
        sum -= log(unit_above(words_of(s, i)[0]));
        double u = fmin(sum / all, 1);
        double value = f->draw == GR_DRAW_WHOLE ? whole_number(f, u) : real_number(f, u);
        put(c, f->order == GR_DOWN ? c->n - 1 - i : i, value);
    }
}

/* Draws 0, n - 2 sorted numbers, and the end. */
static void draw_offsets(const gr_fill *f, const column *c, stream *s) {
    double all = 0, sum = 0;
    for (int64_t i = 0; i < c->n - 1; i++)
        all -= log(unit_above(words_of(s, i)[0]));
    for (int64_t i = 0; i < c->n; i++) {
        double u = i ? fmin(sum / all, 1) : 0;
        put(c, i, i && i == c->n - 1 ? f->b : floor(f->b * pow(u, 1 + f->c)));
        sum -= log(unit_above(words_of(s, i)[0]));
    }
}

static double at(const column *c, int64_t i) {
    return gr_type_get(c->type, c->data + (size_t)i * c->step, 0);
}

static void draw_permutation(const column *c, stream *s) {
    for (int64_t i = 0; i < c->n; i++)
        put(c, i, (double)i);
    for (int64_t i = c->n - 1; i > 0; i--) {
        int64_t j = (int64_t)(unit(words_of(s, i)) * (double)(i + 1));
        double here = at(c, i);
        put(c, i, at(c, j));
        put(c, j, here);
    }
}

/* ---- numbers that do not depend on each other ------------------------------------------------ */

typedef struct drawing drawing;
/* Draws the elements [from, to). `from` starts at a key. */
typedef void draw_fn(const drawing *d, stream *s, int64_t from, int64_t to);

struct drawing {
    const gr_fill *fill;
    const column *column;
    const stream *stream; /* each thread has a copy */
    draw_fn *draw;
};

/* Copies the first word of each pair. */
GR_WIDE static void take_first(const uint32_t *words, int64_t n, char *to) {
    for (int64_t k = 0; k < n; k++)
        memcpy(to + k * 4, words + 2 * k, 4);
}

/* Draws any bits. */
static void draw_bits(const drawing *d, stream *s, int64_t from, int64_t to) {
    const column *c = d->column;
    size_t size = gr_type_size(c->type);
    bool plain = size == sizeof(uint32_t) && c->step == size;
    for (int64_t i = from; i < to; i += PART) {
        const uint32_t *words = words_of(s, i);
        int64_t here = to - i < PART ? to - i : PART;
        if (plain)
            take_first(words, here, c->data + (size_t)i * size);
        for (int64_t k = 0; k < here && !plain; k++)
            memcpy(c->data + (size_t)(i + k) * c->step, words + 2 * k, size);
    }
}

/* Puts a -0 and two NaNs with payloads at random places of real numbers. */
static void put_special_bits(const column *c, stream *s) {
    static const uint64_t wide[] = {0x8000000000000000u, 0x7ff0000000c0ffeeu, 0xfff8dead0000beefu};
    static const uint32_t narrow[] = {0x80000000u, 0x7f80c0deu, 0xffc0beefu};
    size_t size = gr_type_size(c->type);
    int64_t third = c->n / (int64_t)WB_COUNT(wide);
    if ((c->type != GR_FLOAT && c->type != GR_DOUBLE) || third <= 1)
        return;
    int64_t place = words_of(s, c->n)[0] % third;
    for (int64_t k = 0; k < (int64_t)WB_COUNT(wide); k++)
        memcpy(c->data + (size_t)(k * third + place) * c->step,
               size == 8 ? (const void *)&wide[k] : (const void *)&narrow[k], size);
}

/* Draws many float terms without branches, for vector code. Same values as term() with span 0. */
GR_WIDE static void few_terms(const terms *t, const uint32_t *words, int64_t n, char *to) {
    uint32_t most = t->telling, ones = t->ones;
    for (int64_t k = 0; k < n; k++) {
        uint32_t w = words[k], chance = w >> 4;
        int32_t one = chance < ones, all = -(int32_t)(chance < most);
        int32_t minus = -(int32_t)(chance < most && (w & 15) < 3);
        int32_t value = (telling(w * 0x9e3779b1u >> 20) & all) | (one & ~all);
        float narrow = (float)((value ^ minus) - minus);
        memcpy(to + k * 4, &narrow, 4);
    }
}

/* Uses one word an element. */
static void draw_terms(const drawing *d, stream *s, int64_t from, int64_t to) {
    const column *c = d->column;
    terms t = terms_of(c->n);
    for (int64_t i = from; i < to; i += 2 * PART) {
        const uint32_t *words = words_of(s, i / 2);
        int64_t here = to - i < 2 * PART ? to - i : 2 * PART;
        bool plain = !t.span && c->type == GR_FLOAT && c->step == sizeof(float);
        if (plain)
            few_terms(&t, words, here, c->data + (size_t)i * c->step);
        for (int64_t k = 0; k < here && !plain; k++)
            put(c, i + k, term(&t, words[k]));
    }
}

/* Draws many uniform floats without branches, for vector code. Same values as draw_one(). */
GR_WIDE static void uniform_floats(const gr_fill *f, bool shape, const uint32_t *words, int64_t n,
                                   char *to) {
    const uint32_t cleared = shape ? 1u << 15 | 1 << 12 : 0, set = shape ? 1 << 11 : 0;
    for (int64_t k = 0; k < n; k++) {
        double high = words[2 * k], low = (int32_t)(words[2 * k + 1] >> 11); /* exact, as is u */
        double u = (high * 0x1p21 + low) * 0x1p-53;
        double value = f->a + (f->b - f->a) * u;
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        uint32_t other = (bits & ~cleared) | set;
        bits = fabs(value) < 1e-30 ? bits : other;
        memcpy(to + k * 4, &bits, 4);
    }
}

static void draw_each(const drawing *d, stream *s, int64_t from, int64_t to) {
    const column *c = d->column;
    const gr_fill *f = d->fill;
    bool plain = f->draw == GR_DRAW_UNIFORM && c->type == GR_FLOAT && c->step == sizeof(float);
    for (int64_t i = from; i < to; i += PART) {
        const uint32_t *words = words_of(s, i);
        int64_t here = to - i < PART ? to - i : PART;
        if (plain)
            uniform_floats(f, is_shaped(f, c->type), words, here, c->data + (size_t)i * c->step);
        for (int64_t k = 0; k < here && !plain; k++)
            put(c, i + k, draw_one(f, c->type, words + 2 * k));
    }
}

/* Every STRIDE-th element starts at a key. FEW strides are not worth a thread. */
enum { STRIDE = 2 * PART, FEW = 64 };

static void draw_strides(void *ctx, int64_t from, int64_t to) {
    const drawing *d = ctx;
    int64_t n = d->column->n, end = to * STRIDE;
    stream own = *d->stream;
    d->draw(d, &own, from * STRIDE, end < n ? end : n);
}

static void draw_apart(draw_fn *draw, const gr_fill *f, const column *c, const stream *s) {
    drawing d = {f, c, s, draw};
    int64_t strides = (c->n + STRIDE - 1) / STRIDE;
    if (strides < FEW)
        draw_strides(&d, 0, strides);
    else
        wb_parallel(strides, draw_strides, &d);
}

static void draw_column(const gr_fill *f, const column *c, stream *s) {
    if (f->draw == GR_DRAW_PERMUTATION) {
        draw_permutation(c, s);
    } else if (f->draw == GR_DRAW_OFFSETS) {
        draw_offsets(f, c, s);
    } else if (f->draw == GR_DRAW_BITS) {
        draw_apart(draw_bits, f, c, s);
        put_special_bits(c, s);
    } else if (f->draw == GR_DRAW_TERMS) {
        draw_apart(draw_terms, f, c, s);
    } else if (f->order != GR_ANY_ORDER) {
        draw_sorted(f, c, s);
    } else {
        draw_apart(draw_each, f, c, s);
    }
}

void gr_poison(void *data, size_t bytes, uint32_t word) {
    char *p = data;
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word)
        memcpy(p, &word, sizeof word);
    memcpy(p, &word, bytes);
}

void gr_input_fill(const gr_job *job, int index, uint32_t run, void *data) {
    const gr_job_arg *arg = &job->args[index];
    const gr_job_draws *d = &job->draws[index];
    size_t step = gr_job_element_bytes(arg);
    if (arg->role == GR_OUTPUT)
        gr_poison(data, gr_job_arg_bytes(arg), GR_POISON);
    else if (d->n_fields > 1) /* also the bytes between fields */
        memset(data, 0, gr_job_arg_bytes(arg));
    for (int f = 0; arg->role != GR_OUTPUT && f < d->n_fields; f++) {
        stream s = open_stream(job, run, index, f);
        column c = {d->fields[f].type, (char *)data + d->fields[f].offset, step, arg->count};
        draw_column(&d->fills[job->values][f], &c, &s);
    }
}
