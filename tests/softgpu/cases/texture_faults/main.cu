// Kernels that misuse textures and surfaces; each run does one thing, and the report says what and where.
#include "check.h"

__global__ void read2(cudaTextureObject_t t, float *out) {
    *out += tex2D<float>(t, 1.0f, 1.0f); // line 5
}
__global__ void read3(cudaTextureObject_t t, float *out) {
    *out += tex3D<float>(t, 1.0f, 1.0f, 1.0f); // line 8
}
__global__ void store(cudaSurfaceObject_t s) {
    surf2Dwrite(1.0f, s, (int)threadIdx.x * 4, 2); // line 11
}
__global__ void load(cudaSurfaceObject_t s, float *out) {
    *out = surf2Dread<float>(s, 2, 0); // line 14: no multiple of 4
}
__global__ void races(cudaSurfaceObject_t s) {
    surf2Dwrite((float)threadIdx.x, s, 4, 1); // line 17
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &f, 8, 4, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpyToArray(a, 0, 0, std::vector<float>(32).data(), 128, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    CUDA(cudaCreateSurfaceObject(&s, &r));
    float *out = device<float>(1);
    if (!strcmp(what, "never")) {
        read2<<<1, 1>>>(12345, out);
    } else if (!strcmp(what, "destroyed")) {
        CUDA(cudaDestroyTextureObject(t));
        cudaTextureObject_t other;
        CUDA(cudaCreateTextureObject(&other, &r, &d, nullptr)); // does not revive the first one
        read2<<<1, 1>>>(t, out);
    } else if (!strcmp(what, "freed")) {
        CUDA(cudaFreeArray(a));
        read2<<<1, 1>>>(t, out);
    } else if (!strcmp(what, "dimensions")) {
        read3<<<1, 1>>>(t, out);
    } else if (!strcmp(what, "kind")) {
        store<<<1, 1>>>(t + 100);
    } else if (!strcmp(what, "outside")) {
        store<<<1, 32>>>(s);
    } else if (!strcmp(what, "misaligned")) {
        load<<<1, 1>>>(s, out);
    } else if (!strcmp(what, "race")) {
        races<<<1, 64>>>(s);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
