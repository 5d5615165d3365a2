/* lower.h: shared by the parts of the lowering. lower.c walks a function and places registers. The
 * files beside it translate families of instructions. */
#pragma once

#include "runtime/base/base.h"
#include "runtime/softgpu/exec/handlers.h"
#include "runtime/softgpu/exec/vector.h"
#include "runtime/softgpu/machine/refused.h"

/* Lowers `kernel` for `options`, or returns the existing code. The kernel owns it. Returns NULL and
 * sets err if the kernel uses an unsupported feature. */
const sg_code *sg_lower(sg_kernel *kernel, unsigned options, sg_error *err);

/* ---- private to this folder ----------------------------------------------------------------- */

typedef struct lowering {
    sg_code *code;
    sg_kernel *kernel;
    sg_module *module;
    const ptx_function *source;
    sg_func *f;
    const ptx_inst *inst; /* the current instruction */
    uint32_t index;       /* its index */
    unsigned options;
    bool count;
    int32_t *reg_place; /* by register; -1: none yet */
    uint32_t *last_use; /* by register: its last instruction, if its place may be shared */
    bool *bits;         /* by register: an instruction that distinguishes NaNs reads it */
    bool *brief;   /* by register: no other lanes run between its first write and its last use, so
                      inactive lanes may get any value */
    uint8_t *once; /* by instruction: enum lower_once */
    bool *settled; /* by register: it is the result of such an instruction */
    bool *affine;  /* by register: it has a record before its lanes (sg_affine) */
    int32_t *spare[4]; /* free places of 4- and 8-byte lanes; the same for affine registers */
    uint32_t n_spare[4];
    int32_t *local_place; /* by index in source->locals */
    uint32_t frame;       /* bytes placed so far */
    uint32_t local;
    int32_t carry;   /* place of CC.CF, or -1 */
    uint32_t taken;  /* modifiers of inst that were taken, by bit */
    uint32_t *op_of; /* by instruction: its first op */
    struct lower_fix {
        uint32_t op, inst;
        bool rpc;
    } * fixes; /* branches to resolve when all ops are placed */
    uint32_t n_fixes;
    const sg_entry *compare_branch; /* the last comparison's handler with a branch, or NULL */
    uint32_t compare_end;           /* the op behind it */
    uint32_t slot_chunk;            /* the next free slot of 8 bytes, in blocks of 64 bytes */
    uint32_t pred_chunk;            /* the next free predicate, in blocks of 64 bytes */
    uint32_t site;                  /* memory accesses so far */
    uint32_t line;                  /* the counters' line of inst */
    int32_t scratch[24];            /* temporaries of one instruction */
    uint32_t n_scratch, used_scratch;
    int32_t preds[8];
    uint32_t n_preds, used_preds;
    struct lower_result { /* to extend into its register at the end of the instruction */
        int32_t from, to;
        ptx_type type;
        uint32_t bytes; /* of the register */
    } results[8];
    uint32_t n_results;
    jmp_buf *refuse;
    sg_error *err;
    uint32_t waits_at; /* 1 + the instruction whose ops have SG_F_WAITS */
    uint8_t *zeros;    /* merge.c: by register, its zero low bits; NULL: not computed */
} lowering;

/* Refuses the kernel. The message names the instruction, the source line and the remedy. */
_Noreturn void lower_refuse(lowering *l, const char *format, ...) WB_PRINTF(2, 3);
_Noreturn void lower_refuse_as(lowering *l, sg_refused kind); /* with the kind's own text */
_Noreturn void lower_unknown(lowering *l);                    /* this opcode with these modifiers */

