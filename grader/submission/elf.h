/* elf.h: reads a compiled submission without loading it: its device code, and the symbols that it
 * needs from libraries. nvcc made the file from untrusted source, so every offset is checked. */
#ifndef GRADER_ELF_H
#define GRADER_ELF_H

#include "runtime/base/base.h"

/* Returns the section's bytes, borrowed from data, or NULL. Only for 64-bit little-endian ELF. */
const void *gr_elf_section(const void *data, size_t len, const char *name, size_t *bytes);

/* Calls visit for each undefined symbol of the dynamic symbol table, until it returns false. */
void gr_elf_undefined(const void *data, size_t len, bool (*visit)(void *ctx, const char *name),
                      void *ctx);
/* Returns true if the dynamic symbol table defines the name. */
bool gr_elf_defines(const void *data, size_t len, const char *name);

/* Returns the first container of the fat binary in section .nv_fatbin, or NULL. */
const void *gr_elf_fatbin(const void *data, size_t len, size_t *bytes);

#endif
