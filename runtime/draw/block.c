/* block.c: see block.h. A warp's row has one column for each pixel, coloured by the state with most
 * of its clocks. */
#include "runtime/draw/block.h"

#include "runtime/canvas/canvas.h"

enum { MOST_WARPS = 32, COLUMNS = 720, LEFT = 62, ROW = 22, TRACK = 13, STRIP = 4, TOLD = 8 };

static const struct {
    const char *class, *words;
} doings[DRAW_DOINGS] = {[DRAW_IN_FLIGHT] = {"c2", N_("a load on its way")},
                         [DRAW_WORKS] = {"lane", N_("begins instructions")},
                         [DRAW_ARITHMETIC] = {"c4", N_("waits for a result")},
                         [DRAW_LOAD] = {"wasted", N_("waits for a load")},
                         [DRAW_SHARED] = {"c3", N_("waits for shared memory")},
                         [DRAW_ATOMIC] = {"c5", N_("waits for an atomic operation")},
                         [DRAW_BARRIER] = {"c7", N_("waits at a barrier")},
                         [DRAW_SLEEP] = {"untouched", N_("sleeps")},
                         [DRAW_OTHER_BLOCK] = {"c6", N_("waits for another block")}};

typedef struct sums { /* clocks */
    uint64_t all, of[DRAW_DOINGS];
} sums;

static uint32_t end_of(const draw_block *b) {
    uint32_t end = 1;
    for (size_t k = 0; k < b->n; k++)
        if (b->spans[k].what != DRAW_IN_FLIGHT && b->spans[k].to > end)
            end = b->spans[k].to;
    return end;
}

/* Sums over a warp, or all (UINT32_MAX). Overlapping loads count once. */
static sums sums_of(const draw_block *b, uint32_t warp) {
    sums s = {0};
    uint32_t end = 0, of = UINT32_MAX;
    for (size_t k = 0; k < b->n; k++) {
        const draw_span *p = &b->spans[k];
        if (warp != UINT32_MAX && p->warp != warp)
            continue;
        if (p->warp != of)
            end = 0;
        of = p->warp;
        uint32_t from = p->what == DRAW_IN_FLIGHT && p->from < end ? end : p->from;
        if (p->to <= from)
            continue;
        s.of[p->what] += p->to - from;
        s.all += p->what == DRAW_IN_FLIGHT ? 0 : p->to - p->from;
        if (p->what == DRAW_IN_FLIGHT)
            end = p->to;
    }
    return s;
}

/* Appends "waits for a load 63 %, at a barrier 20 %": states of at least 1 %, largest first. */
static void put_shares(const sums *s, wb_buf *out) {
    bool told[DRAW_DOINGS] = {false};
    for (int n = 0; n < DRAW_DOINGS; n++) {
        int most = 0;
        for (int k = DRAW_WORKS; k < DRAW_DOINGS; k++)
            if (!told[k] && (!most || s->of[k] > s->of[most]))
                most = k;
        if (!most || s->of[most] * 100 < s->all)
            break;
        told[most] = true;
        wb_buf_printf(out, "%s%s %.0f %%", n ? ", " : "", wb_tr(doings[most].words),
                      100.0 * (double)s->of[most] / (double)s->all);
    }
}

/* Appends the line and the reason with the longest waits. */
static void put_worst(const draw_block *b, uint64_t all, wb_buf *out) {
    uint64_t most = 0;
    const draw_span *worst = NULL;
    for (size_t k = 0; k < b->n && b->n < 20000; k++) {
        uint64_t sum = 0;
        const draw_span *p = &b->spans[k];
        bool again = p->line == 0 || p->what <= DRAW_WORKS;
        for (size_t i = 0; i < k && !again; i++)
            again = b->spans[i].line == p->line && b->spans[i].what == p->what;
        for (size_t i = k; i < b->n && !again; i++)
            if (b->spans[i].line == p->line && b->spans[i].what == p->what)
                sum += b->spans[i].to - b->spans[i].from;
        if (sum > most) {
            most = sum;
            worst = p;
        }
    }
    if (worst && most * 20 > all)
        wb_buf_printf(out, _(" Line %u causes most of the waiting: %s %.0f %%."), worst->line,
                      wb_tr(doings[worst->what].words), 100.0 * (double)most / (double)all);
}

static void sentences(const draw_block *b, wb_buf *out) {
    sums s = sums_of(b, UINT32_MAX);
    char number[32];
    wb_buf shares = {0};
    put_shares(&s, &shares);
    wb_buf_printf(
        out,
        _("%s clocks on an %s, as modelled, with empty caches and no other work. Its warps "
          "spent their time on: %s."),
        draw_number(end_of(b), number), b->gpu, shares.data ? shares.data : "");
    wb_buf_free(&shares);
    put_worst(b, s.all, out);
    if (b->left_out)
        wb_buf_printf(out, _(" %s more spans were not kept, so the end is missing."),
                      draw_number(b->left_out, number));
}

void draw_block_words(const draw_block *b, wb_buf *out) {
    wb_buf_printf(out, _("%s, block (%u, %u, %u): its %u warp%s over time\n"), b->kernel,
                  b->block[0], b->block[1], b->block[2], b->warps, b->warps == 1 ? "" : "s");
    sentences(b, out);
    wb_buf_putc(out, '\n');
    for (uint32_t w = 0; w < b->warps && w < TOLD; w++) {
        sums s = sums_of(b, w);
        if (!s.all)
            continue;
        wb_buf_printf(out, _("  warp %u: "), w);
        put_shares(&s, out);
        wb_buf_putc(out, '\n');
    }
    if (b->warps > TOLD)
        wb_buf_printf(out, _("  ... and %u more\n"), b->warps - TOLD);
}

