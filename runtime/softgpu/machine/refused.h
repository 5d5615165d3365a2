/* refused.h: the features that softgpu refuses. refused.inc is the table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* SG_REFUSED_NONE: an error of CUDA itself, which a GPU returns too. */
typedef enum sg_refused {
    SG_REFUSED_NONE,
#define REFUSED(kind, name, what, remedy, library) SG_REFUSED_##kind,
#include "runtime/softgpu/machine/refused.inc"
#undef REFUSED
} sg_refused;

/* The code of a refusal (wb_error) holds the cudaError_t in its low 16 bits and the kind above. */
static inline int sg_refused_code(sg_refused kind, int code) {
    return code | (int)kind << 16;
}
static inline sg_refused sg_refused_kind(int code) {
    return (sg_refused)(code >> 16);
}
static inline int sg_refused_plain(int code) {
    return code & 0xffff;
}

/* Returns the kind's stable name, for JSON. */
const char *sg_refused_name(sg_refused kind);

/* Returns true if the kind covers several functions, instructions or libraries. */
bool sg_refused_many(sg_refused kind);

/* Returns the kind of a library's file, such as "libcufft.so.12". */
sg_refused sg_refused_library(const char *file);

/* Writes "WHO does not support WHAT; REMEDY" in the user's language. If the kind covers several
 * features, WHAT is `name`, a function or a library. */
void sg_refused_text(sg_refused kind, const char *who, const char *name, char *text, size_t size);
