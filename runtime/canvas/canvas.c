/* canvas.c: see canvas.h. */
#include "runtime/canvas/canvas.h"

#include "runtime/base/language.h"

static const double COLUMN = 6.6; /* a column of text at 12 px, wider than system fonts' average */

static const char STYLE[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI','Noto Sans','Noto Sans CJK SC','DejaVu "
    "Sans',sans-serif;fill:@ink}\n"
    ".title{font-size:15px;font-weight:600}.head{font-weight:600}.quiet{fill:@quiet}"
    ".code{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "white-space:pre}\n"
    ".n{font-size:10px;font-variant-numeric:tabular-nums}"
    ".s{font-size:8.5px;font-variant-numeric:tabular-nums}"
    ".on{fill:#fff}.card{fill:@card;stroke:@edge;width:calc(100% - 1px);height:calc(100% - 1px)}\n"
    ".used,.lane{fill:@used}.off{fill:none;stroke:@faint;stroke-dasharray:2 2}"
    ".wasted{fill:url(#hatch);stroke:@wasted;stroke-width:.75}"
    ".hatch{stroke:@hatch;stroke-width:1.6}.hatched{fill:@hatched}"
    ".untouched{fill:@ground;stroke:@edge;stroke-width:.75}.frame{fill:none;stroke:@quiet}"
    ".thin{stroke:@thin}rect{shape-rendering:crispEdges}.many{fill:url(#others)}"
    ".ink{fill:#fff;stroke:#000;stroke-width:2px;paint-order:stroke}\n"
    ".c0{fill:#0072b2}.c1{fill:#e69f00}.c2{fill:#009e73}.c3{fill:#cc79a7}.c4{fill:#56b4e9}"
    ".c5{fill:#d55e00}.c6{fill:#f0e442}.c7{fill:#999}"
    ".r0{fill:#440154}.r1{fill:#482173}.r2{fill:#433e85}.r3{fill:#38598c}.r4{fill:#2d708e}"
    ".r5{fill:#25858e}.r6{fill:#1e9b8a}.r7{fill:#2ab07f}.r8{fill:#52c569}.r9{fill:#86d549}"
    ".r10{fill:#c2df23}.r11{fill:#fde725}\n"
    ".kernel{fill:@kernel}.reference{fill:@reference}.yours{fill:@yours}"
    ".card,.kernel,.reference,.yours{shape-rendering:auto}"
    ".ref{fill:@line;font-weight:600}.refline{stroke:@reference;stroke-width:1.8}"
    ".words{paint-order:stroke;stroke:@card;stroke-width:4px;white-space:pre}"
    ".guide{stroke:@faint;stroke-dasharray:1 3}.whisker{stroke:@ink;stroke-width:1.5}"
    ".limit{stroke:@quiet;stroke-dasharray:2 3}"
    ".before{fill:none;stroke:@ink;stroke-dasharray:3 2}"
    ".arrow{fill:none;stroke:@ink;stroke-width:1.8;stroke-linejoin:round}\n"
    /* a chart as wide as its page; on a narrow page a row's text takes two lines */
    ".plot{width:calc(100% - 40px)}.near{display:none;font-size:11px}"
    "@media(max-width:480px){.far{display:none}.near{display:inline}}\n"
    "@media print{*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

static const char PATTERNS[] =
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"hatched\" width=\"5\" height=\"5\"/>"
    "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\"/></pattern>"
    "<pattern id=\"others\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><line stroke=\"#fff\" stroke-opacity=\".55\" "
    "stroke-width=\"1.4\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"4\"/></pattern></defs>\n";

void draw_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
               const char *text) {
    wb_buf_markupf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                   class, anchor, x, y, text);
}

void draw_textf(wb_buf *out, const char *class, const char *anchor, double x, double y,
                const char *format, ...) {
    char *text = WB_FORMATTED(format);
    draw_text(out, class, anchor, x, y, text);
    free(text);
}

void draw_rect(wb_buf *out, const char *class, double x, double y, double width, double height) {
    wb_buf_printf(out,
                  "<rect class=\"%s\" x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\"/>\n",
                  class, x, y, width, height);
}

void draw_line(wb_buf *out, const char *class, double x1, double y1, double x2, double y2) {
    wb_buf_printf(out, "<line class=\"%s\" x1=\"%.4g\" y1=\"%.4g\" x2=\"%.4g\" y2=\"%.4g\"/>\n",
                  class, x1, y1, x2, y2);
}

