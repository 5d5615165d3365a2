/* hint_cuda.c: see hint_cuda.h. */
#include "runtime/cells/hint/hint_cuda.h"
#include "runtime/base/language.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The name in 'HEAD"name"TAIL' for a head that ends with the quote; 0: the text is another. */
static size_t quoted(const char *text, const char *head, const char *tail, const char **name) {
    size_t n = strlen(head);
    if (strncmp(text, head, n) != 0)
        return 0;
    *name = text + n;
    n = strcspn(*name, "\"");
    return strncmp(*name + n, tail, strlen(tail)) == 0 ? n : 0;
}

static bool is(const char *name, size_t len, const char *word) {
    return strlen(word) == len && memcmp(name, word, len) == 0;
}

/* ---- what older courses have ---------------------------------------------------------------- */

static char *shuffle(const char *name, size_t len) {
    static const char *const calls[] = {"__shfl",   "__shfl_up", "__shfl_down", "__shfl_xor",
                                        "__ballot", "__any",     "__all"};
    for (size_t i = 0; i < WB_COUNT(calls); i++)
        if (is(name, len, calls[i]))
            return wb_format("Since CUDA 9 the lanes that take part are named: %s_sync(0xffffffff, "
                             "...).",
                             calls[i]);
    return NULL;
}

static char *old_name(const char *name, size_t len) {
    static const struct {
        const char *old, *now;
    } names[] = {{"cudaThreadSynchronize", "cudaDeviceSynchronize"},
                 {"cudaThreadExit", "cudaDeviceReset"},
                 {"cudaThreadSetLimit", "cudaDeviceSetLimit"},
                 {"cudaThreadSetCacheConfig", "cudaDeviceSetCacheConfig"},
                 {"cudaMallocPitched", "cudaMallocPitch"}};
    for (size_t i = 0; i < WB_COUNT(names); i++)
        if (is(name, len, names[i].old))
            return wb_format("%s is called %s today.", names[i].old, names[i].now);
    if (is(name, len, "texture") || is(name, len, "cudaBindTexture"))
        return wb_format("Texture references are gone since CUDA 12: a cudaTextureObject_t takes "
                         "their place, or a const float *__restrict__ that is read as an array.");
    return NULL;
}

static char *property(const char *text) {
    static const struct {
        const char *member, *attribute;
    } gone[] = {{"clockRate", "cudaDevAttrClockRate"},
                {"memoryClockRate", "cudaDevAttrMemoryClockRate"},
                {"computeMode", "cudaDevAttrComputeMode"},
                {"deviceOverlap", "cudaDevAttrGpuOverlap"},
                {"kernelExecTimeoutEnabled", "cudaDevAttrKernelExecTimeout"},
                {"singleToDoublePrecisionPerfRatio", "cudaDevAttrSingleToDoublePrecisionPerfRatio"},
                {"maxTexture1DLinear", "cudaDevAttrMaxTexture1DLinearWidth"}};
    const char *name;
    size_t n = quoted(text, "class \"cudaDeviceProp\" has no member \"", "\"", &name);
    for (size_t i = 0; n && i < WB_COUNT(gone); i++)
        if (is(name, n, gone[i].member))
            return wb_format("CUDA 13 took %s out of cudaDeviceProp: int value; "
                             "cudaDeviceGetAttribute(&value, %s, 0); asks for it.",
                             gone[i].member, gone[i].attribute);
    return NULL;
}

/* ---- what learners write -------------------------------------------------------------------- */

static char *host_call(const char *text) {
    static const char host[] = "calling a __host__ function(\"";
    if (strncmp(text, host, sizeof host - 1) != 0)
        return NULL;
    const char *name = text + sizeof host - 1;
    if (strncmp(name, "std::basic_ostream", 18) == 0 || strncmp(name, "std::operator <<", 16) == 0)
        return wb_format("A kernel prints with printf(\"%%d\\n\", x); std::cout is the host's.");
    if (strncmp(name, "cuda", 4) != 0)
        return NULL;
    int n = (int)strcspn(name, "(\"");
    bool wait = strstr(name, "Synchronize") && strstr(name, "Synchronize") < name + n;
    return wb_format("%.*s() is called on the host, not in a kernel%s.", n, name,
                     wait ? wb_tr(", where __syncthreads() waits for the threads of a block") : "");
}

/* What follows from a call that has its hint is no variable of the host's. */
static bool follows_call(const char *text) {
    const char *name;
    size_t n = quoted(text, "identifier \"", "\" is undefined in device code", &name);
    return n && (strncmp(name, "cuda", 4) == 0 || strncmp(name, "std::", 5) == 0) &&
           !memchr(name, '<', n);
}

