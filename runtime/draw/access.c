/* access.c: see access.h. */
#include "runtime/draw/access.h"

#include "runtime/base/scoped.h"
#include "runtime/canvas/canvas.h"

enum {
    LANES = 32,
    LINE = 128,                /* bytes */
    SECTOR = 32,               /* bytes */
    MOST_ROWS = 64,            /* of one request: each lane may need two lines */
    SHOWN_ROWS = 34,           /* of these in a picture */
    LABELS = 84,               /* width left of the rows */
    CELL = 20,                 /* a lane's width */
    ROW = 18,                  /* a row's height */
    RIGHT = DRAW_PAD + LABELS, /* of the labels */
    WIDTH = LABELS + LANES * CELL
};

typedef struct row { /* a line of 128 bytes, or a pass over the 32 banks */
    uint64_t line;
    uint8_t first[LINE]; /* by byte: 1 + the first lane that requests it; 0: none */
    uint8_t lanes[LINE]; /* how many lanes do */
} row;

typedef struct rows {
    row row[MOST_ROWS];
    uint32_t n;
} rows;

/* ---- what is moved ------------------------------------------------------------------------- */

static row *line_of(rows *r, uint64_t line) {
    uint32_t k = 0;
    while (k < r->n && r->row[k].line < line)
        k++;
    if (k < r->n && r->row[k].line == line)
        return &r->row[k];
    memmove(&r->row[k + 1], &r->row[k], (r->n - k) * sizeof r->row[0]);
    r->row[k] = (row){.line = line};
    r->n++;
    return &r->row[k];
}

static void take(row *r, uint32_t byte, uint32_t bytes, uint32_t lane) {
    for (uint32_t k = byte; k < byte + bytes && k < LINE; k++) {
        if (!r->lanes[k]++)
            r->first[k] = (uint8_t)(lane + 1);
    }
}

static void lay_lines(const draw_access *a, rows *r) {
    for (uint32_t i = 0; i < LANES; i++)
        for (uint64_t at = a->at[i], end = at + a->bytes; a->mask >> i & 1 && at < end;) {
            uint64_t behind = (at / LINE + 1) * LINE;
            uint32_t bytes = (uint32_t)((behind < end ? behind : end) - at);
            take(line_of(r, at / LINE), (uint32_t)(at % LINE), bytes, i);
            at += bytes;
        }
}

/* Returns how many lanes are served together: all, half for 8 bytes each, a quarter for 16. */
static uint32_t group_of(const draw_access *a) {
    return a->bytes <= 4 ? 32 : a->bytes <= 8 ? 16 : 8;
}

/* Computes the passes for lanes first .. first + group - 1. A pass serves one word of each bank to
 * all lanes that want it; for atomic operations one lane of each bank. */
static void lay_passes(const draw_access *a, uint32_t first, uint32_t group, rows *r) {
    uint64_t words[LANES][LANES];
    uint32_t n[LANES] = {0}, begin = r->n, each = a->bytes < 4 ? 1 : a->bytes / 4;
    bool atomic = strcmp(a->kind, "atomic") == 0;
    for (uint32_t i = first; i < first + group; i++) {
        for (uint32_t k = 0; a->mask >> i & 1 && k < each; k++) {
            uint64_t word = a->at[i] / 4 + k;
            uint32_t bank = word % LANES, pass = 0;
            while (pass < n[bank] && (atomic || words[bank][pass] != word))
                pass++;
            if (pass == n[bank])
                words[bank][n[bank]++] = word;
            while (r->n <= begin + pass && r->n < MOST_ROWS)
                r->row[r->n++] = (row){.line = 0};
            if (begin + pass < MOST_ROWS)
                take(&r->row[begin + pass], bank * 4, 4, i);
        }
    }
}

static void lay_out(const draw_access *a, rows *r) {
    r->n = 0;
    if (!a->shared) {
        lay_lines(a, r);
        return;
    }
    for (uint32_t first = 0, group = group_of(a); first < LANES; first += group)
        lay_passes(a, first, group, r);
}

static bool touched(const row *r, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++)
        if (r->lanes[k])
            return true;
    return false;
}

