/* relocations.c: see relocations.h. */
#include "runtime/worker/process/relocations.h"

#include <dlfcn.h>
#include <link.h>

/* Returns an address. On most systems the loader has already added the base to it. */
static void *located(const struct link_map *map, uintptr_t at) {
    return (void *)(at < map->l_addr ? map->l_addr + at : at);
}

bool relocations_find(void *handle, relocations *r) {
    struct link_map *map = NULL;
    *r = (relocations){.count = 0};
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    r->base = map->l_addr;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            r->symbols = located(map, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_STRTAB)
            r->strings = located(map, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_RELA)
            r->entries = located(map, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_RELASZ)
            r->count = entry->d_un.d_val / sizeof *r->entries;
        else if (entry->d_tag == DT_JMPREL)
            r->calls = located(map, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_PLTRELSZ)
            r->n_calls = entry->d_un.d_val / sizeof *r->calls;
    }
    if (dlinfo(handle, RTLD_DI_TLS_MODID, &r->module) != 0)
        r->module = 0;
    r->count = r->entries ? r->count : 0;
    r->n_calls = r->calls ? r->n_calls : 0;
    return r->symbols && r->strings && r->count + r->n_calls > 0;
}
