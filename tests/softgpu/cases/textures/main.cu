// Fetches of drawn textures compared with a model on the host, written from the programming guide's appendix "Texture
// Fetching": each geometry with each format, read mode, filter, addressing and kind of coordinates. $SEED draws.
#include <cuda_fp16.h>

#include "check.h"

enum Geometry { ONE, TWO, THREE, ONE_LAYERED, TWO_LAYERED, CUBE, CUBE_LAYERED, PITCHED, LINEAR, GEOMETRIES };
static const char *const geometries[] = {"1-D", "2-D", "3-D", "1-D layered", "2-D layered", "cube map", "cube map layered", "pitched", "linear"};

struct Point {
    float x, y, z;
    int layer;
};

template <class T> __device__ T fetch(cudaTextureObject_t t, int geometry, Point p) {
    switch (geometry) {
    case ONE:
        return tex1D<T>(t, p.x);
    case TWO:
    case PITCHED:
        return tex2D<T>(t, p.x, p.y);
    case THREE:
        return tex3D<T>(t, p.x, p.y, p.z);
    case ONE_LAYERED:
        return tex1DLayered<T>(t, p.x, p.layer);
    case TWO_LAYERED:
        return tex2DLayered<T>(t, p.x, p.y, p.layer);
    case CUBE:
        return texCubemap<T>(t, p.x, p.y, p.z);
    case CUBE_LAYERED:
        return texCubemapLayered<T>(t, p.x, p.y, p.z, p.layer);
    default:
        return tex1Dfetch<T>(t, (int)p.x);
    }
}

__global__ void read(cudaTextureObject_t t, int geometry, bool integers, const Point *p, uint4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (integers) {
        out[i] = fetch<uint4>(t, geometry, p[i]);
    } else {
        float4 f = fetch<float4>(t, geometry, p[i]);
        out[i] = make_uint4(__float_as_uint(f.x), __float_as_uint(f.y), __float_as_uint(f.z), __float_as_uint(f.w));
    }
}

// ---- the model ------------------------------------------------------------------------------

struct Format {
    cudaChannelFormatKind kind;
    int bits;
};
static const Format formats[] = {{cudaChannelFormatKindUnsigned, 8}, {cudaChannelFormatKindSigned, 8}, {cudaChannelFormatKindUnsigned, 16},
                                 {cudaChannelFormatKindSigned, 16}, {cudaChannelFormatKindUnsigned, 32}, {cudaChannelFormatKindSigned, 32},
                                 {cudaChannelFormatKindFloat, 16}, {cudaChannelFormatKindFloat, 32}};

struct Model {
    int geometry, size[3], layers, channels;
    Format format;
    bool normalized_read, linear, normalized;
    int address[3];
    float border[4];
    std::vector<unsigned char> bytes;

    double texel(int x, int y, int z, int channel) const {
        int i[3] = {x, y, z};
        int dims = geometry == THREE ? 3 : geometry == ONE || geometry == ONE_LAYERED || geometry == LINEAR ? 1 : 2;
        for (int k = 0; k < dims; k++) {
            int n = size[k], mode = normalized ? address[k] : address[k] == cudaAddressModeBorder ? cudaAddressModeBorder : cudaAddressModeClamp;
            if (geometry == CUBE || geometry == CUBE_LAYERED)
                mode = cudaAddressModeClamp;
            if (geometry == LINEAR && (i[k] < 0 || i[k] >= n))
                return 0;
            if (mode == cudaAddressModeWrap)
                i[k] = ((i[k] % n) + n) % n;
            else if (mode == cudaAddressModeMirror) {
                int r = ((i[k] % (2 * n)) + 2 * n) % (2 * n);
                i[k] = r < n ? r : 2 * n - 1 - r;
            } else if (mode == cudaAddressModeClamp)
                i[k] = i[k] < 0 ? 0 : i[k] >= n ? n - 1 : i[k];
            else if (i[k] < 0 || i[k] >= n)
                return border[channel];
        }
        size_t at = (((size_t)i[2] * size[1] + i[1]) * size[0] + i[0]) * channels + channel;
        const unsigned char *p = &bytes[at * (format.bits / 8)];
        bool is_signed = format.kind == cudaChannelFormatKindSigned;
        double v = 0;
        if (format.kind == cudaChannelFormatKindFloat)
            return format.bits == 32 ? (double)*(const float *)p : (double)__half2float(*(const __half *)p);
        if (format.bits == 8)
            v = is_signed ? (double)*(const signed char *)p : (double)*p;
        else if (format.bits == 16)
            v = is_signed ? (double)*(const short *)p : (double)*(const unsigned short *)p;
        else
            v = is_signed ? (double)*(const int *)p : (double)*(const unsigned *)p;
        if (normalized_read) {
            double most = is_signed ? (format.bits == 8 ? 127 : 32767) : (format.bits == 8 ? 255 : 65535);
            v = (float)(v / most < -1 ? -1 : v / most);
        }
        return v;
    }

