/* buf.c: growable byte buffers, arrays and lists of strings. */
#include "runtime/base/base.h"

void wb_buf_free(wb_buf *b) {
    free(b->data);
    *b = (wb_buf){0};
}

void wb_buf_clear(wb_buf *b) {
    b->len = 0;
    b->failed = false;
    if (b->data)
        b->data[0] = '\0';
}

bool wb_buf_reserve(wb_buf *b, size_t more) {
    if (b->failed)
        return false;
    if (more < b->cap - b->len && b->cap > 0)
        return true;
    if (more > SIZE_MAX / 2 - b->len - 1) {
        b->failed = true;
        return false;
    }
    size_t cap = b->cap ? b->cap : 64;
    while (cap < b->len + more + 1)
        cap *= 2;
    char *data = realloc(b->data, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    b->data[b->len] = '\0';
    return true;
}

bool wb_buf_append(wb_buf *b, const void *data, size_t len) {
    if (!wb_buf_reserve(b, len))
        return false;
    if (len)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
    return true;
}

bool wb_buf_puts(wb_buf *b, const char *text) {
    return wb_buf_append(b, text, strlen(text));
}

bool wb_buf_putc(wb_buf *b, char c) {
    return wb_buf_append(b, &c, 1);
}

bool wb_buf_markup(wb_buf *b, const char *text) {
    for (; text && *text; text++) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        bool control = (unsigned char)*text < 0x20 && *text != '\n' && *text != '\t';
        if (entity)
            wb_buf_puts(b, entity);
        else
            wb_buf_putc(b, control ? '?' : *text);
    }
    return !b->failed;
}

static bool append_formatted(wb_buf *b, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int need = vsnprintf(NULL, 0, format, args);
    bool ok = need >= 0 && wb_buf_reserve(b, (size_t)need);
    if (ok) {
        vsnprintf(b->data + b->len, (size_t)need + 1, format, again);
        b->len += (size_t)need;
    } else {
        b->failed = true;
    }
    va_end(again);
    return ok;
}

bool wb_buf_printf(wb_buf *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bool ok = append_formatted(b, format, args);
    va_end(args);
    return ok;
}

bool wb_buf_replace(wb_buf *b, const char *text, const char *what, const char *with) {
    for (const char *at; (at = strstr(text, what)); text = at + strlen(what)) {
        wb_buf_append(b, text, (size_t)(at - text));
        wb_buf_puts(b, with);
    }
    return wb_buf_puts(b, text);
}

void wb_buf_consume(wb_buf *b, size_t len) {
    if (len >= b->len) {
        wb_buf_clear(b);
        return;
    }
    memmove(b->data, b->data + len, b->len - len + 1);
    b->len -= len;
}

char *wb_buf_steal(wb_buf *b) {
    if (!wb_buf_reserve(b, 0)) {
        wb_buf_free(b);
        return NULL;
    }
    char *data = b->data;
    *b = (wb_buf){0};
    return data;
}

char *wb_format(const char *format, ...) {
    wb_buf b = {0};
    va_list args;
    va_start(args, format);
    append_formatted(&b, format, args);
    va_end(args);
    return wb_buf_steal(&b);
}

void *wb_grow(void *array, size_t n, size_t size) {
    char *data;
    memcpy(&data, array, sizeof data);
    if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) { /* full: it holds 4, 8, 16, ... */
        if (!(data = realloc(data, (n ? 2 * n : 4) * size)))
            return NULL;
        memcpy(array, &data, sizeof data);
    }
    return memset(data + n * size, 0, size);
}

bool wb_strings_own(wb_strings *list, char *text) {
    bool ok = text && (list->v || wb_grow(&list->v, 0, sizeof *list->v)) &&
              wb_grow(&list->v, list->n + 1, sizeof *list->v); /* for the NULL */
    list->failed |= !ok;
    if (ok)
        list->v[list->n++] = text;
    else
        free(text);
    return ok;
}

bool wb_strings_add(wb_strings *list, const char *text) {
    return wb_strings_own(list, strdup(text));
}

bool wb_strings_words(wb_strings *list, const char *words) {
    bool ok = true;
    for (size_t n; (n = strcspn(words, " ")); words += n, words += strspn(words, " "))
        ok &= wb_strings_own(list, strndup(words, n));
    return ok;
}

char *wb_strings_joined(const wb_strings *list, const char *between) {
    wb_buf all = {0};
    for (size_t i = 0; i < list->n; i++)
        wb_buf_printf(&all, "%s%s", i ? between : "", list->v[i]);
    return wb_buf_steal(&all);
}

void wb_strings_free(wb_strings *list) {
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (wb_strings){0};
}

bool wb_buf_markupf(wb_buf *b, const char *format, ...) {
    char spec[16];
    va_list args;
    va_start(args, format);
    while (*format) {
        size_t plain = strcspn(format, "%"), len;
        wb_buf_append(b, format, plain);
        format += plain;
        len = *format ? 2 + strcspn(format + 1, "sduxfg%") : 0;
        snprintf(spec, sizeof spec, "%.*s", (int)len, format);
        format += len;
        if (len == 0)
            break;
        if (spec[len - 1] == 's')
            wb_buf_markup(b, va_arg(args, const char *));
        else if (spec[len - 1] == 'f' || spec[len - 1] == 'g')
            wb_buf_printf(b, spec, va_arg(args, double));
        else if (strchr(spec, 'z'))
            wb_buf_printf(b, spec, va_arg(args, size_t));
        else if (strchr(spec, 'l'))
            wb_buf_printf(b, spec, va_arg(args, long long));
        else if (spec[len - 1] == '%')
            wb_buf_putc(b, '%');
        else
            wb_buf_printf(b, spec, va_arg(args, int));
    }
    va_end(args);
    return !b->failed;
}
