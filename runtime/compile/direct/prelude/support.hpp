// Ends each prelude of g++: CUDA's marks mean nothing to it, and launches and registration follow nvcc's code for the host (crt/host_runtime.h).
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__
#undef __grid_constant__
#undef __launch_bounds__
#undef __cluster_dims__
#undef __maxnreg__
#undef __CUDA_ARCH__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)

struct __wb_direct_variable {
    const void *shadow;
    const char *name;
    size_t size;
    int is_constant;
};
struct __wb_direct_kernel {
    const void *stub;
    const char *name;
};
extern "C" {
// Both are in device.o.
__attribute__((visibility("hidden"))) extern const __wb_direct_kernel __wb_direct_kernels[];
__attribute__((visibility("hidden"))) extern const char __wb_direct_image[];
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
}
static inline void __wb_direct_launch(const void *stub, void **arguments) {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    cudaKernel_t kernel;
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess &&
        __cudaGetKernel(&kernel, stub) == cudaSuccess)
        (void)__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
// The host's text of a unit with device code ends with this macro.
#define WB_DIRECT_REGISTER \
    static void **__wb_direct_handle; \
    static void __wb_direct_unregister(void) { __cudaUnregisterFatBinary(__wb_direct_handle); } \
    __attribute__((constructor)) static void __wb_direct_register(void) { \
        static const struct { int magic, version; const void *data; void *more; } image = \
            {0x466243b1, 1, __wb_direct_image, 0}; \
        void **handle = __wb_direct_handle = __cudaRegisterFatBinary((void *)&image); \
        for (const __wb_direct_kernel *k = __wb_direct_kernels; k->name; k++) \
            __cudaRegisterFunction(handle, (const char *)k->stub, (char *)k->name, k->name, -1, 0, 0, 0, 0, 0); \
        for (const __wb_direct_variable *v = __wb_direct_variables; v && v->name; v++) \
            __cudaRegisterVar(handle, (char *)v->shadow, (char *)v->name, v->name, 0, v->size, v->is_constant, 0); \
        __cudaRegisterFatBinaryEnd(handle); \
        atexit(__wb_direct_unregister); }