static char *device_call(const char *text) {
    static const char device[] = "calling a __device__ function(\"",
                      from[] = " from a __host__ function(\"";
    const char *caller = strncmp(text, device, sizeof device - 1) == 0 ? strstr(text, from) : NULL;
    if (!caller || strncmp(caller + sizeof from - 1, "cell_statements", 15) == 0)
        return NULL;
    caller += sizeof from - 1;
    int n = (int)strcspn(caller, "(\"");
    return wb_format("%.*s runs on the host: put __device__ before it, and it runs on the device.",
                     n, caller);
}

/* "f" of the first "f<<<" in the excerpt, or "f" of "f<int><<<". */
static size_t launched(const char *excerpt, const char **name) {
    const char *end = excerpt ? strstr(excerpt, "<<<") : NULL;
    while (end && end > excerpt && end[-1] == ' ')
        end--;
    for (int depth = 0; end && end > excerpt && (depth > 0 || end[-1] == '>'); end--)
        depth += (end[-1] == '>') - (end[-1] == '<');
    *name = end;
    while (*name && *name > excerpt && (isalnum((unsigned char)(*name)[-1]) || (*name)[-1] == '_'))
        --*name;
    return (size_t)(end - *name);
}

static char *launch(const char *text, const char *excerpt) {
    bool host = strcmp(text, "a host function call cannot be configured") == 0;
    const char *name;
    size_t n = launched(excerpt, &name);
    if (host || strcmp(text, "a __device__ function call cannot be configured") == 0)
        return wb_format("Only a kernel is launched with <<<...>>>: put __global__ %s %.*s, which "
                         "must return void, and run its cell again.",
                         host ? wb_tr("before") : wb_tr("in place of __device__ before"),
                         n ? (int)n : 12, n ? name : wb_tr("the function"));
    if (strcmp(text, "a __global__ function must have a void return type") == 0)
        return wb_format("A kernel returns nothing (void): it writes what it has found to memory "
                         "that it is given a pointer to.");
    if (strcmp(text, "a __global__ function call must be configured") == 0)
        return wb_format("A kernel is launched with a number of blocks, and of threads in each: "
                         "name<<<blocks, threads>>>(...). What a kernel is to call as a function "
                         "is __device__, not __global__.");
    if (strstr(text, "kernel launch from __device__ or __global__ functions requires separate"))
        return wb_format("Cells do not support dynamic parallelism (kernels that launch kernels): "
                         "launch from the host.");
    return NULL;
}

static char *conversion(const char *text, const char *excerpt) {
    if (strstr(text, "to convert from ") && strstr(text, "to \"cudaMemLocation\""))
        return wb_format("Since CUDA 13 cudaMemAdvise and cudaMemPrefetchAsync are told a place: "
                         "cudaMemLocation at = {cudaMemLocationTypeDevice, 0}; (for the host "
                         "{cudaMemLocationTypeHost, 0}); cudaMemPrefetchAsync(p, bytes, at, 0);");
    if (strncmp(text, "a value of type \"void *\" cannot be ", 35) == 0 && excerpt &&
        strstr(excerpt, "alloc"))
        return wb_format("C++ wants a cast before malloc: float *p = (float *)malloc(bytes);");
    if (strstr(text, "no instance of overloaded function \"cudaMalloc"))
        return wb_format("cudaMalloc is given the address of a pointer: float *p; cudaMalloc(&p, "
                         "bytes);");
    return NULL;
}

/* "return;" in a macro: elsewhere among a cell's statements it ends the cell (split.c). */
static char *returns(const char *text) {
    if (strstr(text, "__wb_end") == NULL)
        return NULL;
    return wb_format("Among a cell's statements a macro ends the cell with \"return 0;\", not with "
                     "\"return;\".");
}

/* ---- names that are nearly right ------------------------------------------------------------ */

