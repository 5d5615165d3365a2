// Fetches of textures, folded into a number a line. expected.txt holds what an H100 prints: first weights, roundings and
// conversions one by one, then drawn textures. Left out is what softgpu gets wrong in a last bit (texture/README.md).
#include <cuda_fp16.h>

#include "check.h"

enum Geometry { LINEAR, ONE, PITCHED, TWO, THREE, ONE_LAYERED, TWO_LAYERED, CUBE, CUBE_LAYERED, GEOMETRIES };
static const char *const geometries[] = {"linear", "1-D", "pitched", "2-D", "3-D", "1-D layered", "2-D layered", "cube map", "cube map layered"};

template <class T> __device__ T fetch(int geometry, cudaTextureObject_t t, float4 p) {
    switch (geometry) {
    case LINEAR:
        return tex1Dfetch<T>(t, (int)p.x);
    case ONE:
        return tex1D<T>(t, p.x);
    case PITCHED:
    case TWO:
        return tex2D<T>(t, p.x, p.y);
    case THREE:
        return tex3D<T>(t, p.x, p.y, p.z);
    case ONE_LAYERED:
        return tex1DLayered<T>(t, p.x, (int)p.w);
    case TWO_LAYERED:
        return tex2DLayered<T>(t, p.x, p.y, (int)p.w);
    case CUBE:
        return texCubemap<T>(t, p.x, p.y, p.z);
    default:
        return texCubemapLayered<T>(t, p.x, p.y, p.z, (int)p.w);
    }
}

enum Result { FLOATS, SIGNED, UNSIGNED, GATHERED };

__global__ void read(int geometry, Result result, cudaTextureObject_t t, const float4 *points, int n, uint4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 f = {};
    if (result == FLOATS)
        f = fetch<float4>(geometry, t, points[i]);
    else if (result == GATHERED)
        f = tex2Dgather<float4>(t, points[i].x, points[i].y, i % 4);
    else if (result == UNSIGNED)
        out[i] = fetch<uint4>(geometry, t, points[i]);
    else {
        int4 v = fetch<int4>(geometry, t, points[i]);
        out[i] = make_uint4(v.x, v.y, v.z, v.w);
    }
    if (result == FLOATS || result == GATHERED)
        out[i] = make_uint4(__float_as_uint(f.x), __float_as_uint(f.y), __float_as_uint(f.z), __float_as_uint(f.w));
}

struct Format {
    cudaChannelFormatKind kind;
    int bits, channels;
    cudaChannelFormatDesc desc() const {
        return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind);
    }
    int bytes() const {
        return bits / 8 * channels;
    }
};
static const Format F32 = {cudaChannelFormatKindFloat, 32, 1};

struct Texture {
    int geometry;
    Format format;
    int width, height, depth; // depth: layers, or cubes
    cudaTextureDesc sampler;
    std::vector<unsigned char> texels;
};

static cudaTextureDesc sampler(cudaTextureFilterMode filter, cudaTextureReadMode read, bool normalized, cudaTextureAddressMode address) {
    cudaTextureDesc d = {};
    d.filterMode = filter;
    d.readMode = read;
    d.normalizedCoords = normalized;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = address;
    return d;
}

struct Resource {
    cudaResourceDesc desc = {};
    void *memory = nullptr;
};

static Resource array_of(const Texture &t) {
    int g = t.geometry;
    bool cube = g == CUBE || g == CUBE_LAYERED, layered = g == ONE_LAYERED || g == TWO_LAYERED || g == CUBE_LAYERED;
    bool one = g == ONE || g == ONE_LAYERED;
    size_t height = one ? 0 : t.height, depth = cube ? 6 * t.depth : g == THREE || layered ? t.depth : 0;
    cudaChannelFormatDesc f = t.format.desc();
    cudaArray_t a;
    CUDA(cudaMalloc3DArray(&a, &f, make_cudaExtent(t.width, height, depth), (layered ? cudaArrayLayered : 0) | (cube ? cudaArrayCubemap : 0) |
                                                                                (g == TWO ? cudaArrayTextureGather : 0)));
    cudaMemcpy3DParms p = {};
    size_t rows = height ? height : 1;
    p.srcPtr = make_cudaPitchedPtr((void *)t.texels.data(), (size_t)t.width * t.format.bytes(), t.width, rows);
    p.dstArray = a;
    p.extent = make_cudaExtent(t.width, rows, depth ? depth : 1);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    Resource r;
    r.desc.resType = cudaResourceTypeArray;
    r.desc.res.array.array = a;
    return r;
}

