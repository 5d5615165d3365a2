/* emit.h: the program's output: one JSON object a line on stdout, flushed. It needs no JSON
 * library, so the program depends only on libcudart. runtime/compare reads it. */
#ifndef WARPBOOK_COMPARE_EMIT_H
#define WARPBOOK_COMPARE_EMIT_H

#include <stdbool.h>
#include <stddef.h>

/* {"event":"NAME" ... } */
void emit_begin(const char *event);
void emit_text(const char *key, const char *value); /* escaped; NULL becomes null */
void emit_number(const char *key, double value);    /* not finite: null */
void emit_bool(const char *key, bool value);
void emit_json(const char *key, const char *json); /* unchanged; must be one line */
void emit_numbers(const char *key, const double *values, size_t n);
void emit_end(void);

#endif
