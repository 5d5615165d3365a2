/* catalog.c: .mo files, see "The Format of GNU MO Files" in gettext's manual: a head, a table of
 * the texts, sorted by their bytes, and a table of their translations. Binary search is fast
 * enough, so the optional hash table is unused. */
#include "runtime/base/catalog.h"

#include <string.h>

enum { HEAD = 28, ENTRY = 8 }; /* bytes; an entry is a length and an offset */
static const uint32_t magic = 0x950412de;

static uint32_t word_at(const wb_catalog *c, size_t at) {
    uint32_t word;
    memcpy(&word, c->data + at, sizeof word);
    return word;
}

/* Returns entry i of a table, or NULL if it reaches beyond the end or lacks its NUL. */
static const char *entry(const wb_catalog *c, uint32_t table, uint32_t i) {
    size_t at = table + (size_t)ENTRY * i;
    uint32_t length = word_at(c, at), begin = word_at(c, at + 4);
    bool inside = begin < c->size && length < c->size - begin;
    return inside && c->data[begin + length] == '\0' ? (const char *)c->data + begin : NULL;
}

static bool holds_table(const wb_catalog *c, uint32_t table) {
    return table <= c->size && c->count <= (c->size - table) / ENTRY;
}

/* Returns true if every entry is a text and the texts are sorted, as the binary search needs. */
static bool is_sound(const wb_catalog *c) {
    if (!holds_table(c, c->texts) || !holds_table(c, c->translations))
        return false;
    const char *before = NULL;
    for (uint32_t i = 0; i < c->count; i++) {
        const char *text = entry(c, c->texts, i);
        if (!text || !entry(c, c->translations, i) || (before && strcmp(before, text) >= 0))
            return false;
        before = text;
    }
    return true;
}

bool wb_catalog_open(wb_catalog *catalog, const void *data, size_t size) {
    *catalog = (wb_catalog){0};
    wb_catalog c = {.data = data, .size = size};
    if (size < HEAD || word_at(&c, 0) != magic || word_at(&c, 4) >> 16 != 0)
        return false;
    c.count = word_at(&c, 8);
    c.texts = word_at(&c, 12);
    c.translations = word_at(&c, 16);
    if (!is_sound(&c))
        return false;
    *catalog = c;
    return true;
}

const char *wb_catalog_find(const wb_catalog *catalog, const char *text) {
    uint32_t low = 0, high = catalog->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(text, entry(catalog, catalog->texts, middle));
        if (order == 0)
            return entry(catalog, catalog->translations, middle);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
