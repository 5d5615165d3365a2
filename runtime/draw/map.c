/* map.c: see map.h. */
#include "runtime/draw/map.h"

#include <math.h>

#include "runtime/canvas/canvas.h"

enum { COLOURS = 8, SHADES = 12, UNITS = 4 };
enum { WIDTH = 660, LEFT = 52, SPACE = 640, TALL = 520, LARGEST = 24 /* of a field */ };
#define NUMBERED 19 /* fields of this size show their number */

static uint64_t threads_of(const draw_map *m) {
    return (uint64_t)m->block[0] * m->block[1] * m->block[2];
}

static uint64_t warps_of(const draw_map *m) {
    return (threads_of(m) + 31) / 32;
}

/* Returns the number of the field's thread, warp, block or time. */
static uint64_t unit_of(const draw_map *m, const draw_field *f) {
    uint64_t threads = threads_of(m), block = f->first / threads;
    switch (m->by) {
    case DRAW_BY_THREAD:
        return f->first;
    case DRAW_BY_WARP:
        return block * warps_of(m) + f->first % threads / 32;
    case DRAW_BY_BLOCK:
        return block;
    default:
        return f->time;
    }
}

/* Returns true if other units touched it, too. For times the least is drawn. */
static bool is_mixed(const draw_map *m, const draw_field *f) {
    static const uint32_t others[] = {[DRAW_BY_THREAD] = DRAW_OTHER_THREADS,
                                      [DRAW_BY_WARP] = DRAW_OTHER_WARPS,
                                      [DRAW_BY_BLOCK] = DRAW_OTHER_BLOCKS,
                                      [DRAW_BY_TIME] = 0};
    return f->others & others[m->by];
}

/* ---- in words ------------------------------------------------------------------------------ */

