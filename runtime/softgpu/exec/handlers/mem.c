/* mem.c: loads and stores. Every access is checked. A request whose lanes are consecutive or equal
 * needs one comparison with the cached range; others are checked lane by lane. Handlers inline the
 * common cases. Other cases use run_* functions, and those use access.c for a lane outside the
 * cached range.
 *
 * Names: ld_SPACE_TYPE and st_SPACE_TYPE. Spaces: g (global and constant, 64-bit addresses), s
 * (shared, 32-bit offsets), a and b (the same two with an affine register as address), l (local,
 * 32-bit offsets), x (generic), p (function parameters at a fixed local offset), k (kernel
 * parameters). `_c` also counts and checks for races. ip->a is the address, ip->offset is added to
 * it, and ip->d is the register. Vector accesses have their registers in ip->aux. mem.inc has the
 * code for one type. */
#include "runtime/softgpu/exec/handlers/mem.h"

#define T b32
#define M w32
#define W w32
#define V uint32_t
#include "runtime/softgpu/exec/handlers/mem.inc"

#define T b64
#define M w64
#define W w64
#define V uint64_t
#include "runtime/softgpu/exec/handlers/mem.inc"

#define T u8
#define M w8
#define W w32
#define V uint8_t
#include "runtime/softgpu/exec/handlers/mem.inc"

#define T s8
#define M w8
#define W w32
#define V int8_t
#include "runtime/softgpu/exec/handlers/mem.inc"

#define T u16
#define M w16
#define W w32
#define V uint16_t
#include "runtime/softgpu/exec/handlers/mem.inc"

#define T s16
#define M w16
#define W w32
#define V int16_t
#include "runtime/softgpu/exec/handlers/mem.inc"

/* clang-format off */
#define NAMES(T)                                                                                   \
    PAIR(ld_g_##T) PAIR(st_g_##T) PAIR(ld_g_##T##_c) PAIR(st_g_##T##_c)                            \
    PAIR(ld_s_##T) PAIR(st_s_##T) PAIR(ld_s_##T##_c) PAIR(st_s_##T##_c)                            \
    PAIR(ld_x_##T) PAIR(st_x_##T) PAIR(ld_l_##T) PAIR(st_l_##T)                                    \
    PAIR(ld_p_##T) PAIR(st_p_##T) PAIR(ld_k_##T) PAIR(ld_a_##T) PAIR(st_a_##T)                     \
    PAIR(ld_b_##T) PAIR(st_b_##T)
/* clang-format on */
const sg_entry SG_TABLE(mem)[] = {NAMES(b32) NAMES(b64) NAMES(u8) NAMES(s8) NAMES(u16)
                                      NAMES(s16){NULL, NULL, NULL}};
