/* language.h: the reader's language. What people read is written in English, and looked up in the
 * catalogue of that language (runtime/language). */
#ifndef WARPBOOK_LANGUAGE_H
#define WARPBOOK_LANGUAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the catalogue's translation of `text`, or `text`. Functions that take a format (wb_fail,
 * wb_format, wb_buf_printf, ...) look it up themselves. Mark other texts: wb_tr("...") looks it up
 * at once, and WB_N("...") says that other code will. Thread-safe. The result stays valid. */
const char *wb_tr(const char *text) __attribute__((format_arg(1)));
#define WB_N(text) text

/* The text of a function that ends in `format, ...`, in the reader's language: malloc'd, NULL when
 * memory runs out; or into an array, cut where that is full. */
#define WB_FORMATTED(format)                                                                       \
    ({                                                                                             \
        char *wb_formatted = NULL;                                                                 \
        va_list wb_args;                                                                           \
        va_start(wb_args, format);                                                                 \
        if (vasprintf(&wb_formatted, wb_tr(format), wb_args) < 0)                                  \
            wb_formatted = NULL;                                                                   \
        va_end(wb_args);                                                                           \
        wb_formatted;                                                                              \
    })
#define WB_FORMAT_INTO(array, format)                                                              \
    do {                                                                                           \
        va_list wb_args;                                                                           \
        va_start(wb_args, format);                                                                 \
        vsnprintf(array, sizeof(array), wb_tr(format), wb_args);                                   \
        va_end(wb_args);                                                                           \
    } while (0)

/* The environment says which: $WARPBOOK_LANGUAGE, or as gettext has it LC_ALL, LC_MESSAGES, LANG
 * and LANGUAGE. Until wb_language_set says it, for the whole process. */
typedef enum wb_language { WB_ENGLISH, WB_CHINESE } wb_language;
wb_language wb_language_get(void);
void wb_language_set(wb_language language);
/* False when the program was built without that catalogue. */
bool wb_language_has(wb_language language);
const char *wb_language_name(wb_language language);             /* "en", "zh" */
bool wb_language_read(const char *name, wb_language *language); /* "zh", "zh_CN.UTF-8", "中文" */
/* "WARPBOOK_LANGUAGE=zh" for a child's environment, where wb_language_set was called; or NULL. */
const char *wb_language_entry(void);

/* A file's name as people are told it: "cell [3]" in the reader's language, any other as it is.
 * Into buf, or file itself; what it returns is for showing and never looked for in a program's own
 * words. */
const char *wb_language_file(const char *file, char *buf, size_t size);

/* Columns of a terminal: characters of Chinese take two. text.c has it. */
size_t wb_utf8_width(const char *text, size_t len);
/* How many bytes of the text belong on a line of that many columns. The line ends at a newline, at
 * a blank, or beside a Chinese character. Takes at least one character if there is one. */
size_t wb_utf8_line(const char *text, size_t columns);
/* The text; if it is wider, its beginning and an ellipsis. The caller frees the result. */
char *wb_utf8_cut(const char *text, size_t columns);

#endif
