/* table.c: cells in one flat list. The layout is computed at the end. */
#include "runtime/measure/table.h"
#include "runtime/base/language.h"

#include "runtime/base/base.h"
#include "runtime/canvas/canvas.h"

enum { MAX_COLUMNS = 24, BAR_COLUMNS = 8 };

typedef struct cell {
    char *text; /* NULL: never filled */
    wb_hue hue, bar_hue;
    double strength, share; /* strength of its colour; length of its bar */
    bool bar, code, large;
} cell;

struct wb_table {
    char *titles[MAX_COLUMNS];
    bool right[MAX_COLUMNS];
    size_t n_columns;
    struct row {
        cell cells[MAX_COLUMNS];
        size_t n_cells;
        bool rule_above, marked;
    } * rows;
    size_t n_rows;
    bool failed;
};

wb_table *wb_table_new(void) {
    return calloc(1, sizeof(wb_table));
}

void wb_table_free(wb_table *table) {
    if (!table)
        return;
    for (size_t r = 0; r < table->n_rows; r++)
        for (size_t c = 0; c < table->rows[r].n_cells; c++)
            free(table->rows[r].cells[c].text);
    for (size_t c = 0; c < table->n_columns; c++)
        free(table->titles[c]);
    WB_FREE(table->rows, table);
}

void wb_table_column(wb_table *table, const char *title, bool right) {
    if (!table || table->n_columns == MAX_COLUMNS)
        return;
    char *copy = strdup(title);
    table->failed |= !copy;
    if (!copy)
        return;
    table->right[table->n_columns] = right;
    table->titles[table->n_columns++] = copy;
}

void wb_table_columns(wb_table *table, const char *sides, ...) {
    va_list titles;
    va_start(titles, sides);
    for (; *sides; sides++)
        wb_table_column(table, va_arg(titles, const char *), *sides == 'r');
    va_end(titles);
}

void wb_table_row(wb_table *table, bool rule_above) {
    if (!table)
        return;
    struct row *row = WB_PUSH(table->rows, table->n_rows);
    table->failed |= !row;
    if (row)
        row->rule_above = rule_above;
}

void wb_table_mark(wb_table *table) {
    if (table && table->n_rows)
        table->rows[table->n_rows - 1].marked = true;
}

void wb_table_cell(wb_table *table, const char *format, ...) {
    if (!table || !table->n_rows)
        return;
    struct row *row = &table->rows[table->n_rows - 1];
    if (row->n_cells == table->n_columns)
        return;
    char *text = WB_FORMATTED(format);
    table->failed |= !text;
    if (text)
        row->cells[row->n_cells++] = (cell){.text = text};
}

void wb_table_cells(wb_table *table, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++)
        wb_table_cell(table, "%s", texts[i] ? texts[i] : "");
}

/* Returns the last filled cell, or NULL. */
static cell *last_cell(wb_table *table) {
    struct row *row = table && table->n_rows ? &table->rows[table->n_rows - 1] : NULL;
    return row && row->n_cells ? &row->cells[row->n_cells - 1] : NULL;
}

static double clamp(double share) {
    return share > 0 ? (share < 1 ? share : 1) : 0;
}

void wb_table_tint(wb_table *table, wb_hue hue, double strength) {
    cell *c = last_cell(table);
    if (!c)
        return;
    c->hue = hue;
    c->strength = clamp(strength);
}

void wb_table_bar(wb_table *table, wb_hue hue, double share) {
    cell *c = last_cell(table);
    if (!c)
        return;
    c->bar = true;
    c->bar_hue = hue;
    c->share = clamp(share);
}

void wb_table_code(wb_table *table) {
    cell *c = last_cell(table);
    if (c)
        c->code = true;
}

void wb_table_large(wb_table *table) {
    cell *c = last_cell(table);
    if (c)
        c->large = true;
}

size_t wb_table_width(const char *text) {
    return wb_utf8_width(text, strlen(text));
}

static const cell EMPTY = {.text = ""};

static const cell *cell_of(const struct row *row, size_t column) {
    return column < row->n_cells ? &row->cells[column] : &EMPTY;
}

/* Unicode has a block for each number of eighths. */
void wb_table_blocks(wb_buf *out, int eighths) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (int i = 0; i < eighths / 8; i++)
        wb_buf_puts(out, "█");
    wb_buf_puts(out, parts[eighths % 8]);
}

static void put_bar(wb_buf *out, double share) {
    int eighths = (int)(share * 8 * BAR_COLUMNS + 0.5);
    wb_table_blocks(out, eighths);
    wb_buf_printf(out, "%*s", BAR_COLUMNS - (eighths + 7) / 8 + 1, "");
}

static size_t width_of(const cell *c) {
    return wb_table_width(c->text) + (c->bar ? BAR_COLUMNS + 1 : 0);
}

static void put_padded(wb_buf *out, const cell *c, size_t width, bool right, bool last) {
    size_t pad = width - width_of(c);
    if (c->bar)
        put_bar(out, c->share);
    if (right)
        wb_buf_printf(out, "%*s", (int)pad, "");
    wb_buf_puts(out, c->text);
    if (!right && !last)
        wb_buf_printf(out, "%*s", (int)pad, "");
    if (!last)
        wb_buf_puts(out, "  ");
}

/* Ends a line without the trailing blanks of empty cells. */
static void end_line(wb_buf *out) {
    while (out->len && out->data[out->len - 1] == ' ')
        out->len--;
    wb_buf_putc(out, '\n');
}

