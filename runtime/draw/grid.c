/* grid.c: see grid.h. Blocks and threads have the same layout: strips of at most 32 that never
 * wrap, and one z beside another. */
#include "runtime/draw/grid.h"

#include "runtime/canvas/canvas.h"

enum { LANES = 32, STRIP = 32, MOST_STRIPS = 32, MOST_LAYERS = 16 };
enum { CELL = 18, HIGH = 16, LABEL = 64, GAP = 26, WIDTH = LABEL + STRIP * CELL + 110 };

static const char axes[] = "xyz";

/* ---- numbers ------------------------------------------------------------------------------- */

static uint64_t volume(const uint32_t d[3]) {
    return (uint64_t)d[0] * d[1] * d[2];
}

/* Returns the linear index; x counts fastest. */
static uint64_t number_of(const uint32_t d[3], const uint32_t at[3]) {
    return at[0] + (uint64_t)d[0] * (at[1] + (uint64_t)d[1] * at[2]);
}

static void place_of(const uint32_t d[3], uint64_t number, uint32_t at[3]) {
    at[0] = (uint32_t)(number % d[0]);
    at[1] = (uint32_t)(number / d[0] % d[1]);
    at[2] = (uint32_t)(number / d[0] / d[1]);
}

static uint32_t warps_of(const draw_grid *g) {
    return (uint32_t)((volume(g->block) + LANES - 1) / LANES);
}

static bool came(const draw_grid *g, uint64_t block, uint64_t thread) {
    return g->came[block * warps_of(g) + thread / LANES] >> thread % LANES & 1;
}

/* Returns how many threads of a block touched nothing; 0 if unknown. */
static uint64_t idle_in(const draw_grid *g, uint64_t block) {
    uint64_t all = volume(g->block), did = 0;
    if (!g->came)
        return 0;
    for (uint32_t w = 0; w < warps_of(g); w++)
        did += (uint64_t)__builtin_popcount(g->came[block * warps_of(g) + w]);
    return all - did;
}

/* Idle threads of the launch. The active ones may fill a box of that size from 0. */
typedef struct idle {
    uint64_t n, all, first_block, first_thread;
    uint64_t box[3];
    bool is_box;
} idle;

static idle idle_of(const draw_grid *g) {
    idle s = {.all = volume(g->grid) * volume(g->block)};
    bool found = false;
    for (uint64_t b = 0; g->came && b < volume(g->grid); b++) {
        uint32_t block[3], thread[3];
        s.n += idle_in(g, b);
        place_of(g->grid, b, block);
        for (uint64_t t = 0; t < volume(g->block); t++) {
            if (!came(g, b, t)) {
                s.first_block = found ? s.first_block : b;
                s.first_thread = found ? s.first_thread : t;
                found = true;
                continue;
            }
            place_of(g->block, t, thread);
            for (int k = 0; k < 3; k++) {
                uint64_t end = (uint64_t)block[k] * g->block[k] + thread[k] + 1;
                s.box[k] = end > s.box[k] ? end : s.box[k];
            }
        }
    }
    s.is_box = s.box[0] * s.box[1] * s.box[2] == s.all - s.n;
    return s;
}

/* ---- sentences ----------------------------------------------------------------------------- */

/* Appends "256" or "dim3(16, 16)", as a launch has it. */
static void put_shape(const uint32_t d[3], wb_buf *out) {
    if (d[1] == 1 && d[2] == 1)
        wb_buf_printf(out, "%u", d[0]);
    else if (d[2] == 1)
        wb_buf_printf(out, "dim3(%u, %u)", d[0], d[1]);
    else
        wb_buf_printf(out, "dim3(%u, %u, %u)", d[0], d[1], d[2]);
}

static int axes_of(const draw_grid *g) {
    return g->grid[2] > 1 || g->block[2] > 1 ? 3 : g->grid[1] > 1 || g->block[1] > 1 ? 2 : 1;
}

static void put_count(const draw_grid *g, wb_buf *out) {
    char blocks[32], threads[32], all[32], warps[32];
    uint64_t n = volume(g->grid), each = volume(g->block);
    wb_buf_printf(out, _("%s block%s of %s thread%s: %s threads in all, in %s warp%s of 32."),
                  draw_number(n, blocks), n == 1 ? "" : "s", draw_number(each, threads),
                  each == 1 ? "" : "s", draw_number(n * each, all),
                  draw_number(n * warps_of(g), warps), n * warps_of(g) == 1 ? "" : "s");
    if (each % LANES)
        wb_buf_printf(out, _(" The last warp of a block has %llu of its 32 lanes."),
                      (unsigned long long)(each % LANES));
}

