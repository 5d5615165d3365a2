/* toolkit.h: the CUDA toolkit that compiles for the device, and whose libraries a GPU is asked
 * with. */
#ifndef WARPBOOK_TOOLKIT_H
#define WARPBOOK_TOOLKIT_H

#include "runtime/base/base.h"

/* The CUDA toolkit in use: $WARPBOOK_NVCC, nvcc on $PATH, /usr/local/cuda, the one `make` set up
 * (whose nvcc wb_path_share("toolkit") names in one line), or the one that pip put beside our
 * wheel. A wheel brings a host compiler and, since pip's toolkit has no libcudart.so, such names
 * too. */
typedef struct wb_toolkit {
    char nvcc[4096];
    char include_dir[4096], library_dir[4096];
    char host_compiler[4096]; /* for nvcc -ccbin; "": the g++ on $PATH, or what $NVCC_CCBIN says */
    char link_dir[4096];      /* has the names the linker looks for; "": library_dir has them */
    int version;              /* 1300 for 13.0 */
} wb_toolkit;

bool wb_toolkit_find(wb_toolkit *toolkit, wb_error *err); /* err names the command that fixes it */

#endif
