/* kernel_source.h: the sources of the kernels of the set, which lie beside the libraries
 * (share/warpbook/kernels): for name?? and the declarations of launchers. */
#ifndef WARPBOOK_KERNEL_KERNEL_SOURCE_H
#define WARPBOOK_KERNEL_KERNEL_SOURCE_H

#include <stddef.h>

/* The text of the file that defines the launcher, malloc'd, and its place in the set
 * ("gemm/8_tiles.cu", malloc'd) to *file; NULL: it is not here. */
char *kernel_source(const char *symbol, char **file);

/* What the file's first comment says, without its signs; malloc'd. *len: the comment's length in
 * the text, with the lines' ends behind it; 0: the text begins with none, and the head is "". */
char *kernel_source_head(const char *text, size_t *len);

/* "cudaError_t wbk_sgemm_tiles(const float *A, ...)" out of the text, in one line; malloc'd; NULL:
 * it is not there. */
char *kernel_source_declaration(const char *text, const char *symbol);

#endif
