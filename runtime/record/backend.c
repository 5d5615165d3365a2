/* backend.c: the runtime's hooks, on the PTX parser: a module is its parsed text, a kernel its
 * parameters, a launch a step of the plan. */
#include "runtime/record/plan.h"

#include "runtime/softgpu/ptx/ptx.h"

const char rt_backend_name[] = "the grader";

/* A kernel's parameters for the runtime. */
typedef struct recorded_kernel {
    const ptx_function *function;
    uint32_t sizes[];
} recorded_kernel;

bool rt_backend_load(rt_module *module, const char *ptx, size_t len, sg_error *err) {
    ptx_error unreadable;
    module->loaded = ptx_link(ptx, len, &unreadable);
    if (module->loaded != NULL)
        return true;
    return wb_fail(err, cudaErrorInvalidPtx, _("the device code can't be read (PTX line %u): %s"),
                   unreadable.ptx_line, unreadable.text);
}

void rt_backend_unload(rt_module *module) {
    ptx_free(module->loaded);
    module->loaded = NULL;
}

static size_t sum_of_space(const ptx_function *f, ptx_space space) {
    size_t sum = 0;
    for (uint32_t i = 0; i < f->n_locals; i++) {
        if (f->locals[i]->space == space)
            sum += f->locals[i]->size;
    }
    return sum;
}

/* Sums a kernel's shared variables, which are at module scope, named after it. */
static size_t module_shared(const ptx_module *module, const ptx_function *f) {
    size_t sum = 0;
    for (uint32_t i = 0; i < module->n_globals; i++) {
        const ptx_var *v = module->globals[i];
        if (v->space == PTX_SPACE_SHARED && strstr(v->name, f->name) != NULL)
            sum += v->size;
    }
    return sum;
}

static uint32_t max_threads(const ptx_function *f) {
    const uint32_t *bound = f->reqntid[0] != 0 ? f->reqntid : f->maxntid;
    uint32_t threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= bound[i] != 0 ? bound[i] : 1;
    return bound[0] != 0 && threads < 1024 ? threads : 1024;
}

bool rt_backend_kernel(rt_kernel *kernel, sg_error *err) {
    const ptx_module *module = kernel->module->loaded;
    const ptx_function *f = ptx_find(module, kernel->name);
    if (f == NULL || !f->is_entry)
        return wb_fail(err, cudaErrorInvalidDeviceFunction, _("the device code has no kernel %s"),
                       kernel->name);
    recorded_kernel *r = malloc(sizeof *r + f->n_params * sizeof r->sizes[0]);
    if (r == NULL)
        return wb_fail(err, cudaErrorMemoryAllocation, _("no memory for a kernel's parameters"));
    r->function = f;
    for (uint32_t i = 0; i < f->n_params; i++)
        r->sizes[i] = (uint32_t)f->params[i].size;
    kernel->handle = r;
    kernel->info = (sg_kernel_info){.name = f->name,
                                    .n_params = f->n_params,
                                    .param_offsets = f->param_offsets,
                                    .param_sizes = r->sizes,
                                    .param_bytes = (uint32_t)f->param_bytes,
                                    .static_shared = sum_of_space(f, PTX_SPACE_SHARED) +
                                                     module_shared(module, f),
                                    .local_bytes = sum_of_space(f, PTX_SPACE_LOCAL),
                                    .registers = ptx_registers(f, max_threads(f)),
                                    .max_threads = max_threads(f),
                                    .ptx_target = module->target};
    return true;
}

/* Returns true if parameter `index` can hold a pointer: a structure or a 64-bit word. */
static bool may_hold_pointers(const rt_kernel *kernel, uint32_t index) {
    const ptx_var *p = &((const recorded_kernel *)kernel->handle)->function->params[index];
    return p->elements != 1 || p->vector != 1 || ptx_type_size(p->type) == 8;
}

/* Returns a variable's description as its address: it identifies the variable, and host code can't
 * use it. Managed variables get none, because host code could use them unnoticed. */
void *rt_backend_symbol(rt_module *module, const char *name, size_t *bytes) {
    const ptx_module *m = module->loaded;
    for (uint32_t i = 0; i < m->n_globals; i++) {
        ptx_var *v = m->globals[i];
        if (strcmp(v->name, name) == 0 && !v->is_extern && !v->is_managed) {
            *bytes = v->size;
            return v;
        }
    }
    return NULL;
}

