// Surfaces, copies of arrays, gathers, graphs, and the errors of calls with wrong arguments.
#include "check.h"

static Random draw(1);
static int below(int n) {
    return (int)(draw.next() >> 33) % n;
}

template <class T> static T make(int i) {
    T v;
    for (size_t k = 0; k < sizeof v; k++)
        ((unsigned char *)&v)[k] = (unsigned char)(i * 31 + (int)k * 7);
    return v;
}

template <class T> static cudaChannelFormatDesc format() {
    return cudaCreateChannelDesc<T>();
}

static cudaSurfaceObject_t surface_of(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &r));
    return s;
}

// ---- surfaces -------------------------------------------------------------------------------

// Copies every element of `from` to `to`, whose x, y and z are reversed.
template <class T> __global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int dims, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % nx, y = i / nx % ny, z = i / nx / ny;
    if (z >= nz)
        return;
    int bx = (nx - 1 - x) * (int)sizeof(T), by = ny - 1 - y, bz = nz - 1 - z;
    int ax = x * (int)sizeof(T);
    if (dims == 1)
        surf1Dwrite(surf1Dread<T>(from, ax), to, bx);
    else if (dims == 2)
        surf2Dwrite(surf2Dread<T>(from, ax, y), to, bx, by);
    else if (dims == 3)
        surf3Dwrite(surf3Dread<T>(from, ax, y, z), to, bx, by, bz);
    else if (dims == 4)
        surf1DLayeredwrite(surf1DLayeredread<T>(from, ax, z), to, bx, bz);
    else if (dims == 5)
        surf2DLayeredwrite(surf2DLayeredread<T>(from, ax, y, z), to, bx, by, bz);
    else
        surfCubemapwrite(surfCubemapread<T>(from, ax, y, z), to, bx, by, bz);
}

template <class T> static bool turned() {
    bool ok = true;
    for (int dims = 1; dims <= 6; dims++) {
        int nx = 1 + below(40), ny = dims == 1 || dims == 4 ? 1 : 1 + below(7), nz = dims > 2 ? 1 + below(5) : 1;
        if (dims == 6)
            ny = nx, nz = 6;
        cudaExtent e = make_cudaExtent(nx, dims == 1 || dims == 4 ? 0 : ny, dims > 2 ? nz : 0);
        unsigned flags = cudaArraySurfaceLoadStore | (dims == 4 || dims == 5 ? cudaArrayLayered : dims == 6 ? cudaArrayCubemap : 0);
        cudaChannelFormatDesc f = format<T>();
        cudaArray_t a, b;
        CUDA(cudaMalloc3DArray(&a, &f, e, flags));
        CUDA(cudaMalloc3DArray(&b, &f, e, flags));
        int n = nx * ny * nz;
        std::vector<T> in(n), out(n);
        for (int i = 0; i < n; i++)
            in[i] = make<T>(i);
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(in.data(), nx * sizeof(T), nx, ny);
        p.dstArray = a;
        p.extent = make_cudaExtent(nx, ny, nz);
        p.kind = cudaMemcpyHostToDevice;
        CUDA(cudaMemcpy3D(&p));
        turn<T><<<(n + 63) / 64, 64>>>(surface_of(a), surface_of(b), dims, nx, ny, nz);
        LAUNCHED;
        cudaMemcpy3DParms q = {};
        q.srcArray = b;
        q.dstPtr = make_cudaPitchedPtr(out.data(), nx * sizeof(T), nx, ny);
        q.extent = p.extent;
        q.kind = cudaMemcpyDeviceToHost;
        CUDA(cudaMemcpy3D(&q));
        for (int i = 0; i < n; i++)
            ok = ok && memcmp(&out[i], &in[n - 1 - i], sizeof(T)) == 0;
        CUDA(cudaFreeArray(a));
        CUDA(cudaFreeArray(b));
    }
    return ok;
}

__global__ void edges(cudaSurfaceObject_t s, int *out) {
    for (int i = 0; i < 6; i++) {
        int x = (i - 1) * 4, y = i - 1;
        out[2 * i] = surf2Dread<int>(s, x, y, cudaBoundaryModeClamp);
        out[2 * i + 1] = surf2Dread<int>(s, x, y, cudaBoundaryModeZero);
    }
    surf2Dwrite(50, s, 100, 0, cudaBoundaryModeZero); // nowhere
    surf2Dwrite(60, s, 100, 100, cudaBoundaryModeClamp);
}

static void boundaries() {
    cudaChannelFormatDesc f = format<int>();
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &f, 4, 3, cudaArraySurfaceLoadStore));
    std::vector<int> in = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, after(12);
    CUDA(cudaMemcpyToArray(a, 0, 0, in.data(), 48, cudaMemcpyHostToDevice));
    int *out = device<int>(12);
    edges<<<1, 1>>>(surface_of(a), out);
    LAUNCHED;
    same("clamp and zero", fetch(out, 12), {1, 0, 1, 1, 6, 6, 11, 11, 12, 0, 12, 0});
    CUDA(cudaMemcpyFromArray(after.data(), a, 0, 0, 48, cudaMemcpyDeviceToHost));
    in[11] = 60;
    same("stores at edges", after, in);
    CUDA(cudaFreeArray(a));
}