/* Modifiers. lower_has() takes the one it finds. lower_done() refuses any that is left. */
bool lower_has(lowering *l, const char *mod);
/* Takes all modifiers in the list, which blanks separate. Returns the first, or NULL. */
const char *lower_takes(lowering *l, const char *list);
/* The same for a list of which the instruction needs one. Refuses if it has none. */
const char *lower_one_of(lowering *l, const char *list);
/* Takes one of the names and returns its index. Refuses if there is none. */
int lower_index(lowering *l, const char *const *names, size_t n);
ptx_type lower_type(lowering *l);          /* the next type modifier, or PTX_NONE */
int lower_rounding(lowering *l, int none); /* rn rz rm rp, or `none` */
void lower_done(lowering *l);

/* Returns a type's name in handlers (u32 for b32), or NULL if it has none. */
const char *lower_suffix(ptx_type type);
const char *lower_unsigned(ptx_type type); /* u16, u32, u64 by size */
bool lower_is_float(ptx_type type);
bool lower_is_signed(ptx_type type);

/* Operands. A place holds 4-byte lanes for types up to 32 bits and 8-byte lanes beyond. */
const ptx_operand *lower_op(lowering *l, uint32_t k); /* refuses if there are fewer */
int32_t lower_src(lowering *l, const ptx_operand *op, ptx_type type);
/* Returns the place of an address register with `bytes`-byte lanes, and sets *offset. */
int32_t lower_address(lowering *l, const ptx_operand *op, uint32_t bytes, int64_t *offset);
/* Returns the type of a loaded element in its register. 8-bit values are extended to 16 bits or
 * more. */
ptx_type lower_register_type(const ptx_operand *op, ptx_type type);
/* Takes the space of an address: shared, global or generic. */
ptx_space lower_space(lowering *l);
int32_t lower_reg_place(lowering *l, const ptx_var *reg); /* does not fill affine lanes */
int32_t lower_local_place(lowering *l, const ptx_var *v); /* in local memory, or -1 */
bool lower_imm(lowering *l, const ptx_operand *op, ptx_type type, uint64_t *bits);
int32_t lower_pred(lowering *l, const ptx_operand *op, bool *negated);
int32_t lower_pred_place(lowering *l, const ptx_var *reg);
int32_t lower_temp(lowering *l, uint32_t bytes);
int32_t lower_temp_pred(lowering *l); /* for this instruction */
int32_t lower_slot_new(lowering *l);  /* 8 bytes per warp, for the handler's use */
int32_t lower_pred_new(lowering *l);  /* for the whole function */
int32_t lower_const(lowering *l, uint64_t value, uint32_t bytes);
int32_t lower_special(lowering *l, ptx_special kind, uint32_t bytes);
/* Returns true if the special register (%tid.x) has the same value in every block. */
bool lower_block_special(const ptx_operand *op);
/* regs.c: finds registers that live within one basic block, and frees their places after their last
 * use. Returns false without memory. */
bool lower_find_last_uses(lowering *l, const bool *leader);
void lower_release(lowering *l);
/* once.c: finds values that all blocks share, for l->once. Call it after the functions above.
 * Returns false without memory. */
enum lower_once {
    LOWER_EACH, /* for each execution */
    LOWER_ONCE, /* once for all blocks of a warp */
    LOWER_NEVER /* never: its register is the value's place */
};
bool lower_find_once(lowering *l);
/* affine.c: chooses the registers for l->affine. Call it before lower_find_once(). Returns false
 * without memory.
 */
bool lower_find_affine(lowering *l);
/* Translates l->inst if its result is affine and has a handler. Returns false otherwise. */
bool lower_affine(lowering *l);
/* Otherwise, call these around the ordinary op. The first returns false if the result is not
 * affine. */
bool lower_affine_open(lowering *l);
void lower_affine_close(lowering *l);
/* Returns true if operands first and first+1 can be compared as records. */
bool lower_affine_comparison(const lowering *l, uint32_t first, ptx_type type);
/* Returns the list of free places for reg. */
static inline uint32_t lower_spare_list(const lowering *l, const ptx_var *reg) {
    return (l->affine[reg->index] ? 2 : 0) + (ptx_type_size(reg->type) > 4);
}
/* Returns a place for a result of `type`. If the register is wider, lower_finish() extends the
 * result into it, at the end of the instruction. */