static size_t smallest(size_t a, size_t b, size_t c) {
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* How many letters are to be changed, put in, left out or swapped with the next; from 3 on just
 * "many". */
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
    enum { MOST = 40 };
    size_t rows[3][MOST + 1];
    if (n > MOST || m > MOST || n > m + 2 || m > n + 2)
        return 3;
    for (size_t i = 0; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                row[j] = i + j;
                continue;
            }
            row[j] = smallest(row[j - 1] + 1, above[j] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

typedef struct nearest {
    const char *name;
    size_t len, far;
    const char *found;
} nearest;

static void compare(nearest *n, const char *known) {
    size_t len = strlen(known), far = distance(n->name, n->len, known, len);
    if (len == n->len && strncasecmp(n->name, known, len) == 0)
        far = 0;
    if (far < n->far) {
        n->far = far;
        n->found = known;
    }
}

static char *spelling(const wb_live *live, const wb_split *own, const char *name, size_t len) {
    static const char *const known[] = {"threadIdx",
                                        "blockIdx",
                                        "blockDim",
                                        "gridDim",
                                        "warpSize",
                                        "__syncthreads",
                                        "__syncwarp",
                                        "__global__",
                                        "__device__",
                                        "__host__",
                                        "__shared__",
                                        "__constant__",
                                        "__managed__",
                                        "atomicAdd",
                                        "atomicMax",
                                        "atomicMin",
                                        "atomicCAS",
                                        "atomicExch",
                                        "cudaMalloc",
                                        "cudaFree",
                                        "cudaMemcpy",
                                        "cudaMemset",
                                        "cudaMallocManaged",
                                        "cudaMallocHost",
                                        "cudaFreeHost",
                                        "cudaMemcpyAsync",
                                        "cudaDeviceSynchronize",
                                        "cudaGetLastError",
                                        "cudaPeekAtLastError",
                                        "cudaGetErrorString",
                                        "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost",
                                        "cudaMemcpyDeviceToDevice",
                                        "cudaMemcpyHostToHost",
                                        "cudaSuccess",
                                        "cudaError_t",
                                        "cudaEvent_t",
                                        "cudaStream_t",
                                        "cudaEventCreate",
                                        "cudaEventRecord",
                                        "cudaEventSynchronize",
                                        "cudaEventElapsedTime",
                                        "cudaEventDestroy",
                                        "cudaStreamCreate",
                                        "cudaStreamSynchronize",
                                        "cudaStreamDestroy",
                                        "cudaGetDeviceProperties",
                                        "cudaDeviceProp",
                                        "cudaMemcpyToSymbol",
                                        "cudaMemcpyFromSymbol",
                                        "dim3",
                                        "printf",
                                        "sizeof",
                                        "return",
                                        "float",
                                        "double",
                                        "malloc",
                                        "sqrtf"};
    size_t most = len < 4 ? 0 : len < 6 ? 1 : 2;
    nearest n = {name, len, most + 1, NULL};
    for (size_t i = 0; most && i < WB_COUNT(known); i++)
        compare(&n, known[i]);
    for (size_t i = 0; most && own && i < own->n_entities; i++)
        if (own->entities[i].kind != WB_ENTITY_HIDDEN)
            compare(&n, own->entities[i].name);
    for (size_t i = 0; most && i < live->n; i++)
        if (live->v[i].e.kind != WB_ENTITY_HIDDEN)
            compare(&n, live->v[i].e.name);
    if (!n.found || is(name, len, n.found))
        return NULL;
    return wb_format("%.*s is not known; is %s meant?", (int)len, name, n.found);
}

char *wb_hint_warning(const char *text) {
    static const char *const heads[] = {"a __device__ variable \"", "a __constant__ variable \""};
    const char *name;
    for (size_t i = 0; i < WB_COUNT(heads); i++) {
        size_t n = quoted(text, heads[i], "\" cannot be directly read", &name);
        if (n)
            return wb_format("Copy its value to the host: cudaMemcpyFromSymbol(&value, %.*s, "
                             "sizeof value).",
                             (int)n, name);
        n = quoted(text, heads[i], "\" cannot be directly written", &name);
        if (n)
            return wb_format("Copy the new value to the device: cudaMemcpyToSymbol(%.*s, &value, "
                             "sizeof value).",
                             (int)n, name);
    }
    return NULL;
}

char *wb_hint_cuda(const char *text, const char *excerpt) {
    const char *name;
    size_t n = quoted(text, "identifier \"", "\" is undefined", &name);
    char *hint = n ? shuffle(name, n) : NULL;
    hint = hint || !n ? hint : old_name(name, n);
    if (!hint && strcmp(text, "texture is not a template") == 0)
        hint = old_name("texture", 7);
    hint = hint ? hint : property(text);
    hint = hint ? hint : host_call(text);
    hint = hint ? hint : device_call(text);
    hint = hint ? hint : launch(text, excerpt);
    hint = hint ? hint : conversion(text, excerpt);
    return hint ? hint : returns(text);
}

bool wb_hint_is_told(const char *text) {
    return follows_call(text);
}

char *wb_hint_spelling(const wb_live *live, const wb_split *own, const char *text) {
    const char *name;
    size_t n = quoted(text, "identifier \"", "\" is undefined", &name);
    bool device = n && strncmp(name + n, "\" is undefined in device", 24) == 0;
    return n && !device ? spelling(live, own, name, n) : NULL;
}
