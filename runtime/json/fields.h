/* fields.h: reads the fields of a JSON object by name. A missing field is 0 or "". */
#ifndef WARPBOOK_JSON_FIELDS_H
#define WARPBOOK_JSON_FIELDS_H

#include <jansson.h>

static inline double wb_field_number(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static inline json_int_t wb_field_int(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static inline const char *wb_field_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

#endif
