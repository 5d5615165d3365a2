/* backend.c: the runtime's hooks, implemented by the engine. */
#include "runtime/softgpu/cudart/soft/soft.h"

#include <unistd.h>

#include "runtime/softgpu/cudart/soft/twin/debug.h"
#include "runtime/softgpu/cudart/soft/predict.h"
#include "runtime/softgpu/cudart/soft/record.h"
#include "runtime/softgpu/cudart/soft/twin/values.h"
#include "runtime/softgpu/softgpu.h"

/* Time limit of a launch that has to run whole, if softgpu_set_options() asked for a sample. */
#define PATIENCE_S 20

const char rt_backend_name[] = "softgpu";

bool rt_backend_load(rt_module *module, const char *ptx, size_t len, sg_error *err) {
    module->loaded = sg_module_load(ptx, len, err);
    return module->loaded != NULL;
}

void rt_backend_unload(rt_module *module) {
    soft_debug_forget();
    sg_module_unload(module->loaded);
    module->loaded = NULL;
}

bool rt_backend_kernel(rt_kernel *kernel, sg_error *err) {
    kernel->handle = sg_module_kernel(kernel->module->loaded, kernel->name, err);
    return kernel->handle != NULL && sg_kernel_describe(kernel->handle, &kernel->info, err);
}

void *rt_backend_symbol(rt_module *module, const char *name, size_t *bytes) {
    return sg_module_symbol(module->loaded, name, bytes);
}

/* Returns the multiprocessors: one for each worker thread, unless the environment sets them. */
static int multiprocessors(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads =
        wb_setting_number("WARPBOOK_SOFTGPU_THREADS", 1, cores > 0 ? (uint64_t)cores : 1);
    return (int)wb_setting_number("WARPBOOK_SOFTGPU_SMS", 1, threads);
}

void rt_backend_device(rt_device *device) {
    size_t used, total;
    sg_mem_usage(&used, &total);
    snprintf(device->prop.name, sizeof device->prop.name, "Warpbook softgpu");
    memcpy(device->prop.uuid.bytes, "warpbook-softgpu", sizeof device->prop.uuid.bytes);
    device->prop.totalGlobalMem = total;
    device->prop.multiProcessorCount = multiprocessors();
    device->prop.integrated = 1;
    soft_predict_describe(device);
}

/* Runs a grid. The caller starts what it launched. */
static cudaError_t run_grid(rt_launch *l, uint32_t depth, soft_ended *ended, sg_error *err) {
    sg_launch launch = {.kernel = l->kernel->handle,
                        .grid = {l->grid.x, l->grid.y, l->grid.z},
                        .block = {l->block.x, l->block.y, l->block.z},
                        .cluster = {l->cluster.x, l->cluster.y, l->cluster.z},
                        .dynamic_shared = l->shared,
                        .params = l->params,
                        .cooperative = l->cooperative,
                        .depth = depth,
                        .heap = rt_device_limit(cudaLimitMallocHeapSize),
                        .options = soft_options(),
                        .seed = soft_seed()};
    soft_prediction prediction = {0};
    if (!soft_predict_gpu()) {
        launch.options &= ~(unsigned)(SG_TRACE | SG_SHARES | SG_SAMPLE);
    } else if (!soft_predict_open(l, (launch.options & SG_TRACE) != 0, &prediction, err)) {
        return (cudaError_t)err->code;
    }
    if (!(launch.options & ~(unsigned)SG_RACECHECK) && soft_early())
        launch.options |= SG_EARLY;
    launch.gpu = &prediction.gpu;
    if (launch.options & SG_RECORD && !(launch.wish = soft_record_wish(l->kernel->name)))
        launch.options &= ~(unsigned)SG_RECORD;
    soft_values values = {0};
    bool shows_values = launch.wish && launch.wish->what == SG_RECORD_VALUES;
    if (shows_values)
        soft_values_open(&values, &launch, &l->kernel->info);
    launch.patience = prediction.patience > 0 ? prediction.patience : PATIENCE_S;
    if (launch.options & SG_TRACE && prediction.patience > 0)
        launch.options |= SG_SAMPLE;
    if (l->kernel->info.launches) /* a block that is left out launches nothing */
        launch.options &= ~(unsigned)SG_SAMPLE;
    bool plain = !(launch.options & (SG_RECORD | SG_TRACE)); /* else the cell wants a record */
    dbg_session *debugged = plain ? soft_debug_open(&launch, l->kernel->name) : NULL;
    fflush(stdout); /* the program's text comes before the kernel's */
    soft_guard_open();
    cudaError_t code = (cudaError_t)sg_launch_run(&launch, err);
    soft_guard_close();
    dbg_launch_close(debugged);
    prediction.traits = launch.traits;
    soft_predict_divide(&prediction, launch.shares, launch.n_shares);
    free(launch.shares);
    bool fault = launch.fault.code != 0;
    if (code == cudaSuccess || fault)
        soft_report_launch(&launch, l->kernel->name, &prediction,
                           shows_values ? soft_values_json(&values, launch.recorded)
                           : debugged   ? NULL
                                        : soft_record_json(launch.recorded));
    sg_recorded_free(launch.recorded);
    soft_values_close(&values);
    if (fault)
        rt_fault_raise((cudaError_t)launch.fault.code, launch.fault.text);
    if (fault || code != cudaSuccess) {
        sg_children_free(launch.children, launch.n_children);
        ended->fault = fault;
        return fault ? cudaSuccess : code;
    }
    *ended = (soft_ended){launch.children, launch.n_children, false};
    return cudaSuccess;
}

cudaError_t rt_backend_launch(rt_launch *l, sg_error *err) {
    return soft_nested_run(l, run_grid, err);
}

void rt_backend_clock(void) {
}

void rt_backend_note(const char *call, cudaError_t code, sg_refused kind, const char *text) {
    (void)call, (void)text; /* error.c records what the report needs */
    if (code != cudaSuccess)
        soft_report_error(kind != SG_REFUSED_NONE);
}

void rt_backend_reset(void) {
    rt_device_limits_reset();
    soft_arrays_reset();
    soft_memory_reset();
}
