/* reader.h: typed access to the values of a JSON document. An error message has file, line, path
 * and what was expected. Private to grader/lab. */
#pragma once

#include "runtime/json/line.h"

typedef struct gr_reader {
    wb_json_source source;
    bool failed; /* the first mistake is in *err; later ones are dropped */
} gr_reader;

/* A value in the document, and the path to it. */
typedef struct gr_place {
    json_t *value; /* borrowed */
    char path[160];
} gr_place;

/* Notes the first mistake. Always returns false. */
bool gr_reader_fail(gr_reader *r, const char *path, const char *format, ...) WB_PRINTF(3, 4);

/* Returns a member of an object. A missing one has the value NULL; if required, it is a mistake. */
gr_place gr_member(gr_reader *r, const gr_place *object, const char *key, bool required);
gr_place gr_element(const gr_place *array, size_t index);

/* Checks that place is an object with no other keys than keys[0..n). */
bool gr_expect_object(gr_reader *r, const gr_place *place, const char *const *keys, size_t n);
/* Returns the length of an array of min..max elements, or 0 after a mistake. */
size_t gr_expect_array(gr_reader *r, const gr_place *place, size_t min, size_t max);

/* Return a member of an object, or the default if it is missing. The caller frees strings. */
char *gr_get_string(gr_reader *r, const gr_place *object, const char *key, const char *otherwise);
double gr_get_number(gr_reader *r, const gr_place *object, const char *key, double min, double max,
                     const double *otherwise);
bool gr_get_bool(gr_reader *r, const gr_place *object, const char *key, bool otherwise);
/* Returns the index of a string member in names[0..n), `otherwise` if it is missing, or -1 after a
 * mistake. A negative `otherwise` makes the key required. */
int gr_get_choice(gr_reader *r, const gr_place *object, const char *key, const char *const *names,
                  size_t n, int otherwise);
