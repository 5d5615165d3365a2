/* catalog.h: a catalogue of translations in the form that gettext's msgfmt writes (a .mo file),
 * read where it lies in memory. Nothing is copied, and no locale is asked. */
#ifndef WARPBOOK_CATALOG_H
#define WARPBOOK_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All-zero is a catalogue that holds nothing. */
typedef struct wb_catalog {
    const unsigned char *data;
    size_t size;
    uint32_t count, texts, translations; /* entries, and where the two tables of them begin */
} wb_catalog;

/* Looks at all of it: false, and a catalogue that holds nothing, when these bytes are none of this
 * machine's byte order. `data` has to outlive the catalogue. */
bool wb_catalog_open(wb_catalog *catalog, const void *data, size_t size);
/* What stands for `text` there (borrowed), or NULL. */
const char *wb_catalog_find(const wb_catalog *catalog, const char *text);

#endif
