/* program.c: runs a plan's steps on the device. */
#include "grader/replay/program.h"

#include <dlfcn.h>

enum { MAX_PARAMS = 1024 };

/* A prepared step: its data with device addresses, and pointers to a launch's parameters in it. */
typedef struct ready {
    const gr_plan_step *step;
    cudaKernel_t kernel;
    unsigned char *block;
    void **params;
} ready;

struct gr_program {
    const gr_memory *memory;
    const gr_module *module;
    ready *steps;
    size_t n;
};

bool gr_module_load(const void *fatbin, gr_module *module, wb_error *err) {
    module->library = NULL;
    return gr_cuda_ok(
        cuda.cudaLibraryLoadData(&module->library, fatbin, NULL, NULL, 0, NULL, NULL, 0),
        "the device code can't be loaded", err);
}

void gr_module_unload(gr_module *module) {
    if (module->library)
        cuda.cudaLibraryUnload(module->library);
    module->library = NULL;
}

/* Gets the offset and size of a parameter. Returns false if the index is too large. softgpu's
 * runtime accepts a kernel handle; on a GPU the driver's call is needed. */
static bool param_info(cudaKernel_t kernel, size_t index, size_t *offset, size_t *size) {
    static int (*driver_call)(void *kernel, size_t index, size_t *offset, size_t *size);
    static bool looked;
    if (!looked && !dlsym(RTLD_DEFAULT, "softgpu_report")) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW);
        void *symbol = driver ? dlsym(driver, "cuKernelGetParamInfo") : NULL;
        memcpy(&driver_call, &symbol, sizeof symbol);
    }
    looked = true;
    if (driver_call)
        return driver_call(kernel, index, offset, size) == 0;
    bool there =
        cuda.cudaFuncGetParamInfo((const void *)kernel, index, offset, size) == cudaSuccess;
    cuda.cudaGetLastError(); /* clears the error at the end of the list */
    return there;
}

static bool make_block(const gr_memory *memory, ready *r, wb_error *err) {
    const gr_plan_step *step = r->step;
    if (step->op != GR_LAUNCH && !step->data)
        return true;
    /* extra room: the launch reads as many bytes as the kernel declares */
    r->block = calloc(1, (step->op == GR_LAUNCH ? GR_PLAN_MAX_PARAMS : 1) + step->data_len);
    if (!r->block)
        return wb_fail(err, 1, _("out of memory"));
    memcpy(r->block, step->data, step->data_len);
    for (size_t i = 0; i < step->n_pointers; i++) {
        const gr_plan_pointer *p = &step->pointers[i];
        uint64_t address = (uint64_t)(uintptr_t)memory->base[p->buffer] + (uint64_t)p->offset;
        memcpy(r->block + p->at, &address, sizeof address);
    }
    return true;
}

static bool make_params(ready *r, wb_error *err) {
    size_t offset, size;
    r->params = calloc(MAX_PARAMS + 1, sizeof *r->params);
    if (!r->params)
        return wb_fail(err, 1, _("out of memory"));
    for (size_t i = 0; i < MAX_PARAMS && param_info(r->kernel, i, &offset, &size); i++) {
        if (offset + size > GR_PLAN_MAX_PARAMS)
            return wb_fail(err, 1, _("kernel %.200s has too many parameters"), r->step->name);
        r->params[i] = r->block + offset;
    }
    return true;
}

static bool make_ready(const gr_module *module, const gr_memory *memory, ready *r, wb_error *err) {
    if (!make_block(memory, r, err))
        return false;
    if (r->step->op != GR_LAUNCH)
        return true;
    cudaError_t status = cuda.cudaLibraryGetKernel(&r->kernel, module->library, r->step->name);
    if (status != cudaSuccess)
        return wb_fail(err, (int)status,
                       _("the kernel %.300s can't be found in the device code: %s"), r->step->name,
                       cuda.cudaGetErrorString(status));
    const void *function = (const void *)r->kernel;
    if (r->step->max_dynamic_shared > 0 &&
        !gr_cuda_ok(cuda.cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              r->step->max_dynamic_shared),
                    "dynamic shared memory can't be set", err))
        return false;
    if (r->step->carveout >= 0)
        cuda.cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  r->step->carveout);
    return make_params(r, err);
}

gr_program *gr_program_make(const gr_module *module, const gr_memory *memory, wb_error *err) {
    gr_program *program = calloc(1, sizeof *program);
    if (program)
        program->steps = calloc(memory->plan->n_steps + 1, sizeof *program->steps);
    if (!program || !program->steps) {
        wb_fail(err, 1, _("out of memory"));
        gr_program_free(program);
        return NULL;
    }
    program->memory = memory;
    program->module = module;
    for (size_t i = 0; i < memory->plan->n_steps; i++) {
        program->steps[i].step = &memory->plan->steps[i];
        program->n = i + 1;
        if (!make_ready(module, memory, &program->steps[i], err)) {
            gr_program_free(program);
            return NULL;
        }
    }
    return program;
}