static bool used_up(const row *r, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++)
        if (!r->lanes[k])
            return false;
    return true;
}

static uint32_t moved_of(const draw_access *a, const rows *r) {
    uint32_t sectors = 0;
    for (uint32_t k = 0; k < r->n; k++)
        for (uint32_t s = 0; s < LINE; s += SECTOR)
            sectors += touched(&r->row[k], s, s + SECTOR);
    return a->shared ? r->n : sectors;
}

uint32_t draw_access_moved(const draw_access *a) {
    rows r;
    lay_out(a, &r);
    return moved_of(a, &r);
}

uint32_t draw_access_used(const draw_access *a) {
    rows r = {.n = 0};
    uint32_t used = 0;
    lay_lines(a, &r);
    for (uint32_t k = 0; k < r.n; k++)
        for (uint32_t b = 0; b < LINE; b++)
            used += r.row[k].lanes[b] > 0;
    return used;
}

/* ---- in words ------------------------------------------------------------------------------ */

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

static bool is_kind(const draw_access *a, const char *kind) {
    return strcmp(a->kind, kind) == 0;
}

/* Returns the passes without bank conflicts. */
static uint32_t least_passes(const draw_access *a) {
    uint32_t group = group_of(a), n = 0;
    for (uint32_t first = 0; first < LANES; first += group)
        n += (a->mask >> first & (group == 32 ? 0xffffffffu : (1u << group) - 1)) != 0;
    return n;
}

/* Appends what the lanes did: "32 lanes asked for 512 bytes (128 different)". */
static void put_wish(const draw_access *a, wb_buf *out) {
    uint32_t lanes = (uint32_t)__builtin_popcount(a->mask), used = draw_access_used(a);
    char all[32], different[32];
    draw_number((uint64_t)lanes * a->bytes, all);
    wb_buf_printf(out,
                  is_kind(a, "load")    ? _("%u lane%s asked for %s byte%s")
                  : is_kind(a, "store") ? _("%u lane%s wrote %s byte%s")
                                        : _("%u lane%s changed %s byte%s"),
                  lanes, plural(lanes), all, plural((uint64_t)lanes * a->bytes));
    if (used < lanes * a->bytes)
        wb_buf_printf(out, _(" (%s different)"), draw_number(used, different));
}

static void shared_sentence(const draw_access *a, wb_buf *out) {
    rows r;
    bool bank[LANES] = {false};
    uint32_t banks = 0;
    lay_out(a, &r);
    for (uint32_t k = 0; k < r.n; k++)
        for (uint32_t b = 0; b < LANES; b++)
            bank[b] |= touched(&r.row[k], 4 * b, 4 * b + 4);
    for (uint32_t b = 0; b < LANES; b++)
        banks += bank[b];
    put_wish(a, out);
    wb_buf_printf(out, _(" in %u of 32 banks: %u pass%s"), banks, a->moved,
                  a->moved == 1 ? "" : "es");
    if (a->moved > least_passes(a))
        wb_buf_printf(out, _(", where %u would do."), least_passes(a));
    else
        wb_buf_puts(out, _(", no conflict."));
}

/* Appends "32 lanes asked for 128 bytes, 32 sectors (1,024 bytes) were moved: 12.5 %." The
 * percentage is of different bytes. */
static void draw_access_sentence(const draw_access *a, wb_buf *out) {
    char number[32];
    if (a->shared) {
        shared_sentence(a, out);
        return;
    }
    put_wish(a, out);
    draw_number((uint64_t)a->moved * SECTOR, number);
    wb_buf_printf(out,
                  a->moved == 1 ? _(", %u sector (%s bytes) was moved: %.3g %%.")
                                : _(", %u sectors (%s bytes) were moved: %.3g %%."),
                  a->moved, number, 100.0 * draw_access_used(a) / (a->moved * SECTOR));
}