    // One dimension after the other, the last first: T(x) = (1 - a) T[i] + a T[i + 1].
    double lerp(int k, const double *at, int *i, int channel) const {
        if (k < 0)
            return texel(i[0], i[1], i[2], channel);
        if (at[k] != at[k]) { // not a coordinate of this geometry: i[k] is set
            return lerp(k - 1, at, i, channel);
        }
        if (!linear) {
            i[k] = (int)std::floor(at[k]);
            return lerp(k - 1, at, i, channel);
        }
        double b = at[k] - 0.5, floor = std::floor(b), a = std::floor((b - floor) * 256 + 0.5) / 256;
        i[k] = (int)floor;
        double first = lerp(k - 1, at, i, channel);
        i[k] = (int)floor + 1;
        double second = lerp(k - 1, at, i, channel);
        i[k] = (int)floor;
        return (1 - a) * first + a * second;
    }

    double value(Point p, int channel) const {
        double at[3] = {p.x, p.y, p.z};
        int i[3] = {0, 0, 0};
        int layer = p.layer < 0 || p.layer >= layers ? layers - 1 : p.layer;
        if (geometry == LINEAR)
            return texel((int)p.x, 0, 0, channel);
        if (geometry == CUBE || geometry == CUBE_LAYERED) {
            double x = at[0], y = at[1], z = at[2], ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z), m, s, t;
            int face;
            if (ax > ay && ax > az)
                face = x > 0 ? 0 : 1, m = ax, s = x > 0 ? -z : z, t = -y;
            else if (ay > az)
                face = y > 0 ? 2 : 3, m = ay, s = x, t = y > 0 ? z : -z;
            else
                face = z > 0 ? 4 : 5, m = az, s = z > 0 ? x : -x, t = -y;
            at[0] = (s / m + 1) / 2 * size[0];
            at[1] = (t / m + 1) / 2 * size[1];
            at[2] = NAN;
            i[2] = (geometry == CUBE ? 0 : 6 * layer) + face;
            return lerp(2, at, i, channel);
        }
        for (int k = 0; k < 3; k++) {
            double whole = std::floor(at[k]);
            if (normalized && address[k] == cudaAddressModeMirror) // before the fraction is rounded
                at[k] = std::fmod(whole, 2) == 0 ? at[k] - whole : 1 - (at[k] - whole);
            at[k] *= normalized ? size[k] : 1;
        }
        if (geometry != THREE)
            at[2] = NAN, i[2] = geometry == TWO_LAYERED || geometry == ONE_LAYERED ? layer : 0;
        if (geometry == ONE || geometry == ONE_LAYERED)
            at[1] = NAN;
        return lerp(2, at, i, channel);
    }
};

// ---- drawing --------------------------------------------------------------------------------

static Random draw(1);
static int below(int n) {
    return (int)(draw.next() >> 33) % n;
}
static float unit() {
    return (float)(draw.next() >> 40) / (1 << 24);
}

static Model drawn(int geometry, Format format, int channels, bool normalized_read, bool linear, bool normalized, int address) {
    Model m = {geometry, {1 + below(9), 1 + below(9), 1 + below(5)}, 1, channels, format, normalized_read, linear, normalized,
               {address, address, address}, {}, {}};
    if (below(2))
        for (int k = 0; k < 3; k++)
            m.address[k] = below(4);
    bool one = geometry == ONE || geometry == ONE_LAYERED || geometry == LINEAR;
    if (one)
        m.size[1] = 1;
    if (geometry == CUBE || geometry == CUBE_LAYERED)
        m.size[1] = m.size[0], m.layers = geometry == CUBE ? 1 : 1 + below(3), m.size[2] = 6 * m.layers;
    else if (geometry == ONE_LAYERED || geometry == TWO_LAYERED)
        m.layers = m.size[2];
    else if (geometry != THREE)
        m.size[2] = 1;
    if (format.kind == cudaChannelFormatKindFloat || normalized_read)
        for (float &b : m.border)
            b = unit();
    m.bytes.resize((size_t)m.size[0] * m.size[1] * m.size[2] * channels * (format.bits / 8));
    for (unsigned char &b : m.bytes)
        b = (unsigned char)below(256);
    if (format.kind == cudaChannelFormatKindFloat)
        for (size_t i = 0; i < m.bytes.size(); i += format.bits / 8)
            if (format.bits == 32)
                *(float *)&m.bytes[i] = 200 * unit() - 100;
            else
                *(__half *)&m.bytes[i] = __float2half(200 * unit() - 100);
    return m;
}

struct Resource {
    cudaResourceDesc desc = {};
    void *memory = nullptr;
};

