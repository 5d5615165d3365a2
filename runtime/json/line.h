/* line.h: in which line of a JSON text a value stands, so that a broken lab.json or gpu.json can be
 * told with file and line (Jansson knows lines for syntax errors only). */
#ifndef WARPBOOK_JSON_LINE_H
#define WARPBOOK_JSON_LINE_H

#include "runtime/base/base.h"

/* The 1-based line of the value at `path`, such as "tests[2].cases[0].sizes"; where the path ends
 * early (a missing key) the line of its nearest enclosing value. The text must be valid JSON; on
 * other text the answer is some line of it. */
int wb_json_line(const char *text, size_t len, const char *path);

/* Sets *err to "file:line: path: what is wrong there" and returns false. */
bool wb_json_fail(wb_error *err, const char *file, const char *text, size_t len, const char *path,
                  const char *what);

#endif
