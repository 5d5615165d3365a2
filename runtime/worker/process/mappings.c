/* mappings.c: keeps the number of memory mappings small in a notebook of many cells. The system
 * limits it (vm.max_map_count), and the loader makes two for each library: code and data. The
 * system merges anonymous neighbours with the same protection. So each library is copied to
 * anonymous memory at its own address, and old libraries become writable and executable as a
 * whole. */
#include "runtime/worker/process/process.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Only the newest cells crash on a write to a constant or a string literal. */
enum { PROTECTED_CELLS = 256 };

typedef struct range {
    char *start;
    size_t bytes;
} range;

/* A fixed size, because a signal handler reads it. */
static range libraries[WB_PROCESS_LIBRARIES];
static volatile size_t n_libraries, n_joined;

static const int all_rights = PROT_READ | PROT_WRITE | PROT_EXEC;

static range pages(const struct dl_phdr_info *info, const Elf64_Phdr *segment, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = info->dlpi_addr + segment->p_vaddr, end = start + bytes + page - 1;
    start -= start % page;
    return (range){(char *)start, end - end % page - start};
}

/* Sets *file to the pages of the file, and *whole to these and the zeroed ones behind them. Returns
 * false if a gap or another library's memory may lie between. */
static bool find_pages(const struct dl_phdr_info *info, range *file, range *whole) {
    *file = *whole = (range){NULL, 0};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD)
            continue;
        range of_file = pages(info, segment, segment->p_filesz);
        range all = pages(info, segment, segment->p_memsz);
        if (!whole->start)
            whole->start = file->start = all.start;
        if (!(segment->p_flags & PF_R) || file->bytes != whole->bytes ||
            all.start != whole->start + whole->bytes)
            return false;
        file->bytes += of_file.bytes;
        whole->bytes += all.bytes;
    }
    return whole->bytes > 0;
}

/* Gives each segment of the copy its protection. */
static bool protect(const struct dl_phdr_info *info) {
    bool done = true;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *segment = &info->dlpi_phdr[i];
        range own = pages(info, segment, segment->p_filesz);
        int rights = PROT_READ | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
                     (segment->p_flags & PF_X ? PROT_EXEC : 0);
        if (segment->p_type == PT_LOAD && own.bytes > 0)
            done &= mprotect(own.start, own.bytes, rights) == 0;
    }
    return done;
}

/* Replaces the pages by a copy. First tests on a spare copy that the system allows code there. */
static bool copy(const struct dl_phdr_info *info, range file) {
    int kind = MAP_PRIVATE | MAP_ANONYMOUS, rights = PROT_READ | PROT_WRITE;
    void *spare = mmap(NULL, file.bytes, rights, kind, -1, 0);
    if (spare == MAP_FAILED)
        return false;
    memcpy(spare, file.start, file.bytes);
    bool copied = mprotect(spare, file.bytes, PROT_READ | PROT_EXEC) == 0 &&
                  mmap(file.start, file.bytes, rights, kind | MAP_FIXED, -1, 0) == file.start;
    if (copied) {
        memcpy(file.start, spare, file.bytes);
        if (!protect(info))
            mprotect(file.start, file.bytes, all_rights);
        __builtin___clear_cache(file.start, file.start + file.bytes);
    }
    munmap(spare, file.bytes);
    return copied;
}

void mappings_add(const struct dl_phdr_info *info) {
    range file, whole;
    if (n_libraries == WB_PROCESS_LIBRARIES || !find_pages(info, &file, &whole) ||
        !copy(info, file))
        return;
    libraries[n_libraries++] = whole;
    if (n_libraries - n_joined > PROTECTED_CELLS) {
        range oldest = libraries[n_joined++];
        mprotect(oldest.start, oldest.bytes, all_rights);
    }
}

int mappings_code(const void *address) {
    for (size_t i = 0; i < n_joined; i++)
        if ((size_t)((const char *)address - libraries[i].start) < libraries[i].bytes)
            return all_rights;
    return PROT_READ | PROT_EXEC;
}