static Resource resource_of(const Texture &t) {
    size_t row = (size_t)t.width * t.format.bytes(), pitch;
    Resource r;
    if (t.geometry == LINEAR) {
        CUDA(cudaMalloc(&r.memory, row));
        CUDA(cudaMemcpy(r.memory, t.texels.data(), row, cudaMemcpyHostToDevice));
        r.desc.resType = cudaResourceTypeLinear;
        r.desc.res.linear = {r.memory, t.format.desc(), row};
        return r;
    }
    if (t.geometry != PITCHED)
        return array_of(t);
    CUDA(cudaMallocPitch(&r.memory, &pitch, row, t.height));
    CUDA(cudaMemcpy2D(r.memory, pitch, t.texels.data(), row, row, t.height, cudaMemcpyHostToDevice));
    r.desc.resType = cudaResourceTypePitch2D;
    r.desc.res.pitch2D = {r.memory, t.format.desc(), (size_t)t.width, (size_t)t.height, pitch};
    return r;
}

// Returns a hash of all fetches (FNV-1a over 32-bit words).
static unsigned long long fetched(const Texture &t, Result result, const std::vector<float4> &points) {
    Resource r = resource_of(t);
    cudaTextureObject_t object;
    CUDA(cudaCreateTextureObject(&object, &r.desc, &t.sampler, nullptr));
    int n = (int)points.size();
    float4 *p = device(points);
    uint4 *out = device<uint4>(n);
    read<<<(n + 127) / 128, 128>>>(t.geometry, result, object, p, n, out);
    LAUNCHED;
    std::vector<uint4> got = fetch(out, n);
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (const uint4 &v : got)
        for (unsigned word : {v.x, v.y, v.z, v.w})
            hash = (hash ^ word) * 0x100000001b3ull;
    CUDA(cudaDestroyTextureObject(object));
    CUDA(r.memory ? cudaFree(r.memory) : cudaFreeArray(r.desc.res.array.array));
    CUDA(cudaFree(p));
    CUDA(cudaFree(out));
    return hash;
}

static Random draw(1);
static int below(int n) {
    return (int)(draw.next() >> 33) % n;
}
static float unit() {
    return (float)(draw.next() >> 40) / (1 << 24);
}
static float around() { // -0.5 to 1.5
    return 2 * unit() - 0.5f;
}

template <class T> static std::vector<unsigned char> bytes_of(const std::vector<T> &v) {
    const unsigned char *p = (const unsigned char *)v.data();
    return std::vector<unsigned char>(p, p + v.size() * sizeof(T));
}

// ---- one rule at a time ---------------------------------------------------------------------

// A texel of 1 among zeros shows its weight.
static void weights() {
    std::vector<float4> points;
    for (int i = 0; i < 8192; i++)
        points.push_back({0.5f + below(257) / 256.f, 0.5f + below(257) / 256.f, 0.5f + below(256) / 256.f, 0});
    for (int dims = 1; dims <= 3; dims++)
        for (int corner = 0; corner < 1 << dims; corner++) {
            std::vector<float> one(1 << dims);
            one[corner] = 1;
            Texture t = {dims == 1 ? ONE : dims == 2 ? TWO : THREE, F32, 2, 2, 2,
                         sampler(cudaFilterModeLinear, cudaReadModeElementType, false, cudaAddressModeClamp), bytes_of(one)};
            printf("weight %d-D %d: %016llx\n", dims, corner, fetched(t, FLOATS, points));
        }
}

