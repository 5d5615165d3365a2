/* device.c: the one device, its properties, and the calls that choose and configure devices. */
#include "runtime/softgpu/cudart/work.h"

#include <pthread.h>

enum { CUDA_VERSION_13_0 = 13000 };

static rt_device device;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Compute capability 9.0 (CUDA programming guide, table of technical specifications). */
static const struct cudaDeviceProp hopper = {
    .sharedMemPerBlock = 48 * 1024,
    .regsPerBlock = 65536,
    .warpSize = 32,
    .memPitch = 0x7fffffff,
    .maxThreadsPerBlock = 1024,
    .maxThreadsDim = {1024, 1024, 64},
    .maxGridSize = {0x7fffffff, 65535, 65535},
    .totalConstMem = 65536,
    .major = 9,
    .minor = 0,
    .textureAlignment = 512,
    .texturePitchAlignment = 32,
    .surfaceAlignment = 512,
    .maxTexture1D = 131072,
    .maxTexture1DMipmap = 32768,
    .maxTexture1DLayered = {32768, 2048},
    .maxTexture2D = {131072, 65536},
    .maxTexture2DMipmap = {32768, 32768},
    .maxTexture2DLinear = {131072, 65000, 2097120},
    .maxTexture2DGather = {32768, 32768},
    .maxTexture2DLayered = {32768, 32768, 2048},
    .maxTexture3D = {16384, 16384, 16384},
    .maxTexture3DAlt = {8192, 8192, 32768},
    .maxTextureCubemap = 32768,
    .maxTextureCubemapLayered = {32768, 2046},
    .maxSurface1D = 32768,
    .maxSurface1DLayered = {32768, 2048},
    .maxSurface2D = {131072, 65536},
    .maxSurface2DLayered = {32768, 32768, 2048},
    .maxSurface3D = {16384, 16384, 16384},
    .maxSurfaceCubemap = 32768,
    .maxSurfaceCubemapLayered = {32768, 2046},
    .multiProcessorCount = 1,
    .canMapHostMemory = 1,
    .concurrentKernels = 1,
    .asyncEngineCount = 1,
    .unifiedAddressing = 1,
    .memoryBusWidth = 64,
    .l2CacheSize = 50 << 20,
    .maxThreadsPerMultiProcessor = 2048,
    .streamPrioritiesSupported = 1,
    .globalL1CacheSupported = 1,
    .localL1CacheSupported = 1,
    .sharedMemPerMultiprocessor = 228 * 1024,
    .regsPerMultiprocessor = 65536,
    .managedMemory = 1,
    .concurrentManagedAccess = 1,
    .canUseHostPointerForRegisteredMem = 1,
    .cooperativeLaunch = 1,
    .sharedMemPerBlockOptin = 227 * 1024,
    .maxBlocksPerMultiProcessor = 32,
    .reservedSharedMemPerBlock = 1024,
    .hostRegisterSupported = 1,
    .memoryPoolsSupported = 1,
    .unifiedFunctionPointers = 1,
    .deviceNumaId = -1,
    .hostNumaId = -1,
};

/* Describes the device. The backend sets its own values (name, memory, multiprocessors). */
static void describe(void) {
    device.clock_khz = 1000000;
    device.memory_clock_khz = 1000000;
    device.prop = hopper;
    rt_backend_device(&device);
}

const rt_device *rt_device_get(void) {
    pthread_once(&once, describe);
    return &device;
}

static unsigned device_flags = cudaDeviceScheduleAuto;

/* Defines a call whose only result is `value`. */
#define GIVES(call, type, value)                                                                   \
    cudaError_t call(type *out) {                                                                  \
        RT_OUT(out);                                                                               \
        *out = (value);                                                                            \
        return cudaSuccess;                                                                        \
    }
GIVES(cudaGetDeviceCount, int, 1)
GIVES(cudaGetDevice, int, 0)
GIVES(cudaGetDeviceFlags, unsigned, device_flags)
GIVES(cudaDeviceGetCacheConfig, enum cudaFuncCache, cudaFuncCachePreferNone)
GIVES(cudaDeviceGetSharedMemConfig, enum cudaSharedMemConfig, cudaSharedMemBankSizeFourByte)
GIVES(cudaDriverGetVersion, int, CUDA_VERSION_13_0)
GIVES(cudaRuntimeGetVersion, int, CUDA_VERSION_13_0)

/* Defines a call without effect here: hints for hardware, and for profilers. */
#define IGNORES(call, ...)                                                                         \
    cudaError_t call(__VA_ARGS__) {                                                                \
        RT_ENTER();                                                                                \
        return cudaSuccess;                                                                        \
    }
