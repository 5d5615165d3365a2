/* link.c: one module of several sources, as nvcc -rdc=true links them. */

#include "runtime/softgpu/ptx/internal.h"

/* Returns the number of texts. A NUL ends each one, except perhaps the last. */
static uint32_t count_texts(const char *text, size_t len) {
    uint32_t n = 0;
    for (size_t at = 0; at < len; at += strnlen(text + at, len - at) + 1)
        n += text[at] != '\0';
    return n;
}

static const ptx_function *defined_before(const ptx_module *m, const char *name) {
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (!m->functions[i]->is_declaration && !strcmp(m->functions[i]->name, name))
            return m->functions[i];
    return NULL;
}

static const ptx_var *variable_before(const ptx_module *m, const char *name) {
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (!m->globals[i]->is_extern && !strcmp(m->globals[i]->name, name))
            return m->globals[i];
    return NULL;
}

/* Gives a name that an earlier source has, too, to this source's own variable. */
static bool rename_own(ptx_module *part, ptx_var *var, uint32_t number) {
    size_t size = strlen(var->name) + 16;
    char *name = ptx_arena_alloc(part->arena, size);
    if (!name)
        return false;
    snprintf(name, size, "%s@%u", var->name, number);
    for (uint32_t i = 0; i < part->n_globals; i++)
        for (uint32_t r = 0; r < part->globals[i]->n_relocs; r++)
            if (!strcmp(part->globals[i]->relocs[r].symbol, var->name))
                part->globals[i]->relocs[r].symbol = name;
    var->name = name;
    return true;
}

/* Settles the names that a part shares with earlier ones. Of weak definitions the first one counts.
 * Other variables of the same name are local to their sources: string literals, for example. */
static bool settle_names(const ptx_module *all, ptx_module *part, uint32_t number) {
    for (uint32_t i = 0; i < part->n_functions; i++)
        if (part->functions[i]->is_weak && defined_before(all, part->functions[i]->name))
            part->functions[i]->is_declaration = true;
    for (uint32_t i = 0; i < part->n_globals; i++) {
        ptx_var *v = part->globals[i];
        if (v->is_extern || !variable_before(all, v->name))
            continue;
        if (v->is_weak)
            v->is_extern = true;
        else if (!rename_own(part, v, number))
            return false;
    }
    return true;
}

/* Files are numbered through all parts. Functions with an alias share their instructions. */
static void number_files(ptx_module *part, uint32_t first) {
    for (uint32_t i = 0; i < part->n_functions; i++) {
        ptx_function *f = part->functions[i];
        bool shared = false;
        f->loc.file += first;
        for (uint32_t k = 0; k < i && !shared; k++)
            shared = part->functions[k]->insts == f->insts;
        for (uint32_t k = 0; k < f->n_insts && !shared; k++)
            f->insts[k].loc.file += first;
    }
}

/* Appends a part's list to the whole's in the whole's arena. */
static bool append(ptx_arena *arena, void *list, uint32_t *n, const void *more, uint32_t n_more) {
    void **old, **grown = ptx_arena_alloc(arena, (*n + n_more + 1) * sizeof *grown);
    if (!grown)
        return false;
    memcpy(&old, list, sizeof old);
    if (*n)
        memcpy(grown, old, *n * sizeof *grown);
    if (n_more)
        memcpy(grown + *n, more, n_more * sizeof *grown);
    memcpy(list, &grown, sizeof grown);
    *n += n_more;
    return true;
}

static bool add_part(ptx_module *all, ptx_module *part, uint32_t number) {
    number_files(part, all->n_files);
    return settle_names(all, part, number) &&
           append(all->arena, &all->files, &all->n_files, part->files, part->n_files) &&
           append(all->arena, &all->globals, &all->n_globals, part->globals, part->n_globals) &&
           append(all->arena, &all->functions, &all->n_functions, part->functions,
                  part->n_functions);
}

/* An extern variable that a part defines has no memory of its own. */
static void settle_externs(ptx_module *all) {
    for (uint32_t i = 0; i < all->n_globals; i++)
        if (all->globals[i]->is_extern && variable_before(all, all->globals[i]->name))
            all->globals[i]->size = 0;
}

static ptx_module *new_whole(uint32_t n) {
    ptx_arena *arena = ptx_arena_new();
    ptx_module *all = arena ? ptx_arena_alloc(arena, sizeof *all) : NULL;
    if (!all) {
        ptx_arena_free(arena);
        return NULL;
    }
    all->arena = arena;
    all->parts = ptx_arena_alloc(arena, n * sizeof *all->parts);
    if (all->parts)
        return all;
    ptx_arena_free(arena);
    return NULL;
}

ptx_module *ptx_link(const char *text, size_t len, ptx_error *err) {
    uint32_t n = count_texts(text, len);
    if (n < 2)
        return ptx_parse(text, len, err);
    ptx_module *all = new_whole(n);
    bool ok = all != NULL;
    *err = (ptx_error){0};
    for (size_t at = 0, length; ok && at < len; at += length + 1) {
        length = strnlen(text + at, len - at);
        ptx_module *part = length ? ptx_parse(text + at, length, err) : NULL;
        if (!length)
            continue;
        ok = part != NULL;
        if (ok)
            all->parts[all->n_parts++] = part;
        ok = ok && add_part(all, part, all->n_parts);
    }
    if (ok) {
        settle_externs(all);
        all->version_major = all->parts[0]->version_major;
        all->version_minor = all->parts[0]->version_minor;
        all->target = all->parts[0]->target;
        return all;
    }
    if (!err->text[0])
        strcpy(err->text, "out of memory");
    ptx_free(all);
    return NULL;
}
