/* bundle.c: MIME bundles. */
#include "jupyter_kernel/execution/bundle.h"

#include "runtime/base/base.h"

json_t *bundle_text(const char *text) {
    wb_buf clean = {0};
    char carry[4];
    size_t carry_len = 0;
    wb_utf8_decode(&clean, carry, &carry_len, text, strlen(text), true);
    json_t *bundle = json_pack("{s:s%}", "text/plain", clean.data ? clean.data : "", clean.len);
    wb_buf_free(&clean);
    return bundle;
}

static void put_html_words(wb_buf *out, const char *words) {
    if (*words)
        wb_buf_markupf(out, "<p style=\"white-space:pre-line\">%s</p>\n", words);
}

json_t *bundle_table(const wb_table *table, const char *before, const char *after) {
    char *rows = wb_table_text(table), *html_rows = wb_table_html(table);
    wb_buf text = {0}, html = {0};
    wb_buf_printf(&text, "%s%s%s%s%s", before, *before ? "\n\n" : "", rows ? rows : "",
                  *after ? "\n" : "", after);
    put_html_words(&html, before);
    wb_buf_puts(&html, html_rows ? html_rows : "");
    put_html_words(&html, after);
    json_t *bundle = json_pack("{s:s%, s:s%}", "text/plain", text.data ? text.data : "", text.len,
                               "text/html", html.data ? html.data : "", html.len);
    WB_BUF_FREE(&text, &html);
    WB_FREE(rows, html_rows);
    return bundle;
}
