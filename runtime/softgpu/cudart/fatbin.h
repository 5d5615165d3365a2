/* fatbin.h: reads the fat binaries that nvcc puts into programs and hands out the PTX in them.
 *
 * Format, found by taking apart what nvcc 13 writes (little endian):
 *   wrapper    u32 0x466243b1, u32 version (1; 2: linked from relocatable code), u64 pointer to the
 *              container, u64 (version 2: pointer to the containers of the sources, then NULL)
 *   container  u32 0xBA55ED50, u16 version 1, u16 header bytes, u64 bytes of entries that follow
 *   entry      u16 kind (1 PTX, 2 ELF), u16, u32 header bytes, u64 payload bytes (padded),
 *              u32 compressed bytes, u32, u16 minor, u16 major (PTX ISA), u32 architecture (90),
 * u32, u32, u64 flags (0x2000 LZ4 block, 0x8000 zstd frame), u64, u64 bytes when expanded A
 * container is read within the bounds its caller gives, so a damaged one is an error, not a crash.
 */
#ifndef SOFTGPU_CUDART_FATBIN_H
#define SOFTGPU_CUDART_FATBIN_H

#include "runtime/base/base.h"

enum { FATBIN_PTX = 1, FATBIN_ELF = 2 };

/* One image of a container; borrows from it. */
typedef struct fatbin_entry {
    unsigned kind;         /* FATBIN_PTX, FATBIN_ELF, or what else NVIDIA adds */
    unsigned architecture; /* 90 for sm_90 or compute_90 */
    uint64_t flags;
    const uint8_t *payload;
    size_t stored,
        expanded; /* bytes as they stand here and after expanding; equal when stored plainly */
} fatbin_entry;

/* A walk over a container's entries; all fields are private. */
typedef struct fatbin_reader {
    const uint8_t *at, *end;
} fatbin_reader;

/* What `code` is: a container, the wrapper that nvcc's host code registers, PTX text, a cubin. */
typedef enum fatbin_form {
    FATBIN_FORM_UNKNOWN,
    FATBIN_FORM_WRAPPER,
    FATBIN_FORM_CONTAINER,
    FATBIN_FORM_PTX,
    FATBIN_FORM_ELF
} fatbin_form;

/* Looks at no more than `limit` bytes. SIZE_MAX stands for memory of unknown length that the
 * program vouches for. */
fatbin_form fatbin_identify(const void *code, size_t limit);

/* Returns false and sets *err if `container` is not one, or claims more than `limit` bytes. */
bool fatbin_open(fatbin_reader *reader, const void *container, size_t limit, wb_error *err);
/* 1: *entry is the next one, 0: there are no more, -1: damaged (*err). */
int fatbin_next(fatbin_reader *reader, fatbin_entry *entry, wb_error *err);

/* Returns the PTX in `code` (any form) that suits compute capability `capability` best: the newest
 * one not above it, else the oldest above it. malloc'd, NUL-terminated, *len without the NUL.
 * Returns NULL and sets *err if there is none. If softgpu lacks the form, err->code has the kind
 * (refused.h), and the text may be empty. */
char *fatbin_ptx(const void *code, size_t limit, unsigned capability, size_t *len, wb_error *err);

#endif
