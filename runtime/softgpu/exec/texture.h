/* texture.h: fetches of textures, loads and stores of surfaces. lower/texture.c makes the ops,
 * texture.c runs them. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

enum sg_boundary { SG_BOUNDARY_TRAP, SG_BOUNDARY_CLAMP, SG_BOUNDARY_ZERO };

typedef struct sg_texture_op { /* aux of the op; `run` must be first (handler "builtin") */
    void (*run)(sg_warp *w, const sg_op *ip, char *r);
    uint32_t dims; /* 1 to 3, without layers; a cube map has 2 */
    bool layered, cube;
    int32_t object;    /* place of the handle; ip->offset is added */
    int32_t layer;     /* places; -1: none */
    int32_t at[3];     /* coordinates: floats, or integers if `whole`; a surface's layer is z */
    bool whole;        /* always for surfaces, whose first coordinate is in bytes */
    int32_t values[4]; /* of the results, or of what is stored; -1: unused */
    /* fetches */
    int32_t gathers;  /* the channel; -1: no gather */
    int32_t resident; /* a predicate; -1: not asked for */
    /* surfaces */
    bool store;
    uint32_t n, bytes; /* elements; bytes of one */
    enum sg_boundary boundary;
} sg_texture_op;

void sg_texture_fetch(sg_warp *w, const sg_op *ip, char *r);
void sg_surface_access(sg_warp *w, const sg_op *ip, char *r);
