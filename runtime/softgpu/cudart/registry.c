/* registry.c: the fat binaries, kernels and variables that programs registered, and the tables to
 * find them by host address. Modules are loaded at their first use, so unused kernels cost
 * nothing. */
#include "runtime/softgpu/cudart/rt.h"

#include <pthread.h>

#include "runtime/softgpu/cudart/fatbin.h"

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static rt_module *modules;
static rt_map kernels;   /* host function or rt_kernel -> rt_kernel */
static rt_map variables; /* host address -> rt_variable */

static void make_lock(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

char rt_lock(void) {
    pthread_once(&once, make_lock);
    return (char)pthread_mutex_lock(&lock);
}

void rt_unlock(const char *unused) {
    (void)unused;
    pthread_mutex_unlock(&lock);
}

rt_module *rt_module_new(const void *code, size_t limit) {
    rt_module *module = calloc(1, sizeof *module);
    if (module == NULL)
        return NULL;
    module->code = code;
    module->limit = limit;
    RT_LOCKED();
    module->following = modules;
    if (modules != NULL)
        modules->previous = module;
    modules = module;
    return module;
}

bool rt_module_live(const rt_module *module) {
    RT_LOCKED();
    const rt_module *m = modules;
    while (m != NULL && m != module)
        m = m->following;
    return m != NULL;
}

/* Removes a kernel or a variable from the list of its host address. */
#define UNLINK(map, item)                                                                          \
    do {                                                                                           \
        __typeof__(item) before = rt_map_get(map, (item)->host);                                   \
        if (before == (item) && (item)->next == NULL)                                              \
            rt_map_remove(map, (item)->host);                                                      \
        else if (before == (item))                                                                 \
            rt_map_put(map, (item)->host, (item)->next);                                           \
        else                                                                                       \
            while (before != NULL && before->next != (item))                                       \
                before = before->next;                                                             \
        if (before != NULL && before != (item))                                                    \
            before->next = (item)->next;                                                           \
    } while (0)

/* Takes a kernel out of the registry. The record stays as an empty shell, because a static handle
 * in host code may outlive the module. */
static void retire_kernel(rt_kernel *kernel) {
    if (kernel->host != NULL)
        UNLINK(&kernels, kernel);
    kernel->next = kernel->sibling = NULL;
    kernel->module = NULL;
    kernel->resolved = false;
    kernel->handle = NULL;
    kernel->info = (sg_kernel_info){0};
}

static void remove_variable(rt_variable *variable) {
    UNLINK(&variables, variable);
    WB_FREE((char *)variable->name, variable);
}

void rt_module_remove(rt_module *module) {
    RT_LOCKED();
    for (rt_kernel *kernel = module->kernels, *next; kernel != NULL; kernel = next) {
        next = kernel->sibling;
        retire_kernel(kernel);
    }
    for (rt_variable *variable = module->variables, *next; variable != NULL; variable = next) {
        next = variable->sibling;
        remove_variable(variable);
    }
    if (module->state == RT_MODULE_LOADED)
        rt_backend_unload(module);
    if (module->previous != NULL)
        module->previous->following = module->following;
    else
        modules = module->following;
    if (module->following != NULL)
        module->following->previous = module->previous;
    WB_FREE(module->owned_code, module);
}

rt_kernel *rt_kernel_new(rt_module *module, const void *host, const char *name) {
    rt_kernel *kernel = calloc(1, sizeof *kernel);
    char *copy = strdup(name);
    if (kernel == NULL || copy == NULL) {
        WB_FREE(kernel, copy);
        return NULL;
    }
    *kernel = (rt_kernel){
        .host = host, .name = copy, .module = module, .max_dynamic_shared = -1, .carveout = -1};
    RT_LOCKED();
    kernel->sibling = module->kernels;
    module->kernels = kernel;
    rt_map_put(&kernels, kernel, kernel);
    if (host != NULL) {
        kernel->next = rt_map_get(&kernels, host);
        rt_map_put(&kernels, host, kernel);
    }
    return kernel;
}

rt_kernel *rt_kernel_named(rt_module *module, const char *name) {
    RT_LOCKED();
    for (rt_kernel *kernel = module->kernels; kernel != NULL; kernel = kernel->sibling)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return rt_kernel_new(module, NULL, name);
}

rt_variable *rt_variable_new(rt_module *module, const void *host, const char *name, size_t bytes) {
    rt_variable *variable = calloc(1, sizeof *variable);
    char *copy = strdup(name);
    if (variable == NULL || copy == NULL) {
        WB_FREE(variable, copy);
        return NULL;
    }
    *variable = (rt_variable){.host = host, .name = copy, .bytes = bytes, .module = module};
    RT_LOCKED();
    variable->sibling = module->variables;
    module->variables = variable;
    variable->next = rt_map_get(&variables, host);
    rt_map_put(&variables, host, variable);
    return variable;
}

/* Fills in the pointers by which programs access managed variables. */
static void place_managed(rt_module *module) {
    for (rt_variable *v = module->variables; v != NULL; v = v->sibling) {
        if (v->managed && v->pointer != NULL) {
            size_t bytes;
            void *address = rt_backend_symbol(module, v->name, &bytes);
            if (address != NULL)
                *v->pointer = address;
        }
    }
}

static bool load(rt_module *module) {
    const rt_device *device = rt_device_get();
    unsigned capability = (unsigned)(device->prop.major * 10 + device->prop.minor);
    size_t len;
    char *ptx = fatbin_ptx(module->code, module->limit, capability, &len, &module->failure);
    if (ptx == NULL)
        return false;
    bool good = rt_backend_load(module, ptx, len, &module->failure);
    free(ptx);
    if (good)
        place_managed(module);
    return good;
}

bool rt_module_load(rt_module *module, sg_error *err) {
    RT_LOCKED();
    if (module->state == RT_MODULE_NEW)
        module->state = load(module) ? RT_MODULE_LOADED : RT_MODULE_FAILED;
    if (module->state == RT_MODULE_FAILED)
        *err = module->failure;
    return module->state == RT_MODULE_LOADED;
}

rt_kernel *rt_kernel_peek(const void *function) {
    RT_LOCKED();
    rt_kernel *kernel = rt_map_get(&kernels, function);
    /* a shell is replaced by what has registered the same host function since */
    return kernel == NULL || kernel->module != NULL ? kernel : rt_map_get(&kernels, kernel->host);
}

rt_kernel *rt_kernel_find(const void *function, sg_error *err) {
    RT_LOCKED();
    rt_kernel *kernel = rt_kernel_peek(function);
    if (kernel == NULL)
        wb_fail(err, cudaErrorInvalidDeviceFunction,
                _("%s is not a __global__ function of this program, or its module is unloaded"),
                function == NULL ? _("a null pointer") : _("the function"));
    else if (rt_module_load(kernel->module, err))
        kernel->resolved = kernel->resolved || rt_backend_kernel(kernel, err);
    return kernel != NULL && kernel->resolved ? kernel : NULL;
}

static rt_variable *find_variable(const void *host, void **address, size_t *bytes, sg_error *err) {
    RT_LOCKED();
    rt_variable *variable = rt_map_get(&variables, host);
    *address = NULL;
    if (variable == NULL)
        wb_fail(
            err, cudaErrorInvalidSymbol,
            _("the symbol is not a __device__ or __constant__ variable of this program; pass the "
              "variable itself, not its address or its name in quotes"));
    else if (rt_module_load(variable->module, err) &&
             !(*address = rt_backend_symbol(variable->module, variable->name, bytes)))
        wb_fail(err, cudaErrorInvalidSymbol, _("the device code does not use %s"), variable->name);
    return *address != NULL ? variable : NULL;
}

cudaError_t rt_symbol(const char *call, const void *symbol, size_t offset, size_t bytes,
                      char **address, const rt_variable **variable) {
    sg_error err = {0};
    size_t size;
    void *base;
    RT_ALLOWED(rt_sticky(call));
    const rt_variable *found = find_variable(symbol, &base, &size, &err);
    if (found == NULL)
        return rt_fail_as(call, &err);
    if (offset > size || bytes > size - offset)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("%s has %zu bytes, and %zu bytes at offset %zu go beyond them"),
                       found->name, size, bytes, offset);
    if (address != NULL)
        *address = (char *)base + offset;
    if (variable != NULL)
        *variable = found;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    sg_error err = {0};
    void *base;
    RT_ENTER();
    RT_OUT(bytes);
    return find_variable(symbol, &base, bytes, &err) ? cudaSuccess : rt_fail_as(__func__, &err);
}