/* ---- as a picture -------------------------------------------------------------------------- */

/* Finds the main state of each column of a warp's row (0: none), and where a load was in flight. */
static void lay_row(const draw_block *b, uint32_t warp, uint32_t end, uint8_t what[COLUMNS],
                    bool flies[COLUMNS]) {
    static double took[COLUMNS][DRAW_DOINGS];
    double scale = (double)COLUMNS / end;
    memset(took, 0, sizeof took);
    for (size_t k = 0; k < b->n; k++) {
        const draw_span *p = &b->spans[k];
        double from = p->from * scale, to = p->to * scale;
        for (int c = (int)from; p->warp == warp && c < COLUMNS && c < to; c++)
            took[c][p->what] += (to < c + 1 ? to : c + 1) - (from > c ? from : c);
    }
    for (int c = 0; c < COLUMNS; c++) {
        what[c] = 0;
        flies[c] = took[c][DRAW_IN_FLIGHT] > 0.5;
        for (uint8_t k = DRAW_WORKS; k < DRAW_DOINGS; k++)
            if (took[c][k] > (what[c] ? took[c][what[c]] : 0))
                what[c] = k;
    }
}

static void put_row(wb_buf *out, const draw_block *b, uint32_t warp, uint32_t end, double y) {
    uint8_t what[COLUMNS];
    bool flies[COLUMNS];
    double x = DRAW_PAD + LEFT;
    lay_row(b, warp, end, what, flies);
    draw_textf(out, "n quiet", "end", x - 8, y + 11, _("warp %u"), warp);
    for (int from = 0, to; from < COLUMNS; from = to) {
        for (to = from + 1; to < COLUMNS && what[to] == what[from];)
            to++;
        if (!what[from])
            continue;
        draw_rect(out, doings[what[from]].class, x + from, y, to - from, TRACK);
        if (what[from] == DRAW_BARRIER)
            draw_rect(out, "many", x + from, y, to - from, TRACK);
    }
    for (int from = 0, to; from < COLUMNS; from = to) {
        for (to = from + 1; to < COLUMNS && flies[to] == flies[from];)
            to++;
        if (flies[from])
            draw_rect(out, doings[DRAW_IN_FLIGHT].class, x + from, y + TRACK + 1, to - from, STRIP);
    }
}

/* Returns a round step that divides all clocks into five to ten parts. */
static uint32_t step_of(uint32_t end) {
    uint32_t step = 1;
    while (end / step > 10)
        step *= end / step > 20 && end / step <= 50 ? 5 : end / step > 50 ? 10 : 2;
    return step;
}

static void put_axis(wb_buf *out, uint32_t end, double top, double bottom) {
    char number[32];
    for (uint32_t at = 0, step = step_of(end); at <= end; at += step) {
        double x = DRAW_PAD + LEFT + (double)at / end * COLUMNS;
        draw_line(out, "thin", x, top, x, bottom);
        draw_text(out, "n quiet", "middle", x, bottom + 14, draw_number(at, number));
    }
    draw_text(out, "quiet", "end", DRAW_PAD + LEFT - 8, bottom + 14, _("clock"));
}

/* Draws keys for the states that occur. Returns the y below them. */
static double put_legend(wb_buf *out, const draw_block *b, double y) {
    sums s = sums_of(b, UINT32_MAX);
    double x = DRAW_PAD;
    for (int k = DRAW_WORKS; k <= DRAW_DOINGS; k++) {
        int what = k == DRAW_DOINGS ? DRAW_IN_FLIGHT : k; /* last, because its mark differs */
        if (!s.of[what])
            continue;
        if (x + 17 + draw_width(wb_tr(doings[what].words)) > DRAW_PAD + LEFT + COLUMNS) {
            x = DRAW_PAD;
            y += 18;
        }
        double end = draw_key(out, doings[what].class, x, y, wb_tr(doings[what].words));
        if (what == DRAW_BARRIER)
            draw_rect(out, "many", x, y - 10, 12, 12);
        x = end;
    }
    return y;
}

char *draw_block_svg(const draw_block *b, const char *words) {
    wb_buf shapes = {0}, said = {0};
    uint32_t end = end_of(b), warps = b->warps < MOST_WARPS ? b->warps : MOST_WARPS;
    double y = DRAW_PAD + 14, width = LEFT + COLUMNS;
    draw_textf(&shapes, "title", "start", DRAW_PAD, y, _("%s, block (%u, %u, %u) over time"),
               b->kernel, b->block[0], b->block[1], b->block[2]);
    y = put_legend(&shapes, b, y + 26) + 16;
    put_axis(&shapes, end, y, y + warps * ROW);
    for (uint32_t w = 0; w < warps; w++)
        put_row(&shapes, b, w, end, y + w * ROW + 2);
    sentences(b, &said);
    y = draw_said(&shapes, "words", DRAW_PAD, y + warps * ROW + 38, width, &said);
    return draw_card(&shapes, width + 2 * DRAW_PAD + 10, y, 1, words, _("A block of %s in time"),
                     b->kernel);
}
