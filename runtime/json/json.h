/* json.h: JSON of text from anywhere. jansson refuses a string that is not UTF-8, and with it the
 * whole message: what a program of C++ shows, throws or calls its files may be any bytes. Here a
 * byte that is no UTF-8 is written as C++ would, \xe9, so that every text can be sent, and is read
 * as what it was. */
#ifndef WARPBOOK_JSON_H
#define WARPBOOK_JSON_H

#include <jansson.h>
#include "runtime/base/base.h"

/* Releases each of the references; any may be NULL. */
#define WB_JSON_FREE(...) WB_CALL_EACH(json_decref, json_t, __VA_ARGS__)

/* A string of `len` bytes of text; NULL only when memory runs out. */
json_t *wb_json_text(const char *text, size_t len);

/* jansson's json_pack for any text: of its format { } [ ] s s? s* s% s# i I b f n o o* o? O O* O?,
 * and `s` for keys, which are the program's own. A reference given as o is taken in every case.
 * NULL when memory runs out or a value that is not marked with ? or * is NULL. */
json_t *wb_json_pack(const char *format, ...);

#endif
