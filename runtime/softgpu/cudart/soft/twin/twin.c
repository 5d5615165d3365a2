/* twin.c: see twin.h. */
#include "runtime/softgpu/cudart/soft/twin/twin.h"
#include "runtime/json/fields.h"

void soft_twin_unload(soft_twin *t) {
    dbg_close(t->info);
    sg_module_unload(t->module);
    *t = (soft_twin){0};
}

bool soft_twin_load(soft_twin *t, const json_t *texts, const sg_kernel *of, const char *symbol) {
    WB_JSON_EACH(path, texts) {
        wb_buf text = {0};
        sg_error unwanted = {0};
        if (wb_file_read(json_string_value(path), 0, &text, NULL) && text.data &&
            strstr(text.data, symbol))
            t->module = sg_module_twin(text.data, text.len, of, &unwanted);
        wb_buf_free(&text);
        t->kernel = t->module ? sg_module_kernel(t->module, symbol, &unwanted) : NULL;
        t->info = t->kernel ? dbg_open_kernel(t->kernel) : NULL;
        if (t->info)
            return true;
        soft_twin_unload(t);
    }
    return false;
}