// ---- copies ---------------------------------------------------------------------------------

static void copies() {
    cudaChannelFormatDesc f = format<short2>();
    cudaArray_t a, b;
    CUDA(cudaMallocArray(&a, &f, 8, 4));
    CUDA(cudaMallocArray(&b, &f, 8, 4));
    std::vector<int> in(32), out(32, -1), part(6, -1);
    for (int i = 0; i < 32; i++)
        in[i] = i;
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in.data(), 32, 32, 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DFromArray(part.data(), 12, a, 8, 1, 12, 2, cudaMemcpyDeviceToHost));
    same("a part", part, {10, 11, 12, 18, 19, 20});
    CUDA(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 32, 4, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2DArrayToArray(b, 4, 2, a, 16, 0, 8, 2, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2DFromArrayAsync(out.data(), 32, b, 0, 0, 32, 4, cudaMemcpyDefault, 0));
    in[17] = 4, in[18] = 5, in[25] = 12, in[26] = 13;
    same("array to array", out, in);
    CUDA(cudaMemcpyToArray(b, 24, 0, std::vector<int>(12, 7).data(), 48, cudaMemcpyHostToDevice)); // the end of row 0, row 1, ...
    CUDA(cudaMemcpyArrayToArray(a, 0, 0, b, 0, 0, 128, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpyFromArray(out.data(), a, 0, 0, 128, cudaMemcpyDeviceToHost));
    for (int i = 6; i < 18; i++)
        in[i] = 7;
    same("over rows", out, in);
    cudaChannelFormatDesc is;
    cudaExtent e;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&is, &e, &flags, a));
    say("description", is.x == 16 && is.y == 16 && is.z == 0 && is.f == cudaChannelFormatKindSigned && e.width == 8 && e.height == 4 &&
                           e.depth == 0 && flags == 0);
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
}

__global__ void fetch2(cudaTextureObject_t t, float x, float y, float *out) {
    *out = tex2D<float>(t, x, y);
}

static cudaTextureObject_t texture_of(cudaResourceDesc r, cudaTextureDesc d = {}) {
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static void graph() {
    cudaChannelFormatDesc f = format<float>();
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &f, 2, 2));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureObject_t t = texture_of(r);
    float in[] = {1, 2, 3, 4}, *out = device<float>(1), got;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CUDA(cudaMemcpy2DToArrayAsync(a, 0, 0, in, 8, 8, 2, cudaMemcpyHostToDevice, s));
    fetch2<<<1, 1, 0, s>>>(t, 1, 1, out);
    CUDA(cudaMemcpyAsync(&got, out, 4, cudaMemcpyDeviceToHost, s));
    CUDA(cudaStreamEndCapture(s, &g));
    CUDA(cudaGraphInstantiate(&x, g, 0));
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        in[3] = 10.0f * i;
        CUDA(cudaGraphLaunch(x, s));
        CUDA(cudaStreamSynchronize(s));
        ok = ok && got == in[3];
    }
    say("graph", ok);
}

// ---- gathers and levels ---------------------------------------------------------------------

__global__ void gather(cudaTextureObject_t t, float4 *out) {
    out[0] = tex2Dgather<float4>(t, 2.0f, 1.0f, 0);
    out[1] = tex2Dgather<float4>(t, 2.0f, 1.0f, 1);
    out[2] = tex2Dgather<float4>(t, 0.0f, 0.0f, 0);
}

static void gathers() {
    cudaChannelFormatDesc f = format<float2>();
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &f, 4, 2, cudaArrayTextureGather));
    std::vector<float> in(16);
    for (int i = 0; i < 16; i++)
        in[i] = (float)i;
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in.data(), 32, 32, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    float4 *out = device<float4>(3);
    gather<<<1, 1>>>(texture_of(r, d), out);
    LAUNCHED;
    // Counter-clockwise from the lower left: (1, 1), (2, 1), (2, 0), (1, 0).
    same("gather", fetch((float *)out, 12), {10, 12, 4, 2, 11, 13, 5, 3, 0, 0, 0, 0});
}

__global__ void levels(cudaTextureObject_t t, float *out) {
    out[0] = tex2DLod<float>(t, 1.0f, 0.5f, 3.0f);
    out[1] = tex2DGrad<float>(t, 1.5f, 0.5f, make_float2(4, 0), make_float2(0, 4));
    bool resident;
    out[2] = tex2D<float>(t, 0.5f, 0.5f, &resident);
    out[3] = resident;
}

static void level() { // an array has one: whatever the level
    cudaChannelFormatDesc f = format<float>();
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &f, 2, 1));
    float in[] = {1, 2}, *out = device<float>(4);
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in, 8, 8, 1, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.filterMode = cudaFilterModeLinear;
    levels<<<1, 1>>>(texture_of(r, d), out);
    LAUNCHED;
    same("level", fetch(out, 4), {1.5, 2, 1, 1});
}

// ---- errors ---------------------------------------------------------------------------------

