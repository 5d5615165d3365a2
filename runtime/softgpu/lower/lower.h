/* lower.h: what the parts of the lowering share: lower.c walks a function and places registers,
 * the files beside it translate families of instructions. */
#ifndef SOFTGPU_LOWER_H
#define SOFTGPU_LOWER_H

#include "runtime/base/base.h"
#include "runtime/softgpu/exec/handlers.h"
#include "runtime/softgpu/exec/vector.h"
#include "runtime/softgpu/machine/refused.h"

/* The way in: lowers `kernel` for `options` (or finds it done). NULL and *err when it uses what is
 * missing. The kernel owns the code. */
const sg_code *sg_lower(sg_kernel *kernel, unsigned options, sg_error *err);

/* ---- this folder's own ---------------------------------------------------------------------- */

typedef struct lowering {
    sg_code *code;
    sg_kernel *kernel;
    sg_module *module;
    const ptx_function *source;
    sg_func *f;
    const ptx_inst *inst; /* the one being translated */
    uint32_t index;       /* its number */
    unsigned options;
    bool count;
    int32_t *reg_place; /* by register index; -1: none yet */
    uint32_t *last_use; /* by register index: its last instruction, when it may share its place */
    bool *bits;    /* by register index: an instruction reads it that tells one NaN from another */
    bool *brief;   /* by register index: from its first write to its last use nothing may let other
                      lanes run, so those that are off may get any value */
    uint8_t *once; /* by instruction: enum lower_once */
    bool *settled; /* by register index: it is the result of one of those */
    bool *affine;  /* by register index: it has a record before its lanes (sg_affine) */
    int32_t
        *spare[4]; /* places of 4- and 8-byte lanes, and the same of affine registers, free again */
    uint32_t n_spare[4];
    int32_t *local_place; /* by index in source->locals */
    uint32_t frame;       /* bytes placed so far */
    uint32_t local;
    int32_t carry;   /* place of CC.CF, or -1 */
    uint32_t taken;  /* modifiers of inst somebody has asked for, by bit */
    uint32_t *op_of; /* by instruction: its first op */
    struct lower_fix {
        uint32_t op, inst;
        bool rpc;
    } * fixes; /* branches, until all ops are placed */
    uint32_t n_fixes;
    const sg_entry
        *compare_branch;  /* what the last comparison is with a branch behind it, or NULL */
    uint32_t compare_end; /* the op behind it */
    uint32_t slot_chunk;  /* the same for slots of 8 bytes */
    uint32_t pred_chunk;  /* predicates: the next free place, in blocks of 64 bytes */
    uint32_t site;        /* memory accesses so far */
    uint32_t line;        /* counters' line of the instruction */
    int32_t scratch[24];  /* temporaries of one instruction */
    uint32_t n_scratch, used_scratch;
    int32_t preds[8];
    uint32_t n_preds, used_preds;
    jmp_buf *refuse;
    sg_error *err;
    uint32_t waits_at; /* 1 + the instruction whose ops are SG_F_WAITS */
    uint8_t *zeros;    /* merge.c: by register, low bits that are zero; NULL: not asked for yet */
} lowering;

/* Refuses the kernel: the sentence gets the instruction, the source line and what to do. */
_Noreturn void lower_refuse(lowering *l, const char *format, ...) WB_PRINTF(2, 3);
_Noreturn void lower_refuse_as(lowering *l, sg_refused kind); /* in the kind's own words */
_Noreturn void lower_unknown(lowering *l);                    /* this opcode with these modifiers */

/* Modifiers. lower_has takes each it is asked for; lower_done refuses what nobody took. */
bool lower_has(lowering *l, const char *mod);
/* Takes all that are in the list, with a blank between two. Returns true if there was one. */
bool lower_takes(lowering *l, const char *list);
ptx_type lower_type(lowering *l);          /* the next modifier that is a type; PTX_NONE */
ptx_type lower_type_of(const char *name);  /* "f32" */
int lower_rounding(lowering *l, int none); /* rn rz rm rp; `none` when there is none */
void lower_done(lowering *l);

/* Types by name as handlers have them: u32 for b32 and so on; NULL: it has no such handlers. */
const char *lower_suffix(ptx_type type);
const char *lower_unsigned(ptx_type type); /* u16, u32, u64 by size */
bool lower_is_float(ptx_type type);
bool lower_is_signed(ptx_type type);

/* Operands. A place holds 4-byte lanes for types up to 32 bits and 8-byte lanes beyond. */
const ptx_operand *lower_op(lowering *l, uint32_t k); /* refuses when there are fewer */
int32_t lower_src(lowering *l, const ptx_operand *op, ptx_type type);
/* What an address operand comes to: the place of a register of `bytes`-byte lanes, and an offset.
 */
