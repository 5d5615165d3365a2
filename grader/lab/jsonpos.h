/* jsonpos.h: in which line of a JSON text a value stands, so that a broken lab.json can be told
 * with file and line (Jansson knows lines for syntax errors only). */
#ifndef GRADER_JSONPOS_H
#define GRADER_JSONPOS_H

#include <stddef.h>

/* The 1-based line of the value at `path`, such as "tests[2].cases[0].sizes"; where the path ends
 * early (a missing key) the line of its nearest enclosing value. The text must be valid JSON; on
 * other text the answer is some line of it. */
int gr_json_line(const char *text, size_t len, const char *path);

#endif
