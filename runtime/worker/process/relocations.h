/* relocations.h: the addresses in a library through which its code reaches symbols that other
 * libraries may provide. The loader wrote them. Format: System V ABI, AMD64 supplement,
 * "Relocation". */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct relocations {
    uintptr_t base;
    const Elf64_Sym *symbols;
    const char *strings;
    const Elf64_Rela *entries; /* count: data, and functions whose address is taken */
    size_t count;
    const Elf64_Rela *calls; /* n_calls: functions that are called */
    size_t n_calls;
    size_t module; /* id for the library's thread-local variables */
} relocations;

/* Finds them for a handle of dlopen. Returns false if the library has none. */
bool relocations_find(void *handle, relocations *r);
