// Requests and sectors of textures and surfaces. On a GPU a sector of an array is 16 bytes of two rows.
#include "check.h"

__global__ void tile(cudaTextureObject_t t, float *o) {
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f); // 8 x 4 texels: 2 x 2 sectors
}
__global__ void row(cudaTextureObject_t t, float *o) {
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f); // 128 bytes of one row
}
__global__ void buffer(cudaTextureObject_t t, float *o) {
    o[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x); // memory has no tiles
}
__global__ void store(cudaSurfaceObject_t s) {
    surf2Dwrite(1.0f, s, (int)threadIdx.x * 4, 0);
}

int main() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &f, 64, 16, cudaArraySurfaceLoadStore));
    std::vector<float> in(64 * 16);
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in.data(), 256, 256, 16, cudaMemcpyHostToDevice));
    float *o = device<float>(128);
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t point, linear, memory;
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CUDA(cudaCreateTextureObject(&point, &r, &d, nullptr));
    CUDA(cudaCreateSurfaceObject(&s, &r));
    d.filterMode = cudaFilterModeLinear;
    CUDA(cudaCreateTextureObject(&linear, &r, &d, nullptr));
    d.filterMode = cudaFilterModePoint;
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {o, f, 512};
    CUDA(cudaCreateTextureObject(&memory, &r, &d, nullptr));
    tile<<<1, 32>>>(point, o);
    row<<<1, 32>>>(point, o);
    row<<<2, 32>>>(linear, o); // and one texel more on the right; the row below is in the same sectors
    buffer<<<1, 32>>>(memory, o);
    store<<<1, 32>>>(s);
    LAUNCHED;
    printf("done\n");
    return 0;
}