int32_t lower_dst(lowering *l, const ptx_operand *op, ptx_type type);
void lower_finish(lowering *l);

/* Returns true if the list, which blanks separate, has the name. */
bool lower_among(const char *name, const char *list);
/* Returns true if the list has one of the instruction's modifiers. Takes none. */
bool lower_modified(const ptx_inst *inst, const char *list);
/* Returns the last modifier that is a type, which is the operands' type. */
ptx_type lower_operand_type(const ptx_inst *inst);
/* Returns true if an instruction reads the register that `writer` writes. */
bool lower_is_read(const ptx_function *f, const ptx_inst *writer, const ptx_var *reg);
/* Returns true if the instruction may switch to another path. (regs.c) */
bool lower_may_switch(const ptx_inst *inst);
/* Emission. */
void lower_branch(lowering *l, sg_op *op,
                  uint32_t target_inst);               /* op->aux: the start of that instruction */
void lower_rpc(lowering *l, sg_op *op, uint32_t inst); /* op->imm: the join there */
sg_op *lower_emit(lowering *l, const char *handler);
sg_op *lower_emitf(lowering *l, const char *format, ...) WB_PRINTF(2, 3);
/* The same with the places of its result and operands. */
sg_op *lower_put(lowering *l, int32_t d, int32_t a, int32_t b, int32_t c, const char *format, ...)
    WB_PRINTF(6, 7);
void *lower_own(lowering *l, size_t bytes);  /* zeroed aux data, freed with the function */
void *lower_need(lowering *l, void *memory); /* returns it; refuses if it is NULL */
/* The families. Each translates l->inst and returns true, or returns false for another family's. */
bool lower_arith(lowering *l);
bool lower_convert(lowering *l);
bool lower_compare(lowering *l);
bool lower_move(lowering *l);
bool lower_async(lowering *l);
bool lower_memory(lowering *l);
bool lower_atomic(lowering *l);
bool lower_warp(lowering *l);
bool lower_matrix(lowering *l);
bool lower_texture(lowering *l);
void lower_call(lowering *l);
/* With SG_RACECHECK: the thread releases or acquires memory here (race.h). */
void lower_race_sync(lowering *l, unsigned how);
/* segment.c, with SG_TRACE: returns true if a segment begins at l->index; emits the op before
 * it. */
bool lower_segment_begins(const lowering *l, const bool *leader);
void lower_segment(lowering *l, const bool *leader);

/* emit.c: returns the index of the instruction's line in a list, and adds it if it is missing.
 * Returns 0 if there is no line.
 */
uint32_t lower_line(lowering *l, const ptx_inst *inst, struct sg_line **lines, uint32_t *n);

/* depends.c: sets in l->code what addresses and branches of the function depend on. */
void lower_flow(lowering *l);
/* Returns true if a branch may depend on what l->inst reads. */
bool lower_decides(lowering *l);
/* poll.c: the instruction may wait for other threads (`blocks`: in other blocks; `asks`: by an
 * atomic operation); or it makes changes beyond registers that the counters do not see. */
void lower_wait(lowering *l, bool blocks, bool asks);
void lower_wrote(lowering *l);
/* With SG_TRACE, in kernels that wait: announces an access that other blocks may wait for
 * (waits.h). `place`: its address. mode: enum SG_TURN_.... `expected`: for atomicCAS(). */
void lower_turn(lowering *l, int32_t place, int64_t offset, uint32_t bytes, int mode,
                int32_t expected);
/* Return true for such an access, and for a fence beyond the block. */
bool lower_takes_turn(const ptx_inst *inst);
bool lower_fences(const ptx_inst *inst);
/* Announces a store in a kernel that polls, since a warp that writes does more than poll. */
void lower_moves(lowering *l);
