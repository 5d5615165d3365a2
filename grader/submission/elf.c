/* elf.c: sections and symbols of an ELF file, with every offset checked. */
#include "grader/submission/elf.h"

#include <elf.h>

typedef struct image {
    const unsigned char *data;
    size_t len;
    Elf64_Ehdr header;
} image;

/* Copies a structure out of the file. Returns false if it is not inside. */
static bool get(const image *im, uint64_t at, void *out, size_t size) {
    if (at > im->len || size > im->len - at)
        return false;
    memcpy(out, im->data + at, size);
    return true;
}

static bool open_image(image *im, const void *data, size_t len) {
    *im = (image){.data = data, .len = len};
    return get(im, 0, &im->header, sizeof im->header) &&
           memcmp(im->header.e_ident, ELFMAG, SELFMAG) == 0 &&
           im->header.e_ident[EI_CLASS] == ELFCLASS64 &&
           im->header.e_ident[EI_DATA] == ELFDATA2LSB &&
           im->header.e_shentsize == sizeof(Elf64_Shdr);
}

static bool get_section(const image *im, unsigned i, Elf64_Shdr *section) {
    return i < im->header.e_shnum &&
           get(im, im->header.e_shoff + (uint64_t)i * sizeof *section, section, sizeof *section) &&
           (section->sh_type == SHT_NOBITS ||
            (section->sh_offset <= im->len && section->sh_size <= im->len - section->sh_offset));
}

/* Returns a NUL-terminated string of a string table, or NULL. */
static const char *get_string(const image *im, const Elf64_Shdr *table, uint64_t at) {
    if (table->sh_type == SHT_NOBITS || at >= table->sh_size)
        return NULL;
    const char *text = (const char *)im->data + table->sh_offset + at;
    return memchr(text, '\0', table->sh_size - at) ? text : NULL;
}

const void *gr_elf_section(const void *data, size_t len, const char *name, size_t *bytes) {
    image im;
    Elf64_Shdr names, section;
    if (!open_image(&im, data, len) || !get_section(&im, im.header.e_shstrndx, &names))
        return NULL;
    for (unsigned i = 0; i < im.header.e_shnum; i++) {
        if (!get_section(&im, i, &section) || section.sh_type == SHT_NOBITS)
            continue;
        const char *text = get_string(&im, &names, section.sh_name);
        if (text && strcmp(text, name) == 0) {
            *bytes = section.sh_size;
            return im.data + section.sh_offset;
        }
    }
    return NULL;
}

const char *gr_elf_symbol(const void *data, size_t len, bool defined, const char *text,
                          bool whole) {
    image im;
    Elf64_Shdr section, strings;
    if (!open_image(&im, data, len))
        return NULL;
    for (unsigned i = 0; i < im.header.e_shnum; i++) {
        if (!get_section(&im, i, &section) || section.sh_type != SHT_DYNSYM ||
            !get_section(&im, section.sh_link, &strings))
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            if (!get(&im, section.sh_offset + at, &symbol, sizeof symbol))
                return NULL;
            const char *name = get_string(&im, &strings, symbol.st_name);
            if (name && (symbol.st_shndx != SHN_UNDEF) == defined &&
                (whole ? strcmp(name, text) == 0 : wb_begins(name, text)))
                return name;
        }
    }
    return NULL;
}

const void *gr_elf_fatbin(const void *data, size_t len, size_t *bytes) {
    /* the container's header: magic, version, header size, size of the content after it */
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t content;
    } head;
    size_t all;
    const unsigned char *section = gr_elf_section(data, len, ".nv_fatbin", &all);
    if (!section || all < sizeof head)
        return NULL;
    memcpy(&head, section, sizeof head);
    if (head.magic != 0xba55ed50u || head.content > all - sizeof head)
        return NULL;
    *bytes = head.header + head.content <= all ? head.header + head.content : all;
    return section;
}
