/* canvas.c: see canvas.h. */
#include "runtime/draw/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/language.h"
#include "runtime/measure/chart.h"
#include "runtime/measure/table.h"

#define COLUMN 6.6 /* 12 px system fonts average less than that a column */

/* Colours are those of the charts (measure/svg.c). */
static const char STYLE[] =
    "<style>\n"
    "text{font:12px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;"
    "fill:#24292f}\n"
    ".title{font-size:15px;font-weight:600}.head{font-weight:600}.quiet{fill:#57606a}"
    ".code{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "white-space:pre}\n"
    ".n{font-size:10px;font-variant-numeric:tabular-nums}"
    ".s{font-size:8.5px;font-variant-numeric:tabular-nums}"
    ".on{fill:#ffffff}.card{fill:#ffffff;stroke:#d0d7de}\n"
    ".used{fill:#1f6fb2}.lane{fill:#1f6fb2}.off{fill:none;stroke:#8c959f;stroke-dasharray:2 2}"
    ".wasted{fill:url(#hatch);stroke:#b35900;stroke-width:.75}"
    ".hatch{stroke:#d55e00;stroke-width:1.6}.hatched{fill:#fff1e5}"
    ".untouched{fill:#f6f8fa;stroke:#d0d7de;stroke-width:.75}.frame{fill:none;stroke:#57606a}"
    ".thin{stroke:#d8dee4}rect{shape-rendering:crispEdges}.many{fill:url(#others)}.ink{fill:#"
    "ffffff;stroke:#000000;stroke-width:"
    "2px;paint-order:stroke}\n"
    ".c0{fill:#0072b2}.c1{fill:#e69f00}.c2{fill:#009e73}.c3{fill:#cc79a7}.c4{fill:#56b4e9}"
    ".c5{fill:#d55e00}.c6{fill:#f0e442}.c7{fill:#999999}"
    ".r0{fill:#440154}.r1{fill:#482173}.r2{fill:#433e85}.r3{fill:#38598c}.r4{fill:#2d708e}"
    ".r5{fill:#25858e}.r6{fill:#1e9b8a}.r7{fill:#2ab07f}.r8{fill:#52c569}.r9{fill:#86d549}"
    ".r10{fill:#c2df23}.r11{fill:#fde725}"
    "\n"
    "@media screen and (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9aa4af}"
    ".on{fill:#ffffff}.card{fill:#161b22;stroke:#30363d}.used,.lane{fill:#2f7fc4}"
    ".off{stroke:#6e7681}.wasted{stroke:#c77a3a}.hatch{stroke:#d9792b}.hatched{fill:#2d2116}"
    ".untouched{fill:#1d232b;stroke:#30363d}.frame{stroke:#9aa4af}.thin{stroke:#2b323b}}\n"
    "@media print{*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n"
    "</style>\n"
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"hatched\" width=\"5\" height=\"5\"/>"
    "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\"/></pattern>"
    "<pattern id=\"others\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><line stroke=\"#ffffff\" stroke-opacity=\".55\" "
    "stroke-width=\"1.4\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"4\"/></pattern></defs>\n";

void draw_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
               const char *text) {
    wb_buf_printf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class,
                  anchor, x, y);
    wb_buf_markup(out, text);
    wb_buf_puts(out, "</text>\n");
}

void draw_textf(wb_buf *out, const char *class, const char *anchor, double x, double y,
                const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, wb_tr(format), args) < 0)
        text = NULL;
    va_end(args);
    draw_text(out, class, anchor, x, y, text ? text : "");
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

double draw_lines(wb_buf *out, const char *class, double x, double y, double width,
                  const char *text) {
    wb_buf whole = {0}; /* a number stays with its unit */
    for (const char *p = text; *p; p++)
        if (strncmp(p, " %", 2) == 0)
            wb_buf_puts(&whole, "\xc2\xa0");
        else
            wb_buf_putc(&whole, *p);
    json_t *lines = wb_chart_lines(whole.data ? whole.data : "", (size_t)fmax(width / COLUMN, 20)),
           *line;
    size_t i;
    wb_buf_free(&whole);
    json_array_foreach(lines, i, line) {
        draw_text(out, class, "start", x, y, json_string_value(line));
        y += DRAW_LINE;
    }
    json_decref(lines);
    return y;
}

double draw_width(const char *text) {
    return COLUMN * (double)wb_table_width(text) + 1;
}

char *draw_cut(const char *text, double width) {
    char *copy = strdup(text);
    size_t len = copy ? strlen(copy) : 0;
    if (!copy || 1.12 * draw_width(copy) <= width) /* of code: its letters are wider */
        return copy;
    while (len > 0 && 1.12 * (draw_width(copy) + COLUMN) > width) {
        while (len > 1 && ((unsigned char)copy[len - 1] & 0xC0) == 0x80)
            len--;
        copy[--len] = '\0';
    }
    char *cut = wb_format("%s…", copy);
    free(copy);
    return cut;
}

double draw_key(wb_buf *out, const char *class, double x, double y, const char *word) {
    word = wb_tr(word);
    draw_rect(out, class, x, y - 10, 12, 12);
    draw_text(out, "quiet", "start", x + 17, y, word);
    return x + 17 + draw_width(word) + 14;
}

char *draw_card(wb_buf *shapes, double width, double height, const char *title, const char *words) {
    wb_buf out = {0};
    wb_buf_printf(&out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                  "viewBox=\"0 0 %.0f %.0f\" style=\"max-width:100%%;height:auto\" "
                  "role=\"img\">\n<title>",
                  width, height, width, height);
    wb_buf_markup(&out, title);
    wb_buf_puts(&out, "</title>\n<desc>");
    wb_buf_markup(&out, words);
    wb_buf_puts(&out, "</desc>\n");
    wb_buf_puts(&out, STYLE);
    wb_buf_printf(&out,
                  "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"%.0f\" height=\"%.0f\" "
                  "rx=\"8\"/>\n",
                  width - 1, height - 1);
    wb_buf_append(&out, shapes->data ? shapes->data : "", shapes->len);
    wb_buf_puts(&out, "</svg>\n");
    out.failed |= shapes->failed;
    wb_buf_free(shapes);
    return wb_buf_steal(&out);
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
