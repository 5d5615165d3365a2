/* fatbin.h: reads the fat binaries that nvcc puts into programs, and extracts their PTX.
 *
 * The format, as nvcc 13 writes it (little endian):
 *
 * wrapper: u32 0x466243b1, u32 version (1; 2: linked from relocatable code), u64 pointer to the
 * container, u64 (version 2: pointer to the containers of the sources, then NULL)
 *
 * container: u32 0xBA55ED50, u16 version 1, u16 header bytes, u64 bytes of the entries
 *
 * entry: u16 kind (1 PTX, 2 ELF), u16, u32 header bytes, u64 payload bytes (padded), u32 compressed
 * bytes, u32, u16 minor, u16 major (PTX ISA), u32 architecture (90), u32, u32, u64 flags (0x2000
 * LZ4 block, 0x8000 zstd frame), u64, u64 expanded bytes
 *
 * Reads stay within the caller's bounds, so a damaged container causes an error and no crash.
 */
#pragma once

#include "runtime/base/base.h"

enum { FATBIN_PTX = 1, FATBIN_ELF = 2 };

/* One image; borrowed from its container. */
typedef struct fatbin_entry {
    unsigned kind;         /* FATBIN_PTX, FATBIN_ELF, or another value */
    unsigned architecture; /* 90 for sm_90 or compute_90 */
    uint64_t flags;
    const uint8_t *payload;
    size_t stored, expanded; /* bytes here, and after expanding; equal if not compressed */
} fatbin_entry;

/* Iterates over a container's entries. The fields are private. */
typedef struct fatbin_reader {
    const uint8_t *at, *end;
} fatbin_reader;

/* The form of `code`; the wrapper is what nvcc's host code registers. */
typedef enum fatbin_form {
    FATBIN_FORM_UNKNOWN,
    FATBIN_FORM_WRAPPER,
    FATBIN_FORM_CONTAINER,
    FATBIN_FORM_PTX,
    FATBIN_FORM_ELF
} fatbin_form;

/* Reads at most `limit` bytes. SIZE_MAX: memory of unknown length that the program vouches for. */
fatbin_form fatbin_identify(const void *code, size_t limit);

/* Returns false and sets *err if `container` is not one, or claims more than `limit` bytes. */
bool fatbin_open(fatbin_reader *reader, const void *container, size_t limit, wb_error *err);
/* Returns 1 and sets *entry, 0 at the end, or -1 and sets err if it is damaged. */
int fatbin_next(fatbin_reader *reader, fatbin_entry *entry, wb_error *err);

/* Returns the PTX in `code` (any form) that suits compute capability `capability` best: the newest
 * one up to it, else the oldest above it. The text ends with a NUL, which *len excludes. A program
 * linked from relocatable code (nvcc -rdc=true) has a text for each source, a NUL behind each,
 * which *len includes. The caller frees it. Returns NULL and sets err if there is none. If softgpu
 * does not support the form, err->code has the kind (refused.h), and the text may be empty. */
char *fatbin_ptx(const void *code, size_t limit, unsigned capability, size_t *len, wb_error *err);
