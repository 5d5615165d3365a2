/* ptx.h: PTX text as data. The parser creates these structures, and lower/ translates them into
 * ops.
 *
 * Language: NVIDIA, "PTX ISA", version 9.0 (CUDA 13.0). A module's arena owns everything in it, and
 * is freed with it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_type {
    PTX_NONE,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_TF32,
    PTX_F32,
    PTX_F64,
    PTX_PRED,
    PTX_E4M3, /* fp8: in pairs for cvt, by fours in a register for mma */
    PTX_E5M2,
    PTX_E4M3X2,
    PTX_E5M2X2
} ptx_type;

unsigned ptx_type_size(ptx_type type);     /* bytes; 1 for .pred */
ptx_type ptx_type_named(const char *name); /* "f32"; PTX_NONE: no type */

typedef enum ptx_space {
    PTX_SPACE_GENERIC,
    PTX_SPACE_REG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED
} ptx_space;

typedef struct ptx_loc { /* from .loc/.file; line 0: unknown */
    uint32_t file;       /* index into module->files */
    uint32_t line;
} ptx_loc;

/* A variable in any space: a register, a module or function variable, a parameter. */
typedef struct ptx_var {
    const char *name;
    ptx_space space;
    ptx_type type;
    uint32_t vector;   /* 1, 2 or 4 */
    uint32_t align;    /* bytes */
    uint64_t elements; /* 1: scalar; else the product of an array's dimensions; 0: extern [] */
    uint64_t size;     /* bytes; 0: extern array without bounds */
    uint32_t index;    /* number in its list (of registers, parameters) */
    bool is_extern, is_managed, is_weak;
    uint8_t *init;       /* `size` bytes, or NULL: zero */
    struct ptx_reloc {   /* addresses inside init: `generic(sym)+addend`, function addresses */
        uint64_t offset; /* into init */
        const char *symbol;
        int64_t addend;
        uint64_t mask; /* for mask(symbol) initialisers; ~0 otherwise */
    } * relocs;
    uint32_t n_relocs;
} ptx_var;

/* Special registers by their values. Up to PTX_ZERO, the value is constant in a block. */
typedef enum ptx_special {
    PTX_TID_X,
    PTX_TID_Y,
    PTX_TID_Z,
    PTX_NTID_X,
    PTX_NTID_Y,
    PTX_NTID_Z,
    PTX_CTAID_X,
    PTX_CTAID_Y,
    PTX_CTAID_Z,
    PTX_NCTAID_X,
    PTX_NCTAID_Y,
    PTX_NCTAID_Z,
    PTX_LANEID,
    PTX_WARPID,
    PTX_NWARPID,
    PTX_SMID,
    PTX_NSMID,
    PTX_GRIDID,
    PTX_LANEMASK_EQ,
    PTX_LANEMASK_LT,
    PTX_LANEMASK_LE,
    PTX_LANEMASK_GT,
    PTX_LANEMASK_GE,
    PTX_DYNAMIC_SMEM,
    PTX_TOTAL_SMEM,
    PTX_ALL_SMEM,
    PTX_RESERVED_BEGIN,
    PTX_RESERVED_SECOND,
    PTX_RESERVED_END,
    PTX_ENVREG1,
    PTX_ENVREG2,
    PTX_ONE,
    PTX_ZERO,
    PTX_CLOCK,
    PTX_CLOCK_HIGH,
    PTX_SPECIAL_REFUSED, /* the ISA has it, and softgpu does not */
    PTX_SPECIAL_NONE     /* no special register */
} ptx_special;

typedef enum ptx_operand_kind {
    PTX_OP_NONE,
    PTX_OP_REG, /* reg; negated for a `!p` */
    PTX_OP_IMM, /* imm: integers sign- or zero-extended to 64 bits; floats by their bits in `imm`,
                   as is_float says */
    PTX_OP_SPECIAL, /* special register: special, name ("%tid.x") */
    PTX_OP_ADDR,    /* [base + offset]: base a register, a variable or nothing (absolute);
                       items: a tensor's or texture's coordinates, [map, {x, y}] */
    PTX_OP_SYMBOL,  /* address of a variable or function, with offset (mov.u64 %rd, sym+4) */
    PTX_OP_VECTOR,  /* {a, b, ...}: items; `_` is PTX_OP_NONE */
    PTX_OP_PAIR,    /* d|p: items[0], items[1] */
    PTX_OP_LABEL,   /* branch target: target (instruction index) */
    PTX_OP_CALLEE,  /* name of a function, or a register for an indirect call (reg != NULL) */
    PTX_OP_LIST     /* (a, b, ...) of a call: items */
} ptx_operand_kind;

/* Returns a literal's bits as a value of `type`. is_float is as in ptx_operand. (expr.c) */
uint64_t ptx_literal(uint8_t is_float, uint64_t bits, ptx_type type);

typedef struct ptx_operand {
    ptx_operand_kind kind;
    bool negated;      /* !p */
    uint8_t is_float;  /* PTX_OP_IMM: 0: integer; 32: 0f...; 64: 0d... or a decimal literal, stored
                          as double */
    uint8_t special;   /* SPECIAL: enum ptx_special */
    uint8_t component; /* of `reg.x`: 1..4; of video's .b0 to .b3: 5..8, .h0, .h1: 9, 10; 0: none */
    const ptx_var *reg;                  /* REG, ADDR base register, indirect CALLEE */
    const ptx_var *var;                  /* ADDR base variable, SYMBOL variable */
    const struct ptx_function *function; /* SYMBOL, CALLEE: a function of this module */
    const char *name;                    /* SPECIAL, CALLEE, SYMBOL: as written */
    int64_t imm;                         /* IMM; ADDR and SYMBOL: the offset */
    uint32_t target;                     /* LABEL */
    struct ptx_operand *items;           /* VECTOR, PAIR, LIST */
    uint32_t n_items;
} ptx_operand;

