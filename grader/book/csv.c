/* csv.c: RFC 4180, and the variants that spreadsheets write. */
#include "grader/book/csv.h"
#include "runtime/base/scoped.h"

/* Returns the separator that occurs most often in the first line, outside quotes. */
static char find_separator(const char *text, size_t len) {
    static const char candidates[] = ",;\t";
    size_t counts[3] = {0};
    bool quoted = false;
    for (size_t i = 0; i < len && (quoted || text[i] != '\n'); i++) {
        const char *at = text[i] ? strchr(candidates, text[i]) : NULL;
        quoted ^= text[i] == '"';
        if (at && !quoted)
            counts[at - candidates]++;
    }
    size_t most = 0;
    for (size_t i = 1; i < 3; i++)
        most = counts[i] > counts[most] ? i : most;
    return candidates[most];
}

typedef struct parser {
    const char *at, *end, *path;
    char separator;
    int line;
} parser;

/* Reads a field without its quotes. Leaves p->at after it. */
static bool read_field(parser *p, wb_buf *out, wb_error *err) {
    int begins = p->line;
    bool quoted = false;
    for (; p->at < p->end; p->at++) {
        char c = *p->at, next = p->at + 1 < p->end ? p->at[1] : '\n';
        if (c == '"' && quoted && next == '"')
            wb_buf_putc(out, *p->at++);
        else if (c == '"' && (quoted || out->len == 0))
            quoted = !quoted;
        else if (!quoted && (c == p->separator || c == '\n'))
            break;
        else if (quoted || c != '\r' || next != '\n')
            wb_buf_putc(out, c);
        p->line += c == '\n';
    }
    return !quoted ||
           wb_fail(err, 1, _("%s:%d: a quote is opened here and never closed"), p->path, begins);
}

static bool read_row(parser *p, gr_csv_row *row, wb_error *err) {
    *row = (gr_csv_row){.line = p->line};
    for (bool more = true; more;) {
        WB_SCOPED_BUF wb_buf text = {0};
        bool ok = read_field(p, &text, err);
        if (ok && !wb_strings_own(&row->fields, wb_buf_steal(&text)))
            ok = wb_fail(err, 1, _("out of memory"));
        if (!ok)
            return false;
        more = p->at < p->end && *p->at == p->separator;
        p->at += more;
    }
    p->line += p->at < p->end;
    p->at += p->at < p->end; /* skips the line's end */
    return true;
}

static bool is_text(const char *text, size_t len) {
    char carry[4];
    size_t carried = 0;
    WB_SCOPED_BUF wb_buf valid = {0};
    wb_utf8_decode(&valid, carry, &carried, text, len, true);
    return valid.len == len && !valid.failed && !memchr(text, '\0', len) &&
           (len == 0 || memcmp(valid.data, text, len) == 0);
}

bool gr_csv_parse(const char *path, const char *text, size_t len, gr_csv *csv, wb_error *err) {
    *csv = (gr_csv){.n = 0};
    if (!is_text(text, len))
        return wb_fail(err, 1, _("%s is no text in UTF-8: save it as CSV in UTF-8"), path);
    size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    parser p = {.at = text + mark, .end = text + len, .path = path, .line = 1};
    p.separator = find_separator(p.at, len - mark);
    while (p.at < p.end) {
        gr_csv_row row;
        bool ok = read_row(&p, &row, err);
        bool empty = ok && row.fields.n == 1 && !*row.fields.v[0];
        bool added = ok && !empty && WB_ADD(csv->rows, csv->n, row);
        if (!added)
            wb_strings_free(&row.fields);
        if (!ok || !(empty || added))
            return ok && wb_fail(err, 1, _("out of memory"));
    }
    return true;
}

void gr_csv_free(gr_csv *csv) {
    for (size_t i = 0; i < csv->n; i++)
        wb_strings_free(&csv->rows[i].fields);
    free(csv->rows);
    *csv = (gr_csv){.n = 0};
}
