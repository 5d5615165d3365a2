/* bundle.c: a chart in all of its drawings, for a front end to choose from. */
#include "runtime/measure/chart.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"

/* For an attribute in double quotes. */
static void put_attribute(wb_buf *out, const char *text) {
    for (; *text; text++) {
        if (strchr("<>&\"", *text))
            wb_buf_printf(out, "&#%d;", *text);
        else
            wb_buf_putc(out, *text == '\n' ? ' ' : *text);
    }
}

/* What an attribute and an address can't hold is %-escaped. */
char *wb_chart_markdown(const char *svg, const char *words) {
    wb_buf out = {0};
    wb_buf_puts(&out, "<img alt=\"");
    put_attribute(&out, words);
    wb_buf_puts(&out, "\" style=\"max-width:100%;height:auto\" src=\"data:image/svg+xml,");
    for (; *svg; svg++) {
        if ((unsigned char)*svg <= 0x20 || (unsigned char)*svg >= 0x7f ||
            strchr("%#<>\"&*_`\\[]", *svg))
            wb_buf_printf(&out, "%%%02X", (unsigned char)*svg);
        else
            wb_buf_putc(&out, *svg);
    }
    wb_buf_puts(&out, "\">\n");
    return wb_buf_steal(&out);
}

json_t *wb_chart_bundle(const wb_chart *chart, const char *text) {
    json_t *bundle = json_object();
    json_object_set_new(bundle, "application/vnd.vegalite.v5+json", wb_chart_vega(chart));
    char *svg = wb_chart_svg(chart), *plain = text ? NULL : wb_chart_text(chart, 0);
    char *words = wb_chart_words(chart),
         *markdown = svg && words ? wb_chart_markdown(svg, words) : NULL;
    if (svg)
        json_object_set_new(bundle, "image/svg+xml", json_string(svg));
    if (markdown)
        json_object_set_new(bundle, "text/markdown", json_string(markdown));
    if (text || plain)
        json_object_set_new(bundle, "text/plain", json_string(text ? text : plain));
    free(svg);
    free(plain);
    free(words);
    free(markdown);
    return bundle;
}