/* Appends the pattern of the lanes' addresses, if one sentence can say it. */
static void pattern(const draw_access *a, wb_buf *out) {
    uint32_t first = (uint32_t)__builtin_ctz(a->mask), second = first + 1;
    char number[32];
    while (second < LANES && !(a->mask >> second & 1))
        second++;
    if (second == LANES)
        return;
    int64_t step = (int64_t)(a->at[second] - a->at[first]) / (int64_t)(second - first);
    for (uint32_t i = first; i < LANES; i++)
        if (a->mask >> i & 1 &&
            a->at[i] != a->at[first] + (uint64_t)(step * (int64_t)(i - first))) {
            wb_buf_puts(out, _(" The lanes' addresses do not rise by the same step."));
            return;
        }
    if (step == 0)
        wb_buf_puts(out, _(" All lanes use the same address."));
    else if (step == (int64_t)a->bytes)
        wb_buf_puts(out, _(" Each lane's address follows the previous lane's."));
    else
        wb_buf_printf(out,
                      step < 0 ? _(" Each lane's address is %s bytes below the previous lane's.")
                               : _(" Each lane's address is %s bytes above the previous lane's."),
                      draw_number((uint64_t)(step < 0 ? -step : step), number));
}

static void totals(const draw_access *a, wb_buf *out) {
    char times[32], moved[32];
    if (a->times == 1)
        return;
    draw_number(a->times, times);
    draw_number(a->all_moved, moved);
    if (a->shared)
        wb_buf_printf(out, _(" Over all %s executions by this warp: %s passes."), times, moved);
    else
        wb_buf_printf(
            out,
            _(" Over all %s executions by this warp: %s sectors, %.3g %% of their bytes used."),
            times, moved, 100.0 * (double)a->all_used / ((double)a->all_moved * SECTOR));
}

static const char *kind_words(const draw_access *a) {
    if (is_kind(a, "load"))
        return a->shared ? _("load from shared memory") : _("load from global memory");
    if (is_kind(a, "store"))
        return a->shared ? _("store to shared memory") : _("store to global memory");
    return a->shared ? _("atomic operation on shared memory")
                     : _("atomic operation on global memory");
}

/* Returns "store to shared memory (tile): cell [3], line 5, time 2 of 16". */
static char *headline(const draw_access *a) {
    char number[2][32], *head;
    WB_SCOPED char *what =
        a->array ? wb_format(_("%s (%s)"), kind_words(a), a->array) : strdup(kind_words(a));
    draw_number(a->time, number[0]);
    draw_number(a->times, number[1]);
    if (a->times > 1)
        head =
            wb_format(_("%s: %s, time %s of %s"), what ? what : "", a->place, number[0], number[1]);
    else
        head = wb_format(_("%s: %s"), what ? what : "", a->place);
    return head;
}

static uint64_t least_address(const draw_access *a) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < LANES; i++)
        if (a->mask >> i & 1 && a->at[i] < least)
            least = a->at[i];
    return least;
}

/* Returns the address from which the rows' labels count. */
static uint64_t zero_of(const draw_access *a) {
    return a->base ? a->base : least_address(a) / LINE * LINE;
}

/* Writes "+4,096". A line may begin before an unaligned array. */
static const char *row_label(const draw_access *a, const rows *r, uint32_t k, char text[64]) {
    char number[32];
    uint64_t at = r->row[k].line * LINE, zero = zero_of(a);
    if (a->shared)
        snprintf(text, 64, _("pass %u"), k + 1);
    else
        snprintf(text, 64, "%s%s", at < zero ? "−" : "+",
                 draw_number(at < zero ? zero - at : at - zero, number));
    return text;
}

/* Appends a row's lanes: "0-7, 12". */
static void put_lanes(const row *r, wb_buf *out) {
    uint32_t mask = 0;
    for (uint32_t b = 0; b < LINE; b++)
        mask |= r->first[b] ? 1u << (r->first[b] - 1) : 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t last = i;
        if (!(mask >> i & 1))
            continue;
        while (last + 1 < LANES && mask >> (last + 1) & 1)
            last++;
        wb_buf_printf(out, last > i ? "%s%u-%u" : "%s%u", mask & ((1u << i) - 1) ? ", " : "", i,
                      last);
        i = last;
    }
}

