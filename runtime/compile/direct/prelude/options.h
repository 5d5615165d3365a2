/* options.h: nvcc's command line as those of g++, its linker and `nvcc -ptx`. */
#ifndef WARPBOOK_COMPILE_DIRECT_PRELUDE_OPTIONS_H
#define WARPBOOK_COMPILE_DIRECT_PRELUDE_OPTIONS_H

#include "runtime/base/base.h"

typedef struct wb_options {
    char *compiler;     /* the host compiler */
    wb_strings compile; /* g++'s options for a text and for a prelude alike */
    wb_strings folders; /* -I and -isystem, one argument each */
    wb_strings link;    /* for a library, by gold */
    wb_strings device;  /* nvcc's, for the device alone, but for folders */
    bool plain_image;   /* the fat binary is not compressed */
    bool exports_kernels;
    wb_strings nvcc; /* nvcc and those of its own options that headers depend on */
} wb_options;

/* argv[0] is nvcc; no source and no output are among the arguments. False: one of them is not
 * known here, and nvcc has to be run. Free the options in either case. */
bool wb_options_read(const char *const *argv, wb_options *options);
void wb_options_free(wb_options *options);

#endif