/* ---- launches ----------------------------------------------------------------------------- */

static const char *plain_name(const rt_kernel *kernel) {
    static char text[300];
    char *plain = rt_plain_name(kernel->name);
    snprintf(text, sizeof text, "%s", plain ? plain : kernel->name);
    free(plain);
    return text;
}

/* Records a word of the parameter block that points into a buffer. Refuses host memory and freed
 * memory, which a device could not use either. */
static void add_pointer(const rt_kernel *kernel, uint32_t at, uint64_t word, json_t *pointers) {
    int64_t offset;
    int buffer = plan_buffer_near(word, &offset);
    if (buffer >= 0 && plan_buffer_at(buffer)->freed)
        plan_stop("a kernel launch", cudaErrorInvalidValue,
                  _("kernel %s is given a pointer into %zu bytes of device memory that were freed "
                    "before"),
                  plain_name(kernel), plan_buffer_at(buffer)->bytes);
    if (buffer < 0 && plan_is_pinned((void *)(uintptr_t)word))
        plan_stop("a kernel launch", cudaErrorNotSupported,
                  _("kernel %s is given a pointer to host memory, which can't be recorded; copy it "
                    "to memory of cudaMalloc"),
                  plain_name(kernel));
    if (buffer >= 0)
        json_array_append_new(pointers, json_pack("{s:I, s:i, s:I}", "at", (json_int_t)at, "buffer",
                                                  buffer, "offset", (json_int_t)offset));
}

static void add_pointers(const rt_launch *l, uint32_t param, json_t *pointers) {
    uint32_t at = l->kernel->info.param_offsets[param];
    uint32_t end = at + l->kernel->info.param_sizes[param];
    for (at = (at + 7) / 8 * 8; at + 8 <= end; at += 8) {
        uint64_t word;
        memcpy(&word, l->params + at, sizeof word);
        add_pointer(l->kernel, at, word, pointers);
    }
}

static json_t *triple(const dim3 *d) {
    return json_pack("[I, I, I]", (json_int_t)d->x, (json_int_t)d->y, (json_int_t)d->z);
}

cudaError_t rt_backend_launch(rt_launch *l, sg_error *err) {
    const rt_kernel *kernel = l->kernel;
    (void)err;
    json_t *pointers = json_array();
    for (uint32_t i = 0; i < kernel->info.n_params; i++) {
        if (may_hold_pointers(kernel, i))
            add_pointers(l, i, pointers);
    }
    plan_step("a kernel launch",
              json_pack("{s:s, s:s, s:o, s:o, s:I, s:b, s:o, s:i, s:i, s:o, s:o}", "op", "launch",
                        "kernel", kernel->name, "grid", triple(&l->grid), "block",
                        triple(&l->block), "shared", (json_int_t)l->shared, "cooperative",
                        l->cooperative, "cluster", triple(&l->cluster), "max_dynamic_shared",
                        kernel->max_dynamic_shared > 0 ? kernel->max_dynamic_shared : 0, "carveout",
                        kernel->carveout, "params", plan_hex(l->params, kernel->info.param_bytes),
                        "pointers", pointers));
    return cudaSuccess;
}

/* ---- the rest ----------------------------------------------------------------------------- */

void rt_backend_clock(void) {
    plan_stop(
        "cudaEventElapsedTime", cudaErrorNotSupported,
        _("solve() measures time with cudaEventElapsedTime; nothing runs while it is recorded, "
          "and the grader does the timing: leave it out"));
}

/* Returns the program's own errors to it, as a device does. Others stop the plan. */
void rt_backend_note(const char *call, cudaError_t code, sg_refused kind, const char *text) {
    if (kind == SG_REFUSED_FUNCTION)
        plan_stop(call, code,
                  _("solve() calls %s, which can't be recorded; kernel launches, cudaMalloc, "
                    "cudaMemset and copies from device to device can"),
                  call);
    if (code == cudaErrorNotSupported)
        plan_stop(call, code, _("solve() calls %s, which can't be recorded: %s"), call, text);
    if (code == cudaSuccess)
        plan_stop(call, cudaErrorNotSupported,
                  _("solve() calls %s, %s; nothing runs while it is recorded, so leave it out"),
                  call, text);
}

void rt_backend_reset(void) {
    plan_stop("cudaDeviceReset", cudaErrorNotSupported,
              _("solve() resets the device, which destroys its arguments; leave it out"));
}
