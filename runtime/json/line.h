/* line.h: reads a JSON text that people write, such as a lab.json or gpu.json. Its errors name file
 * and line. (Jansson knows lines only for syntax errors.) */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

/* The text, and where its first error goes. */
typedef struct wb_json_source {
    const char *file, *text;
    size_t len;
    wb_error *err;
} wb_json_source;

/* Parses the text. Returns NULL with "FILE:LINE: expected valid JSON, ..." if it is none, or if a
 * key is there twice. */
json_t *wb_json_parse(const wb_json_source *source);

/* Sets the error to "FILE:LINE: PATH.KEY: what is wrong there" and returns false. Either of path
 * and key may be "". */
bool wb_json_fail(const wb_json_source *source, const char *path, const char *key,
                  const char *format, ...) WB_PRINTF(4, 5);

/* Refuses a key of the object at `path` that is not in names[0..n), and suggests a similar one. */
bool wb_json_known(const wb_json_source *source, const char *path, const json_t *object,
                   const char *const *names, size_t n);

/* Returns the 1-based line of the value at `path`, such as "tests[2].cases[0].sizes". If a key is
 * missing, returns the line of the nearest enclosing value. The text must be valid JSON; for other
 * text the result is some line of it. */
int wb_json_line(const char *text, size_t len, const char *path);
