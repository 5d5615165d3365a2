// softgpu refuses features of newer hardware by name at the launch. The rest of the module runs.
#include "check.h"
#include <string>

__global__ void plain(int *out) {
    *out = 7;
}
__global__ void wgmma(float *out) {
    float d[4] = {0, 0, 0, 0};
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(0ull), "l"(0ull));
    *out = d[0];
}
__global__ void tma(void *map) {
    __shared__ __align__(128) char s[1024];
    __shared__ unsigned long long bar;
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(map), "r"(0), "r"(0),
                   "r"((unsigned)__cvta_generic_to_shared(&bar)));
}

int main(int argc, char **argv) {
    std::string what = argc > 1 ? argv[1] : "";
    int *out = device<int>(1);
    plain<<<1, 1>>>(out);
    LAUNCHED;
    printf("%d\n", fetch(out, 1)[0]);
    if (what == "wgmma")
        wgmma<<<1, 128>>>((float *)out);
    if (what == "tma")
        tma<<<1, 128>>>(out);
    cudaError_t e = cudaGetLastError();
    cudaError_t then = cudaDeviceSynchronize();
    printf("%s %d\n", what.c_str(), e != cudaSuccess || then != cudaSuccess);
}