#define FAILS(call, code)                                                                                               \
    do {                                                                                                                \
        cudaError_t e_ = (call);                                                                                        \
        cudaGetLastError();                                                                                             \
        if (e_ != (code))                                                                                               \
            printf("%s: %s\n", #call, cudaGetErrorName(e_));                                                            \
    } while (0)

static void errors() {
    cudaChannelFormatDesc f = format<float>(), three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat),
                          odd = cudaCreateChannelDesc(32, 16, 0, 0, cudaChannelFormatKindSigned), bytes = format<unsigned char>(),
                          small = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat), words = format<int>();
    cudaArray_t a, b;
    FAILS(cudaMallocArray(nullptr, &f, 4), cudaErrorInvalidValue);
    FAILS(cudaMallocArray(&a, nullptr, 4), cudaErrorInvalidValue);
    FAILS(cudaMallocArray(&a, &three, 4), cudaErrorInvalidChannelDescriptor);
    FAILS(cudaMallocArray(&a, &odd, 4), cudaErrorInvalidChannelDescriptor);
    FAILS(cudaMallocArray(&a, &small, 4), cudaErrorInvalidChannelDescriptor);
    FAILS(cudaMallocArray(&a, &f, 0), cudaErrorInvalidValue);
    FAILS(cudaMallocArray(&a, &f, 131073), cudaErrorInvalidValue);
    FAILS(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 2049), cudaArrayLayered), cudaErrorInvalidValue);
    FAILS(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 5, 6), cudaArrayCubemap), cudaErrorInvalidValue);
    FAILS(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap), cudaErrorInvalidValue);
    CUDA(cudaMallocArray(&a, &f, 4, 4));
    CUDA(cudaMallocArray(&b, &bytes, 4, 4));
    float h[16] = {};
    FAILS(cudaMemcpy2DToArray(a, 4, 0, h, 16, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy2DToArray(a, 0, 1, h, 16, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy2DToArray(a, 0, 0, h, 16, 16, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemcpyToArray(a, 0, 0, h, 68, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpyFromArray(h, nullptr, 0, 0, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cudaMemcpy3DParms p = {};
    p.srcArray = a, p.dstArray = b, p.extent = make_cudaExtent(4, 4, 1), p.kind = cudaMemcpyDeviceToDevice;
    FAILS(cudaMemcpy3D(&p), cudaErrorInvalidValue);
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidResourceHandle);
    r.res.array.array = b;
    d.filterMode = cudaFilterModeLinear;
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidFilterSetting); // of integers
    d.readMode = cudaReadModeNormalizedFloat;
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaSuccess);
    cudaResourceDesc again;
    cudaTextureDesc sampler;
    FAILS(cudaGetTextureObjectResourceDesc(&again, t), cudaSuccess);
    FAILS(cudaGetTextureObjectTextureDesc(&sampler, t), cudaSuccess);
    say("descriptions", again.res.array.array == b && sampler.readMode == cudaReadModeNormalizedFloat);
    FAILS(cudaDestroyTextureObject(t), cudaSuccess);
    FAILS(cudaDestroyTextureObject(t), cudaErrorInvalidValue);
    FAILS(cudaGetTextureObjectTextureDesc(&sampler, t), cudaErrorInvalidValue);
    r.res.array.array = a;
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidNormSetting); // of floats
    FAILS(cudaCreateTextureObject(&t, nullptr, &d, nullptr), cudaErrorInvalidValue);
    FAILS(cudaCreateSurfaceObject(&s, &r), cudaErrorInvalidValue); // without the flag
    char *m;
    CUDA(cudaMalloc(&m, 4096));
    d = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {m, words, 4096};
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaSuccess);
    r.res.linear = {m, words, 4100};
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidValue); // beyond the allocation
    r.res.linear = {m + 16, words, 1024};
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidValue); // not aligned
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = {m, words, 8, 8, 40};
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaErrorInvalidValue); // the pitch
    r.res.pitch2D = {m, words, 8, 8, 64};
    FAILS(cudaCreateTextureObject(&t, &r, &d, nullptr), cudaSuccess);
    FAILS(cudaFreeArray(a), cudaSuccess);
    FAILS(cudaFreeArray(a), cudaErrorInvalidResourceHandle);
    FAILS(cudaFreeArray(nullptr), cudaSuccess);
    FAILS(cudaGetChannelDesc(&f, a), cudaErrorInvalidResourceHandle);
    int value;
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture2DLayeredLayers, 0));
    cudaDeviceProp prop;
    CUDA(cudaGetDeviceProperties(&prop, 0));
    say("limits", value == 2048 && prop.maxTexture3D[2] == 16384 && prop.textureAlignment == 512);
}

int main() {
    const char *seed = getenv("SEED");
    fprintf(stderr, "seed %s\n", seed ? seed : "1");
    draw = Random(strtoull(seed ? seed : "1", nullptr, 10) + 1);
    say("bytes", turned<unsigned char>());
    say("short2", turned<short2>());
    say("float", turned<float>());
    say("uint2", turned<uint2>());
    say("float4", turned<float4>());
    boundaries();
    copies();
    graph();
    gathers();
    level();
    errors();
    return 0;
}
