/* relocations.h: what the loader wrote for a library: addresses through which its code reaches what
 * other libraries may have instead. Format: System V ABI, AMD64 supplement, "Relocation". */
#ifndef WARPBOOK_PROCESS_RELOCATIONS_H
#define WARPBOOK_PROCESS_RELOCATIONS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct relocations {
    uintptr_t base;
    const Elf64_Sym *symbols;
    const char *strings;
    const Elf64_Rela *entries; /* count: of data, and of functions whose address is taken */
    size_t count;
    const Elf64_Rela *calls; /* n_calls: of functions that are called */
    size_t n_calls;
    size_t module; /* of the library's thread-local variables */
} relocations;

/* Those of a library that dlopen gave the handle of; false: it has none. */
bool relocations_find(void *handle, relocations *r);

#endif
