/* cuda_api.h: the names that the installed CUDA toolkit declares, with their signatures and the
 * first sentence of their documentation. Read from its headers on first use. Any thread may ask. */
#ifndef WARPBOOK_KERNEL_CUDA_API_H
#define WARPBOOK_KERNEL_CUDA_API_H

#include "runtime/base/base.h"

typedef struct cuda_name {
    const char *name; /* "cudaMalloc", "cudaMemcpyHostToDevice" */
    const char
        *signature;    /* "cudaError_t cudaMalloc(void **devPtr, size_t size)"; enumerators: "" */
    const char *brief; /* or "" */
    const char *type;  /* "function" or "enumerator" */
} cuda_name;

/* Returns the names in order. *n is 0 if no toolkit is found. */
const cuda_name *cuda_api_all(size_t *n);
const cuda_name *cuda_api_find(const char *name, size_t len);

/* Reads one header's text into the list. For tests; cuda_api_all reads the toolkit's headers. */
bool cuda_api_scan(const char *text, size_t len);

#endif
