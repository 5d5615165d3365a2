/* elf.h: what the grader reads from a compiled submission without loading it: the device code and
 * the names it needs from other libraries. The file was made by nvcc from the student's source and
 * is not trusted: every offset is checked. */
#ifndef GRADER_ELF_H
#define GRADER_ELF_H

#include "runtime/base/base.h"

/* The section's bytes, borrowed from data; NULL when it has none. 64-bit little-endian ELF only. */
const void *gr_elf_section(const void *data, size_t len, const char *name, size_t *bytes);

/* Calls visit for every undefined symbol of the dynamic symbol table until it returns false. */
void gr_elf_undefined(const void *data, size_t len, bool (*visit)(void *ctx, const char *name),
                      void *ctx);
/* Whether the dynamic symbol table defines the name. */
bool gr_elf_defines(const void *data, size_t len, const char *name);

/* The fat binary in the section .nv_fatbin: its first container; NULL when there is none. */
const void *gr_elf_fatbin(const void *data, size_t len, size_t *bytes);

#endif
