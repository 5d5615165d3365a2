/* texts_fuzz.c: a unit of arbitrary bytes is taken apart or refused, and so is a header, of which
 * the unit then chooses. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/compile/direct/prelude/headers.h"
#include "runtime/compile/direct/texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/texts-XXXXXX", path[64], made[64];

static void remove_folder(void) {
    unlink(path);
    unlink(made);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!*path) {
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
        snprintf(path, sizeof path, "%s/device.ii", folder);
        snprintf(made, sizeof made, "%s/index", folder);
    }
    char *text = malloc(size + 1); /* of its exact size: reads beyond it are seen */
    memcpy(text, data, size);
    text[size] = '\0';
    wb_texts texts;
    wb_unfit unfit = wb_texts_make(text, &texts);
    if (unfit == WB_FITS && (!texts.host || !texts.head))
        abort();
    wb_texts_free(&texts);
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "# 1 \"a\"\n%s", text) < 0 || fclose(file) != 0)
        abort();
    unlink(made);
    wb_buf unit = {0}, out = {0};
    wb_buf_append(&unit, data, size / 4);
    if (wb_headers_choose(folder, &unit, &out) && out.len > 64 + 40 * size)
        abort();
    wb_buf_free(&unit);
    wb_buf_free(&out);
    free(text);
    return 0;
}
