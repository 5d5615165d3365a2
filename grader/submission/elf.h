/* elf.h: reads a compiled submission without loading it: its device code, and the symbols that it
 * needs from libraries. nvcc made the file from untrusted source, so every offset is checked. */
#pragma once

#include "runtime/base/base.h"

/* Returns the section's bytes, borrowed from data, or NULL. Only for 64-bit little-endian ELF. */
const void *gr_elf_section(const void *data, size_t len, const char *name, size_t *bytes);

/* Returns the first symbol of the dynamic symbol table, a defined or an undefined one, whose name
 * is the text, or begins with it unless whole; borrowed from data; NULL if there is none. */
const char *gr_elf_symbol(const void *data, size_t len, bool defined, const char *text, bool whole);

/* Returns the first container of the fat binary in section .nv_fatbin, or NULL. */
const void *gr_elf_fatbin(const void *data, size_t len, size_t *bytes);
