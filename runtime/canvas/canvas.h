/* canvas.h: shapes, text and colours of every picture. Lengths are pixels of the picture at its own
 * size.
 *
 * A notebook shows a picture through <img>, where it cannot see the page. So a picture has its own
 * background, follows the reader's light or dark theme, and is light on paper. It has no script and
 * loads nothing. Colour is never the only sign. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

enum { DRAW_PAD = 20, DRAW_LINE = 17 /* between two lines of text */ };

/* Writes a text. class: one of the style in canvas.c. anchor: "start", "middle", "end". draw_textf
 * and draw_key translate their format and word. draw_text shows its text unchanged, NULL as
 * nothing. */
void draw_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
               const char *text);
void draw_textf(wb_buf *out, const char *class, const char *anchor, double x, double y,
                const char *format, ...) WB_PRINTF(6, 7);
void draw_rect(wb_buf *out, const char *class, double x, double y, double width, double height);
void draw_line(wb_buf *out, const char *class, double x1, double y1, double x2, double y2);
/* Draws a square of a class with a word behind it. Returns the x behind both. */
double draw_key(wb_buf *out, const char *class, double x, double y, const char *word);

/* Breaks a text into lines of at most that width, the first at base line y. Returns the y below. */
double draw_lines(wb_buf *out, const char *class, double x, double y, double width,
                  const char *text);
/* Does the same with a buffer and frees it. */
double draw_said(wb_buf *out, const char *class, double x, double y, double width, wb_buf *text);
/* Estimates a text's width. */
double draw_width(const char *text);
/* Returns the text, cut to that width with an ellipsis. The caller frees the result. */
char *draw_cut(const char *text, double width);
/* Writes "1,024"; returns text. */
const char *draw_number(uint64_t n, char text[32]);

/* Makes the whole picture: the shapes on a card, enlarged by `scale`. With scale 0 the card is as
 * wide as the page and ignores `width`. `words` and the title describe the picture for screen
 * readers. Frees the shapes. The caller frees the result; NULL: out of memory. */
char *draw_card(wb_buf *shapes, double width, double height, double scale, const char *words,
                const char *title, ...) WB_PRINTF(6, 7);
/* Appends an HTML <img> with the picture in its address. height: fixed height of a picture as wide
 * as the page. 0: the picture keeps its proportions. */
void draw_img(wb_buf *out, const char *svg, const char *words, double height);
/* Returns a MIME bundle of a picture, its HTML as Markdown, and its text. Frees all three. If
 * markdown is NULL, it becomes an <img> with the text as its description. */
json_t *draw_bundle(char *svg, char *markdown, char *text);

/* Appends a <style> element. In the rules, @NAME is a colour of the table in colours.c. Colours
 * that differ on a dark page get a second rule. */
void draw_style(wb_buf *out, const char *rules);
/* Appends a colour of the table with that opacity, in CSS. */
void draw_tint(wb_buf *out, const char *name, double opacity);
