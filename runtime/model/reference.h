/* reference.h: how long libraries and copies took on a GPU (runtime/model/references/NAME.json), as
 * they were measured there; between measured sizes by interpolation. */
#ifndef WARPBOOK_MODEL_REFERENCE_H
#define WARPBOOK_MODEL_REFERENCE_H

#include "runtime/base/base.h"

enum { MODEL_REFERENCE_SIZES = 3 };

typedef struct model_references model_references;

typedef struct model_reference {
    double seconds;
    bool exact;    /* measured at this very size; false: between sizes */
    char near[64]; /* the nearest size that was measured: "1048 x 1796 x 508" */
} model_reference;

/* Those of the GPU of that name ("h200"). NULL with one sentence in *err where there are none. The
 * caller frees. */
model_references *model_references_load(const char *gpu, wb_error *err);
/* The same from a file's text; `file` is what errors call it. */
model_references *model_references_parse(const char *file, const char *text, size_t len,
                                         wb_error *err);
void model_references_free(model_references *references);

/* The time of "cublas.sgemm" (m, n, k), "cublas.sgeam" (m, n), "cub.reduce" (n), "cuda.memcpy" (the
 * bytes that it reads) or another of the file for elements of `type`: "float", "double", "bf16",
 * "tf32"; of a copy always "float". False with one sentence in *err where it was not measured, or
 * not at sizes near these: no time is drawn beyond what was measured. */
bool model_reference_time(const model_references *references, const char *name, const char *type,
                          const double *sizes, size_t n, model_reference *out, wb_error *err);

#endif
