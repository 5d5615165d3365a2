/* words.c: see words.h. */
#include "runtime/base/words.h"

#include <ctype.h>
#include <string.h>

bool wb_word_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool wb_word_part(char c) {
    return wb_word_start(c) || isdigit((unsigned char)c);
}

size_t wb_word_length(const char *p) {
    size_t n = 0;
    while (wb_word_part(p[n]))
        n++;
    return n;
}

size_t wb_word_within(const char *p, size_t len) {
    size_t n = 0;
    while (n < len && wb_word_part(p[n]))
        n++;
    return n;
}

size_t wb_word_begin(const char *text, size_t at) {
    while (at > 0 && wb_word_part(text[at - 1]))
        at--;
    return at;
}

size_t wb_line_begin(const char *text, size_t at) {
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

size_t wb_trimmed(const char *text, size_t len, const char *set) {
    while (len > 0 && text[len - 1] && strchr(set, text[len - 1]))
        len--;
    return len;
}

bool wb_word_whole(const char *text) {
    return wb_word_start(*text) && !text[wb_word_length(text)];
}

bool wb_word_is(const char *word, size_t len, const char *name) {
    return strlen(name) == len && memcmp(name, word, len) == 0;
}

bool wb_word_among(const char *word, size_t len, const char *list) {
    for (const char *p = list; len && *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (n == len && memcmp(p, word, n) == 0)
            return true;
        p += n;
    }
    return false;
}

const char *wb_word_find(const char *text, const char *word, size_t len) {
    const char *end = text ? text + strlen(text) : NULL;
    for (const char *p = text; len && end && (p = memmem(p, (size_t)(end - p), word, len)); p++)
        if ((p == text || !wb_word_part(p[-1])) && !wb_word_part(p[len]))
            return p;
    return NULL;
}

void wb_words(const char *text, size_t len, void (*f)(void *, const char *, size_t), void *ctx) {
    for (size_t i = 0; i < len;) {
        size_t start = i;
        while (i < len && wb_word_part(text[i]))
            i++;
        bool number = isdigit((unsigned char)text[start]);
        const char *word = number ? memchr(text + start, '_', i - start) : text + start;
        if (word && i > start)
            f(ctx, word, (size_t)(text + i - word));
        i += i == start;
    }
}

const char *wb_word_included(const char *line, size_t *len) {
    const char *p = line + strspn(line, " \t");
    const char *word = *p == '#' ? p + 1 + strspn(p + 1, " \t") : "";
    if (strncmp(word, "include", 7) != 0)
        return NULL;
    p = word + 7 + strspn(word + 7, " \t");
    *len = *p == '<' ? strcspn(p + 1, ">\n") : *p == '"' ? strcspn(p + 1, "\"\n") : 0;
    return *len && p[1 + *len] && p[1 + *len] != '\n' ? p + 1 : NULL;
}

const char *wb_word_last(const char *name) {
    for (const char *p = name; (p = strstr(p, "::")); p += 2)
        name = p + 2;
    return name;
}
