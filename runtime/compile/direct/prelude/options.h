/* options.h: translates nvcc's command line to options of g++, its linker and `nvcc -ptx`. */
#pragma once

#include "runtime/base/scoped.h"

typedef struct wb_options {
    char *compiler;     /* the host compiler */
    wb_strings compile; /* g++'s options, for texts and preludes */
    wb_strings folders; /* -I and -isystem, one argument each */
    wb_strings link;    /* for gold, to link a library */
    wb_strings device;  /* nvcc's options for the device, without folders */
    bool plain_image;   /* the fat binary is not compressed */
    bool exports_kernels;
    wb_strings nvcc; /* nvcc, and its options that headers depend on */
} wb_options;

/* Reads argv, where argv[0] is nvcc and no source or output is. Returns false if an option is
 * unknown, so that nvcc has to run. Free the options either way. */
bool wb_options_read(const char *const *argv, wb_options *options);
void wb_options_free(wb_options *options);