static void put_rule(wb_buf *out, const size_t *widths, size_t n) {
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < widths[c]; i++)
            wb_buf_puts(out, "─");
        wb_buf_puts(out, c + 1 < n ? "  " : "\n");
    }
}

char *wb_table_text(const wb_table *table) {
    if (!table || table->failed)
        return NULL;
    size_t n = table->n_columns, widths[MAX_COLUMNS];
    for (size_t c = 0; c < n; c++) {
        widths[c] = wb_table_width(table->titles[c]);
        for (size_t r = 0; r < table->n_rows; r++) {
            size_t width = width_of(cell_of(&table->rows[r], c));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    wb_buf out = {0};
    for (size_t c = 0; c < n; c++)
        put_padded(&out, &(cell){.text = table->titles[c]}, widths[c], table->right[c], c + 1 == n);
    end_line(&out);
    put_rule(&out, widths, n);
    for (size_t r = 0; r < table->n_rows; r++) {
        const struct row *row = &table->rows[r];
        if (row->rule_above && r > 0)
            put_rule(&out, widths, n);
        for (size_t c = 0; c < n; c++)
            put_padded(&out, cell_of(row, c), widths[c], table->right[c], c + 1 == n);
        end_line(&out);
    }
    return wb_buf_steal(&out);
}

/* Shorter texts (numbers and names) stay on one line. Longer ones wrap and keep their line
 * breaks. */
enum { WRAP_FROM = 40 };

/* Writes a title, which may break after a slash: sectors/request, but not GB/s. */
static void put_title(wb_buf *out, const char *text) {
    const char *slash;
    for (; (slash = strchr(text, '/')); text = slash + 1) {
        char part[200];
        snprintf(part, sizeof part, "%.*s", (int)(slash + 1 - text), text);
        wb_buf_markup(out, part);
        if (strcspn(slash + 1, " /") > 2)
            wb_buf_puts(out, "<wbr>");
    }
    wb_buf_markup(out, text);
}

static void put_html_title(wb_buf *out, const char *text, bool right) {
    wb_buf_printf(
        out,
        "<th style=\"text-align:%s;padding:0.25em 0.4em;white-space:normal;word-break:keep-all;"
        "vertical-align:bottom\">",
        right ? "right" : "left");
    put_title(out, text);
    wb_buf_puts(out, "</th>");
}

/* Sets a background that is printed too. Browsers omit backgrounds by default. */
static void put_colour(wb_buf *out, wb_hue hue, double opacity) {
    static const char *const names[] = {"reference", "kernel", "yours"};
    wb_buf_puts(out, "background-color:");
    draw_tint(out, names[hue], opacity);
    wb_buf_puts(out, ";print-color-adjust:exact");
}

static void put_html_bar(wb_buf *out, const cell *c) {
    wb_buf_printf(out,
                  "<span style=\"display:inline-block;width:5em;margin-right:0.4em;"
                  "text-align:left\">"
                  "<span style=\"display:inline-block;width:%.2fem;",
                  5 * c->share);
    put_colour(out, c->bar_hue, 1);
    wb_buf_puts(out, "\">&nbsp;</span></span>");
}

static void put_html_cell(wb_buf *out, const cell *c, bool right, bool rule) {
    static const double STRONGEST = 0.45; /* text of both themes stays readable on it */
    bool wraps = !c->code && (wb_table_width(c->text) > WRAP_FROM || strchr(c->text, '\n'));
    wb_buf_printf(out, "<td style=\"text-align:%s;padding:0.25em 0.4em;white-space:%s%s%s",
                  right ? "right" : "left",
                  c->code ? "pre"
                  : wraps ? "pre-line"
                          : "nowrap",
                  c->code ? ";font-family:monospace"
                  : wraps ? ";overflow-wrap:anywhere"
                          : "",
                  rule ? ";border-top:1px solid currentColor" : "");
    if (c->large)
        wb_buf_puts(out, ";font-size:2em;line-height:1.2;font-weight:bold");
    if (c->strength > 0) {
        wb_buf_putc(out, ';');
        put_colour(out, c->hue, STRONGEST * c->strength);
    }
    wb_buf_puts(out, "\">");
    if (c->bar)
        put_html_bar(out, c);
    if (c->bar) /* numbers of equal width, so that all bars begin at one place */
        wb_buf_puts(out, "<span style=\"display:inline-block;min-width:5em\">");
    wb_buf_markup(out, c->text);
    wb_buf_puts(out, c->bar ? "</span></td>" : "</td>");
}

char *wb_table_html(const wb_table *table) {
    if (!table || table->failed)
        return NULL;
    wb_buf out = {0};
    /* a table wider than its page scrolls; without the box JupyterLab would cut it off */
    wb_buf_puts(&out, "<div style=\"overflow-x:auto\">"
                      "<table class=\"warpbook\" style=\"font-size:smaller\"><thead><tr>");
    for (size_t c = 0; c < table->n_columns; c++)
        put_html_title(&out, table->titles[c], table->right[c]);
    wb_buf_puts(&out, "</tr></thead><tbody>");
    for (size_t r = 0; r < table->n_rows; r++) {
        const struct row *row = &table->rows[r];
        wb_buf_puts(&out, row->marked ? "<tr style=\"font-weight:bold\">" : "<tr>");
        for (size_t c = 0; c < table->n_columns; c++)
            put_html_cell(&out, cell_of(row, c), table->right[c], row->rule_above && r > 0);
        wb_buf_puts(&out, "</tr>");
    }
    wb_buf_puts(&out, "</tbody></table></div>");
    return wb_buf_steal(&out);
}
