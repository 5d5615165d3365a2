/* redefine.c: makes all code use a new definition. Calls and variables of the notebook go through
 * addresses that the loader wrote into each library (unit.c tells the linker so). The addresses of
 * one chain (runtime/cells/redefine/chains.h) mean the newest function, kernel or variable. When a
 * cell redefines it, this file rewrites them. An address that the program itself took (a pointer, a
 * reference, a table) is a value and stays. */
#include "runtime/worker/process/process.h"
#include "runtime/base/base.h"
#include "runtime/worker/process/cell_api.h"
#include "runtime/worker/process/relocations.h"

#include <dlfcn.h>
#include <stdatomic.h>

/* An address that code reads, and its chain. */
typedef struct place {
    uintptr_t *at;
    uintptr_t addend;
    long chain;
} place;

/* The present address of a chain. A variable that the cell has yet to initialise, or a function
 * that it uses before it redefines it, counts only when the cell has run to `item`. */
typedef struct target {
    long chain;
    uintptr_t address;
    int item;   /* 0: it exists */
    bool waits; /* a function */
} target;

static struct {
    place *places;
    size_t n_places;
    target *targets; /* in order; a chain's last existing one counts */
    size_t n_targets;
} all;

static void write_place(const place *p, uintptr_t address) {
    atomic_store((_Atomic uintptr_t *)p->at, address + p->addend); /* threads may be reading it */
}

static target *find(long chain) {
    for (size_t i = 0; i < all.n_targets; i++)
        if (all.targets[i].chain == chain && all.targets[i].item == 0)
            return &all.targets[i];
    return NULL;
}

/* Makes all code of the chain use `address`. */
static void point(long chain, uintptr_t address) {
    for (size_t i = 0; i < all.n_places; i++)
        if (all.places[i].chain == chain)
            write_place(&all.places[i], address);
}

static void add_target(long chain, uintptr_t address, int item, bool waits) {
    target *t = item ? NULL : find(chain);
    t = t ? t : WB_PUSH(all.targets, all.n_targets);
    if (t)
        *t = (target){chain, address, item, waits};
}

/* Reads [chain, item] or [chain, item, true]; [chain] if the library does not define it. */
static long chain_of(const json_t *bind) {
    return (long)json_integer_value(json_array_get(bind, 0));
}

static bool is_own(const Elf64_Sym *symbol, const json_t *bind) {
    return symbol->st_shndx != SHN_UNDEF && json_array_size(bind) > 1;
}

/* Takes in a definition: a function exists at once, a variable after its initialiser. */
static void take_own(uintptr_t address, const json_t *bind) {
    int item = (int)json_integer_value(json_array_get(bind, 1));
    if (!item)
        point(chain_of(bind), address);
    add_target(chain_of(bind), address, item, json_array_size(bind) == 3);
}

static void take_place(const relocations *r, const Elf64_Rela *entry, const json_t *binds) {
    uint64_t type = ELF64_R_TYPE(entry->r_info);
    const Elf64_Sym *symbol = &r->symbols[ELF64_R_SYM(entry->r_info)];
    const json_t *bind = json_object_get(binds, r->strings + symbol->st_name);
    bool code = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    if (!bind || !(code || type == R_X86_64_64))
        return;
    place p = {.at = (uintptr_t *)(r->base + entry->r_offset),
               .addend = type == R_X86_64_64 ? (uintptr_t)entry->r_addend : 0,
               .chain = chain_of(bind)};
    const target *t = find(p.chain);
    if (is_own(symbol, bind) && t && json_array_size(bind) == 3)
        statics_later(p.at, t->address + p.addend);
    else if (is_own(symbol, bind))
        write_place(&p, r->base + symbol->st_value);
    else if (t)
        write_place(&p, t->address);
    if (code)
        WB_ADD(all.places, all.n_places, p);
}

/* Makes the target count. */
static void arrive(size_t i) {
    target t = all.targets[i];
    all.targets[i].chain = -1;
    all.targets[i].item = 0;
    point(t.chain, t.address);
    add_target(t.chain, t.address, 0, false);
}

/* Binds a weak reference to a device variable's shadow (runtime/cells/live/device_vars.h). */
static void bind_shadow(void *handle, const relocations *r, const Elf64_Rela *entry) {
    static const char head[] = "__wb_at_";
    const char *name = r->strings + r->symbols[ELF64_R_SYM(entry->r_info)].st_name;
    if (strncmp(name, head, sizeof head - 1) != 0)
        return;
    char *called = wb_format("__wb_shadow_%s", name + sizeof head - 1);
    void *(*shadow)(void) = called ? (void *(*)(void))dlsym(handle, called) : NULL;
    bool data = ELF64_R_TYPE(entry->r_info) == R_X86_64_64;
    if (shadow)
        *(uintptr_t *)(r->base + entry->r_offset) =
            (uintptr_t)shadow() + (data ? (uintptr_t)entry->r_addend : 0);
    free(called);
}

/* Forgets definitions that an ended cell did not reach. Later cells can still use its functions. */
static void forget_waiting(void) {
    size_t kept = 0;
    for (size_t i = 0; i < all.n_targets; i++)
        if (all.targets[i].waits && all.targets[i].item)
            arrive(i);
    for (size_t i = 0; i < all.n_targets; i++)
        if (all.targets[i].item == 0)
            all.targets[kept++] = all.targets[i];
    all.n_targets = kept;
}

void redefine_load(void *handle, const json_t *binds) {
    relocations r;
    const char *name;
    json_t *bind;
    forget_waiting();
    json_object_foreach((json_t *)binds, name, bind) {
        void *own = json_array_size(bind) > 1 ? dlsym(handle, name) : NULL;
        if (own)
            take_own((uintptr_t)own, bind);
    }
    if (!relocations_find(handle, &r))
        return;
    for (size_t i = 0; i < r.count; i++) {
        bind_shadow(handle, &r, &r.entries[i]);
        take_place(&r, &r.entries[i], binds);
    }
    for (size_t i = 0; i < r.n_calls; i++)
        take_place(&r, &r.calls[i], binds);
}

/* Says that the cell's variables up to that item exist. */
__attribute__((visibility("default"))) void wb_cell_defined(int item) {
    if (item == 0)
        statics_begin();
    for (size_t i = 0; i < all.n_targets; i++) {
        if (all.targets[i].item != 0 && all.targets[i].item <= item)
            arrive(i);
    }
}