int32_t lower_address(lowering *l, const ptx_operand *op, uint32_t bytes, int64_t *offset);
int32_t lower_affine_place(lowering *l, const ptx_var *reg); /* without spreading its lanes */
int32_t lower_local_place(lowering *l, const ptx_var *v);    /* in local memory; -1: not there */
bool lower_imm(lowering *l, const ptx_operand *op, ptx_type type, uint64_t *bits);
int32_t lower_pred(lowering *l, const ptx_operand *op, bool *negated);
int32_t lower_pred_place(lowering *l, const ptx_var *reg);
int32_t lower_temp(lowering *l, uint32_t bytes);
int32_t lower_temp_pred(lowering *l); /* for this instruction */
int32_t lower_slot_new(lowering *l);  /* 8 bytes a warp, for the handler's own use */
int32_t lower_pred_new(lowering *l);  /* for the whole function */
int32_t lower_const(lowering *l, uint64_t value, uint32_t bytes);
int32_t lower_special(lowering *l, int kind, uint32_t bytes);
/* Does the special register of that name (%tid.x) have the same value in every block? */
bool lower_block_special(const char *name);
int lower_special_kind(const char *name); /* SG_SPECIAL_UNKNOWN: none of enum special */
/* regs.c: finds registers that live within one basic block, and frees their places after the
 * instruction that uses them last. False: no memory. */
bool lower_find_last_uses(lowering *l, const bool *leader);
void lower_release(lowering *l);
/* once.c: finds what need not be computed again for each block (after the above), for
 * l->once. False: no memory. */
enum lower_once {
    LOWER_EACH, /* each time a warp comes by */
    LOWER_ONCE, /* once for all blocks of a warp */
    LOWER_NEVER /* not at all: its register lies where the value is */
};
bool lower_find_once(lowering *l);
/* affine.c: chooses the registers for l->affine (before lower_find_once). False: no memory.
 */
bool lower_find_affine(lowering *l);
/* Translates l->inst when its result is one of them and there is a handler for that; false: not so.
 */
bool lower_affine(lowering *l);
/* Otherwise, before and after the ordinary op; false: the result is none of them. */
bool lower_affine_open(lowering *l);
void lower_affine_close(lowering *l);
/* Can operands first and first+1 be compared as the records they are? */
bool lower_affine_comparison(const lowering *l, uint32_t first, ptx_type type);
/* The list of free places that reg's place goes to and comes from. */
static inline uint32_t lower_spare_list(const lowering *l, const ptx_var *reg) {
    return (l->affine[reg->index] ? 2 : 0) + (ptx_type_size(reg->type) > 4);
}
/* A destination of `type`: where to put it, and what lower_finish has to do afterwards. */
typedef struct lower_dst {
    int32_t place;
    int32_t final; /* the register's own place when it has another width, or -1 */
    ptx_type type;
    uint32_t bytes; /* of the register */
} lower_dst;
lower_dst lower_dst_of(lowering *l, const ptx_operand *op, ptx_type type);
void lower_finish(lowering *l, lower_dst d);

/* Returns true if the list, with a blank between two, has the name. */
bool lower_among(const char *name, const char *list);
/* May the instruction leave its path while other lanes go on? (regs.c) */
bool lower_may_switch(const ptx_inst *inst);
/* Emission. */
void lower_branch(lowering *l, sg_op *op,
                  uint32_t target_inst);               /* op->aux: where that instruction begins */
void lower_rpc(lowering *l, sg_op *op, uint32_t inst); /* op->imm: the join there */
sg_op *lower_emit(lowering *l, const char *handler);
sg_op *lower_emitf(lowering *l, const char *format, ...) WB_PRINTF(2, 3);
void *lower_own(lowering *l, size_t bytes); /* aux data, zeroed, freed with the function */
/* The families. Each translates l->inst and returns true, or returns false: not one of its own. */
bool lower_arith(lowering *l);
bool lower_convert(lowering *l);
bool lower_compare(lowering *l);
bool lower_move(lowering *l);
bool lower_async(lowering *l);
bool lower_memory(lowering *l);
bool lower_atomic(lowering *l);
bool lower_warp(lowering *l);
bool lower_matrix(lowering *l);
void lower_call(lowering *l);
/* With SG_RACECHECK: here the thread releases or acquires what others know of memory (race.h). */
void lower_race_sync(lowering *l, unsigned how);
/* segment.c, with SG_TRACE: does a segment begin at l->index, and the op that stands before it. */
bool lower_segment_begins(const lowering *l, const bool *leader);
void lower_segment(lowering *l, const bool *leader);

/* emit.c: the index of the instruction's line in a list, which gets it if it lacks it; 0: no line.
 */
uint32_t lower_line(lowering *l, const ptx_inst *inst, struct sg_line **lines, uint32_t *n);

/* depends.c: what addresses and branches of the function hang on, into l->code. */
void lower_flow(lowering *l);
/* Does a branch hang on what l->inst reads, or may one? */
bool lower_decides(lowering *l);
/* poll.c: the instruction may wait for other threads, with `blocks` for those of other blocks, and
 * asks them by an atomic operation; or it changes more than registers, unseen by the counters. */
void lower_wait(lowering *l, bool blocks, bool asks);
void lower_wrote(lowering *l);
/* With SG_TRACE, in kernels that wait: an access follows, whose address is at `place`, that other
 * blocks may see and wait by (waits.h). mode: enum SG_TURN_..., with what atomicCAS() expects. */
void lower_turn(lowering *l, int32_t place, int64_t offset, uint32_t bytes, int mode,
                int32_t expected);
/* Is the instruction such an access, a fence of more than its block? */
bool lower_takes_turn(const ptx_inst *inst);
bool lower_fences(const ptx_inst *inst);
/* A store follows: for kernels that poll, so that those who write are not taken to do nothing else.
 */
void lower_moves(lowering *l);

#endif
