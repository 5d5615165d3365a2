/* line.h: finds the line of a value in a JSON text, so that an error in a lab.json or gpu.json can
 * name file and line. (Jansson knows lines only for syntax errors.) */
#ifndef WARPBOOK_JSON_LINE_H
#define WARPBOOK_JSON_LINE_H

#include "runtime/base/base.h"

/* Returns the 1-based line of the value at `path`, such as "tests[2].cases[0].sizes". If a key is
 * missing, returns the line of the nearest enclosing value. The text must be valid JSON; for other
 * text the result is some line of it. */
int wb_json_line(const char *text, size_t len, const char *path);

/* Sets *err to "file:line: path: what is wrong there" and returns false. */
bool wb_json_fail(wb_error *err, const char *file, const char *text, size_t len, const char *path,
                  const char *what);

#endif
