/* rt.h: shared by the files of our libcudart.so.13. They make two libraries: softgpu's, which runs
 * kernels, and the recorder's (runtime/record), which records them. Each library defines its own
 * rt_backend_* functions.
 *
 * Every CUDA entry point has NVIDIA's prototype from cuda_runtime_api.h, which the compiler checks.
 * It starts with RT_ENTER() and fails through RT_FAIL(). So the program gets NVIDIA's code, and the
 * report gets a sentence. */
#pragma once

/* The compiler checks our definitions against NVIDIA's declarations, including deprecated ones. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* The libraries export only what NVIDIA's headers declare. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#pragma GCC visibility pop

#include "runtime/model/resources.h"
#include "runtime/softgpu/engine.h"
#include "runtime/softgpu/machine/refused.h"

#define RT_EXPORT __attribute__((visibility("default")))

/* ---- errors (error.c) --------------------------------------------------------------------- */

/* Sets the thread's last error and the report's "unchecked" entry. Returns `code`. */
cudaError_t rt_fail(cudaError_t code, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define RT_FAIL(code, ...) rt_fail((code), __func__, __VA_ARGS__)
/* Does the same with the code, kind and text of *err. An empty text means the kind's own text. */
cudaError_t rt_fail_as(const char *call, const sg_error *err);

/* Refuse a feature: return cudaErrorNotSupported, and record the refusal, even if the program
 * checks the error. rt_refuse_as has a message of its own. */
cudaError_t rt_refuse(sg_refused kind, const char *call);
cudaError_t rt_refuse_as(sg_refused kind, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Raises a fault, which ends all work. As on a GPU, the launch has returned success, and every
 * later call that needs the device returns the fault's code. Later faults are ignored. */
void rt_fault_raise(cudaError_t code, const char *text);
cudaError_t
rt_sticky(const char *call); /* the fault's code, as this call's result, or cudaSuccess */
bool rt_faulted(void);       /* the same without a result for a call */
void rt_fault_clear(void);   /* forgets all errors */
/* Returns from a call with the code of `question` unless it is cudaSuccess. */
#define RT_ALLOWED(question)                                                                       \
    do {                                                                                           \
        cudaError_t refused_ = (question);                                                         \
        if (refused_ != cudaSuccess)                                                               \
            return refused_;                                                                       \
    } while (0)
#define RT_ENTER() RT_ALLOWED(rt_sticky(__func__))
#define RT_OUT(pointer)                                                                            \
    do {                                                                                           \
        if ((pointer) == NULL)                                                                     \
            return RT_FAIL(cudaErrorInvalidValue, _("the pointer to write to is NULL"));           \
    } while (0)

/* The recorded errors: the first unchecked one, and the last checked one. cudaDeviceReset keeps
 * both: a program that checks its calls resets the device before it exits with 1, and the report
 * must say why. */
typedef enum rt_error_kind { RT_UNCHECKED, RT_ANSWERED, RT_N_ERRORS } rt_error_kind;
typedef struct rt_error {
    cudaError_t code;
    sg_refused kind;
    char call[64];
    char text[1200];
    bool launch;      /* a <<<...>>>, which returns nothing */
    bool host;        /* no call: host code accessed device memory */
    char kernel[256]; /* its kernel, mangled */
    bool asked;       /* cudaGetLastError() or cudaPeekAtLastError() returned it */
    bool sticky;      /* an earlier fault caused it */
    void *calls[24];  /* n_calls return addresses, innermost first */
    int n_calls;
} rt_error;

/* The `call` of a <<<...>>>, and of host code that accesses device memory. */
extern const char rt_a_launch[], rt_host_code[];
/* The mangled name of the kernel that this thread launches, or NULL. */
extern _Thread_local const char *rt_launched;

bool rt_error_get(rt_error_kind kind, rt_error *out, bool reset); /* false: there is none */

/* backtrace(), or NULL if the places of failed calls are not wanted. */
extern int (*rt_calls)(void **calls, int most);

/* Gets the i-th place that received an error, ordered by its last time. Returns false at the end,
 * and sets out->code if places are missing. */
bool rt_failed_get(int i, rt_error *out);
void rt_failed_reset(void);

const char *rt_error_name(cudaError_t error);
/* Returns true if the program asked for the name or the text of the fault's code. */
bool rt_fault_named(void);

/* The refusals in order, each feature once, up to a limit. */
enum { RT_MAX_REFUSALS = 64 };
bool rt_refusal_get(size_t i, rt_error *out); /* false: no more */
void rt_refusals_clear(void);
/* Records the refusal of `name`, a function or a library's file. */
void rt_refusal_note(sg_refused kind, const char *name);

/* ---- pointer tables (map.c) --------------------------------------------------------------- */

/* Maps pointers to pointers, thread-safe. All zero is the empty map. */
typedef struct rt_map {
    struct rt_map_slot {
        const void *key;
        void *value;
    } * slots;
    size_t capacity, used, live;
} rt_map;

void *rt_map_get(const rt_map *map, const void *key);       /* NULL: not found */
bool rt_map_put(rt_map *map, const void *key, void *value); /* false: no memory */
bool rt_map_remove(rt_map *map, const void *key);           /* false: not found */

/* ---- modules, kernels, variables (registry.c) --------------------------------------------- */

typedef struct rt_kernel {
    const void *host;          /* its stub in host code; NULL: from a library */
    const char *name;          /* mangled; owned */
    struct rt_module *module;  /* NULL after its module is removed */
    struct rt_kernel *next;    /* of the same host function */
    struct rt_kernel *sibling; /* of the same module */
    bool resolved;             /* handle and info are valid */
    void *handle;              /* the backend's */
    sg_kernel_info info;       /* param_* and name belong to the backend */
    int max_dynamic_shared;    /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1: never set */
    int carveout;              /* cudaFuncAttributePreferredSharedMemoryCarveout; -1: never set */
    uint32_t cluster[3];       /* required cluster, or 0 */
    bool non_portable_cluster;
    unsigned assembled_for; /* the compute capability ptxas was asked about; 0: never asked */
    bool assembled;         /* ptxas answered */
    model_resources resources;
} rt_kernel;

typedef struct rt_variable {
    const void *host; /* its address in host code */
    const char *name; /* mangled; owned */
    size_t bytes;
    bool constant, managed;
    void **pointer; /* managed: the program's pointer to the actual address */
    struct rt_module *module;
    struct rt_variable *next, *sibling;
} rt_variable;

typedef struct rt_module {
    const void *code; /* any form of fatbin.h; borrowed */
    size_t limit;     /* bytes of code, or SIZE_MAX */
    char *owned_code; /* code, if the module owns it */
    rt_kernel *kernels;
    rt_variable *variables;
    enum { RT_MODULE_NEW, RT_MODULE_LOADED, RT_MODULE_FAILED } state;
    void *loaded;     /* the backend's */
    sg_error failure; /* the load's error, for later uses */
    struct rt_module *previous, *following;
} rt_module;

/* Holds the lock that guards all tables, the registry and the backend's loading until the end of
 * the block, also by an early return. The lock is recursive. */
#define RT_LOCKED() RT_CLEANUP(rt_unlock) unused_ = rt_lock()
#define RT_CLEANUP(call) __attribute__((cleanup(call), unused)) char
char rt_lock(void);
void rt_unlock(const char *unused);

rt_module *rt_module_new(const void *code, size_t limit); /* NULL: no memory */
void rt_module_remove(rt_module *module);                 /* its kernels stay as empty shells */
rt_kernel *rt_kernel_new(rt_module *module, const void *host, const char *name);
rt_kernel *rt_kernel_named(rt_module *module, const char *name); /* adds it if it is new */
rt_variable *rt_variable_new(rt_module *module, const void *host, const char *name, size_t bytes);
bool rt_module_live(const rt_module *module); /* a program's handle is valid */

/* Loads the module at its first use. */
bool rt_module_load(rt_module *module, sg_error *err);
/* Returns the resolved kernel for a host function or a cudaKernel_t. Returns NULL and sets err on
 * failure. */
rt_kernel *rt_kernel_find(const void *function, sg_error *err);
rt_kernel *rt_kernel_peek(const void *function); /* loads nothing */
/* Sets *out to what ptxas gives the kernel on a GPU of this capability (90). Returns false if there
 * is no ptxas, or it refuses the code. Keeps the answer. */
bool rt_resources(rt_kernel *kernel, unsigned capability, model_resources *out);
/* Returns the kernel's registers on this device, by ptxas; without it softgpu's estimate. */
uint32_t rt_registers(rt_kernel *kernel);
/* Finds the variable with the host address `symbol`, which must hold the bytes. Loads its module.
 * Sets *address to the byte at `offset`, on the device. Either result may be NULL. */
cudaError_t rt_symbol(const char *call, const void *symbol, size_t offset, size_t bytes,
                      char **address, const rt_variable **variable);

/* ---- the device (device.c) ---------------------------------------------------------------- */

typedef struct rt_device {
    struct cudaDeviceProp prop;
    int clock_khz, memory_clock_khz;
} rt_device;

const rt_device *rt_device_get(void);
/* Refuses the number of another device. */
#define RT_DEVICE(number)                                                                          \
    do {                                                                                           \
        if ((number) != 0)                                                                         \
            return RT_FAIL(cudaErrorInvalidDevice,                                                 \
                           _("there is one device, number 0; %d is asked for"), (number));         \
    } while (0)
void rt_device_limits_reset(void);
size_t rt_device_limit(enum cudaLimit limit); /* set by the program, or the default */

/* Returns how many blocks fit on a multiprocessor at once (occupancy.c). */
int rt_blocks_per_sm(rt_kernel *kernel, int threads, size_t dynamic_shared);

/* ---- launching (call.c) ------------------------------------------------------------------- */

/* Returns the C++ name of a symbol, or a copy of it; NULL without memory. The caller frees it. */
char *rt_plain_name(const char *symbol);

typedef struct rt_launch {
    rt_kernel *kernel;
    dim3 grid, block, cluster; /* cluster {1,1,1}: none */
    size_t shared;
    bool cooperative;
    bool in_a_row;   /* it follows another kernel of its graph */
    uint8_t *params; /* packed, kernel->info.param_bytes */
} rt_launch;

/* ---- streams (stream.c) ------------------------------------------------------------------- */

/* Returns a sticky error (rt_sticky), an error for an invalid stream, or cudaSuccess. */
cudaError_t rt_stream_check(const char *call, cudaStream_t stream);
/* Begins a call for a stream. */
#define RT_STREAM(stream) RT_ALLOWED(rt_stream_check(__func__, stream))

/* ---- defined by each library --------------------------------------------------------------- */

extern const char rt_backend_name[]; /* for messages: "softgpu", "the grader" */
/* Places a module's PTX in memory. Fills module->loaded. */
bool rt_backend_load(rt_module *module, const char *ptx, size_t len, sg_error *err);
void rt_backend_unload(rt_module *module);
/* Fills kernel->handle and kernel->info. */
bool rt_backend_kernel(rt_kernel *kernel, sg_error *err);
/* A variable's address and size in a loaded module, or NULL. */
void *rt_backend_symbol(rt_module *module, const char *name, size_t *bytes);
/* Adjusts the default description of the device. */
void rt_backend_device(rt_device *device);
/* Runs or records a checked launch. A refusal is returned and sets err. A fault is raised. */
cudaError_t rt_backend_launch(rt_launch *launch, sg_error *err);
/* The program compares two events. The recorder, which runs nothing, stops the plan. */
void rt_backend_clock(void);
/* An unsupported entry point, an error or a host callback occurred. The recorder stops the plan. */
void rt_backend_note(const char *call, cudaError_t code, sg_refused kind, const char *text);
/* Forgets everything (cudaDeviceReset). */
void rt_backend_reset(void);
