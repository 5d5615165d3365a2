/* cuda.c: the worker's own calls of CUDA: the checks that students forget after a cell. It finds
 * all functions with dlsym in the libcudart.so.13 that the cell's library loaded. */
#include "runtime/worker/process/process.h"
#include "runtime/base/language.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/softgpu.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

typedef int cuda_error;                    /* cudaError_t: an int in the ABI, 0 for success */
enum { STREAM_CAPTURE_UNSUPPORTED = 900 }; /* cudaErrorStreamCaptureUnsupported */

static struct {
    bool open;
    cuda_error (*synchronize)(void);
    cuda_error (*last_error)(void);
    const char *(*error_name)(cuda_error);
    const char *(*error_text)(cuda_error);
    cuda_error (*memory)(size_t *, size_t *);
/* softgpu's own; NULL on a real device */
#define SOFTGPU(X)                                                                                 \
    X(set_options)                                                                                 \
    X(set_language) X(set_hooks) X(record) X(debug) X(report) X(interrupt) X(recover) X(owns)
#define POINTER(name) __typeof__(&softgpu_##name) name;
    SOFTGPU(POINTER)
} cuda;

static void open_runtime(void) {
    void *library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (!library || cuda.open)
        return;
    cuda.synchronize = (__typeof__(cuda.synchronize))dlsym(library, "cudaDeviceSynchronize");
    cuda.last_error = (__typeof__(cuda.last_error))dlsym(library, "cudaGetLastError");
    cuda.error_name = (__typeof__(cuda.error_name))dlsym(library, "cudaGetErrorName");
    cuda.error_text = (__typeof__(cuda.error_text))dlsym(library, "cudaGetErrorString");
    cuda.memory = (__typeof__(cuda.memory))dlsym(library, "cudaMemGetInfo");
#define FIND(name) cuda.name = (__typeof__(cuda.name))dlsym(library, "softgpu_" #name);
    SOFTGPU(FIND)
    cuda.open =
        cuda.synchronize && cuda.last_error && cuda.error_name && cuda.error_text && cuda.memory;
}

/* Returns the variable's address and its size in bytes, or NULL if the cell has none. */
static const void *variable_of(void *library, const char *name, size_t *bytes) {
    void *at = name ? dlsym(library, name) : NULL;
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
        return NULL;
    /* The second symbol of a cell's variable has no size, because a linker script made it. Eight
     * aligned bytes lie within one page, so reading a pointer there is safe. */
    *bytes = symbol->st_size ? symbol->st_size : (uintptr_t)at % 8 == 0 ? 8 : 0;
    return at;
}

char *cuda_wish(const char *record, void *library) {
    json_t *wish = record ? json_loads(record, 0, NULL) : NULL;
    size_t bytes = 0;
    const void *at = variable_of(library, wb_field_string(wish, "name"), &bytes);
    if (at) {
        json_object_set_new(wish, "variable", json_integer((json_int_t)(uintptr_t)at));
        json_object_set_new(wish, "variable_bytes", json_integer((json_int_t)bytes));
    }
    return wb_json_dump(wish, JSON_COMPACT);
}

/* Sends a fault at once, because the process may die before the cell ends. */
static void tell_fault(const char *json) {
    talk_send(wb_json_pack("{s:s, s:o*}", "op", "fault", "fault", json_loads(json, 0, NULL)));
}

void cuda_prepare(unsigned options, const char *record, const char *debug) {
    open_runtime();
    if (cuda.set_options)
        cuda.set_options(options);
    if (cuda.set_language)
        cuda.set_language(wb_language_name(wb_language_get()));
    if (cuda.set_hooks)
        cuda.set_hooks(backtrace, tell_fault);
    if (cuda.record)
        cuda.record(record);
    if (cuda.debug)
        cuda.debug(debug);
    if (cuda.report)
        free(cuda.report(1));
}

bool cuda_owns(const void *address) {
    return cuda.owns && cuda.owns(address);
}

void cuda_interrupt(void) {
    if (cuda.interrupt)
        cuda.interrupt();
}

static void add_error(json_t *message, cuda_error code, bool asynchronous) {
    json_object_set_new(message, "cuda",
                        wb_json_pack("{s:i, s:s, s:s, s:b}", "code", code, "name",
                                     cuda.error_name(code), "text", cuda.error_text(code),
                                     "asynchronous", asynchronous));
}

/* Replaces the return addresses of a failed call by the frames in cells' code. */
static void name_frames(json_t *failed) {
    const json_t *list = json_object_get(failed, "calls");
    void *calls[32];
    int n = 0;
    WB_JSON_EACH(at, list) {
        if (n < (int)WB_COUNT(calls))
            calls[n++] = (void *)(uintptr_t)json_integer_value(at);
    }
    json_object_set_new(failed, "frames", signals_frames(calls, n));
    json_object_del(failed, "calls");
}

static void add_report(json_t *message) {
    char *text = cuda.report(1);
    json_t *report = text ? json_loads(text, 0, NULL) : NULL;
    WB_JSON_EACH(failed, json_object_get(report, "failed")) {
        name_frames(failed);
    }
    if (report)
        json_object_set_new(message, "report", report);
    free(text);
}

bool cuda_finish(json_t *message) {
    open_runtime(); /* a cell may have loaded it by dlopen */
    if (!cuda.open)
        return true;
    if (cuda.report) /* first: asking for an error removes it from the report */
        add_report(message);
    cuda_error launch = cuda.last_error(), later = cuda.synchronize();
    if (later)
        cuda.last_error();
    if (launch || later)
        add_error(message, later ? later : launch, later != 0);
    if (cuda.recover)
        cuda.recover();
    /* An error that stays after a query has corrupted the context. During stream capture the wait
     * is only refused until the capture ends. */
    cuda_error stays = cuda.synchronize();
    bool usable = stays == 0 || stays == STREAM_CAPTURE_UNSUPPORTED;
    size_t free_bytes = 0, total = 0;
    if (usable && cuda.memory(&free_bytes, &total) == 0) {
        json_object_set_new(message, "memory_used", json_integer((json_int_t)(total - free_bytes)));
        json_object_set_new(message, "memory_total", json_integer((json_int_t)total));
    }
    cuda.last_error();
    return usable;
}
