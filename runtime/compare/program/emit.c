/* emit.c: writes JSON lines. */
#include "runtime/compare/program/emit.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void put_string(const char *text) {
    putchar('"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            printf("\\%c", *p);
        else if (*p < 0x20)
            printf("\\u%04x", *p);
        else
            putchar(*p);
    }
    putchar('"');
}

static void put_number(double value) {
    if (isfinite(value))
        printf("%.12g", value);
    else
        printf("null");
}

/* A member's value: a number, or the address of a text or of n numbers. */
typedef struct member {
    double number;
    const void *at;
    size_t n;
} member;

static void put_member(char kind, const member *m) {
    const char *text = m->at;
    const double *numbers = m->at;
    if (kind == 'z' || kind == 'f') {
        put_number(m->number);
    } else if (kind == 'b') {
        printf(m->number != 0 ? "true" : "false");
    } else if (kind == 'F') {
        for (size_t i = 0; i < m->n; i++) {
            putchar(i ? ',' : '[');
            put_number(numbers[i]);
        }
        printf(m->n ? "]" : "[]");
    } else if (!text) {
        printf("null");
    } else if (kind == 's') {
        put_string(text);
    } else {
        for (; *text; text++)
            if (*text != '\n')
                putchar(*text);
    }
}

void emit(const char *event, const char *format, ...) {
    va_list values;
    va_start(values, format);
    printf("{\"event\":\"%s\"", event);
    for (const char *p = format; *p; p += strspn(p, " ")) {
        size_t name = strcspn(p, ":");
        char kind = p[name + 1];
        member m = {.at = NULL};
        if (kind == 'z')
            m.number = (double)va_arg(values, size_t);
        else if (kind == 'f')
            m.number = va_arg(values, double);
        else if (kind == 'b')
            m.number = va_arg(values, int);
        else
            m.at = va_arg(values, const void *);
        if (kind == 'F')
            m.n = va_arg(values, size_t);
        bool left_out = p[name + 2] == '?' && m.number == 0 && !m.at;
        if (!left_out) {
            printf(",\"%.*s\":", (int)name, p);
            put_member(kind, &m);
        }
        p += strcspn(p, " ");
    }
    va_end(values);
    puts("}");
    fflush(stdout);
}