IGNORES(cudaDeviceSetCacheConfig, __attribute__((unused)) enum cudaFuncCache config)
IGNORES(cudaDeviceSetSharedMemConfig, __attribute__((unused)) enum cudaSharedMemConfig config)
IGNORES(cudaCtxResetPersistingL2Cache, void)
IGNORES(cudaProfilerStart, void)
IGNORES(cudaProfilerStop, void)

cudaError_t cudaSetDevice(int number) {
    RT_ENTER();
    RT_DEVICE(number);
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int number, unsigned device_flags, unsigned flags) {
    (void)device_flags, (void)flags;
    RT_ENTER();
    RT_DEVICE(number);
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *numbers, int n) {
    RT_ENTER();
    for (int i = 0; i < n; i++)
        RT_DEVICE(numbers[i]);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *number, const struct cudaDeviceProp *prop) {
    RT_OUT(number);
    RT_OUT(prop);
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int number) {
    RT_OUT(prop);
    RT_DEVICE(number);
    *prop = rt_device_get()->prop;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int number) {
    const rt_device *d = rt_device_get();
    RT_OUT(value);
    RT_DEVICE(number);
    switch (which) {
#define VALUE(attribute, known)                                                                    \
    case cudaDevAttr##attribute:                                                                   \
        *value = (int)(known);                                                                     \
        return cudaSuccess;
#include "runtime/softgpu/cudart/attributes.inc"
    default:
        break;
    }
    if ((int)which < 1 || which >= cudaDevAttrMax)
        return RT_FAIL(cudaErrorInvalidValue, _("device attribute %d is not known"), (int)which);
    *value = 0; /* a feature that this device lacks */
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    RT_ENTER();
    device_flags = flags;
    return cudaSuccess;
}

/* After a fault the device stays unusable, as NVIDIA documents. Only a new process helps. */
cudaError_t cudaDeviceReset(void) {
    RT_ENTER();
    rt_backend_reset();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    RT_ENTER();
    return rt_capture_await_all(__func__);
}

/* ---- limits ------------------------------------------------------------------------------- */

static const size_t default_limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 128,
    [cudaLimitPersistingL2CacheSize] = 0,
};
enum { N_LIMITS = sizeof default_limits / sizeof default_limits[0] };
static size_t set_limits[N_LIMITS];

static bool limit_known(enum cudaLimit limit) {
    return (unsigned)limit < N_LIMITS && limit != cudaLimitDevRuntimeSyncDepth;
}

size_t rt_device_limit(enum cudaLimit limit) {
    return set_limits[limit] != 0 ? set_limits[limit] : default_limits[limit];
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    RT_ENTER();
    RT_OUT(value);
    if (!limit_known(limit))
        return RT_FAIL(cudaErrorUnsupportedLimit, _("limit %d does not exist on this device"),
                       (int)limit);
    *value = rt_device_limit(limit);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    RT_ENTER();
    RT_ALLOWED(rt_capture_unsafe(__func__));
    if (!limit_known(limit))
        return RT_FAIL(cudaErrorUnsupportedLimit, _("limit %d does not exist on this device"),
                       (int)limit);
    set_limits[limit] = value;
    return cudaSuccess;
}

void rt_device_limits_reset(void) {
    memset(set_limits, 0, sizeof set_limits);
}

/* ---- names, peers ------------------------------------------------------------------------- */

cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int number) {
    RT_OUT(id);
    RT_DEVICE(number);
    if (len < 13)
        return RT_FAIL(cudaErrorInvalidValue, _("the text needs 13 bytes"));
    snprintf(id, (size_t)len, "0000:00:00.0");
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *number, const char *id) {
    RT_OUT(number);
    if (id == NULL || strcmp(id, "0000:00:00.0") != 0)
        return RT_FAIL(cudaErrorInvalidDevice, _("no device has this PCI address"));
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int number, int peer) {
    RT_OUT(can);
    RT_DEVICE(number);
    RT_DEVICE(peer);
    *can = 0; /* a device is not its own peer */
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    (void)flags;
    RT_ENTER();
    return RT_FAIL(cudaErrorInvalidDevice, _("device %d is no peer: there is one device"), peer);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    RT_ENTER();
    return RT_FAIL(cudaErrorPeerAccessNotEnabled, _("device %d is no peer: there is one device"),
                   peer);
}

/* Driver entry points would bypass this library. */
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
    (void)symbol, (void)flags;
    if (function != NULL)
        *function = NULL;
    if (status != NULL)
        *status = cudaDriverEntryPointSymbolNotFound;
    return rt_refuse(SG_REFUSED_DRIVER_API, "cudaGetDriverEntryPoint");
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind) {
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
    (void)version;
    return cudaGetDriverEntryPoint(symbol, function, flags, status);
}
