/* elf.h: defers the initialisers of shared libraries, so that we decide when they run.
 *
 * The statements of a cell are dynamic initialisers of its library. dlopen() would run them under
 * the loader's lock, where no exception, signal or longjmp may pass. So after linking,
 * DT_INIT_ARRAY and DT_INIT_ARRAYSZ get tags that the loader ignores, and the worker calls the
 * entries itself. Format: System V ABI, "Dynamic Section"; ELF-64, x86-64 and AArch64. */
#pragma once

#include "runtime/base/base.h"

/* In the range for operating systems (DT_LOOS..DT_HIOS), not used by any that we know. */
enum { WB_DT_INIT_ARRAY = 0x60005701, WB_DT_INIT_ARRAYSZ = 0x60005702 };

/* Renames the tags in the file. Returns true also without initialisers. A second call does no harm.
 * Refuses a file that is no 64-bit little-endian shared library, and leaves it unchanged. */
bool wb_elf_defer_init(const char *path, wb_error *err);

/* A library's old and new name, of the same length. */
typedef struct wb_elf_name {
    char from[32], to[32];
} wb_elf_name;

/* Replaces a library's own name (DT_SONAME) and those that it needs (DT_NEEDED), if `names` has
 * them. Refuses as above. */
bool wb_elf_rename(const char *path, const wb_elf_name *names, size_t n, wb_error *err);

/* Appends the name of every variable that the file exports, thread-local ones too, one a line.
 * Refuses as above. */
bool wb_elf_variables(const char *path, wb_buf *names, wb_error *err);

/* Appends '&' and the name of each function whose address the code takes and that other libraries
 * may have too: inline functions and instances of templates. One a line. Refuses as above. */
bool wb_elf_addresses(const char *path, wb_buf *names, wb_error *err);

/* Appends the names of the functions and variables that the file defines and uses, except
 * thread-local ones. Refuses as above. */
bool wb_elf_symbols(const char *path, wb_buf *defined, wb_buf *used, wb_error *err);

typedef void (*wb_initialiser)(int, char **, char **);

/* Returns the number of deferred initialisers of a loaded library (dlopen's handle), in order in
 * *list. The library owns the array. */
size_t wb_elf_initialisers(void *handle, const wb_initialiser **list);
