/* image.c: see image.h. Two passes over the text: the first finds the labels, the second writes the
 * sections. The parser (ptx/) has already read the instructions; here only their lines count. */
#include "runtime/softgpu/debug/image.h"

#include <ctype.h>
#include <elf.h>

enum { INFO, ABBREV, LOC, STR, RANGES, SECTIONS, OTHER = SECTIONS, NONE };

static const char *const names[SECTIONS] = {[INFO] = ".debug_info",
                                            [ABBREV] = ".debug_abbrev",
                                            [LOC] = ".debug_loc",
                                            [STR] = ".debug_str",
                                            [RANGES] = ".debug_ranges"};

typedef struct label {
    const char *name;
    size_t len;
    uint64_t value;
} label;

/* An instruction: its line in the text, and its function. */
typedef struct spot {
    uint32_t line, function, index;
} spot;

typedef struct scan {
    dbg_image *image;
    wb_buf section[SECTIONS];
    int open; /* the section of the current line; NONE: none */
    label *labels;
    size_t n_labels;
    bool known;  /* the labels are complete */
    spot *spots; /* all instructions by line */
    size_t n_spots, next;
    uint32_t function; /* the one whose body contains the line; UINT32_MAX: none */
    bool failed;
} scan;

static int by_name(const void *a, const void *b) {
    const label *x = a, *y = b;
    int order = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static int by_line(const void *a, const void *b) {
    const spot *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

static void add_label(scan *s, const char *name, size_t len, uint64_t value) {
    label *l = s->known ? NULL : WB_PUSH(s->labels, s->n_labels);
    if (l)
        *l = (label){name, len, value};
    s->failed |= !l && !s->known;
}

/* Returns the number of a name: a section begins at 0, a label has its own, a variable gets one. */
static uint64_t value_of(scan *s, const char *name, size_t len) {
    const label wanted = {name, len, 0}, *found;
    for (int k = 0; k < SECTIONS; k++)
        if (strlen(names[k]) == len && memcmp(names[k], name, len) == 0)
            return 0;
    if (!s->known)
        return 0;
    found = bsearch(&wanted, s->labels, s->n_labels, sizeof *s->labels, by_name);
    if (found)
        return found->value;
    wb_strings *symbols = &s->image->symbols;
    if (*name == '.' || !wb_strings_own(symbols, strndup(name, len)))
        return 0;
    return (uint64_t)symbols->n << 32;
}

/* Reads a sum of numbers and names: 144, $L__tmp13, .debug_loc+204, a-b. */
static const char *read_value(scan *s, const char *at, const char *end, uint64_t *value) {
    uint64_t sign = 1;
    *value = 0;
    do {
        while (at < end && strchr(" \t+-", *at))
            sign = *at++ == '-' ? ~0ull : 1;
        const char *name = at;
        if (at < end && isdigit((unsigned char)*at)) {
            char *after;
            *value += sign * strtoull(at, &after, 0);
            at = after;
            continue;
        }
        while (at < end && in_name(*at))
            at++;
        *value += sign * value_of(s, name, (size_t)(at - name));
    } while (at < end && (*at == '+' || *at == '-'));
    return at;
}

/* Writes the values of `.b8 1,2,3`. The text has a NUL behind it. */
static void write_values(scan *s, const char *at, const char *end, wb_buf *out) {
    size_t bytes = strtoul(at + 2, NULL, 10) / 8;
    uint64_t value;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    while (at < end && bytes >= 1 && bytes <= 8) {
        at = read_value(s, at, end, &value);
        s->failed |= !wb_buf_append(out, &value, bytes);
        while (at < end && *at != ',')
            at++;
        at++;
    }
}

/* Returns the number of the first instruction in the current body from the line on. */
static uint64_t place_of(scan *s, uint32_t line) {
    while (s->next < s->n_spots && s->spots[s->next].line < line)
        s->next++;
    const spot *here = s->next < s->n_spots ? &s->spots[s->next] : NULL;
    if (here && here->function == s->function)
        return s->image->first[s->function] + here->index;
    const spot *last = s->next ? &s->spots[s->next - 1] : NULL;
    return last && last->function == s->function ? s->image->first[s->function] + last->index + 1
                                                 : 0;
}

/* A body begins: finds whose it is by the next instruction. */
static void enter(scan *s, uint32_t line) {
    while (s->next < s->n_spots && s->spots[s->next].line < line)
        s->next++;
    s->function = s->next < s->n_spots ? s->spots[s->next].function : UINT32_MAX;
}

static void scan_line(scan *s, const char *at, const char *end, uint32_t line) {
    bool outermost = at < end && (*at == '{' || *at == '}');
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (end - at > 9 && memcmp(at, ".section", 8) == 0) {
        at += 8 + strspn(at + 8, " \t");
        s->open = OTHER;
        for (int k = 0; k < SECTIONS; k++)
            if ((size_t)(end - at) >= strlen(names[k]) && wb_begins(at, names[k]) &&
                !in_name(at[strlen(names[k])]))
                s->open = k;
        return;
    }
    const char *name = at;
    while (at < end && in_name(*at))
        at++;
    bool is_label = at < end && *at == ':' && at > name;
    if (s->open != NONE) {
        if (name < end && *name == '}')
            s->open = NONE;
        else if (s->open != OTHER && is_label)
            add_label(s, name, (size_t)(at - name), s->section[s->open].len);
        else if (s->open != OTHER && end - name > 2 && name[0] == '.' && name[1] == 'b')
            write_values(s, name, end, &s->section[s->open]);
    } else if (outermost) {
        s->function = UINT32_MAX;
        if (*name == '{')
            enter(s, line);
    } else if (is_label && s->function != UINT32_MAX) {
        add_label(s, name, (size_t)(at - name), place_of(s, line));
    }
}

static void scan_text(scan *s, const char *text, size_t len) {
    uint32_t line = 1;
    s->open = NONE;
    s->function = UINT32_MAX;
    s->next = 0;
    for (int k = 0; k < SECTIONS; k++)
        wb_buf_clear(&s->section[k]);
    for (const char *at = text, *stop = text + len, *end; at < stop; at = end + 1, line++) {
        end = memchr(at, '\n', (size_t)(stop - at));
        end = end ? end : stop;
        scan_line(s, at, end, line);
    }
}

static bool number_instructions(scan *s, const ptx_module *m) {
    uint32_t next = 1;
    s->image->first = calloc((size_t)m->n_functions + 1, sizeof *s->image->first);
    for (uint32_t f = 0; s->image->first && f < m->n_functions; f++) {
        const ptx_function *function = m->functions[f];
        s->image->first[f] = next;
        next += function->n_insts + 1;
        for (uint32_t i = 0; i < function->n_insts; i++) {
            spot *one = WB_PUSH(s->spots, s->n_spots);
            if (!one)
                return false;
            *one = (spot){function->insts[i].ptx_line, f, i};
        }
    }
    if (s->n_spots)
        qsort(s->spots, s->n_spots, sizeof *s->spots, by_line);
    return s->image->first && s->n_spots;
}

/* Writes the header, the sections, their names, and the table of sections. */
static bool write_elf(const scan *s, wb_buf *out) {
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
                                      .sh_size = s->section[k].len,
                                      .sh_addralign = 1};
        wb_buf_append(&texts, names[k], strlen(names[k]) + 1);
        if (s->section[k].len)
            wb_buf_append(out, s->section[k].data, s->section[k].len);
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

bool dbg_image_make(const char *text, size_t len, const ptx_module *module, dbg_image *image) {
    *image = (dbg_image){0};
    scan s = {.image = image};
    char *copy = strndup(text, len); /* reading a number needs its end */
    bool ok = copy && number_instructions(&s, module);
    if (ok) {
        scan_text(&s, copy, strlen(copy));
        if (s.n_labels)
            qsort(s.labels, s.n_labels, sizeof *s.labels, by_name);
        s.known = true;
        scan_text(&s, copy, strlen(copy));
        ok = !s.failed && !image->symbols.failed && s.section[INFO].len &&
             write_elf(&s, &image->elf);
    }
    for (int k = 0; k < SECTIONS; k++)
        wb_buf_free(&s.section[k]);
    WB_FREE(copy, s.labels, s.spots);
    return ok;
}

void dbg_image_free(dbg_image *image) {
    wb_buf_free(&image->elf);
    wb_strings_free(&image->symbols);
    free(image->first);
    *image = (dbg_image){0};
}
