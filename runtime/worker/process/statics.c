/* statics.c: shares what a template or an inline function keeps (a static variable in it, a static
 * member, a variable template). Every library that uses it has a copy, but the notebook must have
 * one, with one address. A cell's code reaches these through addresses that the loader wrote
 * (cell_statics.list tells the linker so). Before the cell runs, this file sets them to those of
 * the first library that has the symbol. The session decides which symbols are the same: a symbol
 * gets a new version when the notebook redefines the template (runtime/cells/live/statics.h).
 * Format: System V ABI, AMD64 supplement, "Relocation". */
#include "runtime/base/base.h"
#include "runtime/worker/process/process.h"
#include "runtime/worker/process/relocations.h"

/* {"symbol version size": [address]}; for a thread's variable [module, offset]. */
static json_t *known;

/* Returns what an earlier library has for the symbol. If none has it, records this library's own
 * and returns NULL. */
static const json_t *earlier(const relocations *t, const Elf64_Rela *entry,
                             const json_t *versions) {
    const Elf64_Sym *symbol = &t->symbols[ELF64_R_SYM(entry->r_info)];
    const char *name = t->strings + symbol->st_name;
    const json_t *version = json_object_get(versions, name);
    /* two compilations may differ in size */
    bool code = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    char *key = NULL;
    if (symbol->st_shndx == SHN_UNDEF || !version ||
        asprintf(&key, "%s %lld %zu", name, (long long)json_integer_value(version),
                 code ? (size_t)0 : (size_t)symbol->st_size) < 0)
        return NULL;
    const json_t *there = json_object_get(known, key);
    if (!there) {
        const uintptr_t *written = (const uintptr_t *)(t->base + entry->r_offset);
        json_t *own = ELF64_ST_TYPE(symbol->st_info) == STT_TLS
                          ? json_pack("[I, I]", (json_int_t)t->module, (json_int_t)symbol->st_value)
                          : json_pack("[I]", (json_int_t)(*written - (uintptr_t)entry->r_addend));
        json_object_set_new(known, key, own);
    }
    free(key);
    return there;
}

/* Function addresses that are set when the cell's own code begins. Before that, each library
 * registers its own kernels with CUDA by these addresses. */
static struct { uintptr_t *at, value; } * waiting;
static size_t n_waiting;

void statics_later(uintptr_t *at, uintptr_t value) {
    if (!WB_PUSH(waiting, n_waiting))
        return;
    waiting[n_waiting - 1].at = at;
    waiting[n_waiting - 1].value = value;
}

void statics_begin(void) {
    for (size_t i = 0; i < n_waiting; i++)
        *waiting[i].at = waiting[i].value;
    n_waiting = 0;
}

static void bind(const relocations *t, const Elf64_Rela *entry, const json_t *versions) {
    bool tls = ELF64_R_TYPE(entry->r_info) == R_X86_64_DTPMOD64 ||
               ELF64_R_TYPE(entry->r_info) == R_X86_64_DTPOFF64;
    if (!tls && ELF64_R_TYPE(entry->r_info) != R_X86_64_GLOB_DAT &&
        ELF64_R_TYPE(entry->r_info) != R_X86_64_64)
        return;
    const json_t *there = earlier(t, entry, versions);
    if (!there)
        return;
    bool offset = ELF64_R_TYPE(entry->r_info) == R_X86_64_DTPOFF64;
    uintptr_t *at = (uintptr_t *)(t->base + entry->r_offset);
    uintptr_t value = (uintptr_t)json_integer_value(json_array_get(there, offset ? 1 : 0)) +
                      (uintptr_t)entry->r_addend;
    if (ELF64_ST_TYPE(t->symbols[ELF64_R_SYM(entry->r_info)].st_info) == STT_FUNC)
        statics_later(at, value);
    else
        *at = value;
}

void statics_share(void *handle, const json_t *versions) {
    relocations t;
    n_waiting = 0;
    if (!known)
        known = json_object();
    if (json_object_size(versions) == 0 || !relocations_find(handle, &t))
        return;
    for (size_t i = 0; i < t.count; i++)
        if (ELF64_R_SYM(t.entries[i].r_info) != 0)
            bind(&t, &t.entries[i], versions);
}
