/* canvas.h: what the pictures share: shapes, words, and the card around them. Measures are pixels
 * of the picture at its own size.
 *
 * A picture is shown through <img>, where it knows nothing of its page: so it has a background of
 * its own, turns light or dark as the reader prefers, and light on paper. It holds no script and
 * asks for nothing. Colour is never the only sign: what is used is full and bears a number, what
 * was moved for nothing is hatched. */
#ifndef WARPBOOK_DRAW_CANVAS_H
#define WARPBOOK_DRAW_CANVAS_H

#include "runtime/base/base.h"

enum { DRAW_PAD = 20, DRAW_LINE = 17 /* from one line of words to the next */ };

/* class: of draw_card's style. anchor: "start", "middle", "end". A format, and the word of a key,
 * are looked up in the reader's language (runtime/base/language.h); a text is shown as it is. */
void draw_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
               const char *text);
void draw_textf(wb_buf *out, const char *class, const char *anchor, double x, double y,
                const char *format, ...) WB_PRINTF(6, 7);
void draw_rect(wb_buf *out, const char *class, double x, double y, double width, double height);
void draw_line(wb_buf *out, const char *class, double x1, double y1, double x2, double y2);

/* Words in lines that are at most so wide, from the base line y on; returns the y behind them. */
double draw_lines(wb_buf *out, const char *class, double x, double y, double width,
                  const char *text);
/* An estimate of a text's width. */
double draw_width(const char *text);
/* The text, cut to that width with an ellipsis; malloc'd. */
char *draw_cut(const char *text, double width);

/* A square of a class with a word behind it; returns the x behind both. */
double draw_key(wb_buf *out, const char *class, double x, double y, const char *word);

/* The whole picture: the shapes on a card of that size. title and words: for those who don't see
 * it. Frees the shapes; malloc'd, NULL when memory has run out. */
char *draw_card(wb_buf *shapes, double width, double height, const char *title, const char *words);

/* "1,024"; returns text. */
const char *draw_number(uint64_t n, char text[32]);

#endif
