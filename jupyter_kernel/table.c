/* table.c: tables as text and as HTML. */
#include "jupyter_kernel/table.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 32 };

static const char *cell_text(const json_t *row, size_t column) {
    const char *text = json_string_value(json_array_get(row, column));
    return text ? text : "";
}

static size_t cell_width(const json_t *row, size_t column) {
    const char *text = cell_text(row, column);
    return wb_utf8_count(text, strlen(text));
}

static void put_spaces(wb_buf *out, size_t n) {
    while (n-- > 0)
        wb_buf_putc(out, ' ');
}

static void put_row(wb_buf *out, const json_t *row, const size_t *width, size_t n,
                    const char *align) {
    for (size_t c = 0; c < n; c++) {
        size_t space = width[c] - cell_width(row, c);
        if (c > 0)
            wb_buf_puts(out, "  ");
        if (align[c] == 'r')
            put_spaces(out, space);
        wb_buf_puts(out, cell_text(row, c));
        if (align[c] != 'r' && c + 1 < n)
            put_spaces(out, space);
    }
    wb_buf_putc(out, '\n');
}

void table_text(wb_buf *out, const json_t *titles, const json_t *rows, const char *align) {
    size_t n = json_array_size(titles), width[MAX_COLUMNS] = {0};
    if (n > MAX_COLUMNS)
        n = MAX_COLUMNS;
    size_t i;
    const json_t *row;
    for (size_t c = 0; c < n; c++) {
        width[c] = cell_width(titles, c);
        json_array_foreach(rows, i, row) {
            size_t w = cell_width(row, c);
            width[c] = w > width[c] ? w : width[c];
        }
    }
    put_row(out, titles, width, n, align);
    json_array_foreach(rows, i, row) put_row(out, row, width, n, align);
}

void table_escape(wb_buf *out, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            wb_buf_puts(out, entity);
        else
            wb_buf_putc(out, *text);
    }
}

static void put_html_row(wb_buf *out, const json_t *row, size_t n, const char *align,
                         const char *tag) {
    wb_buf_puts(out, "<tr>");
    for (size_t c = 0; c < n; c++) {
        wb_buf_printf(out, "<%s style=\"text-align:%s\">", tag, align[c] == 'r' ? "right" : "left");
        table_escape(out, cell_text(row, c));
        wb_buf_printf(out, "</%s>", tag);
    }
    wb_buf_puts(out, "</tr>\n");
}

void table_html(wb_buf *out, const json_t *titles, const json_t *rows, const char *align) {
    size_t n = json_array_size(titles), i;
    const json_t *row;
    wb_buf_puts(out, "<table>\n<thead>");
    put_html_row(out, titles, n, align, "th");
    wb_buf_puts(out, "</thead>\n<tbody>\n");
    json_array_foreach(rows, i, row) put_html_row(out, row, n, align, "td");
    wb_buf_puts(out, "</tbody>\n</table>\n");
}

static void put_html_words(wb_buf *out, const char *words) {
    if (!*words)
        return;
    wb_buf_puts(out, "<p style=\"white-space:pre-line\">");
    table_escape(out, words);
    wb_buf_puts(out, "</p>\n");
}

json_t *table_bundle(const json_t *titles, const json_t *rows, const char *align,
                     const char *before, const char *after) {
    wb_buf text = {0}, html = {0};
    wb_buf_printf(&text, "%s%s", before, *before ? "\n" : "");
    table_text(&text, titles, rows, align);
    wb_buf_puts(&text, after);
    put_html_words(&html, before);
    table_html(&html, titles, rows, align);
    put_html_words(&html, after);
    json_t *bundle = json_pack("{s:s%, s:s%}", "text/plain", text.data ? text.data : "", text.len,
                               "text/html", html.data ? html.data : "", html.len);
    wb_buf_free(&text);
    wb_buf_free(&html);
    return bundle;
}

json_t *table_plain(const char *text) {
    wb_buf clean = {0};
    char carry[4];
    size_t carry_len = 0;
    wb_utf8_decode(&clean, carry, &carry_len, text, strlen(text), true);
    json_t *bundle = json_pack("{s:s%}", "text/plain", clean.data ? clean.data : "", clean.len);
    wb_buf_free(&clean);
    return bundle;
}