/* Appends "x = blockIdx.x * blockDim.x + threadIdx.x = 3 * 256 + 232 = 1000". */
static void put_formula(const draw_grid *g, int k, wb_buf *out) {
    char c = axes[k];
    wb_buf_printf(out, "%c = blockIdx.%c * blockDim.%c + threadIdx.%c = %u * %u + %u = %llu", c, c,
                  c, c, g->at_block[k], g->block[k], g->at_thread[k],
                  (unsigned long long)g->at_block[k] * g->block[k] + g->at_thread[k]);
}

/* Appends "In its block it is number 5 + 8 * (2 + 4 * 0) = 21: warp 0, lane 21." */
static void put_number(const draw_grid *g, wb_buf *out) {
    uint64_t n = number_of(g->block, g->at_thread);
    const uint32_t *t = g->at_thread, *d = g->block;
    char sum[100] = "";
    if (d[2] > 1)
        snprintf(sum, sizeof sum, "%u + %u * (%u + %u * %u) = ", t[0], d[0], t[1], d[1], t[2]);
    else if (d[1] > 1)
        snprintf(sum, sizeof sum, "%u + %u * %u = ", t[0], d[0], t[1]);
    wb_buf_printf(out, _("In its block it is number %s%llu: warp %llu, lane %llu."), sum,
                  (unsigned long long)n, (unsigned long long)n / LANES,
                  (unsigned long long)n % LANES);
}

/* Appends where idle threads are: "x is 1,000 or more, or y is 20 or more". */
static void put_outside(const draw_grid *g, const idle *s, wb_buf *out) {
    char n[32];
    for (int k = 0, told = 0; k < 3; k++) {
        if (s->box[k] == (uint64_t)g->grid[k] * g->block[k])
            continue;
        wb_buf_printf(out, told++ ? _(", or %c is %s or more") : _("%c is %s or more"), axes[k],
                      draw_number(s->box[k], n));
    }
}

/* Appends which threads were idle, but not if none touched memory, or that is unknown. */
static void put_idle(const draw_grid *g, const idle *s, wb_buf *out) {
    char n[32], all[32];
    if (!g->came || s->n == s->all)
        return;
    if (s->n == 0) {
        wb_buf_puts(out, _("Every thread touched global memory."));
        return;
    }
    draw_number(s->n, n);
    draw_number(s->all, all);
    if (s->is_box) {
        wb_buf outside = {0};
        put_outside(g, s, &outside);
        wb_buf_printf(out, _("%s of %s threads touched no global memory: those whose %s."), n, all,
                      outside.data ? outside.data : "");
        wb_buf_free(&outside);
        return;
    }
    uint32_t b[3], t[3];
    place_of(g->grid, s->first_block, b);
    place_of(g->block, s->first_thread, t);
    wb_buf_printf(
        out,
        _("%s of %s threads touched no global memory: the first is thread (%u, %u, %u) of "
          "block (%u, %u, %u)."),
        n, all, t[0], t[1], t[2], b[0], b[1], b[2]);
}

static void put_marked(const draw_grid *g, wb_buf *out) {
    const uint32_t *b = g->at_block, *t = g->at_thread;
    wb_buf_printf(out, _("Marked: thread (%u, %u, %u) of block (%u, %u, %u)."), t[0], t[1], t[2],
                  b[0], b[1], b[2]);
}

static void put_title(const draw_grid *g, wb_buf *out) {
    wb_buf_printf(out, "%s<<<", g->kernel);
    put_shape(g->grid, out);
    wb_buf_puts(out, ", ");
    put_shape(g->block, out);
    wb_buf_puts(out, ">>>");
}

void draw_grid_words(const draw_grid *g, wb_buf *out) {
    idle s = idle_of(g);
    put_title(g, out);
    wb_buf_puts(out, ": ");
    put_count(g, out);
    wb_buf_putc(out, '\n');
    put_marked(g, out);
    wb_buf_putc(out, '\n');
    for (int k = 0; k < axes_of(g); k++) {
        wb_buf_puts(out, "  ");
        put_formula(g, k, out);
        wb_buf_putc(out, '\n');
    }
    put_number(g, out);
    wb_buf_putc(out, '\n');
    size_t before = out->len;
    put_idle(g, &s, out);
    if (out->len > before)
        wb_buf_putc(out, '\n');
}

/* ---- cells --------------------------------------------------------------------------------- */

/* Blocks of the grid, or threads of a block. */
typedef struct cells {
    const draw_grid *g;
    const uint32_t *d, *at; /* the size, and the marked one */
    bool threads;
} cells;

static uint32_t pieces_of(const cells *c) { /* strips of a row */
    return (c->d[0] + STRIP - 1) / STRIP;
}

static uint64_t strips_of(const cells *c) { /* strips of a layer */
    return (uint64_t)pieces_of(c) * c->d[1];
}

