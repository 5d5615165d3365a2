/* sources.c: see sources.h. */
#include "jupyter_kernel/debug/sources.h"

#include <unistd.h>

#include "runtime/cells/split/split.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Austin Appleby's MurmurHash2, which is in the public domain. */
static uint32_t murmur2(const char *data, size_t len, uint32_t seed) {
    static const uint32_t factor = 0x5bd1e995;
    const unsigned char *p = (const unsigned char *)data;
    uint32_t h = seed ^ (uint32_t)len;
    for (; len >= 4; len -= 4, p += 4) {
        uint32_t k = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        k *= factor;
        h = (h * factor) ^ ((k ^ k >> 24) * factor);
    }
    for (size_t i = 0; i < len; i++)
        h ^= (uint32_t)p[i] << 8 * i;
    if (len)
        h *= factor;
    h = (h ^ h >> 13) * factor;
    return h ^ h >> 15;
}

/* JupyterLab shows "Cell [3]" only for a path with "ipykernel_" in it. */
const char *sources_prefix(void) {
    static char prefix[64];
    snprintf(prefix, sizeof prefix, "/tmp/warpbook_ipykernel_%d/", (int)getpid());
    return prefix;
}

char *sources_path(const char *code, size_t len) {
    return wb_format("%s%u" SOURCES_SUFFIX, sources_prefix(), murmur2(code, len, SOURCES_SEED));
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Returns the cell with blanks in place of its magics, malloc'd. */
static char *without_magics(const char *code) {
    char *text = strdup(code);
    for (char *p = text; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (*p == '%' || *p == '!')
            memset(p, ' ', strcspn(p, "\n"));
    return text;
}

/* Looks for the top-level piece of C++ that has the line. A piece with device code counts as a
 * whole, because a class or a statement with a lambda may be both. */
bool sources_is_device(const char *code, int line) {
    wb_split split;
    bool device = false;
    char *all = without_magics(code);
    if (!all || !wb_split_cell(all, strlen(all), &(wb_splitting){0}, &split)) {
        free(all);
        return true;
    }
    for (size_t i = 0; i < split.n_items && !device; i++) {
        const wb_item *item = &split.items[i];
        const char *text = all + item->start;
        size_t len = item->end - item->start;
        int last = item->line;
        for (size_t k = 0; k < len; k++)
            last += text[k] == '\n';
        device = item->line <= line && line <= last &&
                 (memmem(text, len, "__global__", 10) || memmem(text, len, "__device__", 10));
    }
    wb_split_free(&split);
    free(all);
    return device;
}
