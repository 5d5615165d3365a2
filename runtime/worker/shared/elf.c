/* elf.c: defers a library's initialisers. */
#include "runtime/worker/shared/elf.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the dynamic section of a mapped file, or NULL. *count is its number of entries. */
static Elf64_Dyn *dynamic_section(char *image, size_t size, size_t *count) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_type != ET_DYN || header->e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    if (header->e_phoff % _Alignof(Elf64_Phdr) || header->e_phoff > size ||
        (size - header->e_phoff) / sizeof(Elf64_Phdr) < header->e_phnum)
        return NULL;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(image + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (segment[i].p_type != PT_DYNAMIC)
            continue;
        if (segment[i].p_offset % _Alignof(Elf64_Dyn) || segment[i].p_offset > size ||
            size - segment[i].p_offset < segment[i].p_filesz)
            return NULL;
        *count = segment[i].p_filesz / sizeof(Elf64_Dyn);
        return (Elf64_Dyn *)(image + segment[i].p_offset);
    }
    return NULL;
}

static void rename_tags(Elf64_Dyn *entry, size_t count) {
    for (size_t i = 0; i < count && entry[i].d_tag != DT_NULL; i++) {
        if (entry[i].d_tag == DT_INIT_ARRAY)
            entry[i].d_tag = WB_DT_INIT_ARRAY;
        else if (entry[i].d_tag == DT_INIT_ARRAYSZ)
            entry[i].d_tag = WB_DT_INIT_ARRAYSZ;
    }
}

/* Returns the file offset of a virtual address, or `size`. */
static size_t offset_of(const char *image, size_t size, uint64_t address) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(image + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && address >= segment[i].p_vaddr &&
            address - segment[i].p_vaddr < segment[i].p_filesz && segment[i].p_offset < size &&
            address - segment[i].p_vaddr < size - segment[i].p_offset)
            return (size_t)(segment[i].p_offset + (address - segment[i].p_vaddr));
    return size;
}

static void rename_string(char *text, size_t room, const wb_elf_name *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(names[i].from);
        if (len < room && memcmp(text, names[i].from, len + 1) == 0 && strlen(names[i].to) == len) {
            memcpy(text, names[i].to, len);
            return;
        }
    }
}

static bool rename_libraries(char *image, size_t size, const Elf64_Dyn *entry, size_t count,
                             const wb_elf_name *names, size_t n) {
    size_t strings = size;
    for (size_t i = 0; i < count && entry[i].d_tag != DT_NULL; i++)
        if (entry[i].d_tag == DT_STRTAB)
            strings = offset_of(image, size, entry[i].d_un.d_ptr);
    if (strings == size)
        return false;
    for (size_t i = 0; i < count && entry[i].d_tag != DT_NULL; i++)
        if ((entry[i].d_tag == DT_SONAME || entry[i].d_tag == DT_NEEDED) &&
            entry[i].d_un.d_val < size - strings)
            rename_string(image + strings + entry[i].d_un.d_val,
                          size - strings - entry[i].d_un.d_val, names, n);
    return true;
}

/* Maps the library's file for writing. Returns NULL with *err. */
static char *map_library(const char *path, size_t *bytes, wb_error *err) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        wb_fail(err, errno, _("can't open %s: %s"), path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    size_t size = *bytes = (size_t)st.st_size;
    char *image =
        size ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : (char *)MAP_FAILED;
    close(fd);
    if (image != MAP_FAILED)
        return image;
    wb_fail(err, EINVAL, _("can't map %s: %s"), path, size ? strerror(errno) : _("it is empty"));
    return NULL;
}

bool wb_elf_defer_init(const char *path, wb_error *err) {
    size_t size = 0, count = 0;
    char *image = map_library(path, &size, err);
    if (!image)
        return false;
    Elf64_Dyn *entry = dynamic_section(image, size, &count);
    if (entry)
        rename_tags(entry, count);
    munmap(image, size);
    return entry ? true : wb_fail(err, EINVAL, _("%s is not a 64-bit shared library"), path);
}

bool wb_elf_rename(const char *path, const wb_elf_name *names, size_t n, wb_error *err) {
    size_t size = 0, count = 0;
    char *image = map_library(path, &size, err);
    if (!image)
        return false;
    const Elf64_Dyn *entry = dynamic_section(image, size, &count);
    bool ok = entry && rename_libraries(image, size, entry, count, names, n);
    munmap(image, size);
    return ok ? true : wb_fail(err, EINVAL, _("%s is not a 64-bit shared library"), path);
}

/* Returns the section with the dynamic symbols, and the one with their names, or NULL. */
static const Elf64_Shdr *symbol_section(const char *image, size_t size, const Elf64_Shdr **names) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    if (header->e_shoff % _Alignof(Elf64_Shdr) || header->e_shoff > size ||
        (size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum)
        return NULL;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(image + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (section[i].sh_type != SHT_DYNSYM || section[i].sh_link >= header->e_shnum)
            continue;
        *names = &section[section[i].sh_link];
        bool fits = section[i].sh_offset % _Alignof(Elf64_Sym) == 0 &&
                    section[i].sh_offset <= size && section[i].sh_size <= size &&
                    section[i].sh_size <= size - section[i].sh_offset &&
                    (*names)->sh_offset <= size && (*names)->sh_size > 0 &&
                    (*names)->sh_size <= size - (*names)->sh_offset &&
                    !image[(*names)->sh_offset + (*names)->sh_size - 1];
        return fits ? &section[i] : NULL;
    }
    return NULL;
}

