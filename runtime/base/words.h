/* words.h: the words of C++ text: names, keywords, and numbers. Text ends with a NUL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A piece of a text. */
typedef struct wb_span {
    const char *at;
    size_t len;
} wb_span;

bool wb_word_start(char c); /* a letter, '_', or a byte of a character that is not ASCII */
bool wb_word_part(char c);  /* the same, or a digit */

/* Returns true if the text is one name: not empty, and not a number. */
bool wb_word_whole(const char *text);

/* Returns the length in bytes of the word or number at p. */
size_t wb_word_length(const char *p);

/* Returns the same for a text of `len` bytes. */
size_t wb_word_within(const char *p, size_t len);

/* Returns where the word, or the line, that text[at - 1] belongs to begins. If to none, `at`. */
size_t wb_word_begin(const char *text, size_t at);
size_t wb_line_begin(const char *text, size_t at);

#define WB_BLANK " \t\n\v\f\r"
/* Returns the length of the text without the bytes of `set` at its end. */
size_t wb_trimmed(const char *text, size_t len, const char *set);

bool wb_word_is(const char *word, size_t len, const char *name);
/* Returns true if the list, separated by blanks, has the text. */
bool wb_word_among(const char *word, size_t len, const char *list);

/* Returns the first occurrence of the whole word in the text, or NULL. The text may be NULL. */
const char *wb_word_find(const char *text, const char *word, size_t len);

/* Calls f for every name of the text, and for the suffix "_km" of the number "3_km". */
void wb_words(const char *text, size_t len, void (*f)(void *ctx, const char *word, size_t len),
              void *ctx);

/* Returns the file in a line #include <file> or "file", behind the bracket or quote. NULL: the line
 * is no such line. */
const char *wb_word_included(const char *line, size_t *len);

/* Returns "f" for "a::b::f": a pointer into `name`. */
const char *wb_word_last(const char *name);
