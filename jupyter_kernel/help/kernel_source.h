/* kernel_source.h: the sources of the kernels of the set, installed in share/warpbook/kernels.
 * name?? shows them, and the declarations of launchers come from them. */
#pragma once

#include <stddef.h>

/* Returns the text of the file that defines the launcher, and its place in the set
 * ("gemm/8_tiles.cu") in *file. The caller frees both. NULL: not found. */
char *kernel_source(const char *symbol, char **file);

/* Returns the file's first comment without comment signs. The caller frees it. *len: the comment's
 * length in the text, with the newlines after it. No comment: "" and 0. */
char *kernel_source_head(const char *text, size_t *len);

/* Returns the launcher's declaration in one line: "cudaError_t wbk_sgemm_tiles(const float *A,
 * ...)". The caller frees it. NULL: not found. */
char *kernel_source_declaration(const char *text, const char *symbol);
