/* fields.h: reads the fields of a JSON object by name. A missing field is 0, "" or,
 * for wb_field_string, NULL. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Runs the block for each element of an array (NULL: none). Declares `value`, and value_at, its
 * index. break and continue work as in a loop. */
#define WB_JSON_EACH(value, array)                                                                 \
    for (size_t value##_at = 0, value##_goes = 1;                                                  \
         value##_goes && value##_at < json_array_size(array); value##_at++)                        \
        for (json_t *value = (value##_goes = 0, json_array_get(array, value##_at)); !value##_goes; \
             value##_goes = 1)

static inline double wb_field_number(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static inline json_int_t wb_field_int(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static inline bool wb_field_true(const json_t *object, const char *key) {
    return json_is_true(json_object_get(object, key));
}

static inline const char *wb_field_string(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static inline const char *wb_field_text(const json_t *object, const char *key) {
    const char *text = wb_field_string(object, key);
    return text ? text : "";
}
