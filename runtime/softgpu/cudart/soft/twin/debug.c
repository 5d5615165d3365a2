/* debug.c: see debug.h. */
#include "runtime/softgpu/cudart/soft/twin/debug.h"
#include "runtime/softgpu/cudart/rt.h"

#include <pthread.h>

#include "runtime/softgpu/softgpu.h"

#pragma GCC visibility push(default)
void softgpu_debug(const char *wish);
#pragma GCC visibility pop

typedef struct twin {
    const sg_kernel *of;
    sg_kernel *kernel; /* NULL: no text has it */
    sg_module *module;
    dbg_info *info;
} twin;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static json_t *texts;
static twin *twins; /* of this cell */
static size_t n_twins;

static void forget(void) {
    for (size_t k = 0; k < n_twins; k++) {
        dbg_close(twins[k].info);
        sg_module_unload(twins[k].module);
    }
    free(twins);
    twins = NULL;
    n_twins = 0;
}

void soft_debug_forget(void) {
    pthread_mutex_lock(&lock);
    forget();
    pthread_mutex_unlock(&lock);
}

void softgpu_debug(const char *text) {
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    pthread_mutex_lock(&lock);
    forget();
    json_decref(texts);
    texts = json_incref(json_object_get(o, "texts"));
    pthread_mutex_unlock(&lock);
    dbg_serve(json_string_value(json_object_get(o, "path")), json_object_get(o, "sources"));
    json_decref(o);
}

static void load(twin *t, const char *path, const char *symbol) {
    wb_buf text = {0};
    sg_error unwanted = {0};
    if (wb_file_read(path, 0, &text, NULL) && text.data && strstr(text.data, symbol))
        t->module = sg_module_twin(text.data, text.len, t->of, &unwanted);
    t->kernel = t->module ? sg_module_kernel(t->module, symbol, &unwanted) : NULL;
    t->info = t->kernel ? dbg_open_kernel(t->kernel) : NULL;
    wb_buf_free(&text);
    if (t->info)
        return;
    sg_module_unload(t->module);
    t->module = NULL;
    t->kernel = NULL;
}

static const twin *twin_of(const sg_kernel *kernel, const char *symbol) {
    const json_t *path;
    size_t i;
    for (size_t k = 0; k < n_twins; k++)
        if (twins[k].of == kernel)
            return &twins[k];
    twin *t = WB_PUSH(twins, n_twins);
    if (!t)
        return NULL;
    t->of = kernel;
    json_array_foreach(texts, i, path) {
        if (!t->kernel)
            load(t, json_string_value(path), symbol);
    }
    if (!t->kernel) {
        char *name = rt_plain_name(symbol);
        dbg_launch_unknown(name ? name : symbol);
        free(name);
    }
    return t;
}

dbg_session *soft_debug_open(sg_launch *launch, const char *symbol) {
    if (!dbg_is_on())
        return NULL;
    pthread_mutex_lock(&lock);
    const twin *t = twin_of(launch->kernel, symbol);
    sg_kernel *own = launch->kernel, *kernel = t ? t->kernel : NULL;
    const dbg_info *info = t ? t->info : NULL;
    pthread_mutex_unlock(&lock);
    if (!kernel)
        return NULL;
    launch->kernel = kernel;
    dbg_session *session = dbg_launch_open(launch, info);
    if (!session)
        launch->kernel = own;
    return session;
}
