/* libFuzzer: any bytes as a catalogue; one that is accepted answers for each of its own texts. */
#include "runtime/base/catalog.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_catalog c;
    if (!wb_catalog_open(&c, data, size)) {
        if (c.count || wb_catalog_find(&c, "a"))
            abort();
        return 0;
    }
    for (uint32_t i = 0; i < c.count; i++) {
        uint32_t begin;
        memcpy(&begin, data + c.texts + (size_t)8 * i + 4, sizeof begin);
        if (!wb_catalog_find(&c, (const char *)data + begin))
            abort();
    }
    return wb_catalog_find(&c, "no such text") != NULL;
}