/* A mapped library's dynamic symbols and their names. */
typedef struct symbol_table {
    const Elf64_Sym *v;
    size_t n;
    const char *names;
    size_t room; /* bytes of the names */
} symbol_table;

/* Maps the file and sets *t to its dynamic symbols. The caller unmaps it. */
static char *map_symbols(const char *path, size_t *size, symbol_table *t, wb_error *err) {
    size_t count = 0;
    char *image = map_library(path, size, err);
    const Elf64_Shdr *strings = NULL, *symbols = NULL;
    if (image && dynamic_section(image, *size, &count))
        symbols = symbol_section(image, *size, &strings);
    if (symbols) {
        *t = (symbol_table){.v = (const Elf64_Sym *)(image + symbols->sh_offset),
                            .n = symbols->sh_size / sizeof *t->v,
                            .names = image + strings->sh_offset,
                            .room = strings->sh_size};
        return image;
    }
    if (image) {
        munmap(image, *size);
        wb_fail(err, EINVAL, _("%s is not a 64-bit shared library"), path);
    }
    return NULL;
}

typedef void (*symbol_taker)(const Elf64_Sym *symbol, const char *name, wb_buf *to[2]);

/* Passes all dynamic symbols of the file to `take`. */
static bool take_symbols(const char *path, symbol_taker take, wb_buf *to[2], wb_error *err) {
    size_t size = 0;
    symbol_table t = {0};
    char *image = map_symbols(path, &size, &t, err);
    for (size_t i = 0; image && i < t.n; i++)
        if (t.v[i].st_name < t.room)
            take(&t.v[i], t.names + t.v[i].st_name, to);
    if (image)
        munmap(image, size);
    return image != NULL;
}

static void take_variable(const Elf64_Sym *symbol, const char *name, wb_buf *to[2]) {
    int type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx != SHN_UNDEF && (type == STT_OBJECT || type == STT_TLS))
        wb_buf_printf(to[0], "%s\n", name);
}

static void take_symbol(const Elf64_Sym *symbol, const char *name, wb_buf *to[2]) {
    if (*name && ELF64_ST_TYPE(symbol->st_info) != STT_TLS)
        wb_buf_printf(to[symbol->st_shndx == SHN_UNDEF], "%s\n", name);
}

bool wb_elf_symbols(const char *path, wb_buf *defined, wb_buf *used, wb_error *err) {
    return take_symbols(path, take_symbol, (wb_buf *[]){defined, used}, err);
}

bool wb_elf_variables(const char *path, wb_buf *names, wb_error *err) {
    return take_symbols(path, take_variable, (wb_buf *[]){names, NULL}, err);
}

/* Returns true if the address is in a class's virtual table: no program compares those. */
static bool in_table(const symbol_table *t, uint64_t at) {
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].st_name < t->room && strncmp(t->names + t->v[i].st_name, "_ZT", 3) == 0 &&
            at >= t->v[i].st_value && at - t->v[i].st_value < t->v[i].st_size)
            return true;
    return false;
}

static void take_address(const symbol_table *t, const Elf64_Rela *entry, char *seen, wb_buf *to) {
    size_t i = ELF64_R_SYM(entry->r_info), type = ELF64_R_TYPE(entry->r_info);
    if (i >= t->n || seen[i] || (type != R_X86_64_GLOB_DAT && type != R_X86_64_64))
        return;
    const Elf64_Sym *symbol = &t->v[i];
    if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
        ELF64_ST_BIND(symbol->st_info) != STB_WEAK || symbol->st_name >= t->room ||
        (type == R_X86_64_64 && in_table(t, entry->r_offset)))
        return;
    seen[i] = 1;
    wb_buf_printf(to, "&%s\n", t->names + symbol->st_name);
}

static void take_addresses(const char *image, size_t size, const symbol_table *t, wb_buf *to) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(image + header->e_shoff);
    char *seen = calloc(t->n + 1, 1);
    for (size_t i = 0; seen && i < header->e_shnum; i++) {
        if (section[i].sh_type != SHT_RELA || section[i].sh_offset > size ||
            section[i].sh_size > size - section[i].sh_offset ||
            section[i].sh_offset % _Alignof(Elf64_Rela))
            continue;
        const Elf64_Rela *entry = (const Elf64_Rela *)(image + section[i].sh_offset);
        for (size_t k = 0; k < section[i].sh_size / sizeof *entry; k++)
            take_address(t, &entry[k], seen, to);
    }
    to->failed |= !seen;
    free(seen);
}

bool wb_elf_addresses(const char *path, wb_buf *names, wb_error *err) {
    size_t size = 0;
    symbol_table t = {0};
    char *image = map_symbols(path, &size, &t, err);
    if (image) {
        take_addresses(image, size, &t, names);
        munmap(image, size);
    }
    return image != NULL;
}

size_t wb_elf_initialisers(void *handle, const wb_initialiser **list) {
    struct link_map *map = NULL;
    size_t bytes = 0;
    *list = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return 0;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == WB_DT_INIT_ARRAY)
            *list = (const wb_initialiser *)(map->l_addr + entry->d_un.d_ptr);
        else if (entry->d_tag == WB_DT_INIT_ARRAYSZ)
            bytes = entry->d_un.d_val;
    }
    return *list ? bytes / sizeof(wb_initialiser) : 0;
}