static const char *class_of(const cells *c, uint64_t number) {
    const draw_grid *g = c->g;
    if (!c->threads)
        return g->came && idle_in(g, number) == volume(g->block) ? "wasted" : "untouched";
    if (g->came && !came(g, number_of(g->grid, g->at_block), number))
        return "wasted";
    return number / LANES % 2 ? "c4" : "lane";
}

static void put_cell(wb_buf *out, const cells *c, uint64_t number, double x, double y) {
    uint64_t idle = c->threads ? 0 : idle_in(c->g, number), all = volume(c->g->block);
    bool marked = number == number_of(c->d, c->at), cut = c->threads && number % LANES == 0;
    draw_rect(out, marked ? "c6" : class_of(c, number), x + 0.75, y, CELL - 1.5, HIGH - 2);
    if (idle && idle < all && !marked) { /* some are idle: the more, the wider */
        double wide = (CELL - 1.5) * (double)idle / (double)all;
        wide = wide < 3 ? 3 : wide;
        draw_rect(out, "wasted", x + CELL - 0.75 - wide, y, wide, HIGH - 2);
    }
    if (marked)
        draw_rect(out, "frame", x - 0.25, y - 1, CELL + 0.5, HIGH);
    if (cut) /* a warp begins here */
        draw_line(out, "frame", x, y - 2, x, y + HIGH);
}

/* Draws the labels before and after a strip: "y = 3", "warps 6 and 7". */
static void put_beside(wb_buf *out, const cells *c, uint64_t first, uint64_t n, double x, double y,
                       bool column) {
    uint32_t at[3];
    place_of(c->d, first, at);
    if (c->d[1] > 1)
        draw_textf(out, "n quiet", "end", x - 6, y + 11, pieces_of(c) > 1 ? "%u, %u" : "y = %u",
                   pieces_of(c) > 1 ? at[0] : at[1], at[1]);
    else
        draw_textf(out, "n quiet", "end", x - 6, y + 11, "%u", at[0]);
    if (!c->threads || column)
        return;
    uint64_t from = first / LANES, to = (first + n - 1) / LANES;
    x += (double)n * CELL + 8;
    if (from == to)
        draw_textf(out, "n quiet", "start", x, y + 11, _("warp %llu"), (unsigned long long)from);
    else
        draw_textf(out, "n quiet", "start", x, y + 11, _("warps %llu and %llu"),
                   (unsigned long long)from, (unsigned long long)to);
}

/* Draws a layer's strips that fit, and the marked one. Returns the y below them. */
static double put_layer(wb_buf *out, const cells *c, uint32_t z, double x, double y) {
    uint64_t all = strips_of(c), shown = all < MOST_STRIPS ? all : MOST_STRIPS;
    uint64_t marked = (uint64_t)pieces_of(c) * c->at[1] + c->at[0] / STRIP;
    for (uint64_t k = 0; k < shown; k++, y += HIGH) {
        bool jump = k + 1 == shown && z == c->at[2] && marked >= shown;
        uint64_t strip = jump ? marked : k;
        uint32_t from = (uint32_t)(strip % pieces_of(c)) * STRIP, n = c->d[0] - from;
        uint64_t first = from + (uint64_t)c->d[0] * (strip / pieces_of(c) + (uint64_t)c->d[1] * z);
        n = n < STRIP ? n : STRIP;
        y += jump ? HIGH / 2 : 0;
        for (uint32_t i = 0; i < n; i++)
            put_cell(out, c, first + i, x + i * CELL, y);
        put_beside(out, c, first, n, x, y, c->d[2] > 1);
    }
    if (shown < all) {
        draw_textf(out, "quiet", "start", x, y + 12, _("and %llu rows more"),
                   (unsigned long long)(all - shown));
        y += HIGH;
    }
    return y;
}

/* Draws all layers, side by side if they fit. */
static double put_cells(wb_buf *out, const cells *c, double y) {
    uint32_t across = c->d[0] < STRIP ? c->d[0] : STRIP, shown = 0;
    double wide = LABEL + across * CELL + GAP, x = DRAW_PAD, bottom = y;
    for (uint32_t z = 0; z < c->d[2]; z++) {
        uint32_t rest = c->d[2] - z;
        if (shown + 1 == MOST_LAYERS && rest > 1) { /* the last place is for the marked layer */
            draw_textf(out, "quiet", "start", DRAW_PAD, bottom + 14,
                       _("and %u more layers, z up to %u"), rest - 1, c->d[2] - 1);
            bottom += HIGH + 4;
            z = c->at[2] > z ? c->at[2] : z;
            rest = 1;
            x = DRAW_PAD;
            y = bottom + 6;
        }
        if (x > DRAW_PAD && x + wide > DRAW_PAD + WIDTH) {
            x = DRAW_PAD;
            y = bottom + 10;
        }
        double top = y;
        if (c->d[2] > 1) {
            draw_textf(out, "quiet", "start", x + LABEL, top + 11, "z = %u", z);
            top += HIGH + 2;
        }
        double end = put_layer(out, c, z, x + LABEL, top);
        bottom = end > bottom ? end : bottom;
        x += wide;
        if (++shown == MOST_LAYERS || rest == 1)
            break;
    }
    return bottom;
}