static void put_rows(const draw_access *a, wb_buf *out) {
    enum { MOST = 4 };
    rows r;
    char text[64];
    lay_out(a, &r);
    for (uint32_t k = 0; k < r.n && k < MOST; k++) {
        uint32_t sectors = 0;
        wb_buf lanes = {0};
        put_lanes(&r.row[k], &lanes);
        if (!lanes.data)
            return;
        for (uint32_t s = 0; s < LINE; s += SECTOR)
            sectors += touched(&r.row[k], s, s + SECTOR);
        row_label(a, &r, k, text);
        if (a->shared)
            wb_buf_printf(out, strpbrk(lanes.data, "-,") ? _("  %s: lanes %s") : _("  %s: lane %s"),
                          text, lanes.data);
        else
            wb_buf_printf(out,
                          strpbrk(lanes.data, "-,") ? _("  line %s: %u sector%s, lanes %s")
                                                    : _("  line %s: %u sector%s, lane %s"),
                          text, sectors, plural(sectors), lanes.data);
        wb_buf_free(&lanes);
        wb_buf_putc(out, '\n');
    }
    if (r.n > MOST)
        wb_buf_printf(out, _("  ... and %u more\n"), r.n - MOST);
}

void draw_access_words(const draw_access *a, wb_buf *out) {
    WB_SCOPED char *head = headline(a);
    if (a->heading)
        wb_buf_printf(out, _("%s: "), a->heading);
    if (a->kernel)
        wb_buf_printf(out, _("%s, block (%u, %u, %u), warp %u: "), a->kernel, a->block[0],
                      a->block[1], a->block[2], a->warp);
    wb_buf_printf(out, "%s\n", head ? head : "");
    if (a->source)
        wb_buf_printf(out, "    %s\n", a->source);
    draw_access_sentence(a, out);
    pattern(a, out);
    totals(a, out);
    wb_buf_putc(out, '\n');
    put_rows(a, out);
}

/* ---- as a picture -------------------------------------------------------------------------- */

static void put_lane_row(wb_buf *out, const draw_access *a, double y) {
    draw_text(out, "quiet", "end", RIGHT - 8, y + ROW - 5, _("lane"));
    for (uint32_t i = 0; i < LANES; i++) {
        bool on = a->mask >> i & 1;
        double x = RIGHT + i * CELL;
        draw_rect(out, on ? "lane" : "off", x + 0.75, y, CELL - 1.5, ROW - 2);
        draw_textf(out, on ? "n on" : "n quiet", "middle", x + CELL / 2.0, y + ROW - 6, "%u", i);
    }
}

/* Draws the requested bytes of a row, in runs of the same lane. */
static void put_used(wb_buf *out, const row *r, double y) {
    const double byte = CELL / 4.0;
    for (uint32_t from = 0, to; from < LINE; from = to) {
        to = from + 1;
        while (to < LINE && r->first[to] == r->first[from] && r->lanes[to] == r->lanes[from])
            to++;
        if (!r->lanes[from])
            continue;
        double x = RIGHT + from * byte, width = (to - from) * byte;
        draw_rect(out, "used", x + 0.5, y + 1, width - 1 > 0.5 ? width - 1 : width, ROW - 4);
        if (width >= CELL && r->lanes[from] == 1)
            draw_textf(out, "n on", "middle", x + width / 2, y + ROW - 6, "%d", r->first[from] - 1);
        else if (width >= CELL)
            draw_textf(out, "n on", "middle", x + width / 2, y + ROW - 6, "×%u", r->lanes[from]);
    }
}

static void put_row(wb_buf *out, const draw_access *a, const rows *r, uint32_t k, double y) {
    char text[64];
    uint32_t parts = a->shared ? 4 : SECTOR;
    double width = parts * CELL / 4.0;
    draw_text(out, "n quiet", "end", RIGHT - 8, y + ROW - 6, row_label(a, r, k, text));
    for (uint32_t s = 0; s < LINE; s += parts) {
        bool moves = a->shared || touched(&r->row[k], s, s + parts);
        double inset = a->shared ? 0.5 : 1;
        if (used_up(&r->row[k], s, s + parts))
            continue;
        draw_rect(out, moves ? "wasted" : "untouched", RIGHT + s * CELL / 4.0 + inset / 2, y + 0.5,
                  width - inset, ROW - 3);
    }
    put_used(out, &r->row[k], y);
}