// Texels of very different sizes show in which precision they are added.
static void sums() {
    std::vector<float4> points;
    for (int i = 0; i < 8192; i++)
        points.push_back({64 * unit(), 64 * unit(), 0, 0});
    for (int spread : {0, 6, 60}) {
        std::vector<float> texels;
        for (int i = 0; i < 64 * 64; i++) {
            float size = exp2f((float)(below(spread + 1) - spread / 2));
            texels.push_back((2 * unit() - 1) * size);
        }
        Texture t = {TWO, F32, 64, 64, 1, sampler(cudaFilterModeLinear, cudaReadModeElementType, false, cudaAddressModeClamp), bytes_of(texels)};
        printf("sums, exponents of %d: %016llx\n", spread, fetched(t, FLOATS, points));
    }
}

static void conversions() {
    struct {
        const char *name;
        Format format;
        bool srgb;
    } const all[] = {{"unsigned 8", {cudaChannelFormatKindUnsigned, 8, 1}, false},  {"signed 8", {cudaChannelFormatKindSigned, 8, 1}, false},
                     {"unsigned 16", {cudaChannelFormatKindUnsigned, 16, 1}, false}, {"signed 16", {cudaChannelFormatKindSigned, 16, 1}, false},
                     {"half", {cudaChannelFormatKindFloat, 16, 1}, false},           {"sRGB", {cudaChannelFormatKindUnsigned, 8, 1}, true}};
    for (const auto &k : all) {
        int height = k.format.bits == 8 ? 1 : 256;
        std::vector<unsigned char> texels;
        std::vector<float4> points;
        for (int i = 0; i < 256 * height; i++) {
            texels.push_back((unsigned char)i);
            if (k.format.bits == 16)
                texels.push_back((unsigned char)(i >> 8));
            points.push_back({i % 256 + 0.5f, i / 256 + 0.5f, 0, 0});
        }
        auto read = k.format.kind == cudaChannelFormatKindFloat ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
        Texture t = {TWO, k.format, 256, height, 1, sampler(cudaFilterModePoint, read, false, cudaAddressModeClamp), texels};
        t.sampler.sRGB = k.srgb;
        printf("conversion of %s: %016llx\n", k.name, fetched(t, FLOATS, points));
    }
}

// Coordinates a few units in the last place around the edges of texels, and what is no number.
static void edges() {
    for (int mode = 0; mode < 8; mode++)
        for (int width : {1 + below(40), 1 + below(3000)}) {
            bool normalized = mode >= 4;
            std::vector<unsigned> texels;
            for (int i = 0; i < width; i++)
                texels.push_back(i);
            std::vector<float4> points;
            for (float x : {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0.f, -0.f, 1e-40f, -1e-40f, 16777216.f, 3e9f, -3e9f})
                points.push_back({x, 0, 0, 0});
            for (int i = 0; i < 2048; i++) {
                float x = normalized ? (float)(below(3 * width) - width) / width : (float)(below(width + 2) - 1);
                unsigned bits;
                memcpy(&bits, &x, 4);
                bits += (below(9) - 4) * (1 << below(14));
                memcpy(&x, &bits, 4);
                points.push_back({x, 0, 0, 0});
            }
            Texture t = {ONE, {cudaChannelFormatKindUnsigned, 32, 1}, width, 1, 1,
                         sampler(cudaFilterModePoint, cudaReadModeElementType, normalized, (cudaTextureAddressMode)(mode % 4)), bytes_of(texels)};
            printf("edges, address mode %d, %s, %d wide: %016llx\n", mode % 4, normalized ? "normalized" : "texels", width, fetched(t, UNSIGNED, points));
        }
}

static void gathers() {
    std::vector<unsigned char> texels;
    std::vector<float4> points;
    for (int i = 0; i < 16 * 16 * 4; i++)
        texels.push_back((unsigned char)below(256));
    for (int i = 0; i < 4096; i++)
        points.push_back({20 * unit() - 2, 20 * unit() - 2, 0, 0});
    Texture t = {TWO, {cudaChannelFormatKindUnsigned, 8, 4}, 16, 16, 1,
                 sampler(cudaFilterModePoint, cudaReadModeNormalizedFloat, false, cudaAddressModeClamp), texels};
    printf("gathers: %016llx\n", fetched(t, GATHERED, points));
}

// ---- drawn textures -------------------------------------------------------------------------

