/* async.c: mbarrier, bulk copies, and copies that arrive at an mbarrier. */
#include "runtime/softgpu/exec/async.h"
#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/check/race.h"

/* A block is a cluster of one, so shared::cluster is its own shared memory. */
static ptx_space shared_space(lowering *l) {
    return lower_takes(l, "shared shared::cta shared::cluster") ? PTX_SPACE_SHARED
                                                                : PTX_SPACE_GENERIC;
}

static sg_op *emit_quietly(lowering *l, const char *handler, const void *aux) {
    sg_op *op = lower_emit(l, handler);
    op->aux = aux;
    op->site = (uint8_t)(l->site++ % SG_SITES);
    op->flags |= l->count ? SG_F_COUNT : 0;
    return op;
}

static sg_op *emit(lowering *l, const void *aux) {
    lower_wrote(l);
    return emit_quietly(l, "builtin", aux);
}

static sg_mbarrier *barrier(lowering *l, enum sg_mbarrier_kind kind) {
    sg_mbarrier *b = lower_own(l, sizeof *b);
    *b = (sg_mbarrier){.run = sg_mbarrier_run,
                       .kind = kind,
                       .address = -1,
                       .count = -1,
                       .tx = -1,
                       .state = -1,
                       .result = -1};
    lower_takes(l, "acquire release relaxed cta cluster b64");
    b->space = shared_space(l);
    return b;
}

static void barrier_address(lowering *l, sg_mbarrier *b, const ptx_operand *op) {
    b->address = lower_address(l, op, b->space == PTX_SPACE_SHARED ? 4 : 8, &b->offset);
}

/* Operands: [state,] [address] [, count or bytes] */
static void arrive(lowering *l, bool drop) {
    bool expect = lower_has(l, "expect_tx");
    lower_has(l, "noComplete");
    sg_mbarrier *b = barrier(l, drop ? SG_MBARRIER_DROP : SG_MBARRIER_ARRIVE);
    uint32_t at = lower_op(l, 0)->kind == PTX_OP_ADDR ? 0 : 1;
    barrier_address(l, b, lower_op(l, at));
    if (l->inst->n_ops > at + 1) {
        int32_t n = lower_src(l, lower_op(l, at + 1), PTX_U32);
        *(expect ? &b->tx : &b->count) = n;
    }
    if (at && lower_op(l, 0)->kind != PTX_OP_NONE)
        b->result = lower_dst(l, lower_op(l, 0), PTX_B64);
    emit(l, b);
}

/* Operands: predicate, [address], state or parity [, time limit] */
static void test(lowering *l) {
    bool parity = lower_has(l, "parity");
    sg_mbarrier *b = barrier(l, SG_MBARRIER_TEST);
    b->parity = parity;
    b->suspends = ptx_modified(l->inst, "try_wait");
    barrier_address(l, b, lower_op(l, 1));
    b->state = lower_src(l, lower_op(l, 2), parity ? PTX_U32 : PTX_B64);
    if (lower_op(l, 0)->kind != PTX_OP_REG)
        lower_unknown(l);
    b->result = lower_pred_place(l, lower_op(l, 0)->reg);
    lower_wait(l, false, false);
    emit_quietly(l, "mbarrier_wait", b);
}

/* Operands: [address] [, number] */
static void change(lowering *l, enum sg_mbarrier_kind kind) {
    sg_mbarrier *b = barrier(l, kind);
    barrier_address(l, b, lower_op(l, 0));
    int32_t n = lower_src(l, lower_op(l, 1), PTX_U32);
    *(kind == SG_MBARRIER_INIT ? &b->count : &b->tx) = n;
    emit(l, b);
}

static bool mbarrier(lowering *l) {
    if (lower_has(l, "init")) {
        change(l, SG_MBARRIER_INIT);
    } else if (lower_has(l, "inval")) {
        barrier_address(l, barrier(l, SG_MBARRIER_INIT), lower_op(l, 0)); /* nothing to do */
    } else if (lower_has(l, "arrive")) {
        arrive(l, false);
    } else if (lower_has(l, "arrive_drop")) {
        arrive(l, true);
    } else if (lower_has(l, "test_wait") || lower_has(l, "try_wait")) {
        test(l);
    } else if (lower_has(l, "expect_tx")) {
        change(l, SG_MBARRIER_EXPECT);
    } else if (lower_has(l, "complete_tx")) {
        change(l, SG_MBARRIER_COMPLETE);
    } else if (lower_has(l, "pending_count")) {
        sg_mbarrier *b = barrier(l, SG_MBARRIER_PENDING);
        b->state = lower_src(l, lower_op(l, 1), PTX_B64);
        b->result = lower_dst(l, lower_op(l, 0), PTX_U32);
        emit(l, b);
    } else {
        lower_unknown(l);
    }
    return true;
}

/* Lowers cp.async.mbarrier.arrive[.noinc] [address]. Earlier copies are done, so it arrives at
 * once. Without .noinc it also adds one expected arrival, which cancels out. */
static void arrive_after_copies(lowering *l) {
    bool counted = lower_has(l, "noinc");
    if (!lower_has(l, "arrive"))
        lower_unknown(l);
    sg_mbarrier *b = barrier(l, SG_MBARRIER_ARRIVE);
    barrier_address(l, b, lower_op(l, 0));
    if (counted)
        emit(l, b);
    else
        lower_race_sync(l, SG_RACE_RELEASE | SG_RACE_BLOCK);
}

/* Operands: [shared], [global], bytes, [mbarrier] or [global], [shared], bytes */
static void bulk_copy(lowering *l) {
    sg_bulk *c = lower_own(l, sizeof *c);
    bool to_global = l->inst->n_mods > 2 && !strcmp(l->inst->mods[2], "global");
    bool between = lower_has(l, "shared::cta") && lower_has(l, "shared::cluster");
    if (!lower_has(l, "global") || between)
        lower_unknown(l);
    lower_takes(l, "L2::cache_hint bulk_group mbarrier::complete_tx::bytes global shared::cta "
                   "shared::cluster");
    *c = (sg_bulk){.run = sg_bulk_run, .load = !to_global, .barrier = -1};
    const ptx_operand *shared = lower_op(l, to_global), *global = lower_op(l, !to_global);
    c->shared = lower_address(l, shared, 4, &c->shared_offset);
    c->global = lower_address(l, global, 8, &c->global_offset);
    c->bytes = lower_src(l, lower_op(l, 2), PTX_U32);
    if (c->load)
        c->barrier = lower_address(l, lower_op(l, 3), 4, &c->barrier_offset);
    emit(l, c);
}

bool lower_async(lowering *l) {
    l->code->barriers |= ptx_op_is(l->inst, "mbarrier");
    if (ptx_op_is(l->inst, "mbarrier"))
        return mbarrier(l);
    if (!ptx_op_is(l->inst, "cp") || !lower_has(l, "async"))
        return false;
    if (lower_has(l, "mbarrier")) {
        arrive_after_copies(l);
        return true;
    }
    if (!lower_has(l, "bulk") || lower_has(l, "tensor") || lower_has(l, "multicast::cluster"))
        return false;
    if (lower_has(l, "commit_group") || lower_has(l, "wait_group")) {
        lower_has(l, "read"); /* copies are already done */
        return true;
    }
    if (lower_has(l, "prefetch"))
        return false;
    l->code->barriers = true;
    bulk_copy(l);
    return true;
}
