/* cuda_api.c: the list that cuda_names.py made of CUDA's headers at the build. */
#include "jupyter_kernel/help/cuda_api.h"

#include <pthread.h>

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"

static struct {
    pthread_once_t once; /* other requests may come while a cell runs */
    cuda_name *names;    /* with texts of a list that stays */
    size_t n;
} api = {PTHREAD_ONCE_INIT, NULL, 0};

static void read_list(void) {
    WB_SCOPED char *path = wb_path_share("cuda_names.json");
    json_t *list = path ? json_load_file(path, 0, NULL) : NULL;
    WB_JSON_EACH(entry, list) {
        cuda_name name;
        if (json_unpack(entry, "[s, s, s, s]", &name.name, &name.signature, &name.brief,
                        &name.type) == 0)
            WB_ADD(api.names, api.n, name);
    }
}

const cuda_name *cuda_api_all(size_t *n) {
    pthread_once(&api.once, read_list);
    *n = api.n;
    return api.names;
}

static int by_name(const void *name, const void *entry) {
    return strcmp(name, ((const cuda_name *)entry)->name);
}

const cuda_name *cuda_api_find(const char *name, size_t len) {
    size_t n;
    const cuda_name *names = cuda_api_all(&n);
    WB_SCOPED char *whole = wb_format("%.*s", (int)len, name);
    return whole && n ? bsearch(whole, names, n, sizeof *names, by_name) : NULL;
}
