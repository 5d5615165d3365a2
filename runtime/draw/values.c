/* values.c: see values.h. The picture and its text go through the same rows (each_row). */
#include "runtime/draw/values.h"

#include "runtime/canvas/canvas.h"

enum { LANES = 32, MOST_ROWS = 16 /* of an array in one moment */ };
enum { SHORT = 6, LONG = 13 /* characters in a cell of 16, of 8 in a row */ };
enum { WIDTH = 640, LABEL = 74, ROW = 16 };

typedef struct cell {
    const char *text; /* "": not known */
    bool off, changed;
} cell;

typedef struct cells { /* of a variable in a moment */
    cell *v;
    size_t n;
} cells;

typedef struct sheet {
    const draw_values *v;
    cells *cells; /* by moment and variable */
    char **texts; /* by moment and warp: what the cells point into */
} sheet;

/* ---- cells ---------------------------------------------------------------------------------- */

static cells *cells_at(const sheet *s, size_t moment, size_t variable) {
    return &s->cells[moment * s->v->n_variables + variable];
}

/* Splits the values of a moment in a warp. Returns false without memory. */
static bool split(const draw_moment *m, uint32_t warp, const draw_values *v, char *text,
                  cells *out) {
    for (size_t k = 0; k < v->n_variables && *text; k++) {
        char *end = text + strcspn(text, "\n");
        while (out[k].n < (size_t)LANES * warp && !m->of_arrays) /* warps that did not come here */
            if (!WB_ADD(out[k].v, out[k].n, (cell){.text = "", .off = true}))
                return false;
        for (bool done = end == text; !done;) {
            char *tab = memchr(text, '\t', (size_t)(end - text));
            cell *c = tab ? WB_PUSH(out[k].v, out[k].n) : NULL;
            if (tab && !c)
                return false;
            if (c) {
                *tab = '\0';
                c->changed = *text == '*';
                c->text = text + c->changed;
                c->off = !m->of_arrays && !(m->mask[warp] >> ((out[k].n - 1) % LANES) & 1);
            }
            text = tab ? tab + 1 : end;
            done = text >= end;
        }
        text = *end ? end + 1 : end;
    }
    return true;
}

static void free_sheet(sheet *s) {
    for (size_t k = 0; s->cells && k < s->v->n * s->v->n_variables; k++)
        free(s->cells[k].v);
    for (size_t m = 0; s->texts && m < s->v->n * DRAW_WIDE_WARPS; m++)
        free(s->texts[m]);
    WB_FREE(s->cells, s->texts);
}

/* Returns false without memory. Free the sheet in either case. */
static bool read_sheet(sheet *s, const draw_values *v) {
    *s = (sheet){.v = v,
                 .cells = calloc(v->n * v->n_variables + 1, sizeof *s->cells),
                 .texts = calloc(v->n * DRAW_WIDE_WARPS + 1, sizeof *s->texts)};
    bool ok = s->cells && s->texts;
    for (size_t k = 0; ok && k < v->n * DRAW_WIDE_WARPS; k++) {
        const draw_moment *m = &v->moments[k / DRAW_WIDE_WARPS];
        uint32_t warp = k % DRAW_WIDE_WARPS;
        if (!m->values[warp])
            continue;
        s->texts[k] = strdup(m->values[warp]);
        ok = s->texts[k] && split(m, warp, v, s->texts[k], cells_at(s, k / DRAW_WIDE_WARPS, 0));
    }
    return ok;
}

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct row { /* neighbouring cells of a variable */
    const draw_variable *variable;
    const cell *at;
    size_t n, index;    /* index of the first: a lane, an element, or a row of a table */
    bool first, is_row; /* of its variable in the moment; index is a row's */
} row;

