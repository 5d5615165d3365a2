/* types.c: names of PTX types, state spaces and special registers. */
#include "runtime/softgpu/ptx/internal.h"

static const struct {
    const char *name;
    ptx_type type;
    unsigned size;
} types[] = {
    {"b8", PTX_B8, 1},         {"b16", PTX_B16, 2},       {"b32", PTX_B32, 4},
    {"b64", PTX_B64, 8},       {"b128", PTX_B128, 16},    {"u8", PTX_U8, 1},
    {"u16", PTX_U16, 2},       {"u32", PTX_U32, 4},       {"u64", PTX_U64, 8},
    {"s8", PTX_S8, 1},         {"s16", PTX_S16, 2},       {"s32", PTX_S32, 4},
    {"s64", PTX_S64, 8},       {"f16", PTX_F16, 2},       {"f16x2", PTX_F16X2, 4},
    {"bf16", PTX_BF16, 2},     {"bf16x2", PTX_BF16X2, 4}, {"tf32", PTX_TF32, 4},
    {"f32", PTX_F32, 4},       {"f64", PTX_F64, 8},       {"pred", PTX_PRED, 1},
    {"e4m3", PTX_E4M3, 1},     {"e5m2", PTX_E5M2, 1},     {"e4m3x2", PTX_E4M3X2, 2},
    {"e5m2x2", PTX_E5M2X2, 2}, {"texref", PTX_B64, 8},    {"samplerref", PTX_B64, 8},
    {"surfref", PTX_B64, 8},
};

unsigned ptx_type_size(ptx_type type) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type)
            return types[i].size;
    return 0;
}

ptx_type ptx_type_named(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    return PTX_NONE;
}

int ptx_space_named(const char *name) {
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {
        {"reg", PTX_SPACE_REG},       {"param", PTX_SPACE_PARAM},   {"local", PTX_SPACE_LOCAL},
        {"shared", PTX_SPACE_SHARED}, {"global", PTX_SPACE_GLOBAL}, {"const", PTX_SPACE_CONST},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (strcmp(spaces[i].name, name) == 0)
            return (int)spaces[i].space;
    return -1;
}

/* Returns true for "%envreg3" of the family "%envreg". */
static bool numbered(const char *name, const char *family) {
    size_t len = strlen(family);
    return strncmp(name, family, len) == 0 && name[len] >= '0' && name[len] <= '9';
}

/* The registers for x, y and z. Their kinds follow `kind` by `step`. */
#define XYZ(name, kind, step)                                                                      \
    {name ".x", kind}, {name ".y", kind + step}, {name ".z", kind + 2 * step},                     \
        {name ".w", PTX_SPECIAL_REFUSED}, {                                                        \
        name, PTX_SPECIAL_REFUSED                                                                  \
    }

/* PTX ISA 9.0, chapter 10. Some families are numbered: %envreg0..31, %pm0..7. */
ptx_special ptx_special_named(const char *name) {
    static const struct {
        const char *name;
        ptx_special kind;
    } table[] = {XYZ("%tid", PTX_TID_X, 1),
                 XYZ("%ntid", PTX_NTID_X, 1),
                 XYZ("%ctaid", PTX_CTAID_X, 1),
                 XYZ("%nctaid", PTX_NCTAID_X, 1),
                 {"%laneid", PTX_LANEID},
                 {"%warpid", PTX_WARPID},
                 {"%nwarpid", PTX_NWARPID},
                 {"%smid", PTX_SMID},
                 {"%nsmid", PTX_NSMID},
                 {"%gridid", PTX_GRIDID},
                 {"%lanemask_eq", PTX_LANEMASK_EQ},
                 {"%lanemask_lt", PTX_LANEMASK_LT},
                 {"%lanemask_le", PTX_LANEMASK_LE},
                 {"%lanemask_gt", PTX_LANEMASK_GT},
                 {"%lanemask_ge", PTX_LANEMASK_GE},
                 {"%dynamic_smem_size", PTX_DYNAMIC_SMEM},
                 {"%total_smem_size", PTX_TOTAL_SMEM},
                 {"%aggr_smem_size", PTX_ALL_SMEM},
                 {"%reserved_smem_offset_begin", PTX_RESERVED_BEGIN},
                 {"%reserved_smem_offset_end", PTX_RESERVED_END},
                 {"%reserved_smem_offset_cap", PTX_RESERVED_END},
                 {"%reserved_smem_offset_0", PTX_RESERVED_BEGIN},
                 {"%reserved_smem_offset_1", PTX_RESERVED_SECOND},
                 {"%envreg1", PTX_ENVREG1},
                 {"%envreg2", PTX_ENVREG2},
                 {"%clock", PTX_CLOCK},
                 {"%clock64", PTX_CLOCK},
                 {"%clock_hi", PTX_CLOCK_HIGH},
                 {"%globaltimer", PTX_CLOCK},
                 {"%globaltimer_lo", PTX_CLOCK},
                 {"%globaltimer_hi", PTX_CLOCK_HIGH},
                 {"%current_graph_exec", PTX_SPECIAL_REFUSED},
                 /* a grid without clusters: each block is a cluster of one */
                 XYZ("%clusterid", PTX_CTAID_X, 1),
                 XYZ("%nclusterid", PTX_NCTAID_X, 1),
                 XYZ("%cluster_ctaid", PTX_ZERO, 0),
                 XYZ("%cluster_nctaid", PTX_ONE, 0),
                 {"%cluster_ctarank", PTX_ZERO},
                 {"%cluster_nctarank", PTX_ONE},
                 {"%is_explicit_cluster", PTX_ZERO}};
    for (size_t k = 0; k < WB_COUNT(table); k++)
        if (!strcmp(table[k].name, name))
            return table[k].kind;
    return numbered(name, "%envreg") || numbered(name, "%pm") ? PTX_ZERO
           : numbered(name, "%reserved_smem_offset_")         ? PTX_SPECIAL_REFUSED
                                                              : PTX_SPECIAL_NONE;
}

/* Estimates as ptxas does: a block of the largest size always fits, and as many of them as
 * __launch_bounds__ asks for. Otherwise the occupancy would be 0, and CUB would launch nothing. */
uint32_t ptx_registers(const ptx_function *f, uint32_t max_threads) {
    uint32_t fit = 2048 / max_threads, blocks = f->min_blocks;
    uint32_t n = f->n_regs / 4 + 8, most = 65536 / ((max_threads + 31) / 32 * 32) /
                                               (blocks && blocks <= fit ? blocks : 1) &
                                           ~7u;
    if (f->maxnreg)
        return f->maxnreg;
    return n > 255 || n > most ? (most < 255 ? most : 255) : n;
}

bool ptx_op_is(const ptx_inst *inst, const char *opcode) {
    return strcmp(inst->opcode, opcode) == 0;
}

bool ptx_modified(const ptx_inst *inst, const char *mod) {
    for (uint32_t k = 0; k < inst->n_mods; k++)
        if (!strcmp(inst->mods[k], mod))
            return true;
    return false;
}
