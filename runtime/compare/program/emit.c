/* emit.c: writes JSON lines. */
#include "runtime/compare/program/emit.h"

#include <math.h>
#include <stdio.h>

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

static void put_key(const char *key) {
    putchar(',');
    put_string(key);
    putchar(':');
}

static void put_number(double value) {
    if (isfinite(value))
        printf("%.12g", value);
    else
        printf("null");
}

void emit_begin(const char *event) {
    printf("{\"event\":");
    put_string(event);
}

void emit_text(const char *key, const char *value) {
    put_key(key);
    if (value)
        put_string(value);
    else
        printf("null");
}

void emit_number(const char *key, double value) {
    put_key(key);
    put_number(value);
}

void emit_bool(const char *key, bool value) {
    put_key(key);
    printf(value ? "true" : "false");
}

void emit_json(const char *key, const char *json) {
    put_key(key);
    for (; *json; json++)
        if (*json != '\n')
            putchar(*json);
}

void emit_numbers(const char *key, const double *values, size_t n) {
    put_key(key);
    putchar('[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            putchar(',');
        put_number(values[i]);
    }
    putchar(']');
}

void emit_end(void) {
    puts("}");
    fflush(stdout);
}
