/* extension.h: what libcudart.so.13 of softgpu offers to our own libraries beside it. */
#ifndef SOFTGPU_CUDART_EXTENSION_H
#define SOFTGPU_CUDART_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOFTGPU_API __attribute__((visibility("default")))

/* Whether kernels may touch [pointer, pointer + bytes); otherwise text says what is wrong with it.
 */
SOFTGPU_API bool softgpu_check_range(const char *role, const void *pointer, size_t bytes,
                                     char text[1000]);

/* The host has written there, unseen by the engine. */
SOFTGPU_API void softgpu_note_written(const void *pointer, size_t bytes);

/* Fills memory of cudaMalloc with the word over and over; nobody has written it for all that. */
SOFTGPU_API void softgpu_poison(void *pointer, size_t bytes, uint32_t word);

/* Around work of the host on device memory (guard.c). */
SOFTGPU_API void softgpu_open(void);
SOFTGPU_API void softgpu_close(void);

/* A row of the report for work that is not a kernel: "cublasSgemm (reference)". */
SOFTGPU_API void softgpu_note_launch(const char *name, double seconds);

/* An error of cuBLAS for the report's "unchecked". code: a cudaError_t. */
SOFTGPU_API void softgpu_note_error(const char *call, int code, const char *text);

/* Someone called the driver: a library's file, else the program. linked: it has the driver's API or
 * the shared runtime as a library, so it does not come from the static runtime. */
SOFTGPU_API void softgpu_note_driver(const char *library, int linked);

/* wb_tr (base.h), in the language that softgpu_set_language said. */
SOFTGPU_API const char *softgpu_tr(const char *text) __attribute__((format_arg(1)));

/* The code of a fault that is still in the way, or 0. */
SOFTGPU_API int softgpu_sticky(const char *call);

/* Before work in a stream (a cudaStream_t) that can be no part of a graph: 0, or the code of why it
 * must not be done now. */
SOFTGPU_API int softgpu_refuse_captured(const char *call, void *stream);

#endif