static Resource resource_of(const Model &m) {
    Resource r;
    int b = m.format.bits, c = m.channels;
    size_t element = (size_t)b / 8 * c, row = element * m.size[0];
    cudaChannelFormatDesc f = cudaCreateChannelDesc(b, c > 1 ? b : 0, c > 2 ? b : 0, c > 2 ? b : 0, m.format.kind);
    if (m.geometry == LINEAR) {
        CUDA(cudaMalloc(&r.memory, row));
        CUDA(cudaMemcpy(r.memory, m.bytes.data(), row, cudaMemcpyHostToDevice));
        r.desc.resType = cudaResourceTypeLinear;
        r.desc.res.linear = {r.memory, f, row};
        return r;
    }
    if (m.geometry == PITCHED) {
        size_t pitch;
        CUDA(cudaMallocPitch(&r.memory, &pitch, row, m.size[1]));
        CUDA(cudaMemcpy2D(r.memory, pitch, m.bytes.data(), row, row, m.size[1], cudaMemcpyHostToDevice));
        r.desc.resType = cudaResourceTypePitch2D;
        r.desc.res.pitch2D = {r.memory, f, (size_t)m.size[0], (size_t)m.size[1], pitch};
        return r;
    }
    bool one = m.geometry == ONE || m.geometry == ONE_LAYERED, deep = m.geometry != ONE && m.geometry != TWO;
    bool cube = m.geometry == CUBE || m.geometry == CUBE_LAYERED;
    unsigned flags = (m.geometry == ONE_LAYERED || m.geometry == TWO_LAYERED || m.geometry == CUBE_LAYERED ? cudaArrayLayered : 0) |
                     (cube ? cudaArrayCubemap : 0);
    cudaArray_t a;
    CUDA(cudaMalloc3DArray(&a, &f, make_cudaExtent(m.size[0], one ? 0 : m.size[1], deep ? m.size[2] : 0), flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)m.bytes.data(), row, m.size[0], m.size[1]);
    p.dstArray = a;
    p.extent = make_cudaExtent(m.size[0], m.size[1], m.size[2]);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    r.desc.resType = cudaResourceTypeArray;
    r.desc.res.array.array = a;
    return r;
}

static bool agree(const Model &m) {
    const int n = 96;
    std::vector<Point> points(n);
    for (Point &p : points) {
        float spread = m.normalized ? 3 : 3 * 9;
        p = {(unit() - 0.4f) * spread, (unit() - 0.4f) * spread, (unit() - 0.4f) * spread, below(m.layers + 2) - 1};
        if (m.geometry == LINEAR)
            p.x = (float)(below(m.size[0] + 6) - 3);
    }
    Resource r = resource_of(m);
    cudaTextureDesc d = {};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = (cudaTextureAddressMode)m.address[k];
    d.filterMode = m.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = m.normalized_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = m.normalized;
    memcpy(d.borderColor, m.border, sizeof m.border);
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r.desc, &d, nullptr));
    bool integers = m.format.kind != cudaChannelFormatKindFloat && !m.normalized_read;
    Point *p = device(points);
    uint4 *out = device<uint4>(n);
    read<<<3, 32>>>(t, m.geometry, integers, p, out, n);
    LAUNCHED;
    std::vector<uint4> got = fetch(out, n);
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        for (int c = 0; c < m.channels; c++) {
            unsigned bits = (&got[i].x)[c];
            double want = m.value(points[i], c), is;
            float f;
            memcpy(&f, &bits, 4);
            is = !integers ? f : m.format.kind == cudaChannelFormatKindSigned ? (double)(int)bits : (double)bits;
            // The order of the sum is open: one unit in the last place of the largest texel.
            double slack = m.linear ? (m.normalized_read ? 0x1p-24 : 100 * 0x1p-24) : 0;
            if (std::fabs(is - want) <= slack)
                continue;
            printf("WRONG: %s, %d bits of kind %d, %d channels, size %d x %d x %d, linear %d, normalized %d, read %d, address %d %d %d: "
                   "(%a, %a, %a; %d) channel %d is %.9g, not %.9g\n", geometries[m.geometry], m.format.bits, (int)m.format.kind, m.channels,
                   m.size[0], m.size[1], m.size[2], m.linear, m.normalized, m.normalized_read, m.address[0], m.address[1], m.address[2],
                   points[i].x, points[i].y, points[i].z, points[i].layer, c, is, want);
            ok = false;
            break;
        }
    CUDA(cudaDestroyTextureObject(t));
    CUDA(r.memory ? cudaFree(r.memory) : cudaFreeArray(r.desc.res.array.array));
    CUDA(cudaFree(p));
    CUDA(cudaFree(out));
    return ok;
}

int main() {
    const char *seed = getenv("SEED");
    fprintf(stderr, "seed %s\n", seed ? seed : "1");
    draw = Random(strtoull(seed ? seed : "1", nullptr, 10) + 1);
    for (int g = 0; g < GEOMETRIES; g++) {
        bool ok = true;
        for (const Format &f : formats)
            for (int how = 0; how < 32; how++) {
                bool linear = how & 1, normalized = how & 2, normalized_read = how & 4;
                bool small = f.kind != cudaChannelFormatKindFloat && f.bits < 32;
                if ((normalized_read && !small) || (linear && !normalized_read && f.kind != cudaChannelFormatKindFloat))
                    continue;
                ok = ok && agree(drawn(g, f, 1 << below(3), normalized_read, linear, normalized, how >> 3));
            }
        say(geometries[g], ok);
    }
    return 0;
}