static void put_unit(const draw_map *m, const draw_field *f, wb_buf *out) {
    typedef unsigned long long number;
    uint64_t threads = threads_of(m), block = f->first / threads, t = f->first % threads;
    number x = block % m->grid[0], y = block / m->grid[0] % m->grid[1],
           z = block / m->grid[0] / m->grid[1];
    switch (m->by) {
    case DRAW_BY_THREAD:
        wb_buf_printf(out, _("thread (%llu, %llu, %llu) of block (%llu, %llu, %llu)"),
                      (number)(t % m->block[0]), (number)(t / m->block[0] % m->block[1]),
                      (number)(t / m->block[0] / m->block[1]), x, y, z);
        return;
    case DRAW_BY_WARP:
        wb_buf_printf(out, _("warp %llu of block (%llu, %llu, %llu)"), (number)(t / 32), x, y, z);
        return;
    case DRAW_BY_BLOCK:
        wb_buf_printf(out, _("block (%llu, %llu, %llu)"), x, y, z);
        return;
    case DRAW_BY_TIME:
        wb_buf_printf(out, _("access %u of its warp"), f->time + 1);
        return;
    }
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Appends the area of a unit's fields: "block (0, 0, 0): rows 0 to 31, columns 0 to 31". */
static void put_place(const draw_map *m, const draw_field *of, wb_buf *out) {
    uint64_t unit = unit_of(m, of), top = UINT64_MAX, left = UINT64_MAX, bottom = 0, right = 0,
             n = 0;
    for (uint64_t k = 0; k < m->field_rows * m->field_cols; k++) {
        uint64_t row = k / m->field_cols, col = k % m->field_cols;
        if (!m->fields[k].touches || unit_of(m, &m->fields[k]) != unit)
            continue;
        top = least(top, row);
        left = least(left, col);
        bottom = row > bottom ? row : bottom;
        right = col > right ? col : right;
        n++;
    }
    bool whole = n == (bottom - top + 1) * (right - left + 1);
    wb_buf_puts(out, "  ");
    put_unit(m, of, out);
    wb_buf_printf(out,
                  whole ? _(": rows %llu to %llu, columns %llu to %llu\n")
                        : _(": some of rows %llu to %llu, columns %llu to %llu\n"),
                  (unsigned long long)(top * m->row_step),
                  (unsigned long long)(least((bottom + 1) * m->row_step, m->rows) - 1),
                  (unsigned long long)(left * m->col_step),
                  (unsigned long long)(least((right + 1) * m->col_step, m->cols) - 1));
}

/* Finds the fields of the first few units. */
static size_t first_units(const draw_map *m, const draw_field *found[UNITS]) {
    size_t n = 0;
    for (uint64_t k = 0; k < m->field_rows * m->field_cols && n < UNITS; k++) {
        bool known = !m->fields[k].touches;
        for (size_t i = 0; i < n; i++)
            known |= unit_of(m, found[i]) == unit_of(m, &m->fields[k]);
        if (!known)
            found[n++] = &m->fields[k];
    }
    return n;
}

/* Appends "256 of 512 elements were read, 300 times in all." */
static void put_touched(const draw_map *m, uint64_t touched, bool reduced, wb_buf *out) {
    char some[32], all[32], times[32];
    draw_number(touched, some);
    draw_number(m->field_rows * m->field_cols, all);
    draw_number(m->touches, times);
    if (reduced)
        wb_buf_printf(out,
                      m->of == DRAW_READS    ? _("%s of %s fields were read, %s times in all.")
                      : m->of == DRAW_WRITES ? _("%s of %s fields were written, %s times in all.")
                                             : _("%s of %s fields were touched, %s times in all."),
                      some, all, times);
    else
        wb_buf_printf(out,
                      m->of == DRAW_READS ? _("%s of %s elements were read, %s times in all.")
                      : m->of == DRAW_WRITES
                          ? _("%s of %s elements were written, %s times in all.")
                          : _("%s of %s elements were touched, %s times in all."),
                      some, all, times);
}

static void sentences(const draw_map *m, wb_buf *out) {
    uint64_t touched = 0, mixed = 0, all = m->field_rows * m->field_cols;
    bool reduced = m->row_step > 1 || m->col_step > 1;
    char number[32];
    for (uint64_t k = 0; k < all; k++) {
        touched += m->fields[k].touches > 0;
        mixed += is_mixed(m, &m->fields[k]);
    }
    if (reduced)
        wb_buf_printf(out, _("The array is reduced: a field stands for %llu × %llu elements. "),
                      (unsigned long long)m->row_step, (unsigned long long)m->col_step);
    put_touched(m, touched, reduced, out);
    if (mixed && m->by != DRAW_BY_TIME)
        wb_buf_printf(
            out,
            m->by == DRAW_BY_THREAD
                ? _(" %s of them were touched by more than one thread; the first one is shown.")
            : m->by == DRAW_BY_WARP
                ? _(" %s of them were touched by more than one warp; the first one is shown.")
                : _(" %s of them were touched by more than one block; the first one is shown."),
            draw_number(mixed, number));
    if (m->beyond)
        wb_buf_printf(out,
                      m->of == DRAW_READS ? _(" Elements after the last row were read %s times.")
                      : m->of == DRAW_WRITES
                          ? _(" Elements after the last row were written %s times.")
                          : _(" Elements after the last row were touched %s times."),
                      draw_number(m->beyond, number));
}

/* Returns "tile: b, 256 × 256, by the block that touched it". */
static char *heading_of(const draw_map *m) {
    static const char *const by[][3] = {
        [DRAW_BY_THREAD] = {N_("by the thread that read it"), N_("by the thread that wrote it"),
                            N_("by the thread that touched it")},
        [DRAW_BY_WARP] = {N_("by the warp that read it"), N_("by the warp that wrote it"),
                          N_("by the warp that touched it")},
        [DRAW_BY_BLOCK] = {N_("by the block that read it"), N_("by the block that wrote it"),
                           N_("by the block that touched it")},
        [DRAW_BY_TIME] = {N_("by when it was read"), N_("by when it was written"),
                          N_("by when it was touched")}};
    return wb_format(_("%s: %s, %llu × %llu, %s"), m->kernel, m->name, (unsigned long long)m->rows,
                     (unsigned long long)m->cols, wb_tr(by[m->by][m->of]));
}

void draw_map_words(const draw_map *m, wb_buf *out) {
    const draw_field *units[UNITS];
    size_t n = first_units(m, units);
    char *heading = heading_of(m);
    wb_buf_printf(out, "%s\n", heading ? heading : "");
    free(heading);
    sentences(m, out);
    wb_buf_putc(out, '\n');
    for (size_t k = 0; k < n; k++)
        put_place(m, units[k], out);
    if (n == UNITS)
        wb_buf_puts(out, _("  and so on\n"));
}

/* ---- as a picture -------------------------------------------------------------------------- */

/* Sets the class of a field's colour: shades for ordered units, else alternating colours. */
static void class_of(const draw_map *m, const draw_field *f, char class[16]) {
    uint64_t unit = unit_of(m, f), shade = 0;
    if (m->by == DRAW_BY_THREAD)
        shade = unit % threads_of(m) * (SHADES - 1) / (threads_of(m) > 1 ? threads_of(m) - 1 : 1);
    if (m->by == DRAW_BY_TIME)
        shade = unit * (SHADES - 1) / (m->last_time > 1 ? m->last_time - 1 : 1);
    if (m->by == DRAW_BY_BLOCK)
        unit = unit % m->grid[0] + 3 * (unit / m->grid[0] % m->grid[1]) +
               5 * (unit / m->grid[0] / m->grid[1]);
    if (!f->touches)
        snprintf(class, 16, "untouched");
    else if (m->by == DRAW_BY_THREAD || m->by == DRAW_BY_TIME)
        snprintf(class, 16, "r%llu", (unsigned long long)(shade < SHADES ? shade : SHADES - 1));
    else
        snprintf(class, 16, "c%llu", (unsigned long long)(unit % COLOURS));
}

typedef struct fields { /* their place */
    double x, y, width, height;
} fields;

static fields lay_out(const draw_map *m) {
    double size = fmin((double)SPACE / (double)m->field_cols, (double)TALL / (double)m->field_rows);
    size = size > 3 ? floor(fmin(size, LARGEST)) : size;
    return (fields){DRAW_PAD + LEFT, 0, fmax(size, 2),
                    m->field_rows == 1 ? fmax(size, 20) : fmax(size, 2)};
}

/* All fields of one colour. */
typedef struct shape {
    char class[16];
    wb_buf path;
} shape;

typedef struct shapes {
    shape shape[SHADES + COLOURS + 2];
    size_t n;
} shapes;

static wb_buf *path_of(shapes *all, const char *class) {
    size_t k = 0;
    while (k < all->n && strcmp(all->shape[k].class, class) != 0)
        k++;
    if (k == all->n && k < WB_COUNT(all->shape))
        snprintf(all->shape[all->n++].class, sizeof all->shape[0].class, "%s", class);
    return &all->shape[k < all->n ? k : 0].path;
}

/* Draws runs of fields of the same colour as one piece. */
static void put_row(shapes *out, const draw_map *m, const fields *p, uint64_t row, bool hatch) {
    const draw_field *f = m->fields + row * m->field_cols;
    double y = p->y + (double)row * p->height, gap = p->width >= 6 ? 1 : 0;
    for (uint64_t from = 0, to; from < m->field_cols; from = to) {
        char class[16], next[16];
        to = from + 1;
        class_of(m, &f[from], class);
        while (to < m->field_cols && gap == 0) {
            class_of(m, &f[to], next);
            if (hatch ? is_mixed(m, &f[to]) != is_mixed(m, &f[from]) : strcmp(next, class) != 0)
                break;
            to++;
        }
        double width = (double)(to - from) * p->width - gap;
        if (!hatch || is_mixed(m, &f[from]))
            wb_buf_printf(path_of(out, hatch ? "many" : class), "M%.4g %.4gh%.4gv%.4gh-%.4gz",
                          p->x + (double)from * p->width, y, width, p->height - gap, width);
    }
}

static void put_fields(wb_buf *out, const draw_map *m, const fields *p) {
    shapes all = {.n = 0};
    for (int hatch = 0; hatch < 2; hatch++) /* hatching last, above all others */
        for (uint64_t row = 0; row < m->field_rows; row++)
            put_row(&all, m, p, row, hatch);
    for (size_t k = 0; k < all.n; k++) {
        wb_buf_printf(out, "<path class=\"%s\" shape-rendering=\"crispEdges\" d=\"%s\"/>\n",
                      all.shape[k].class, all.shape[k].path.data ? all.shape[k].path.data : "");
        out->failed |= all.shape[k].path.failed;
        wb_buf_free(&all.shape[k].path);
    }
}

/* Returns how many fields from k on, `step` apart, are of k's unit, up to the end of the row or
 * column: `left` fields are there at most. */
static uint64_t run_of(const draw_map *m, uint64_t k, uint64_t step, uint64_t left) {
    uint64_t n = m->fields[k].touches > 0, unit = unit_of(m, &m->fields[k]);
    left = n ? left : 0;
    while (n < left && m->fields[k + n * step].touches &&
           unit_of(m, &m->fields[k + n * step]) == unit)
        n++;
    return n;
}

/* Each field bears its number, or, if fields are small, each area that has room for it. */
static void put_numbers(wb_buf *out, const draw_map *m, const fields *p) {
    uint64_t wide = m->field_cols, tall = m->field_rows, cols = 1, rows = 1;
    for (uint64_t k = 0; k < tall * wide; k++) {
        const draw_field *f = &m->fields[k];
        uint64_t unit = unit_of(m, f), row = k / wide, col = k % wide;
        bool small = p->width < NUMBERED;
        if (!f->touches || (small && ((col && run_of(m, k - 1, 1, 2) == 2) ||
                                      (row && run_of(m, k - wide, wide, 2) == 2))))
            continue;
        if (small) {
            cols = run_of(m, k, 1, wide - col);
            rows = run_of(m, k, wide, tall - row);
        }
        if (m->by == DRAW_BY_THREAD)
            unit %= threads_of(m);
        if (m->by == DRAW_BY_TIME)
            unit++;
        if (unit < 1000 && (double)cols * p->width >= NUMBERED && (double)rows * p->height >= 9)
            draw_textf(out, "s ink", "middle",
                       p->x + ((double)col + 0.5 * (double)cols) * p->width - 0.5,
                       p->y + ((double)row + 0.5 * (double)rows) * p->height + 2.5, "%llu",
                       (unsigned long long)unit);
    }
}

static void put_axes(wb_buf *out, const draw_map *m, const fields *p) {
    double right = p->x + (double)m->field_cols * p->width;
    double bottom = p->y + (double)m->field_rows * p->height;
    draw_text(out, "n quiet", "end", p->x - 6, p->y + 9, _("row 0"));
    if (m->field_rows > 1)
        draw_textf(out, "n quiet", "end", p->x - 6, bottom - 2, "%llu",
                   (unsigned long long)(m->rows - 1));
    draw_text(out, "n quiet", "start", p->x, p->y - 5, _("column 0"));
    if (m->field_cols > 1 && right - p->x > 110)
        draw_textf(out, "n quiet", "end", right, p->y - 5, "%llu",
                   (unsigned long long)(m->cols - 1));
}

static void put_legend(wb_buf *out, const draw_map *m, double y) {
    double x = DRAW_PAD;
    bool shades = m->by == DRAW_BY_THREAD || m->by == DRAW_BY_TIME;
    char class[8];
    for (int k = 0; k < (shades ? SHADES : COLOURS); k++, x += 12) {
        snprintf(class, sizeof class, shades ? "r%d" : "c%d", k);
        draw_rect(out, class, x, y - 10, 12, 12);
    }
    char *word =
        m->by == DRAW_BY_TIME && m->last_time < 2 ? wb_format(_("the warp's first access"))
        : m->by == DRAW_BY_TIME
            ? wb_format(_("the warp's access 1 to %llu"), (unsigned long long)m->last_time)
        : m->by == DRAW_BY_THREAD
            ? wb_format(_("thread 0 to %llu of its block"), (unsigned long long)(threads_of(m) - 1))
        : m->by == DRAW_BY_WARP ? wb_format(_("one colour for each warp; eight colours repeat"))
                                : wb_format(_("one colour for each block; eight colours repeat"));
    draw_text(out, "quiet", "start", x + 6, y, word ? word : "");
    x += 6 + draw_width(word ? word : "") + 14;
    free(word);
    if (m->by != DRAW_BY_TIME) {
        draw_rect(out, "c7", x, y - 10, 12, 12);
        x = draw_key(out, "many", x, y, _("others, too"));
    }
    draw_key(out, "untouched", x, y, _("nobody"));
}

char *draw_map_svg(const draw_map *m, const char *words) {
    wb_buf drawn = {0}, said = {0};
    fields p = lay_out(m);
    double y = DRAW_PAD + 14, width = fmax(WIDTH, p.x + (double)m->field_cols * p.width - DRAW_PAD);
    char *heading = heading_of(m);
    draw_text(&drawn, "title", "start", DRAW_PAD, y, heading ? heading : "");
    free(heading);
    put_legend(&drawn, m, y += 26);
    p.y = y + 26;
    put_axes(&drawn, m, &p);
    put_fields(&drawn, m, &p);
    put_numbers(&drawn, m, &p);
    sentences(m, &said);
    y = draw_said(&drawn, "words", DRAW_PAD, p.y + (double)m->field_rows * p.height + 22, width,
                  &said);
    return draw_card(&drawn, width + 2 * DRAW_PAD, y, 1, words,
                     m->of == DRAW_READS    ? _("Who read %s")
                     : m->of == DRAW_WRITES ? _("Who wrote %s")
                                            : _("Who touched %s"),
                     m->name);
}
