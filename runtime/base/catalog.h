/* catalog.h: reads a catalogue of translations that gettext's msgfmt wrote (a .mo file) in place.
 * It copies nothing and uses no locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All-zero is the empty catalogue. */
typedef struct wb_catalog {
    const unsigned char *data;
    size_t size;
    uint32_t count, texts, translations; /* entries, and the offsets of the two tables */
} wb_catalog;

/* Checks the whole catalogue. Returns false, with an empty catalogue, if the bytes are damaged or
 * of another byte order. `data` must outlive the catalogue. */
bool wb_catalog_open(wb_catalog *catalog, const void *data, size_t size);
/* Returns the translation of `text` (borrowed), or NULL. */
const char *wb_catalog_find(const wb_catalog *catalog, const char *text);
