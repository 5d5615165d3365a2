/* fetch.c: the texels of a fetch and their weights, as an H100 has them (README.md, "Rules"). */
#include "runtime/softgpu/texture/texture.h"

#include <math.h>

/* The texels of one dimension: -1 is the border. */
typedef struct axis {
    int64_t index[2];
    uint32_t part; /* weight of the second texel, in 256ths */
    uint32_t n;
} axis;

/* floor() as a call would take a third of a fetch's time. */
static inline double round_down(double x) {
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static inline int64_t bring_inside(int64_t i, int64_t n, sg_address mode) {
    if (i >= 0 && i < n)
        return i;
    if (mode == SG_BORDER || mode == SG_CLAMP)
        return mode == SG_BORDER ? -1 : i < 0 ? 0 : n - 1;
    int64_t period = mode == SG_MIRROR ? 2 * n : n;
    i = (i % period + period) % period;
    return i < n ? i : period - 1 - i;
}

static void set_axis(axis *a, double x, uint32_t n, sg_address mode, bool normalized, bool linear) {
    const double far = 1 << 30, steps = 1 << 21;
    if (!(fabs(x) < far)) /* NaN is 0 */
        x = x > 0 ? far : x < 0 ? -far : 0;
    if (fabs(x) < 0x1p-126)
        x = 0;
    if (normalized)
        x = round_down(x * steps) / steps * n;
    else if (mode != SG_BORDER)
        mode = SG_CLAMP;
    int64_t at = (int64_t)round_down(linear ? (x - 0.5) * 256 + 0.5 : x);
    int64_t from = linear ? at >> 8 : at;
    a->n = linear ? 2 : 1;
    a->index[0] = bring_inside(from, n, mode);
    a->index[1] = linear ? bring_inside(from + 1, n, mode) : 0;
    a->part = linear && (mode != SG_CLAMP || a->index[0] != a->index[1]) ? at & 255 : 0;
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

/* Returns a texel's weight in 256ths. The weight of a slice is divided between two columns, that of
 * a column between two texels; one part is rounded, the other is the rest. */
static uint32_t weight_of(const axis *axes, uint32_t x, uint32_t y, uint32_t z) {
    uint32_t right = axes[0].part, low = axes[1].part;
    uint32_t slice = z ? axes[2].part : 256 - axes[2].part, column = (slice * right + 128) / 256;
    column = x ? column : slice - column;
    uint32_t rounded = (column * (x ? low : 256 - low) + 128) / 256;
    return x == y ? rounded : column - rounded;
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
        axes[k] = (axis){{k == 2 ? layer : 0}, 0, 1};
        if (k < t->dims)
            set_axis(&axes[k], at[k], sizes[k], t->address[k],
                     (t->normalized || t->cube) && !f->whole, linear);
    }
    if (t->dims == 1 && !t->layered && linear && t->address[1] == SG_BORDER)
        set_axis(&axes[1], 0, 1, SG_BORDER, false, true); /* a GPU's y is 0, not 0.5 */
    for (uint32_t z = 0; z < axes[2].n; z++)
        for (uint32_t y = 0; y < axes[1].n; y++)
            for (uint32_t x = 0; x < axes[0].n; x++) {
                int64_t i = axes[0].index[x], j = axes[1].index[y], k = axes[2].index[z];
                uint64_t past = (uint64_t)k * image->slice + (uint64_t)j * image->pitch;
                taps[n++] = (sg_tap){
                    (i | j | k) < 0 ? 0 : (uintptr_t)image->base + past + (uint64_t)i * bytes,
                    weight_of(axes, x, y, z)};
            }
    return n;
}

uint64_t sg_texel_tile(const sg_texture *t, uint64_t address) {
    if (!t->tiled)
        return address;
    uint64_t past = (address - (uintptr_t)t->image.base) % t->image.slice;
    uint64_t y = past / t->image.pitch, x = past % t->image.pitch;
    return address - past + (y / 8 * ((t->image.pitch + 63) / 64) + x / 64) * 512 +
           x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}
