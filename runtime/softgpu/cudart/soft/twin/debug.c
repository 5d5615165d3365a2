/* debug.c: see debug.h. */
#include "runtime/softgpu/cudart/soft/twin/debug.h"

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/softgpu/cudart/rt.h"
#include "runtime/softgpu/cudart/soft/twin/twin.h"
#include "runtime/softgpu/softgpu.h"

#pragma GCC visibility push(default)
void softgpu_debug(const char *wish);
#pragma GCC visibility pop

typedef struct known {
    const sg_kernel *of;
    soft_twin twin;
} known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static json_t *texts;
static known *twins; /* of this cell */
static size_t n_twins;

static void forget(void) {
    for (size_t k = 0; k < n_twins; k++)
        soft_twin_unload(&twins[k].twin);
    free(twins);
    twins = NULL;
    n_twins = 0;
}

void soft_debug_forget(void) {
    WB_LOCKED(&lock);
    forget();
}

void softgpu_debug(const char *text) {
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    pthread_mutex_lock(&lock);
    forget();
    json_decref(texts);
    texts = json_incref(json_object_get(o, "texts"));
    pthread_mutex_unlock(&lock);
    dbg_serve(wb_field_string(o, "path"), json_object_get(o, "sources"));
    json_decref(o);
}

static soft_twin twin_of(const sg_kernel *kernel, const char *symbol) {
    for (size_t k = 0; k < n_twins; k++)
        if (twins[k].of == kernel)
            return twins[k].twin;
    known *t = WB_PUSH(twins, n_twins);
    if (!t)
        return (soft_twin){0};
    t->of = kernel;
    if (!soft_twin_load(&t->twin, texts, kernel, symbol)) {
        char *name = rt_plain_name(symbol);
        dbg_launch_unknown(name ? name : symbol);
        free(name);
    }
    return t->twin;
}

dbg_session *soft_debug_open(sg_launch *launch, const char *symbol) {
    if (!dbg_is_on())
        return NULL;
    pthread_mutex_lock(&lock);
    soft_twin t = twin_of(launch->kernel, symbol);
    sg_kernel *own = launch->kernel;
    pthread_mutex_unlock(&lock);
    if (!t.kernel)
        return NULL;
    launch->kernel = t.kernel;
    dbg_session *session = dbg_launch_open(launch, t.info);
    if (!session)
        launch->kernel = own;
    return session;
}
