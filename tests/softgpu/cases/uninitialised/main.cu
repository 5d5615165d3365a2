// Shared memory that is read before anybody in the block has written it (memcheck), and much that is no fault: padding,
// asynchronous copies, barriers, matrix fragments, what CUB and cooperative groups keep there.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/barrier>
#include <mma.h>
namespace cg = cooperative_groups;

__global__ void plain(int *out) {
    __shared__ int table[64];
    int t = threadIdx.x;
    if (t < 63)
        table[t] = t;
    __syncthreads();
    out[t] = table[t];
}
__global__ void dynamic(int *out) {
    extern __shared__ int pool[];
    int t = threadIdx.x;
    pool[t] = t;
    __syncthreads();
    out[t] = pool[t + (blockIdx.x == 2)];
}
__global__ void missing_barrier(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    out[t] = s[63 - t];
}
__global__ void bytes(short *out) {
    __shared__ short pairs[2][32];
    int t = threadIdx.x;
    if (t < 31 || blockIdx.x == 0)
        pairs[1][t] = t;
    __syncthreads();
    out[t] = pairs[1][t];
}
__global__ void histogram(int *out) {
    __shared__ int bins[8];
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    out[threadIdx.x % 8] = bins[threadIdx.x % 8];
}
__global__ void vectors(float4 *out) {
    __shared__ float4 tile[32];
    int t = threadIdx.x;
    if (t != 9)
        tile[t] = make_float4(1, 2, 3, 4);
    __syncthreads();
    out[t] = tile[t];
}
__global__ void fragments(float *out) {
    __shared__ half tile[16 * 16];
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> a;
    for (int i = threadIdx.x; i < 240; i += 32)
        tile[i] = i;
    __syncwarp();
    load_matrix_sync(a, tile, 16);
    out[threadIdx.x] = a.x[0];
}

struct Padded {
    double d;
    char c;
};
template <class T> __device__ T copy_of(T *p) {
    return *p;
}
__global__ void clean(int *out, const int *in, const half *matrix, int n) {
    __shared__ Padded padded[128];
    __shared__ float4 three[128];
    __shared__ int copied[128], exchanged;
    __shared__ __align__(16) int bulk[128];
    __shared__ half tile[256];
    __shared__ float product[256];
    using Reduce = cub::BlockReduce<int, 128>;
    using Scan = cub::BlockScan<int, 128>;
    using Raking = cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_RAKING>;
    using Sort = cub::BlockRadixSort<int, 128, 2>;
    __shared__ union {
        Reduce::TempStorage reduce;
        Scan::TempStorage scan;
        Raking::TempStorage raking;
        Sort::TempStorage sort;
    } cub;
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    int t = threadIdx.x, sum = 0;
    padded[t].d = t;
    padded[t].c = (char)t;
    three[t].x = three[t].y = three[t].z = t;
    if (t == 0)
        init(&arrived, 128);
    if (t == 1)
        atomicExch(&exchanged, 5);
    __syncthreads();
    Padded p = copy_of(&padded[127 - t]);
    float4 f = copy_of(&three[127 - t]);
    sum += (int)p.d + p.c + (int)f.x;
    cg::memcpy_async(cg::this_thread_block(), copied, in, sizeof copied);
    cg::wait(cg::this_thread_block());
    sum += copied[127 - t] + exchanged;
    if (t == 0)
        cuda::memcpy_async(bulk, in, cuda::aligned_size_t<16>(sizeof bulk), arrived);
    arrived.arrive_and_wait();
    sum += bulk[127 - t];
    int total = Reduce(cub.reduce).Sum(t);
    __syncthreads();
    total += Reduce(cub.reduce).Sum(t, n);
    __syncthreads();
    total += Raking(cub.raking).Sum(t);
    sum += t ? 0 : total; // thread 0 has the results
    __syncthreads();
    int before;
    Scan(cub.scan).ExclusiveSum(t, before);
    __syncthreads();
    int keys[2] = {127 - t, t};
    Sort(cub.sort).Sort(keys);
    sum += before + keys[0];
    auto pair = cg::tiled_partition<64>(cg::this_thread_block());
    sum += cg::reduce(pair, t, cg::plus<int>());
    for (int i = t; i < 256; i += 128)
        tile[i] = matrix[i];
    __syncthreads();
    if (t < 32) {
        using namespace nvcuda::wmma;
        fragment<matrix_a, 16, 16, 16, half, row_major> a;
        fragment<matrix_b, 16, 16, 16, half, col_major> b;
        fragment<accumulator, 16, 16, 16, float> c;
        fill_fragment(c, 0);
        load_matrix_sync(a, tile, 16);
        load_matrix_sync(b, matrix, 16);
        mma_sync(c, a, b, c);
        store_matrix_sync(product, c, 16, mem_row_major);
    }
    __syncthreads();
    out[blockIdx.x * 128 + t] = sum + (int)product[t] + (int)product[255 - t];
}

int main(int argc, char **argv) {
    std::string what = argc > 1 ? argv[1] : "clean";
    int *out = device<int>(4096);
    if (what == "plain")
        plain<<<1, 64>>>(out);
    else if (what == "dynamic")
        dynamic<<<3, 32, 33 * 4>>>(out);
    else if (what == "barrier")
        missing_barrier<<<1, 64>>>(out);
    else if (what == "bytes")
        bytes<<<2, 32>>>((short *)out);
    else if (what == "histogram")
        histogram<<<1, 32>>>(out);
    else if (what == "vectors")
        vectors<<<1, 32>>>((float4 *)out);
    else if (what == "fragments")
        fragments<<<1, 32>>>((float *)out);
    else
        clean<<<3, 128>>>(out, device(std::vector<int>(128, 7)), device(std::vector<half>(256, half(1))), 100);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    std::vector<int> want(3 * 128);
    for (int i = 0; i < 3 * 128; i++) {
        int t = i % 128, pair = t < 64 ? 63 * 32 : 63 * 32 + 64 * 64, totals = t ? 0 : 2 * 127 * 64 + 99 * 50;
        want[i] = 3 * (127 - t) + 3 * 7 - 2 + totals + t * (t - 1) / 2 + t + pair + 32;
    }
    if (what == "clean")
        same("sums", fetch(out, 3 * 128), want);
}
