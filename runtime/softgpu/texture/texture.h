/* texture.h: what a texture or surface object describes, and which texels a fetch reads. The
 * functions of fetch.c and value.c are pure. Source: CUDA C++ Programming Guide, "Texture
 * Fetching". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SG_TEXTURES = 1 << 16, /* objects at once */
    SG_TAPS = 8            /* texels of one fetch */
};

/* Texels in memory, row by row. */
typedef struct sg_image {
    char *base;
    uint32_t width, height, depth; /* texels, rows, slices or layers; at least 1 each */
    size_t pitch, slice;           /* bytes from row to row and from slice to slice */
} sg_image;

/* Values of cudaChannelFormatKind and cudaTextureAddressMode. */
typedef enum sg_texel_kind { SG_TEXEL_SIGNED, SG_TEXEL_UNSIGNED, SG_TEXEL_FLOAT } sg_texel_kind;
typedef enum sg_address { SG_WRAP, SG_CLAMP, SG_MIRROR, SG_BORDER } sg_address;

typedef struct sg_texture {
    uint64_t handle; /* 0: destroyed */
    bool surface;
    sg_image image;
    uint32_t dims; /* 1 to 3, without layers; a cube map has 2 */
    bool layered, cube;
    bool tiled; /* an array, whose sectors are tiles on a GPU */
    sg_texel_kind kind;
    uint32_t channels, channel_bytes;
    /* the sampler */
    sg_address address[3];
    bool normalized; /* coordinates from 0 to 1 */
    bool linear, srgb;
    bool raw;           /* a fetch returns integers */
    uint32_t border[4]; /* bits of floats, or integers */
} sg_texture;

static inline uint32_t sg_texel_bytes(const sg_texture *t) {
    return t->channels * t->channel_bytes;
}

/* ---- fetches (fetch.c) -------------------------------------------------------------------- */

typedef struct sg_fetch {
    double at[3];   /* coordinates; cube maps: a direction */
    bool whole;     /* integer coordinates: neither scaled nor filtered */
    bool filters;   /* the texels of a linear filter are wanted, whatever the sampler says */
    uint32_t layer; /* or number of the cube */
} sg_fetch;

typedef struct sg_tap {
    uint64_t address; /* of a texel; 0: the border's colour */
    uint32_t weight;  /* in 256ths */
} sg_tap;

/* Sets the texels of a fetch, x first, and returns their number. The weights add up to 256. */
uint32_t sg_texture_taps(const sg_texture *t, const sg_fetch *f, sg_tap taps[SG_TAPS]);
/* Returns where a GPU would have a texel of an array: 16 bytes of two rows make a sector, and 64
 * bytes of eight rows follow each other. Only counters use this address. */
uint64_t sg_texel_tile(const sg_texture *t, uint64_t address);

/* ---- values (value.c) --------------------------------------------------------------------- */

/* Reads a texel's channels: the bits of floats, or integers. Missing ones are 0. */
void sg_texel_read(const sg_texture *t, const void *texel, uint32_t out[4]);
/* The same of the border, in the texels' format. */
void sg_texel_border(const sg_texture *t, uint32_t out[4]);
/* Sets what a fetch of n texels returns: integers or the bits of floats. */
void sg_texture_value(const sg_texture *t, const sg_tap *taps, uint32_t (*texels)[4], uint32_t n,
                      uint32_t out[4]);

/* ---- objects (table.c); thread-safe ------------------------------------------------------- */

/* Copies *t into the table. Returns its handle, or 0 if there is no room. Handles of live
 * objects differ modulo SG_TEXTURES. */
uint64_t sg_texture_add(const sg_texture *t);
/* Returns the object, or NULL if there is none. Its memory stays valid when it is removed. */
const sg_texture *sg_texture_find(uint64_t handle, bool surface);
void sg_texture_remove(uint64_t handle);
void sg_texture_clear(void); /* removes all objects */
