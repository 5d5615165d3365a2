/* cuda_api.h: the names that the CUDA toolkit declares, with their signatures and the first
 * sentence of their documentation. Any thread may ask. */
#pragma once

#include "runtime/base/base.h"

typedef struct cuda_name {
    const char *name; /* "cudaMalloc", "cudaMemcpyHostToDevice" */
    const char
        *signature;    /* "cudaError_t cudaMalloc(void **devPtr, size_t size)"; enumerators: "" */
    const char *brief; /* or "" */
    const char *type;  /* "function" or "enumerator" */
} cuda_name;

/* Returns the names in order. *n is 0 if the list is not installed. */
const cuda_name *cuda_api_all(size_t *n);
const cuda_name *cuda_api_find(const char *name, size_t len);