/* Draws the marked thread's warp: 32 lanes, with the first and the last thread. */
static double put_warp(wb_buf *out, const draw_grid *g, double y) {
    uint64_t number = number_of(g->block, g->at_thread), first = number / LANES * LANES;
    uint64_t n = volume(g->block) - first, block = number_of(g->grid, g->at_block);
    uint32_t from[3], to[3];
    double x = DRAW_PAD + LABEL;
    const char *class = number / LANES % 2 ? "c4" : "lane";
    n = n < LANES ? n : LANES;
    draw_text(out, "n quiet", "end", x - 6, y + 6, _("lane"));
    for (uint64_t i = 0; i < LANES; i++, x += CELL) {
        bool idle = i < n && g->came && !came(g, block, first + i), marked = first + i == number;
        draw_textf(out, "s quiet", "middle", x + CELL / 2.0, y + 6, "%llu", (unsigned long long)i);
        draw_rect(out,
                  i >= n   ? "off"
                  : marked ? "c6"
                  : idle   ? "wasted"
                           : class,
                  x + 0.75, y + 10, CELL - 1.5, HIGH);
        if (marked)
            draw_rect(out, "frame", x - 0.25, y + 9, CELL + 0.5, HIGH + 2);
    }
    place_of(g->block, first, from);
    place_of(g->block, first + n - 1, to);
    draw_textf(out, "n quiet", "start", DRAW_PAD + LABEL, y + HIGH + 24,
               _("threadIdx (%u, %u, %u) to (%u, %u, %u)"), from[0], from[1], from[2], to[0], to[1],
               to[2]);
    return y + HIGH + 28;
}

/* ---- the picture --------------------------------------------------------------------------- */

static double put_head(wb_buf *out, const char *words, double y) {
    draw_text(out, "head", "start", DRAW_PAD, y + 14, wb_tr(words));
    return y + 24;
}

static double put_legend(wb_buf *out, const draw_grid *g, const idle *s, double y) {
    double x = draw_key(out, "lane", DRAW_PAD, y, _("a thread;"));
    x = draw_key(out, "c4", x - 8, y, _("of every other warp"));
    draw_rect(out, "frame", x, y - 10, 12, 12);
    x = draw_key(out, "c6", x, y, _("the marked block and thread"));
    if (g->came && s->n && s->n < s->all)
        draw_key(out, "wasted", x, y, _("touched no global memory"));
    return y + 6;
}

char *draw_grid_svg(const draw_grid *all, const char *words) {
    wb_buf shapes = {0}, said = {0};
    idle s = idle_of(all);
    draw_grid known = *all, *g = &known;
    if (s.n == s.all) /* a kernel that touches no memory has no idle threads */
        known.came = NULL;
    double y = DRAW_PAD + 14;
    put_title(g, &said);
    draw_text(&shapes, "title", "start", DRAW_PAD, y, said.data ? said.data : "");
    wb_buf_free(&said);
    put_count(g, &said);
    y = draw_said(&shapes, "words", DRAW_PAD, y + 22, WIDTH, &said);
    y = put_legend(&shapes, g, &s, y + 6);
    y = put_head(&shapes, N_("The grid: its blocks, by blockIdx"), y + 4);
    y = put_cells(&shapes, &(cells){g, g->grid, g->at_block, false}, y);
    put_marked(g, &said);
    y = put_head(&shapes, N_("The marked block: its threads, by threadIdx"), y + 8);
    y = put_cells(&shapes, &(cells){g, g->block, g->at_thread, true}, y);
    y = put_head(&shapes, N_("The marked thread's warp"), y + 8);
    y = put_warp(&shapes, g, y) + 22;
    y = draw_said(&shapes, "words", DRAW_PAD, y, WIDTH, &said);
    for (int k = 0; k < axes_of(g); k++) {
        put_formula(g, k, &said);
        y = draw_said(&shapes, "code", DRAW_PAD, y + 2, WIDTH, &said);
    }
    put_number(g, &said);
    y = draw_said(&shapes, "words", DRAW_PAD, y + 2, WIDTH, &said);
    put_idle(g, &s, &said);
    y = draw_said(&shapes, "words", DRAW_PAD, y, WIDTH, &said);
    return draw_card(&shapes, WIDTH + 2 * DRAW_PAD, y, 1, words, _("The grid of %s"), g->kernel);
}
