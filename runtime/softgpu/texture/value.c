/* value.c: what a fetch returns, from the bytes of its texels, rounded as an H100 does (README.md,
 * "Rules"). */
#include "runtime/softgpu/texture/texture.h"

#include "runtime/softgpu/machine/numbers.h"

/* Extends a channel's bits by zeros, or by the sign. */
static uint32_t extended(const sg_texture *t, uint32_t bits) {
    uint32_t unused = 32 - 8 * t->channel_bytes;
    return t->kind == SG_TEXEL_SIGNED ? (uint32_t)((int32_t)(bits << unused) >> unused)
                                      : bits << unused >> unused;
}

void sg_texel_read(const sg_texture *t, const void *texel, uint32_t out[4]) {
    const uint8_t *at = texel;
    memset(out, 0, 4 * sizeof *out);
    for (uint32_t k = 0; k < t->channels; k++, at += t->channel_bytes) {
        memcpy(&out[k], at, t->channel_bytes);
        out[k] = extended(t, out[k]);
    }
}

/* Returns a float in the format of a channel of 1 or 2 bytes. */
static uint32_t border_bits(const sg_texture *t, float v) {
    uint32_t half = sg_f2h(sg_bits_f32(sg_f32_bits(v) & 0xffffe000u)); /* cut off */
    if (t->kind == SG_TEXEL_FLOAT)
        return half;
    if (t->channel_bytes == 1)
        v = sg_h2f(half);
    bool negative = t->kind == SG_TEXEL_SIGNED;
    float most = (float)((1 << (8 * t->channel_bytes - negative)) - 1);
    return (uint32_t)(int32_t)rintf(fmaxf(negative ? -1 : 0, fminf(v, 1)) * most);
}

void sg_texel_border(const sg_texture *t, uint32_t out[4]) {
    memset(out, 0, 4 * sizeof *out);
    for (uint32_t k = 0; k < t->channels; k++)
        out[k] = t->raw || t->channel_bytes == 4 ? extended(t, t->border[k])
                                                 : border_bits(t, sg_bits_f32(t->border[k]));
}

/* Returns the factor that brings a channel of 1 or 2 bytes to 16 bits. */
static double widening(const sg_texture *t) {
    return t->channel_bytes == 2 ? 1 : t->kind == SG_TEXEL_UNSIGNED ? 257 : 32767.0 / 127;
}

static float normalized(const sg_texture *t, double v) {
    v /= t->kind == SG_TEXEL_UNSIGNED ? 65535 : 32767;
    return (float)(v < -1 ? -1 : v);
}

/* Returns whether a channel is a float in memory or by sRGB, and its value. */
static bool is_float(const sg_texture *t, uint32_t bits, uint32_t channel, float *value) {
    static const uint16_t srgb[] = {
#include "runtime/softgpu/texture/srgb.inc"
    };
    /* the last of two or four channels is alpha */
    bool curved = t->srgb && t->channel_bytes == 1 && (channel == 0 || channel + 1 < t->channels);
    if (t->kind == SG_TEXEL_FLOAT)
        *value = t->channel_bytes == 2 ? sg_h2f(bits) : sg_bits_f32(bits);
    else if (curved)
        *value = (float)srgb[bits & 255] / 16384;
    return curved || t->kind == SG_TEXEL_FLOAT;
}

/* Adds texels as an H100 does: each is cut off 4 bits behind the largest one's last bit, the sum is
 * rounded to `digits` bits, half away from zero. */
static float add_floats(const float *values, const sg_tap *taps, uint32_t n, int digits) {
    int most = -200, exponent;
    double sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!isfinite(values[k]) && taps[k].weight)
            sum += (double)values[k];
        (void)frexpf(values[k], &exponent);
        if (taps[k].weight && values[k] != 0 && exponent > most)
            most = exponent;
    }
    if (sum != 0)
        return (float)sum;
    for (uint32_t k = 0; k < n; k++)
        if (taps[k].weight)
            sum += trunc(ldexp((double)values[k], digits + 4 - most)) * taps[k].weight;
    (void)frexp(sum, &exponent);
    return (float)ldexp(round(ldexp(sum, digits - exponent)), exponent - 2 * digits + most - 12);
}

void sg_texture_value(const sg_texture *t, const sg_tap *taps, uint32_t (*texels)[4], uint32_t n,
                      uint32_t out[4]) {
    for (uint32_t c = 0; c < 4; c++) {
        float values[SG_TAPS], value = 0;
        int64_t sum = 0;
        bool floats = false;
        out[c] = texels[0][c];
        if (t->raw || c >= t->channels)
            continue;
        for (uint32_t k = 0; k < n; k++) {
            floats = is_float(t, texels[k][c], c, &values[k]);
            sum += (int64_t)(int32_t)texels[k][c] * taps[k].weight;
        }
        if (floats)
            value =
                n == 1 ? values[0] : add_floats(values, taps, n, t->channel_bytes == 4 ? 24 : 11);
        else
            value = normalized(t, n == 1 ? (int32_t)texels[0][c] * widening(t)
                                         : floor((double)sum * widening(t) / 256 + 0.5));
        out[c] = sg_f32_bits(value);
    }
}