static void put_legend(wb_buf *out, const draw_access *a, const rows *r, double x, double y) {
    bool several = false;
    for (uint32_t k = 0; k < r->n * LINE; k++)
        several |= r->row[k / LINE].lanes[k % LINE] > 1;
    x = draw_key(out, "used", x, y,
                 a->shared ? _("a lane's word, by its number") : _("used, by the lane's number"));
    if (several)
        x = draw_key(out, "used", x, y, _("×2: the same for two lanes"));
    x = draw_key(out, "wasted", x, y,
                 a->shared ? _("a bank that is idle in this pass") : _("moved for nothing"));
    if (!a->shared)
        draw_key(out, "untouched", x, y, _("not moved"));
}

static void put_scale(wb_buf *out, const draw_access *a, double y) {
    if (a->shared) {
        draw_text(out, "quiet", "end", RIGHT - 8, y, _("bank"));
        for (uint32_t b = 0; b < LANES; b++)
            draw_textf(out, "n quiet", "middle", RIGHT + (b + 0.5) * CELL, y, "%u", b);
        return;
    }
    draw_text(out, "quiet", "end", RIGHT - 8, y, _("line at"));
    for (uint32_t s = 0; s < 4; s++)
        draw_textf(out, "quiet", "middle", RIGHT + (8 * s + 4) * CELL, y,
                   _("sector %u: bytes %u to %u"), s, SECTOR * s, SECTOR * s + SECTOR - 1);
}

/* Draws one request. Returns the y below it. */
static double put_panel(wb_buf *out, const draw_access *a, bool legend, double y) {
    char *head = headline(a), *source = a->source ? draw_cut(a->source, WIDTH) : NULL;
    wb_buf words = {0};
    rows r;
    lay_out(a, &r);
    y = draw_lines(out, "head", DRAW_PAD, y + 12, WIDTH, head ? head : "");
    if (source) {
        draw_text(out, "code", "start", DRAW_PAD, y, source);
        y += DRAW_LINE;
    }
    put_lane_row(out, a, y - 2);
    y += ROW + 16;
    put_scale(out, a, y);
    y += 6;
    for (uint32_t k = 0; k < r.n && k < SHOWN_ROWS; k++) {
        if (k > 0 && !a->shared && r.row[k].line != r.row[k - 1].line + 1)
            y += 3; /* a gap in the rows */
        put_row(out, a, &r, k, y);
        y += ROW;
    }
    if (r.n > SHOWN_ROWS) {
        draw_textf(out, "quiet", "start", RIGHT, y + 12,
                   a->shared ? _("and %u more passes") : _("and %u more lines"), r.n - SHOWN_ROWS);
        y += DRAW_LINE;
    }
    if (legend)
        put_legend(out, a, &r, RIGHT, y += 18);
    draw_access_sentence(a, &words);
    pattern(a, &words);
    totals(a, &words);
    y = draw_said(out, "words", DRAW_PAD, y + 20, WIDTH, &words);
    WB_FREE(head, source);
    return y;
}

char *draw_access_svg(const draw_access *list, size_t n, const char *words) {
    wb_buf shapes = {0};
    double y = DRAW_PAD - 6;
    for (size_t k = 0; k < n; k++) {
        const draw_access *a = &list[k];
        if (a->heading)
            draw_text(&shapes, "title", "start", DRAW_PAD, y + 14, a->heading);
        y += a->heading ? 24 : 0;
        if (a->kernel && (k == 0 || a->heading))
            draw_textf(&shapes, "quiet", "start", DRAW_PAD, (y += 24) - 12,
                       _("%s, block (%u, %u, %u), warp %u"), a->kernel, a->block[0], a->block[1],
                       a->block[2], a->warp);
        y = put_panel(&shapes, a, k == 0 || a->shared != a[-1].shared, y) + 14;
    }
    return draw_card(&shapes, WIDTH + 2 * DRAW_PAD, y, 1, words, _("What %s asked memory for"),
                     n > 0 ? list[n - 1].kernel : "?");
}