static Texture drawn(int geometry) {
    static const int widths[] = {1, 2, 4};
    int bits = 8 << below(3), kind = below(bits == 8 ? 2 : 3);
    Format f = {kind == 0 ? cudaChannelFormatKindUnsigned : kind == 1 ? cudaChannelFormatKindSigned : cudaChannelFormatKindFloat, bits, widths[below(3)]};
    bool normalized_read = kind < 2 && bits < 32 && below(2), exact_sum = kind != 1 || bits > 8;
    bool linear = (kind == 2 || normalized_read) && geometry != LINEAR && exact_sum && below(2);
    linear = linear && !(geometry == THREE && kind == 2);
    Texture t = {geometry, f, 1 + below(below(2) ? 20 : 300), 1 + below(40), 1 + below(6),
                 sampler(linear ? cudaFilterModeLinear : cudaFilterModePoint, normalized_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
                         below(2), cudaAddressModeClamp), {}};
    for (int k = 0; k < 3; k++)
        t.sampler.addressMode[k] = (cudaTextureAddressMode)below(4);
    if (geometry >= CUBE)
        t.width = t.height = 1 + below(30), t.sampler.normalizedCoords = 1;
    if (geometry == CUBE)
        t.depth = 1;
    if (geometry == LINEAR)
        t.sampler.normalizedCoords = 0;
    if (!(normalized_read && bits == 16))
        for (float &b : t.sampler.borderColor)
            b = below(3) ? 0 : 2 * unit() - 1;
    bool flat = geometry == LINEAR || geometry == ONE || geometry == ONE_LAYERED;
    size_t texels = (size_t)t.width * (flat ? 1 : t.height) * (geometry >= CUBE ? 6 : 1) * t.depth;
    for (size_t i = 0; i < texels * f.channels; i++) {
        float v = 2 * unit() - 1;
        __half half = __float2half(v);
        unsigned raw = (unsigned)(draw.next() >> 32);
        const void *from = kind < 2 ? (const void *)&raw : bits == 32 ? (const void *)&v : &half;
        t.texels.insert(t.texels.end(), (const unsigned char *)from, (const unsigned char *)from + bits / 8);
    }
    return t;
}

static float4 point_in(const Texture &t) {
    float x = around(), y = around(), z = around(), layer = (float)(below(t.depth + 2) - 1);
    if (t.geometry >= CUBE) { // a direction with one coordinate of 1, which divides exactly
        float d[3] = {2 * unit() - 1, 2 * unit() - 1, 2 * unit() - 1};
        d[below(3)] = below(2) ? 1.f : -1.f;
        return {d[0], d[1], d[2], layer};
    }
    if (t.geometry == LINEAR)
        return {(float)(below(t.width + 4) - 2), 0, 0, 0};
    if (below(2)) // edges and middles of texels
        x = (float)below(2 * t.width) / (2 * t.width), y = (float)below(2 * t.height) / (2 * t.height);
    return t.sampler.normalizedCoords ? make_float4(x, y, z, layer) : make_float4(x * t.width, y * t.height, z * t.depth, layer);
}

int main() {
    weights();
    sums();
    conversions();
    edges();
    gathers();
    for (int i = 0; i < 100 * GEOMETRIES; i++) {
        Texture t = drawn(i % GEOMETRIES);
        std::vector<float4> points;
        for (int k = 0; k < 256; k++)
            points.push_back(point_in(t));
        bool floats = t.format.kind == cudaChannelFormatKindFloat || t.sampler.readMode == cudaReadModeNormalizedFloat;
        Result result = floats ? FLOATS : t.format.kind == cudaChannelFormatKindSigned ? SIGNED : UNSIGNED;
        printf("%d: %s, %d x %d bits of kind %d, read %d, filter %d, normalized %d, address %d %d %d, size %d %d %d: %016llx\n", i,
               geometries[t.geometry], t.format.channels, t.format.bits, (int)t.format.kind, (int)t.sampler.readMode, (int)t.sampler.filterMode,
               t.sampler.normalizedCoords, (int)t.sampler.addressMode[0], (int)t.sampler.addressMode[1], (int)t.sampler.addressMode[2], t.width,
               t.height, t.depth, fetched(t, result, points));
    }
    return 0;
}
