/* words.c: the words of CUDA C++. */
#include "jupyter_kernel/help/words.h"

#include "runtime/base/base.h"

/* CUDA C++ Programming Guide, "C++ Language Extensions". */
static const word words[] = {
    {"__global__", "qualifier", "__global__ void kernel(...)",
     N_("A kernel: runs on the device, is launched from the host with kernel<<<grid, "
        "block>>>(...).")},
    {"__device__", "qualifier", "__device__ float f(float x)",
     N_("A function or variable of the device.")},
    {"__host__", "qualifier", "__host__ __device__ float f(float x)",
     N_("A function of the host; with __device__, of both.")},
    {"__shared__", "qualifier", "__shared__ float tile[32][33];",
     N_("Memory that the threads of a block share; 32 banks of 4 bytes. extern __shared__ takes "
        "its "
        "size from the launch.")},
    {"__constant__", "qualifier", "__constant__ float coefficient[16];",
     N_("Read-only memory of the device, 64 KiB, fast when all threads of a warp read the same "
        "word. Kernels of other cells read it as global memory.")},
    {"__managed__", "qualifier", "__managed__ int count;",
     N_("A variable that host and device both reach.")},
    {"__restrict__", "qualifier", "const float *__restrict__ a",
     N_("Promises that no other pointer reaches the same memory.")},
    {"__launch_bounds__", "qualifier", "__launch_bounds__(maxThreads, minBlocks)",
     N_("Tells the compiler how many threads a block has at most, so that registers suffice.")},
    {"__forceinline__", "qualifier", "__device__ __forceinline__ float f()", ""},
    {"__noinline__", "qualifier", "", ""},
    {"threadIdx", "variable", "uint3 threadIdx", N_("The thread's index in its block: .x .y .z")},
    {"blockIdx", "variable", "uint3 blockIdx", N_("The block's index in the grid: .x .y .z")},
    {"blockDim", "variable", "dim3 blockDim", N_("Threads in a block: .x .y .z")},
    {"gridDim", "variable", "dim3 gridDim", N_("Blocks in the grid: .x .y .z")},
    {"warpSize", "variable", "int warpSize", N_("Threads in a warp: 32.")},
    {"dim3", "type", "dim3 grid(x, y, z)", N_("Three sizes; those not given are 1.")},
    {"__syncthreads", "function", "void __syncthreads()",
     N_("Waits for all threads of the block; what they wrote to shared and global memory is then "
        "seen by all. Every thread of the block must reach it.")},
    {"__syncwarp", "function", "void __syncwarp(unsigned mask = 0xffffffff)",
     N_("Waits for the threads of the warp named in mask.")},
    {"__threadfence", "function", "void __threadfence()",
     N_("What was written before is seen by the device before what is written after.")},
    {"__threadfence_block", "function", "void __threadfence_block()", ""},
    {"__shfl_sync", "function", "T __shfl_sync(unsigned mask, T var, int srcLane, int width = 32)",
     N_("The value that lane srcLane holds.")},
    {"__shfl_down_sync", "function",
     "T __shfl_down_sync(unsigned mask, T var, unsigned delta, int width = 32)",
     N_("The value of the lane delta above this one: the step of a warp's reduction.")},
    {"__shfl_up_sync", "function",
     "T __shfl_up_sync(unsigned mask, T var, unsigned delta, int width = 32)",
     N_("The value of the lane delta below this one: the step of a warp's scan.")},
    {"__shfl_xor_sync", "function",
     "T __shfl_xor_sync(unsigned mask, T var, int laneMask, int width = 32)",
     N_("The value of the lane whose number is this one's xor laneMask: a butterfly.")},
    {"__ballot_sync", "function", "unsigned __ballot_sync(unsigned mask, int predicate)",
     N_("A bit for each lane whose predicate is not zero.")},
    {"__any_sync", "function", "int __any_sync(unsigned mask, int predicate)", ""},
    {"__all_sync", "function", "int __all_sync(unsigned mask, int predicate)", ""},
    {"__activemask", "function", "unsigned __activemask()", N_("The lanes that are active here.")},
    {"__reduce_add_sync", "function", "unsigned __reduce_add_sync(unsigned mask, unsigned value)",
     N_("The sum over the lanes of the mask, in one instruction (sm_80 and later).")},
    {"__ldg", "function", "T __ldg(const T *address)", N_("A load through the read-only cache.")},
    {"atomicAdd", "function", "T atomicAdd(T *address, T value)",
     N_("Adds without another thread coming between; returns the old value.")},
    {"atomicSub", "function", "T atomicSub(T *address, T value)", ""},
    {"atomicExch", "function", "T atomicExch(T *address, T value)", ""},
    {"atomicMin", "function", "T atomicMin(T *address, T value)", ""},
    {"atomicMax", "function", "T atomicMax(T *address, T value)", ""},
    {"atomicInc", "function", "unsigned atomicInc(unsigned *address, unsigned value)", ""},
    {"atomicCAS", "function", "T atomicCAS(T *address, T compare, T value)",
     N_("Stores value if *address equals compare; returns the old value.")},
    {"float2", "type", "float2", N_("Two floats, loaded in one 8-byte access.")},
    {"float4", "type", "float4", N_("Four floats, loaded in one 16-byte access.")},
    {"int2", "type", "int2", ""},
    {"int4", "type", "int4", ""},
    {"double2", "type", "double2", ""},
    {"make_float4", "function", "float4 make_float4(float x, float y, float z, float w)", ""},
    {"printf", "function", "int printf(const char *format, ...)",
     N_("Works in kernels too; what they print appears when the kernel has ended.")},
    {"assert", "function", "assert(condition)",
     N_("Works in kernels, too: stops the kernel and names the thread.")},
};

const char words_keywords[] =
    "auto bool break case catch char class const constexpr continue decltype default delete "
    "double else enum explicit extern false float friend inline int long mutable namespace new "
    "noexcept nullptr operator private protected public return short signed sizeof static "
    "static_assert static_cast struct switch template this throw true typedef typename union "
    "unsigned using virtual void volatile while";

const word *words_all(size_t *n) {
    *n = WB_COUNT(words);
    return words;
}

const word *words_find(const char *name, size_t len) {
    for (size_t i = 0; i < WB_COUNT(words); i++)
        if (strlen(words[i].name) == len && memcmp(words[i].name, name, len) == 0)
            return &words[i];
    return NULL;
}
