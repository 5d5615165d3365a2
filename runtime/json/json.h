/* json.h: JSON of arbitrary bytes. jansson refuses a whole message if one string is not UTF-8. But
 * what C++ programs print, throw or name their files may be any bytes. These functions write an
 * invalid byte as C++ does, \xe9, so every text can be sent. */
#pragma once

#include "runtime/base/base.h"
#include "runtime/json/fields.h"

/* Releases each of the references; any may be NULL. */
#define WB_JSON_FREE(...) WB_CALL_EACH(json_decref, json_t, __VA_ARGS__)
/* Releases a reference where its block ends (runtime/base/scoped.h). */
#define WB_SCOPED_JSON __attribute__((cleanup(wb_json_release)))
static inline void wb_json_release(json_t **json) {
    json_decref(*json);
}

/* Returns a string of `len` bytes of text; NULL only if memory runs out. */
json_t *wb_json_text(const char *text, size_t len);

/* Works like json_pack for any text. Its format has { } [ ] s s? s* s% s# i I b f n o o* o? O O*
 * O?. Keys are `s` and must be UTF-8. Always takes over a reference given as o. Returns NULL if
 * memory runs out or a value without ? or * is NULL. */
json_t *wb_json_pack(const char *format, ...);

/* Both take over the reference, which may be NULL. */
/* Returns the text of an object or array as json_dumps does; NULL if there is none. */
char *wb_json_dump(json_t *json, size_t flags);
/* Writes that text as a line and flushes it; {} if there is none. Returns false if it can't. */
bool wb_json_say(json_t *json, size_t flags, FILE *to);
