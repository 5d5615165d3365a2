/* reference.h: measured times of libraries and copies on a GPU
 * (runtime/model/references/NAME.json), interpolated between the measured sizes. */
#pragma once

#include "runtime/base/base.h"

enum { MODEL_REFERENCE_SIZES = 3 };

typedef struct model_references model_references;

typedef struct model_reference {
    double seconds;
    bool exact;    /* measured at this size; false: interpolated */
    char near[64]; /* the nearest measured size: "1048 x 1796 x 508" */
} model_reference;

/* Loads the times of the GPU of that name ("h200"). Returns NULL and sets err if there are none.
 * The caller frees the result. */
model_references *model_references_load(const char *gpu, wb_error *err);
/* Does the same with a file's text. Errors call the file `file`. */
model_references *model_references_parse(const char *file, const char *text, size_t len,
                                         wb_error *err);
void model_references_free(model_references *references);

/* Finds the time of "cublas.sgemm" (m, n, k), "cublas.sgeam" (m, n), "cub.reduce" (n),
 * "cuda.memcpy" (bytes read) or another entry of the file. `type` is the elements' type: "float",
 * "double", "bf16", "tf32"; "float" for a copy. Never extrapolates: returns false and sets err if
 * no near size was measured. */
bool model_reference_time(const model_references *references, const char *name, const char *type,
                          const double *sizes, size_t n, model_reference *out, wb_error *err);
