/* language.h: the user's language, and how wide a text is in a terminal. base.h has wb_tr, which
 * looks a text up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The language comes from $WARPBOOK_LANGUAGE, else as gettext does it from LC_ALL, LC_MESSAGES,
 * LANG and LANGUAGE. wb_language_set overrides both for the whole process. */
typedef enum wb_language { WB_ENGLISH, WB_CHINESE } wb_language;
wb_language wb_language_get(void);
void wb_language_set(wb_language language);
/* Returns false if the program was built without that catalogue. */
bool wb_language_has(wb_language language);
const char *wb_language_name(wb_language language);             /* "en", "zh" */
bool wb_language_read(const char *name, wb_language *language); /* "zh", "zh_CN.UTF-8", "中文" */
/* Returns "WARPBOOK_LANGUAGE=zh" for a child, or NULL before the first wb_language_set(). */
const char *wb_language_entry(void);

/* Returns a file's name for display: "cell [3]" in the user's language (in buf), or `file` itself.
 * Never compare the result with anything. */
const char *wb_language_file(const char *file, char *buf, size_t size);

/* Returns the width in columns of a terminal. A Chinese character takes two. (In text.c.) */
size_t wb_utf8_width(const char *text, size_t len);
/* Returns how many bytes fit on a line of that many columns. The line ends at a newline, at a
 * blank, or beside a Chinese character. Takes at least one character if there is one. */
size_t wb_utf8_line(const char *text, size_t columns);
/* Returns the text, cut with an ellipsis if it is wider. The caller frees the result. */
char *wb_utf8_cut(const char *text, size_t columns);
