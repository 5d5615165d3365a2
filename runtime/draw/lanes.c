/* lanes.c: see lanes.h. Repeated steps are drawn once. */
#include "runtime/draw/lanes.h"

#include "runtime/canvas/canvas.h"

enum { LANES = 32, MOST_ROWS = 80, LONGEST_TURN = 40 /* steps in a loop's iteration */ };
enum { CELL = 13, ROW = 17, PLACE = 58, SOURCE = 260, BEHIND = 110 };

typedef struct row {
    const draw_step *step;
    uint32_t turn, times; /* in a first row: this many rows repeat so often */
} row;

typedef struct rows {
    row row[MOST_ROWS];
    size_t n, left; /* steps without a row */
} rows;

static bool same(const draw_step *a, const draw_step *b) {
    return a->mask == b->mask && a->instructions == b->instructions &&
           strcmp(a->place, b->place) == 0;
}

/* Returns how often the `turn` steps at `at` repeat. */
static size_t times_of(const draw_lanes *l, size_t at, size_t turn) {
    size_t end = at + turn;
    while (end < l->n && same(&l->steps[end], &l->steps[end - turn]))
        end++;
    return (end - at) / turn;
}

static void lay_out(const draw_lanes *l, rows *r) {
    *r = (rows){.n = 0};
    for (size_t at = 0; at < l->n;) {
        size_t turn = 1, times = 1;
        for (size_t t = 1; t <= LONGEST_TURN && at + t <= l->n; t++) {
            size_t n = times_of(l, at, t);
            if (n > 1 && t * (n - 1) > turn * (times - 1)) {
                turn = t;
                times = n;
            }
        }
        if (r->n + turn > MOST_ROWS) {
            r->left = l->n - at;
            return;
        }
        for (size_t k = 0; k < turn; k++)
            r->row[r->n++] = (row){.step = &l->steps[at + k]};
        r->row[r->n - turn].turn = (uint32_t)turn;
        r->row[r->n - turn].times = (uint32_t)times;
        at += turn * times;
    }
}

/* Appends the average of active lanes, and the share of instructions with all of them. */
static void sentence(const draw_lanes *l, wb_buf *out) {
    uint64_t all = 0, lanes = 0, whole = 0;
    char number[32];
    for (size_t k = 0; k < l->n; k++) {
        uint32_t n = l->steps[k].instructions, on = (uint32_t)__builtin_popcount(l->steps[k].mask);
        all += n;
        lanes += (uint64_t)n * on;
        whole += on == LANES ? n : 0;
    }
    if (all == 0)
        return;
    wb_buf_printf(
        out,
        _("On average over its %s instructions, %.3g of 32 lanes were active; all of them "
          "in %.3g %%."),
        draw_number(all, number), (double)lanes / (double)all, 100.0 * (double)whole / (double)all);
    if (l->left_out)
        wb_buf_printf(out, _(" %s more steps were not kept."), draw_number(l->left_out, number));
}

void draw_lanes_words(const draw_lanes *l, wb_buf *out) {
    rows r;
    lay_out(l, &r);
    wb_buf_printf(out, _("%s, block (%u, %u, %u), warp %u: its lanes, line by line\n"), l->kernel,
                  l->block[0], l->block[1], l->block[2], l->warp);
    sentence(l, out);
    wb_buf_putc(out, '\n');
    for (size_t k = 0, end = 0; k < r.n; k++) {
        const draw_step *s = r.row[k].step;
        char lanes[LANES + 1] = {0};
        for (int i = 0; i < LANES; i++)
            lanes[i] = s->mask >> i & 1 ? '#' : (uint32_t)i < l->lanes ? '.' : ' ';
        if (r.row[k].times > 1) {
            wb_buf_printf(out, _("  %u times:\n"), r.row[k].times);
            end = k + r.row[k].turn;
        }
        wb_buf_printf(out, "  %s%-8s %s %s\n", k < end ? "  " : "", s->place, lanes,
                      s->source ? s->source : "");
    }
    if (r.left)
        wb_buf_printf(out, _("  ... and %zu more\n"), r.left);
}

static double lanes_at(void) {
    return DRAW_PAD + PLACE + SOURCE;
}

static void put_row(wb_buf *out, const draw_lanes *l, const draw_step *s, double y) {
    char *source = s->source ? draw_cut(s->source, SOURCE - 10) : NULL;
    draw_text(out, "n quiet", "start", DRAW_PAD, y + 12, s->place);
    draw_text(out, "code", "start", DRAW_PAD + PLACE, y + 12, source ? source : "");
    for (uint32_t i = 0; i < LANES; i++) {
        bool on = s->mask >> i & 1;
        if (on || i < l->lanes)
            draw_rect(out, on ? "lane" : "untouched", lanes_at() + i * CELL + 0.5, y + 1,
                      CELL - 1.5, ROW - 3);
    }
    if (s->instructions)
        draw_textf(out, "n quiet", "end", lanes_at() + LANES * CELL + 40, y + 12, "%u",
                   s->instructions);
    else
        draw_text(out, "n quiet", "end", lanes_at() + LANES * CELL + 40, y + 12,
                  "if"); /* C's own word */
    free(source);
}

static void put_turns(wb_buf *out, const row *r, double y) {
    double x = lanes_at() + LANES * CELL + 50, bottom = y + r->turn * ROW - 2;
    if (r->times < 2)
        return;
    wb_buf_printf(out, "<path class=\"frame\" d=\"M%.1f %.1fh6V%.1fh-6\"/>\n", x, y + 1, bottom);
    draw_textf(out, "head", "start", x + 12, (y + bottom) / 2 + 5, "× %u", r->times);
}

static double put_head(wb_buf *out, const draw_lanes *l, double y) {
    draw_textf(out, "title", "start", DRAW_PAD, y + 14, _("%s, block (%u, %u, %u), warp %u"),
               l->kernel, l->block[0], l->block[1], l->block[2], l->warp);
    y += 36;
    double x = draw_key(out, "lane", DRAW_PAD, y, _("a lane that is on"));
    draw_key(out, "untouched", x, y, _("one that waits, or has ended"));
    y += 22;
    draw_text(out, "quiet", "end", lanes_at() - 8, y, _("lane"));
    draw_text(out, "quiet", "start", lanes_at() + LANES * CELL + 8, y, _("instructions"));
    for (uint32_t i = 0; i < LANES; i += 4)
        draw_textf(out, "n quiet", "middle", lanes_at() + (i + 0.5) * CELL, y, "%u", i);
    return y + 6;
}

char *draw_lanes_svg(const draw_lanes *l, const char *words) {
    wb_buf shapes = {0}, said = {0};
    rows r;
    lay_out(l, &r);
    double y = put_head(&shapes, l, DRAW_PAD), width = lanes_at() + LANES * CELL + BEHIND;
    for (size_t k = 0; k < r.n; k++, y += ROW) {
        put_turns(&shapes, &r.row[k], y);
        put_row(&shapes, l, r.row[k].step, y);
    }
    if (r.left) {
        draw_textf(&shapes, "quiet", "start", DRAW_PAD, y + 14, _("and %zu more steps"), r.left);
        y += ROW;
    }
    sentence(l, &said);
    y = draw_said(&shapes, "words", DRAW_PAD, y + 20, width - 2 * DRAW_PAD, &said);
    return draw_card(&shapes, width, y, 1, words, _("The lanes of a warp of %s"), l->kernel);
}
