/* canvas.h: shapes, text and colours of every picture. Lengths are pixels of the picture at its own
 * size.
 *
 * A notebook shows a picture through <img>, where it cannot see the page. So a picture has its own
 * background, follows the reader's light or dark theme, and is light on paper. It has no script and
 * loads nothing. Colour is never the only sign. */
#ifndef WARPBOOK_CANVAS_CANVAS_H
#define WARPBOOK_CANVAS_CANVAS_H

#include <jansson.h>

#include "runtime/base/base.h"

enum { DRAW_PAD = 20, DRAW_LINE = 17 /* from one line of text to the next */ };

/* class: one of the style in canvas.c. anchor: "start", "middle", "end". A format, and the word of
 * a key, are looked up in the reader's language; a text is shown as it is, NULL as nothing. */
void draw_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
               const char *text);
void draw_textf(wb_buf *out, const char *class, const char *anchor, double x, double y,
                const char *format, ...) WB_PRINTF(6, 7);
void draw_rect(wb_buf *out, const char *class, double x, double y, double width, double height);
void draw_line(wb_buf *out, const char *class, double x1, double y1, double x2, double y2);
/* A square of a class with a word behind it; returns the x behind both. */
double draw_key(wb_buf *out, const char *class, double x, double y, const char *word);

/* Breaks a text into lines of at most that width, the first at base line y. Returns the y below. */
double draw_lines(wb_buf *out, const char *class, double x, double y, double width,
                  const char *text);
/* Does the same with a buffer and frees it. */
double draw_said(wb_buf *out, const char *class, double x, double y, double width, wb_buf *text);
/* Estimates a text's width. */
double draw_width(const char *text);
/* The text, cut to that width with an ellipsis. The caller frees the result. */
char *draw_cut(const char *text, double width);
/* Writes "1,024"; returns text. */
const char *draw_number(uint64_t n, char text[32]);

/* Makes the whole picture: the shapes on a card, enlarged by `scale`. With scale 0 the card is as
 * wide as the reader's page; `width` is then unused. `words` and the title describe the picture for
 * readers who do not see it. Frees the shapes. The caller frees the result; NULL: out of memory. */
char *draw_card(wb_buf *shapes, double width, double height, double scale, const char *words,
                const char *title, ...) WB_PRINTF(6, 7);
/* Appends an <img> of HTML with the picture in its address. height: of a picture as wide as its
 * page, which keeps it; 0: the picture keeps its shape. */
void draw_img(wb_buf *out, const char *svg, const char *words, double height);
/* A MIME bundle with a picture, its HTML as Markdown, and its text. Frees all three; markdown NULL:
 * an <img>, which takes the text as its words. */
json_t *draw_bundle(char *svg, char *markdown, char *text);

/* Appends a <style> element. In the rules @NAME is a colour of the table in colours.c; those that
 * are others on a dark page get a rule for it. */
void draw_style(wb_buf *out, const char *rules);
/* Appends a colour of the table with that opacity, as CSS has it. */
void draw_tint(wb_buf *out, const char *name, double opacity);

#endif