typedef double row_fn(wb_buf *out, const sheet *s, const row *r, size_t columns, double y);

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Calls the function with rows of at most `columns` cells. Returns the last y. */
static double each_row(const sheet *s, size_t moment, size_t variable, size_t columns, row_fn *fn,
                       wb_buf *out, double y) {
    const draw_values *v = s->v;
    const draw_variable *of = &v->variables[variable];
    const cells *c = cells_at(s, moment, variable);
    bool table = of->is_array && of->rows != 1 && of->cols > 1;
    draw_range across = !of->is_array ? v->shown : v->cols;
    size_t width = table ? (size_t)of->cols : of->is_array ? c->n : v->lanes;
    size_t from = across.said ? across.first : 0;
    size_t to = across.said ? least(across.last + 1, width) : width;
    row r = {.variable = of, .first = true, .is_row = table};
    if (!table) {
        for (size_t n = 0; from < least(to, c->n) && (n < MOST_ROWS || !of->is_array);
             from += columns, n++) {
            r.index = from;
            r.at = &c->v[from];
            r.n = least(columns, least(to, c->n) - from);
            y = fn(out, s, &r, columns, y);
            r.first = false;
        }
        return y;
    }
    size_t rows = c->n / width, begin = v->rows.said ? v->rows.first : 0;
    rows = v->rows.said ? least(v->rows.last + 1, rows) : rows;
    for (r.index = begin; from < to && r.index < least(rows, begin + MOST_ROWS); r.index++) {
        r.at = &c->v[r.index * width + from];
        r.n = least(columns, to - from);
        y = fn(out, s, &r, columns, y);
        r.first = false;
    }
    return y;
}

/* Returns true for 0.5, 1e+06, inf. */
static bool is_real(const char *text) {
    char *end;
    strtod(text, &end);
    return *text && !*end && !strchr(text, 'x') && strpbrk(text, ".eni");
}

/* Returns how many cells are side by side: as many as their longest text leaves room for. */
static size_t columns_of(const sheet *s, size_t variable) {
    size_t longest = 0;
    for (size_t m = 0; m < s->v->n; m++) {
        const cells *c = cells_at(s, m, variable);
        for (size_t i = 0; i < c->n; i++) {
            size_t len = is_real(c->v[i].text) ? SHORT : strlen(c->v[i].text);
            len += strchr(c->v[i].text, '+') && len >= SHORT; /* letters are wider than digits */
            longest = len > longest ? len : longest;
        }
    }
    return longest <= SHORT ? 16 : longest <= LONG ? 8 : 4;
}

/* Writes a number with as many digits as fit: 0.333, 1.2e6. */
static void shorten(const char *text, size_t room, char out[48]) {
    snprintf(out, 48, "%.40s", text);
    for (int digits = 5; digits > 0 && strlen(out) > room && is_real(text); digits--) {
        snprintf(out, 48, "%.*g", digits, strtod(text, NULL));
        char *power = strchr(out, 'e'); /* 1e+06: without the sign and the zero */
        if (power && power[1] == '+')
            memmove(power + 1, power + 2, strlen(power + 1));
        power = power && power[1] == '-' ? power + 1 : power;
        if (power && power[1] == '0')
            memmove(power + 1, power + 2, strlen(power + 1));
    }
}

/* Returns true if all cells of a lane's variable hold the same. */
static bool is_uniform(const sheet *s, size_t moment, size_t variable) {
    const cells *c = cells_at(s, moment, variable);
    bool same = !s->v->variables[variable].is_array && c->n >= s->v->lanes && s->v->lanes > 1 &&
                *c->v[0].text;
    for (size_t i = 0; same && i < least(c->n, s->v->lanes); i++)
        same = strcmp(c->v[i].text, c->v[0].text) == 0;
    return same;
}

/* Returns true if the variable has a value in the moment. */
static bool is_there(const sheet *s, size_t moment, size_t variable) {
    const cells *c = cells_at(s, moment, variable);
    bool any = false;
    for (size_t i = 0; i < c->n; i++)
        any |= *c->v[i].text != '\0';
    return any && s->v->variables[variable].is_array == s->v->moments[moment].of_arrays;
}

static double count_changes(wb_buf *out, const sheet *s, const row *r, size_t columns, double y) {
    (void)out, (void)s, (void)columns;
    for (size_t i = 0; i < r->n; i++)
        y += r->at[i].changed;
    return y;
}

/* Returns true if the moment is drawn: a number that is shown has changed in it. */
static bool is_drawn(const sheet *s, size_t moment) {
    double changes = s->v->every;
    for (size_t k = 0; k < s->v->n_variables; k++)
        if (is_there(s, moment, k))
            changes = each_row(s, moment, k, 16, count_changes, NULL, changes);
    return changes > 0;
}

/* ---- text ----------------------------------------------------------------------------------- */

