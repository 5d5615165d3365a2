/* image.c: see image.h. */
#include "runtime/softgpu/debug/image.h"

#include <elf.h>

enum { INFO, ABBREV, LOC, STR, RANGES, SECTIONS };

static const char *const names[SECTIONS] = {[INFO] = ".debug_info",
                                            [ABBREV] = ".debug_abbrev",
                                            [LOC] = ".debug_loc",
                                            [STR] = ".debug_str",
                                            [RANGES] = ".debug_ranges"};

typedef struct label {
    const char *name; /* interned: equal names are one */
    uint64_t value;
} label;

typedef struct labels {
    label *v;
    size_t n;
    bool failed;
} labels;

static int by_name(const void *a, const void *b) {
    const label *x = a, *y = b;
    return (x->name > y->name) - (x->name < y->name);
}

static void add_label(labels *l, const char *name, uint64_t value) {
    label *one = WB_PUSH(l->v, l->n);
    l->failed |= !one;
    if (one)
        *one = (label){name, value};
}

/* Returns the section's index, or SECTIONS for one that nobody reads. */
static int section_named(const char *name) {
    int k = 0;
    while (k < SECTIONS && strcmp(names[k] + 1, name) != 0)
        k++;
    return k;
}

static void find_labels(const ptx_module *m, dbg_image *image, labels *l) {
    uint64_t length[SECTIONS + 1] = {0};
    image->first = calloc((size_t)m->n_functions + 1, sizeof *image->first);
    l->failed = !image->first;
    for (uint32_t f = 0, next = 1; !l->failed && f < m->n_functions; f++) {
        image->first[f] = next;
        next += m->functions[f]->n_insts + 1;
    }
    for (uint32_t k = 0, f = 0; !l->failed && k < m->n_labels; k++) {
        if (m->functions[f] != m->labels[k].function) /* they come function by function */
            for (f = 0; m->functions[f] != m->labels[k].function;)
                f++;
        add_label(l, m->labels[k].name, image->first[f] + m->labels[k].inst);
    }
    for (uint32_t k = 0; k < m->n_data; k++) {
        uint64_t *at = &length[section_named(m->data[k].section)];
        if (!m->data[k].bytes)
            add_label(l, m->data[k].name, *at);
        *at += m->data[k].bytes;
    }
    if (l->n)
        qsort(l->v, l->n, sizeof *l->v, by_name);
}

/* Returns the number of a label, a section (which begins at 0) or a variable. */
static uint64_t number_of(dbg_image *image, labels *l, const char *name) {
    const label wanted = {name, 0};
    const label *found = l->n ? bsearch(&wanted, l->v, l->n, sizeof *l->v, by_name) : NULL;
    if (found || wb_begins(name, "debug_"))
        return found ? found->value : 0;
    const char **symbol = WB_PUSH(image->symbols, image->n_symbols);
    l->failed |= !symbol;
    if (symbol)
        *symbol = name;
    return (uint64_t)image->n_symbols << 32;
}

/* Writes the header, the sections, their names, and the table of sections. */
static bool write_elf(const wb_buf *section, wb_buf *out) {
    Elf64_Shdr headers[SECTIONS + 2] = {{0}};
    wb_buf texts = {0};
    Elf64_Ehdr elf = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_CUDA,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof elf,
        .e_shentsize = sizeof headers[0],
        .e_shnum = SECTIONS + 2,
        .e_shstrndx = SECTIONS + 1};
    wb_buf_append(out, &elf, sizeof elf);
    wb_buf_putc(&texts, '\0');
    for (int k = 0; k < SECTIONS; k++) {
        headers[1 + k] = (Elf64_Shdr){.sh_name = (Elf64_Word)texts.len,
                                      .sh_type = SHT_PROGBITS,
                                      .sh_offset = out->len,
                                      .sh_size = section[k].len,
                                      .sh_addralign = 1};
        wb_buf_append(&texts, names[k], strlen(names[k]) + 1);
        if (section[k].len)
            wb_buf_append(out, section[k].data, section[k].len);
    }
    headers[SECTIONS + 1] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = out->len, .sh_size = texts.len, .sh_addralign = 1};
    bool ok = !texts.failed && wb_buf_append(out, texts.data, texts.len);
    while (ok && out->len % 8)
        ok = wb_buf_putc(out, '\0');
    elf.e_shoff = out->len;
    ok = ok && wb_buf_append(out, headers, sizeof headers);
    if (ok)
        memcpy(out->data, &elf, sizeof elf);
    wb_buf_free(&texts);
    return ok;
}

bool dbg_image_make(const ptx_module *m, dbg_image *image) {
    wb_buf section[SECTIONS + 1] = {{0}};
    labels l = {0};
    *image = (dbg_image){0};
    find_labels(m, image, &l);
    for (uint32_t k = 0; !l.failed && k < m->n_data; k++) {
        const ptx_datum *d = &m->data[k];
        uint64_t value = d->value + (d->bytes && d->name ? number_of(image, &l, d->name) : 0);
        l.failed |= !wb_buf_append(&section[section_named(d->section)], &value, d->bytes);
    }
    bool ok = !l.failed && section[INFO].len && write_elf(section, &image->elf);
    for (int k = 0; k <= SECTIONS; k++)
        wb_buf_free(&section[k]);
    free(l.v);
    return ok;
}

void dbg_image_free(dbg_image *image) {
    wb_buf_free(&image->elf);
    WB_FREE(image->symbols, image->first);
    *image = (dbg_image){0};
}