typedef struct ptx_inst {
    const char *opcode;      /* "ld", "fma", "setp", "bra": up to the first dot */
    const char *const *mods; /* the parts between dots, in order: {"global","v4","f32"}; interned,
                                so == compares */
    uint32_t n_mods;
    const ptx_var *guard; /* @p, or NULL */
    bool guard_negated;
    bool nounroll;    /* the first one behind .pragma "nounroll" */
    ptx_operand *ops; /* as written, destination first. call: [return LIST,] CALLEE, args LIST
                         (always, maybe empty) [, prototype: SYMBOL with only a name]. brx.idx: the
                         index, and the SYMBOL of its list */
    uint32_t n_ops;
    ptx_loc loc;       /* source line from .loc; code inlined from a CUDA toolkit's header has its
                          caller's line, other inlined code has its own */
    uint32_t ptx_line; /* in the PTX text, for messages */
    const uint32_t *targets; /* brx.idx: the .branchtargets list */
    uint32_t n_targets;
} ptx_inst;

bool ptx_op_is(const ptx_inst *inst, const char *opcode);
bool ptx_modified(const ptx_inst *inst, const char *mod); /* returns true for its modifier .mod */

typedef struct ptx_function {
    const char *name;
    bool is_entry, is_declaration, is_weak;
    ptx_var *params;
    uint32_t n_params; /* space PARAM (or REG for old-style .func) */
    ptx_var *returns;
    uint32_t n_returns;
    uint64_t param_bytes;    /* entries: bytes of all parameters, aligned */
    uint32_t *param_offsets; /* n_params */
    ptx_var **regs;
    uint32_t n_regs; /* every used register of every scope */
    ptx_var **locals;
    uint32_t n_locals; /* .local, .shared, .param variables declared in the body */
    ptx_inst *insts;
    uint32_t n_insts; /* labels are indices; n_insts is the end */
    /* Performance directives; 0 if absent. */
    uint32_t maxntid[3], reqntid[3], maxnreg, min_blocks;
    ptx_loc loc;
} ptx_function;

/* With `.target sm_90, debug`, which nvcc -G writes: */
typedef struct ptx_label_place {
    const char *name; /* interned, as in ptx_datum */
    const ptx_function *function;
    uint32_t inst;
} ptx_label_place;

typedef struct ptx_datum { /* a value in a .section, or a label in front of the next one */
    const char *section;   /* "debug_info" */
    const char *name;      /* a label, a section or a variable that is added to `value`; or NULL */
    uint64_t value;
    uint32_t bytes; /* 0: the label `name` */
} ptx_datum;

typedef struct ptx_module {
    uint32_t version_major, version_minor; /* .version 9.0 */
    uint32_t target;                       /* 75, 90, 100, ... */
    const char **files;
    uint32_t n_files; /* "" where no .file has that number */
    ptx_var **globals;
    uint32_t n_globals; /* .global, .const, and module-scope .shared/.local */
    ptx_function **functions;
    uint32_t n_functions;
    ptx_label_place *labels;
    uint32_t n_labels;
    ptx_datum *data;
    uint32_t n_data;
    struct ptx_arena *arena;
    struct ptx_module **parts; /* of a linked module; they own what its lists point to */
    uint32_t n_parts;
} ptx_module;

/* The place and reason of a refusal. */
typedef struct ptx_error {
    uint32_t ptx_line;
    char text[400];
} ptx_error;

/* Parses `len` bytes (no NUL needed). Returns NULL and sets err if the text is not PTX or uses an
 * unknown feature. Never crashes on any input. Takes linear time. */
ptx_module *ptx_parse(const char *text, size_t len, ptx_error *err);
/* The same for the texts of several sources, a NUL behind each. The module is what nvcc -rdc=true
 * would link: an extern name means its definition in another source. (link.c) */
ptx_module *ptx_link(const char *text, size_t len, ptx_error *err);
void ptx_free(ptx_module *module);
ptx_function *ptx_find(const ptx_module *module, const char *name);

/* Estimates how many registers ptxas gives a thread of the kernel, whose blocks have at most
 * max_threads threads. (types.c) */
uint32_t ptx_registers(const ptx_function *function, uint32_t max_threads);

/* Returns immediate post-dominators, which the caller frees, or NULL without memory. For each
 * instruction that can diverge (a guarded bra, brx.idx), reconv[i] is the index of the instruction
 * where its paths reconverge (n_insts: at the exit). Other entries are UINT32_MAX. Paths that lead
 * only to a lone exit, trap or, in an .entry, ret do not count, because ended threads meet no
 * others. So remove those threads from whatever waits for them. (cfg.c) */
uint32_t *ptx_reconvergence(const ptx_function *function);

/* Returns true if a thread may execute the instruction more than once, or without memory.
 * (cfg.c) */
bool ptx_repeats(const ptx_function *function, uint32_t index);