static double row_words(wb_buf *out, const sheet *s, const row *r, size_t columns, double y) {
    (void)columns;
    if (!r->variable->is_array && r->index)
        wb_buf_printf(
            out, s->v->block_wide ? _("  %s, from thread %zu on:") : _("  %s, from lane %zu on:"),
            r->variable->name, r->index);
    else
        wb_buf_printf(out, r->is_row || !r->first ? "  %s[%zu]:" : "  %s:", r->variable->name,
                      r->index);
    for (size_t i = 0; i < r->n; i++)
        wb_buf_printf(out, " %s%s",
                      r->at[i].off     ? "."
                      : *r->at[i].text ? r->at[i].text
                                       : "?",
                      r->at[i].changed ? "*" : "");
    wb_buf_putc(out, '\n');
    return y;
}

void draw_values_left(uint64_t first, uint64_t n, uint64_t all, wb_buf *out) {
    uint64_t next = first + n;
    if (all + 1 > next)
        wb_buf_printf(out,
                      _("Moments %llu to %llu are left out; --moments %llu-%llu shows the "
                        "next. "),
                      (unsigned long long)next, (unsigned long long)all, (unsigned long long)next,
                      (unsigned long long)(next + n - 1 < all ? next + n - 1 : all));
}

/* Says what is not there. */
static void left_words(const sheet *s, wb_buf *out) {
    const draw_values *v = s->v;
    uint64_t same = v->same;
    char number[32];
    for (size_t m = 0; m < v->n; m++)
        same += !is_drawn(s, m);
    if (same)
        wb_buf_printf(out,
                      _("Moments that changed none of these variables are left out: %s "
                        "(--every shows them). "),
                      draw_number(same, number));
    draw_values_left(v->first, v->n, v->all, out);
    if (v->first > 1)
        wb_buf_printf(out, _("The picture begins at moment %llu. "), (unsigned long long)v->first);
    for (size_t k = 0; k < v->n_variables; k++) {
        const draw_variable *of = &v->variables[k];
        if (of->is_array && of->cols > 1 && of->rows != 1 &&
            (of->rows > MOST_ROWS || of->cols > 16))
            wb_buf_printf(out,
                          _("%s has %llu rows of %llu; --rows A-B and --columns A-B choose "
                            "what is drawn. "),
                          of->name, (unsigned long long)of->rows, (unsigned long long)of->cols);
    }
}

static char *title_of(const draw_values *v) {
    const uint32_t *b = v->block;
    return v->block_wide ? wb_format(_("%s, block (%u, %u, %u)"), v->kernel, b[0], b[1], b[2])
                         : wb_format(_("%s, block (%u, %u, %u), warp %u"), v->kernel, b[0], b[1],
                                     b[2], v->warp);
}

void draw_values_words(const draw_values *v, wb_buf *out) {
    sheet s;
    char *title = title_of(v);
    wb_buf_printf(out, _("%s: what its variables hold\n"), title);
    free(title);
    bool ok = read_sheet(&s, v);
    for (size_t m = 0; ok && m < v->n; m++) {
        if (!is_drawn(&s, m))
            continue;
        wb_buf_printf(out, "%s%s%s\n", v->moments[m].place, v->moments[m].source ? ": " : "",
                      v->moments[m].source ? v->moments[m].source : "");
        for (size_t k = 0; k < v->n_variables; k++)
            if (!is_there(&s, m, k))
                continue;
            else if (is_uniform(&s, m, k) && !v->shown.said)
                wb_buf_printf(out, _("  %s: %s%s in all lanes\n"), v->variables[k].name,
                              cells_at(&s, m, k)->v->text,
                              cells_at(&s, m, k)->v->changed ? "*" : "");
            else
                each_row(&s, m, k, v->variables[k].is_array ? 16 : LANES, row_words, out, 0);
    }
    if (ok)
        left_words(&s, out);
    free_sheet(&s);
}

/* ---- the picture ---------------------------------------------------------------------------- */

static void put_cell(wb_buf *out, const cell *c, double x, double y, double width, size_t room) {
    char text[48];
    draw_rect(out,
              c->off       ? "wasted"
              : c->changed ? "lane"
              : *c->text   ? "untouched"
                           : "off",
              x + 0.5, y + 0.5, width - 1.5, ROW - 1.5);
    if (c->off)
        return;
    shorten(c->text, room, text);
    const char *small = strlen(text) >= SHORT - 1 && room == SHORT ? "s" : "n";
    char class[16];
    snprintf(class, sizeof class, "%s%s", small, c->changed ? " on" : "");
    draw_text(out, class, "middle", x + width / 2, y + 12, text);
}

