/* reader.h: typed access to the values of a JSON document by path, every mistake told with
 * file, line, path and what was expected. Private to lab.c. */
#ifndef GRADER_LAB_READER_H
#define GRADER_LAB_READER_H

#include <jansson.h>
#include "runtime/base/base.h"

typedef struct gr_reader {
    const char *file, *text;
    size_t len;
    wb_error *err;
    bool failed; /* the first mistake is in *err; later ones are not noted */
} gr_reader;

/* A place in the document: the value and the path to it. */
typedef struct gr_place {
    json_t *value; /* borrowed */
    char path[160];
} gr_place;

/* Notes the mistake (the first one wins) and returns false. */
bool gr_reader_fail(gr_reader *r, const char *path, const char *format, ...) WB_PRINTF(3, 4);

/* The member of an object; a required one that is missing is a mistake, and value is NULL. */
gr_place gr_member(gr_reader *r, const gr_place *object, const char *key, bool required);
gr_place gr_element(const gr_place *array, size_t index);

/* An object whose keys all are among keys[0..n). */
bool gr_expect_object(gr_reader *r, const gr_place *place, const char *const *keys, size_t n);
/* An array of min..max elements; its length. */
size_t gr_expect_array(gr_reader *r, const gr_place *place, size_t min, size_t max);

/* Members of an object, with a default where the key may be missing. Strings are malloc'd. */
char *gr_get_string(gr_reader *r, const gr_place *object, const char *key, const char *otherwise);
double gr_get_number(gr_reader *r, const gr_place *object, const char *key, double min, double max,
                     const double *otherwise);
bool gr_get_bool(gr_reader *r, const gr_place *object, const char *key, bool otherwise);
/* The index in names[0..n) of a string member; -1 after a mistake; `otherwise` when missing (a
 * negative one: the key is required). */
int gr_get_choice(gr_reader *r, const gr_place *object, const char *key, const char *const *names,
                  size_t n, int otherwise);

#endif
