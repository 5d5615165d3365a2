/* dwarf_fuzz.c: any PTX with any debug sections: the variables of each function are looked up. */
#include <assert.h>
#include "runtime/base/base.h"
#include "runtime/softgpu/debug/dwarf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const dbg_info *info, const ptx_function *f) {
    wb_strings names = {0};
    dbg_names(info, f, &names);
    dbg_parameters(info, f, &names);
    for (size_t i = 0; i < names.n && i < 50; i++) {
        dbg_list list = {0};
        dbg_watch(info, f, names.v[i], &list);
        for (uint32_t k = 0; k < list.n; k++) {
            assert(list.v[k].bytes >= 1 && list.v[k].bytes <= 8);
            for (uint32_t p = 0; p < list.v[k].n_places; p++)
                assert(list.v[k].places[p].from < list.v[k].places[p].to);
        }
        dbg_list_free(&list);
    }
    wb_strings_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ptx_error err;
    ptx_module *m = ptx_parse((const char *)data, size, &err);
    dbg_info *info = m ? dbg_open(m) : NULL;
    for (uint32_t f = 0; info && f < m->n_functions && f < 20; f++)
        look_up(info, m->functions[f]);
    dbg_close(info);
    ptx_free(m);
    return 0;
}
