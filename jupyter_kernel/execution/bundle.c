/* bundle.c: MIME bundles. */
#include "jupyter_kernel/execution/bundle.h"

#include <ctype.h>

#include "runtime/base/scoped.h"

json_t *bundle_text(const char *text) {
    WB_SCOPED_BUF wb_buf clean = {0};
    char carry[4];
    size_t carry_len = 0;
    wb_utf8_decode(&clean, carry, &carry_len, text, strlen(text), true);
    return json_pack("{s:s%}", "text/plain", clean.data ? clean.data : "", clean.len);
}

/* Drops the stars of emphasis; those of code, of products and of lists stay. */
static void put_plain(wb_buf *out, const char *markdown) {
    bool code = false;
    for (const char *p = markdown; *p; p++) {
        char before = p > markdown ? p[-1] : ' ';
        size_t stars = strspn(p, "*");
        bool product = (isspace((unsigned char)before) && isspace((unsigned char)p[stars])) ||
                       (isalnum((unsigned char)before) && isalnum((unsigned char)p[stars]));
        code ^= *p == '`';
        if (code || stars == 0 || stars > 2 || (product && stars == 1))
            wb_buf_putc(out, *p);
        else
            p += stars - 1;
    }
}

json_t *bundle_markdown(const char *markdown) {
    WB_SCOPED_BUF wb_buf plain = {0};
    json_t *bundle = bundle_text(markdown), *text = json_object_get(bundle, "text/plain");
    json_object_set(bundle, "text/markdown", text);
    put_plain(&plain, json_string_length(text) ? json_string_value(text) : "");
    json_object_set_new(bundle, "text/plain", json_string(plain.data ? plain.data : ""));
    return bundle;
}

/* Puts a blank line between two parts of text. */
static void put_text(bundle_page *page, const char *text) {
    wb_buf *out = &page->text;
    if (page->folded)
        return;
    if (out->len)
        wb_buf_puts(out, out->data[out->len - 1] == '\n' ? "\n" : "\n\n");
    wb_buf_puts(out, text);
}

void bundle_words(bundle_page *page, const char *words) {
    if (!*words)
        return;
    put_text(page, words);
    wb_buf_markupf(&page->html, "<p style=\"white-space:pre-line\">%s</p>\n", words);
}

static void put_rows(bundle_page *page, const wb_table *table) {
    WB_SCOPED char *rows = wb_table_text(table), *html = wb_table_html(table);
    put_text(page, rows ? rows : "");
    wb_buf_puts(&page->html, html ? html : "");
}

void bundle_rows(bundle_page *page, wb_table *table) {
    if (table)
        put_rows(page, table);
    wb_table_free(table);
}

void bundle_fold(bundle_page *page, const char *summary) {
    page->folded = true;
    wb_buf_markupf(&page->html, "<details><summary>%s</summary>\n", summary);
}

json_t *bundle_page_done(bundle_page *page) {
    wb_buf *text = &page->text, *html = &page->html;
    wb_buf_puts(html, page->folded ? "</details>\n" : "");
    json_t *bundle = json_pack("{s:s%, s:s%}", "text/plain", text->data ? text->data : "",
                               text->len, "text/html", html->data ? html->data : "", html->len);
    WB_BUF_FREE(text, html);
    return bundle;
}

json_t *bundle_table(const wb_table *table, const char *before, const char *after) {
    bundle_page page = {0};
    bundle_words(&page, before);
    put_rows(&page, table);
    bundle_words(&page, after);
    return bundle_page_done(&page);
}
