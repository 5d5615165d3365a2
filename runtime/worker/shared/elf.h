/* elf.h: shared libraries whose initialisers run when we say so.
 *
 * The statements of a cell are dynamic initialisers of its library. dlopen() would run them while
 * it holds the loader's lock, where no exception, signal or longjmp may pass. So after linking the
 * library's DT_INIT_ARRAY and DT_INIT_ARRAYSZ are renamed to tags the loader ignores, and the
 * worker calls the entries itself. Format: System V ABI, "Dynamic Section"; ELF-64, x86-64 and
 * AArch64. */
#ifndef WARPBOOK_ELF_H
#define WARPBOOK_ELF_H

#include "runtime/base/base.h"

/* In the range for operating systems (DT_LOOS..DT_HIOS), unused by any we know of. */
enum { WB_DT_INIT_ARRAY = 0x60005701, WB_DT_INIT_ARRAYSZ = 0x60005702 };

/* Renames the tags in the file. True also when the library has no initialisers. Doing it twice does
 * no harm. Refuses what is not a 64-bit little-endian shared library, without changing it. */
bool wb_elf_defer_init(const char *path, wb_error *err);

/* A library by two names of the same length. */
typedef struct wb_elf_name {
    char from[32], to[32];
} wb_elf_name;

/* In the file, the name a library has for the loader (DT_SONAME) and those of the libraries it
 * needs (DT_NEEDED), as far as they are among `names`, become the others. Refuses as above. */
bool wb_elf_rename(const char *path, const wb_elf_name *names, size_t n, wb_error *err);

/* Appends the name of every variable that the file defines for others, those of each thread among
 * them, a line each. Refuses as above. */
bool wb_elf_variables(const char *path, wb_buf *names, wb_error *err);

/* Appends, each behind '&', the names of the functions whose addresses its code takes and that
 * other libraries may have as well: inline ones, instances of templates. A line each. Refuses as
 * above. */
bool wb_elf_addresses(const char *path, wb_buf *names, wb_error *err);

/* Appends the names of all its functions and variables, save those of each thread: what it defines
 * for others, and what it has of others. Refuses as above. */
bool wb_elf_symbols(const char *path, wb_buf *defined, wb_buf *used, wb_error *err);

typedef void (*wb_initialiser)(int, char **, char **);

/* The deferred initialisers of a loaded library (dlopen's handle), in order; their count. The array
 * is the library's own. */
size_t wb_elf_initialisers(void *handle, const wb_initialiser **list);

#endif
