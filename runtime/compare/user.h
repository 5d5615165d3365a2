/* user.h: the user's own kernels in a comparison: FILE.cu:FUNCTION, compiled and understood. */
#ifndef WARPBOOK_COMPARE_USER_H
#define WARPBOOK_COMPARE_USER_H

#include "kernels/registry.h"
#include "runtime/base/base.h"
#include "runtime/device/device.h"

typedef struct user_kernel {
    char *label;      /* "mine.cu:solve", or "solve" */
    char *library;    /* the compiled shared library */
    char *symbol;     /* mangled */
    bool has_work;    /* it takes the work buffer */
    bool has_scalars; /* a GEMM that takes alpha and beta */
} user_kernel;

/* Whether a word of the command line names a file's function. */
bool user_is(const char *word);

/* The function of "FILE.cu:FUNCTION". */
const char *user_function(const char *word);

/* Compiles the file for `device` into `folder` and finds the function. Its parameters must be those
 * of `model`'s shape, with or without a cudaStream_t at the end; counts may be int, unsigned or
 * size_t, a reduction may leave out the work buffer, a GEMM alpha and beta. err says what was
 * expected and what was found, or what the compiler said.
 * *stop ends the compiler. `label` is what the kernel is called; NULL: "FILE.cu:FUNCTION". */
bool user_build(const char *word, const char *label, const wbk_kernel *model, wbk_type type,
                const wb_device *device, const char *folder, const volatile int *stop,
                user_kernel *kernel, wb_error *err);
void user_free(user_kernel *kernel);

/* What a mangled name's parameters are (Itanium C++ ABI, chapter 5.1), a letter each: F float *,
 * D double * (const or not), i int, j unsigned, m size_t, l long, f float, d double, s
 * cudaStream_t;
 * "" for anything else, or a name that is not mangled. Returns kinds. */
const char *user_parameters(const char *symbol, const char *function, char *kinds, size_t size);
/* Whether these parameters are of the shape; what they leave out is told. */
bool user_matches(const char *kinds, wbk_shape shape, wbk_type type, bool *has_work,
                  bool *has_scalars);

#endif