double draw_key(wb_buf *out, const char *class, double x, double y, const char *word) {
    draw_rect(out, class, x, y - 10, 12, 12);
    draw_text(out, "quiet", "start", x + 17, y, word);
    return x + 17 + draw_width(word) + 14;
}

double draw_lines(wb_buf *out, const char *class, double x, double y, double width,
                  const char *text) {
    size_t columns = width / COLUMN > 20 ? (size_t)(width / COLUMN) : 20;
    while (text && *text) {
        size_t len = wb_utf8_line(text, columns);
        char *line = strndup(text, len);
        draw_text(out, class, "start", x, y, line);
        free(line);
        text += len;
        text += *text == ' ' || *text == '\n';
        y += DRAW_LINE;
    }
    return y;
}

double draw_said(wb_buf *out, const char *class, double x, double y, double width, wb_buf *text) {
    y = draw_lines(out, class, x, y, width, text->data);
    wb_buf_free(text);
    return y;
}

double draw_width(const char *text) {
    return COLUMN * (double)wb_utf8_width(text, strlen(text)) + 1;
}

char *draw_cut(const char *text, double width) {
    return wb_utf8_cut(text, (size_t)(width / (1.12 * COLUMN))); /* letters of code are wider */
}

const char *draw_number(uint64_t n, char text[32]) {
    char plain[24];
    int len = snprintf(plain, sizeof plain, "%llu", (unsigned long long)n), out = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = plain[i];
    }
    text[out] = '\0';
    return text;
}

char *draw_card(wb_buf *shapes, double width, double height, double scale, const char *words,
                const char *title, ...) {
    wb_buf out = {0};
    char *text = WB_FORMATTED(title);
    wb_buf_puts(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" ");
    if (scale > 0)
        wb_buf_printf(&out,
                      "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                      "style=\"max-width:100%%;height:auto\"",
                      scale * width, scale * height, width, height);
    else
        wb_buf_printf(&out, "width=\"100%%\" height=\"%.0f\"", height);
    wb_buf_markupf(&out, ">\n<title>%s</title>\n<desc>%s</desc>\n", text, words);
    draw_style(&out, STYLE);
    wb_buf_puts(&out, PATTERNS);
    wb_buf_puts(
        &out, "<rect class=\"card\" x=\".5\" y=\".5\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
    wb_buf_append(&out, shapes->data ? shapes->data : "", shapes->len);
    wb_buf_puts(&out, "</svg>\n");
    out.failed |= shapes->failed;
    wb_buf_free(shapes);
    free(text);
    return wb_buf_steal(&out);
}

/* Markdown ends a block of HTML at a blank line, so newlines become blanks. The address %-escapes
 * what it cannot hold. */
void draw_img(wb_buf *out, const char *svg, const char *words, double height) {
    wb_buf_puts(out, "<img alt=\"");
    for (size_t at = out->len, end = (wb_buf_markup(out, words), out->len); at < end; at++)
        if (out->data[at] == '\n')
            out->data[at] = ' ';
    if (height > 0)
        wb_buf_printf(out, "\" width=\"100%%\" height=\"%.0f\"", height);
    else
        wb_buf_puts(out, "\" style=\"max-width:100%;height:auto\"");
    wb_buf_puts(out, " src=\"data:image/svg+xml,");
    for (; svg && *svg; svg++)
        if ((unsigned char)*svg <= 0x20 || (unsigned char)*svg >= 0x7f ||
            strchr("%#<>\"&*_`\\[]", *svg))
            wb_buf_printf(out, "%%%02X", (unsigned char)*svg);
        else
            wb_buf_putc(out, *svg);
    wb_buf_puts(out, "\">\n");
}

json_t *draw_bundle(char *svg, char *markdown, char *text) {
    json_t *bundle = json_object();
    if (svg && text && !markdown) {
        wb_buf img = {0};
        draw_img(&img, svg, text, 0);
        markdown = wb_buf_steal(&img);
    }
    json_object_set_new(bundle, "image/svg+xml", json_string(svg));
    json_object_set_new(bundle, "text/markdown", json_string(markdown));
    json_object_set_new(bundle, "text/plain", json_string(text ? text : ""));
    WB_FREE(svg, markdown, text);
    return bundle;
}
