/* fetch.c: the texels of a fetch, their weights and values. The guide stores the fraction of a
 * linear filter with 8 bits, rounded, so that 1.0 is exact. It leaves open in which precision a GPU
 * adds up the texels. */
#include "runtime/softgpu/texture/texture.h"

#include "runtime/softgpu/machine/numbers.h"

/* The texels of one dimension: -1 is the border. */
typedef struct axis {
    int64_t index[2];
    double weight[2];
    uint32_t n;
} axis;

/* floor() as a call would take a third of a fetch's time. */
static inline double round_down(double x) {
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static inline int64_t bring_inside(int64_t i, uint32_t n, sg_address mode) {
    if (i >= 0 && i < (int64_t)n)
        return i;
    if (mode == SG_BORDER)
        return -1;
    return (i < 0) != (mode == SG_WRAP) ? 0 : (int64_t)n - 1; /* wrap: a filter's neighbour */
}

/* Applies wrap and mirror to a normalized coordinate. */
static double fold(double x, sg_address mode) {
    double whole = round_down(x), part = x - whole;
    if (mode == SG_WRAP || mode == SG_MIRROR)
        x = mode == SG_MIRROR && ((int64_t)whole & 1) ? 1 - part : part;
    return x;
}

static void set_axis(axis *a, double x, uint32_t n, sg_address mode, bool normalized, bool linear) {
    const double far = 1 << 30;
    if (!(fabs(x) < far)) /* NaN is 0 */
        x = x > 0 ? far : x < 0 ? -far : 0;
    if (normalized)
        x = fold(x, mode) * n;
    else if (mode != SG_BORDER)
        mode = SG_CLAMP;
    double from = round_down(linear ? x - 0.5 : x);
    double part = linear ? round_down((x - 0.5 - from) * 256 + 0.5) / 256 : 0;
    a->n = linear ? 2 : 1;
    a->index[0] = bring_inside((int64_t)from, n, mode);
    a->index[1] = linear ? bring_inside((int64_t)from + 1, n, mode) : 0;
    a->weight[0] = 1 - part;
    a->weight[1] = part;
}

/* Finds the face of a direction, and the coordinates on it: guide, table "Cubemap Fetch". */
static uint32_t face_of(double d[3]) {
    double x = d[0], y = d[1], z = d[2], ax = fabs(x), ay = fabs(y), az = fabs(z);
    uint32_t main = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    double m = main == 0 ? ax : main == 1 ? ay : az;
    bool negative = d[main] < 0;
    double s = main == 0 ? (negative ? z : -z) : main == 1 ? x : negative ? -x : x;
    double t = main != 1 ? -y : negative ? -z : z;
    d[0] = (s / m + 1) / 2;
    d[1] = (t / m + 1) / 2;
    return 2 * main + negative;
}

uint32_t sg_texture_taps(const sg_texture *t, const sg_fetch *f, sg_tap taps[SG_TAPS]) {
    const sg_image *image = &t->image;
    const uint32_t sizes[] = {image->width, image->height, image->depth}, faces = t->cube ? 6 : 1;
    const bool linear = (t->linear && !f->whole) || f->filters;
    axis axes[3];
    double at[3] = {f->at[0], f->at[1], f->at[2]};
    uint32_t layer = 0, n = 0, bytes = sg_texel_bytes(t);
    if (t->layered)
        layer = faces * (f->layer < image->depth / faces ? f->layer : image->depth / faces - 1);
    if (t->cube)
        layer += face_of(at);
    for (uint32_t k = 0; k < 3; k++) {
        axes[k] = (axis){{k == 2 ? layer : 0}, {1}, 1};
        if (k < t->dims)
            set_axis(&axes[k], at[k], sizes[k], t->cube ? SG_CLAMP : t->address[k],
                     (t->normalized || t->cube) && !f->whole, linear);
    }
    for (uint32_t z = 0; z < axes[2].n; z++)
        for (uint32_t y = 0; y < axes[1].n; y++)
            for (uint32_t x = 0; x < axes[0].n; x++) {
                int64_t i = axes[0].index[x], j = axes[1].index[y], k = axes[2].index[z];
                uint64_t past = (uint64_t)k * image->slice + (uint64_t)j * image->pitch;
                taps[n++] = (sg_tap){
                    (i | j | k) < 0 ? 0 : (uintptr_t)image->base + past + (uint64_t)i * bytes,
                    axes[0].weight[x] * axes[1].weight[y] * axes[2].weight[z]};
            }
    return n;
}

/* Returns a channel of one or two bytes as a float. */
static float channel(const sg_texture *t, uint16_t bits, uint32_t k) {
    bool byte = t->channel_bytes == 1;
    if (t->kind == SG_TEXEL_FLOAT)
        return sg_h2f(bits);
    if (t->kind == SG_TEXEL_SIGNED) {
        double v = byte ? (int8_t)bits / 127.0 : (int16_t)bits / 32767.0;
        return (float)(v < -1 ? -1 : v);
    }
    double v = bits / (byte ? 255.0 : 65535.0);
    if (t->srgb && byte && k < 3)
        v = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    return (float)v;
}

void sg_texel_read(const sg_texture *t, const void *texel, uint32_t out[4]) {
    const uint8_t *at = texel;
    for (uint32_t k = 0; k < 4; k++, at += t->channel_bytes) {
        out[k] = 0;
        if (k >= t->channels)
            continue;
        if (t->channel_bytes == 4) {
            memcpy(&out[k], at, 4);
            continue;
        }
        uint16_t bits = (uint16_t)(t->channel_bytes == 1 ? *at : at[0] | at[1] << 8);
        float value = t->raw ? 0 : channel(t, bits, k);
        memcpy(&out[k], &value, 4);
        if (t->raw)
            out[k] = t->kind != SG_TEXEL_SIGNED ? bits
                     : t->channel_bytes == 1    ? (uint32_t)(int8_t)bits
                                                : (uint32_t)(int16_t)bits;
    }
}

uint64_t sg_texel_tile(const sg_texture *t, uint64_t address) {
    if (!t->tiled)
        return address;
    uint64_t past = (address - (uintptr_t)t->image.base) % t->image.slice;
    uint64_t y = past / t->image.pitch, x = past % t->image.pitch;
    return address - past + (y / 8 * ((t->image.pitch + 63) / 64) + x / 64) * 512 +
           x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}
