/* user.h: the user's own kernels, FILE.cu:FUNCTION: compiles them and reads their signature. */
#pragma once

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

/* Returns true if the word names a function in a file. */
bool user_is(const char *word);

/* Returns the function of "FILE.cu:FUNCTION". */
const char *user_function(const char *word);

/* Compiles the file for `device` into `folder` and finds the function. Its parameters must be those
 * of `model`'s shape; a cudaStream_t may follow. Counts may be int, unsigned or size_t. A reduction
 * may omit the work buffer, a GEMM alpha and beta. err says what was expected and found, or has the
 * compiler's errors. *stop ends the compiler. `label` names the kernel; NULL:
 * "FILE.cu:FUNCTION". */
bool user_build(const char *word, const char *label, const wbk_kernel *model, wbk_type type,
                const wb_device *device, const char *folder, const volatile int *stop,
                user_kernel *kernel, wb_error *err);
void user_free(user_kernel *kernel);

/* Writes a letter for each parameter of a mangled name (Itanium C++ ABI, chapter 5.1): F float *, D
 * double * (const or not), i int, j unsigned, m size_t, l long, f float, d double, s cudaStream_t;
 * "" for others, or an unmangled name. Returns kinds. */
const char *user_parameters(const char *symbol, const char *function, char *kinds, size_t size);
/* Returns true if these parameters fit the shape. Sets which optional ones they have. */
bool user_matches(const char *kinds, wbk_shape shape, wbk_type type, bool *has_work,
                  bool *has_scalars);