static double row_shapes(wb_buf *out, const sheet *s, const row *r, size_t columns, double y) {
    double width = (WIDTH - 2.0 * DRAW_PAD - LABEL) / (double)columns;
    size_t room = columns == 16 ? SHORT : columns == 8 ? LONG : 40;
    char *name = draw_cut(r->variable->name, 1.35 * (LABEL - 22));
    y += s->v->block_wide && !r->variable->is_array && r->index && r->index % LANES == 0 ? 4 : 0;
    if (r->first)
        draw_text(out, "n", "start", DRAW_PAD, y + 12, name);
    draw_textf(out, "n quiet", "end", DRAW_PAD + LABEL - 6, y + 12, "%zu", r->index);
    for (size_t i = 0; i < r->n; i++)
        put_cell(out, &r->at[i], DRAW_PAD + LABEL + (double)i * width, y, width, room);
    free(name);
    return y + ROW;
}

static double put_uniform(wb_buf *out, const sheet *s, size_t moment, size_t variable, double y) {
    cell c = cells_at(s, moment, variable)->v[0];
    char *name = draw_cut(s->v->variables[variable].name, LABEL - 8);
    char *text = wb_format(_("%s in all lanes"), c.text);
    draw_text(out, "n", "start", DRAW_PAD, y + 12, name);
    draw_rect(out, c.changed ? "lane" : "untouched", DRAW_PAD + LABEL + 0.5, y + 0.5,
              WIDTH - 2 * DRAW_PAD - LABEL - 1.5, ROW - 1.5);
    draw_text(out, c.changed ? "n on" : "n", "middle", (WIDTH + LABEL) / 2.0, y + 12, text);
    WB_FREE(name, text);
    return y + ROW;
}

static double put_moment(wb_buf *out, const sheet *s, size_t m, double y) {
    const draw_moment *at = &s->v->moments[m];
    double x = DRAW_PAD + draw_width(at->place) + 10;
    char *source = at->source ? draw_cut(at->source, WIDTH - DRAW_PAD - x) : NULL;
    draw_text(out, "head", "start", DRAW_PAD, y + 12, at->place);
    draw_text(out, "code", "start", x, y + 12, source);
    free(source);
    y += ROW + 2;
    for (size_t k = 0; k < s->v->n_variables; k++) {
        if (!is_there(s, m, k))
            continue;
        y = is_uniform(s, m, k) && !s->v->shown.said
                ? put_uniform(out, s, m, k, y)
                : each_row(s, m, k, columns_of(s, k), row_shapes, out, y);
    }
    return y + 8;
}

static double put_head(wb_buf *out, const draw_values *v, double y) {
    char *title = title_of(v);
    draw_text(out, "title", "start", DRAW_PAD, y + 14, title);
    free(title);
    draw_text(out, "quiet", "start", DRAW_PAD, y + 36,
              v->before ? _("values before each line; the number at the left is the first lane's "
                            "or element's")
              : v->block_wide
                  ? _("values after each line; the number at the left is the first thread's "
                      "or element's")
                  : _("values after each line; the number at the left is the first lane's "
                      "or element's"));
    y += 58;
    double x = draw_key(out, "lane", DRAW_PAD, y, _("changed"));
    x = draw_key(out, "untouched", x, y, _("as before"));
    x = draw_key(out, "wasted", x, y, _("a lane that was off"));
    draw_key(out, "off", x, y, _("the variable does not exist here"));
    return y + 14;
}

char *draw_values_svg(const draw_values *v, const char *words) {
    wb_buf shapes = {0}, said = {0};
    sheet s;
    double y = put_head(&shapes, v, DRAW_PAD);
    shapes.failed |= !read_sheet(&s, v);
    for (size_t m = 0; !shapes.failed && m < v->n; m++)
        y = is_drawn(&s, m) ? put_moment(&shapes, &s, m, y) : y;
    if (!shapes.failed)
        left_words(&s, &said);
    free_sheet(&s);
    y = draw_said(&shapes, "words", DRAW_PAD, y + 14, WIDTH - 2 * DRAW_PAD, &said);
    return draw_card(&shapes, WIDTH, y, 1, words, _("What variables of %s hold"), v->kernel);
}
