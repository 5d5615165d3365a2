/* extension.h: what softgpu's libcudart.so.13 offers to our other libraries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOFTGPU_API __attribute__((visibility("default")))

/* Returns true if kernels may access [pointer, pointer + bytes). Else writes the error to text. */
SOFTGPU_API bool softgpu_check_range(const char *role, const void *pointer, size_t bytes,
                                     char text[1000]);

/* Reports a host write that the engine did not see. */
SOFTGPU_API void softgpu_note_written(const void *pointer, size_t bytes);

/* Fills memory of cudaMalloc with a repeated word. The memory still counts as unwritten. */
SOFTGPU_API void softgpu_poison(void *pointer, size_t bytes, uint32_t word);

/* Enclose the host's work on device memory (guard.c). */
SOFTGPU_API void softgpu_open(void);
SOFTGPU_API void softgpu_close(void);

/* Adds a row to the report for work other than a kernel: "cublasSgemm (reference)". */
SOFTGPU_API void softgpu_note_launch(const char *name, double seconds);

/* Reports an error of cuBLAS as "unchecked". code: a cudaError_t. */
SOFTGPU_API void softgpu_note_error(const char *call, int code, const char *text);

/* Records a call of the driver, by a library (its file) or by the program (NULL). linked: the
 * caller has the driver's API or the shared runtime as a library, so it is not the static
 * runtime. */
SOFTGPU_API void softgpu_note_driver(const char *library, int linked);

/* _() (base.h) in the language of softgpu_set_language(). */
SOFTGPU_API const char *softgpu_tr(const char *text) __attribute__((format_arg(1)));

/* Returns the code of a sticky fault, or 0. */
SOFTGPU_API int softgpu_sticky(const char *call);

/* Call before work in a stream (a cudaStream_t) that cannot be captured. Returns 0, or the error's
 * code. */
SOFTGPU_API int softgpu_refuse_captured(const char *call, void *stream);
