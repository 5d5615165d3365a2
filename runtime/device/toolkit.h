/* toolkit.h: the CUDA toolkit that compiles for the device, and whose libraries query a GPU. */
#pragma once

#include "runtime/base/base.h"

/* The CUDA toolkit in use: $WARPBOOK_NVCC, nvcc on $PATH, in $CUDA_HOME, in /usr/local/cuda, the
 * one of `make` (wb_path_share("toolkit") contains its nvcc's path), or pip's beside our wheel. A
 * wheel has a host compiler. It also has the linker's names for the runtime, because pip's toolkit
 * has no libcudart.so. */
typedef struct wb_toolkit {
    char nvcc[4096];
    char include_dir[4096], library_dir[4096];
    char host_compiler[4096]; /* for nvcc -ccbin; "": the g++ on $PATH, or $NVCC_CCBIN */
    char link_dir[4096];      /* has the linker's library names; "": library_dir has them */
    int version;              /* 1300 for 13.0 */
} wb_toolkit;

bool wb_toolkit_find(wb_toolkit *toolkit, wb_error *err); /* err names the command that fixes it */