void gr_program_free(gr_program *program) {
    for (size_t i = 0; program && program->steps && i < program->n; i++)
        WB_FREE(program->steps[i].block, program->steps[i].params);
    if (program)
        free(program->steps);
    free(program);
}

static bool launch(const ready *r, wb_error *err) {
    const gr_plan_step *s = r->step;
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = {.gridDim = {s->grid[0], s->grid[1], s->grid[2]},
                                 .blockDim = {s->block[0], s->block[1], s->block[2]},
                                 .dynamicSmemBytes = s->shared,
                                 .stream = cuda.stream,
                                 .attrs = attributes};
    if (s->cooperative) {
        attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (s->cluster[0] * s->cluster[1] * s->cluster[2] > 1) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs].val.clusterDim.x = s->cluster[0];
        attributes[config.numAttrs].val.clusterDim.y = s->cluster[1];
        attributes[config.numAttrs++].val.clusterDim.z = s->cluster[2];
    }
    cudaError_t status = cuda.cudaLaunchKernelExC(&config, (const void *)r->kernel, r->params);
    if (status == cudaSuccess)
        return true;
    return wb_fail(err, (int)status,
                   _("kernel %.200s<<<(%u,%u,%u), (%u,%u,%u)>>> can't be launched: %s (%s)"),
                   s->name, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1],
                   s->block[2], cuda.cudaGetErrorString(status), cuda.cudaGetErrorName(status));
}

/* Copies between a variable, at the step's offset, and host data or a buffer. */
static bool copy_symbol(const gr_program *p, const ready *r, wb_error *err) {
    const gr_plan_step *s = r->step;
    void *address = NULL;
    size_t size = 0, bytes = s->op == GR_SYMBOL ? s->data_len : s->bytes;
    cudaError_t status = cuda.cudaLibraryGetGlobal(&address, &size, p->module->library, s->name);
    if (status != cudaSuccess)
        return wb_fail(err, (int)status, _("the variable %.300s can't be found in the device code"),
                       s->name);
    if (s->offset > size || bytes > size - s->offset)
        return wb_fail(err, 1, _("more is copied to or from the variable %.300s than it holds"),
                       s->name);
    unsigned char *variable = (unsigned char *)address + s->offset;
    unsigned char *memory =
        s->op == GR_SYMBOL ? r->block : p->memory->base[s->buffer] + s->source_offset;
    bool into = s->op == GR_SYMBOL || s->to_symbol;
    return gr_cuda_ok(
        cuda.cudaMemcpyAsync(into ? variable : memory, into ? memory : variable, bytes,
                             s->op == GR_SYMBOL ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice,
                             cuda.stream),
        "a variable can't be copied", err);
}

static bool start_step(const gr_program *p, const ready *r, wb_error *err) {
    const gr_plan_step *s = r->step;
    unsigned char *const *base = p->memory->base;
    cudaError_t status = cudaSuccess;
    switch (s->op) {
    case GR_LAUNCH:
        return launch(r, err);
    case GR_SYMBOL:
    case GR_SYMBOL_COPY:
        return copy_symbol(p, r, err);
    case GR_MEMSET:
        status = cuda.cudaMemsetAsync(base[s->buffer] + s->offset, s->value, s->bytes, cuda.stream);
        break;
    case GR_MEMSET2D:
        status = cuda.cudaMemset2DAsync(base[s->buffer] + s->offset, s->pitch, s->value, s->bytes,
                                        s->height, cuda.stream);
        break;
    case GR_COPY:
        status =
            cuda.cudaMemcpyAsync(base[s->buffer] + s->offset, base[s->source] + s->source_offset,
                                 s->bytes, cudaMemcpyDeviceToDevice, cuda.stream);
        break;
    case GR_UPLOAD:
        status = cuda.cudaMemcpyAsync(base[s->buffer] + s->offset, r->block, s->data_len,
                                      cudaMemcpyHostToDevice, cuda.stream);
        break;
    }
    return gr_cuda_ok(status, "a copy or fill of solve() failed", err);
}

bool gr_program_start(const gr_program *program, wb_error *err) {
    for (size_t i = 0; i < program->n; i++)
        if (!start_step(program, &program->steps[i], err))
            return false;
    return true;
}

bool gr_program_wait(wb_error *err) {
    return gr_cuda_ok(cuda.cudaDeviceSynchronize(), "a kernel failed while it ran", err);
}
