/* chain.c: a warp's clock and what it waited for (chain.h). */
#include "runtime/softgpu/watch/trace/chain.h"

#include "runtime/softgpu/watch/record/record.h"

#include <math.h>

#define SCHEDULERS 4 /* per multiprocessor; they share a block's warps */
/* ptxas moves an instruction forward by at most this many PTX instructions. A warp issues in order,
 * and an early result occupies registers until its use. With 24, tests/model/programs/nbody.cu
 * comes out at 0.82 to 0.96 of an H200's time. */
#define AHEAD 24

static uint32_t took(const sg_trace_warp *w, uint32_t index) {
    const sg_step *step = &w->pending->steps[index];
    uint32_t noted = w->noted[index].took;
    return noted ? noted : w->gpu->latency[step->latency] + step->more * w->gpu->latency[step->of];
}

/* Returns the clock at which the path to memory is free. The other warps of the block are assumed
 * to be in step and need it too. A warp that waits for a value does not block the path. */
static uint32_t enter(sg_trace_warp *w, uint32_t start, uint32_t step) {
    uint32_t busy = w->noted[step].busy * w->crowd;
    if (!busy)
        return start;
    start = sg_later(start, w->port);
    w->port = sg_later(w->port, w->clock) + busy;
    return start;
}

static enum sg_wait wait_for(const sg_step *step) {
    switch ((enum sg_latency)step->latency) {
    case SG_LATENCY_SHARED:
    case SG_LATENCY_SHARED_ATOMIC:
        return SG_WAIT_SHARED;
    case SG_LATENCY_L1:
    case SG_LATENCY_L2:
    case SG_LATENCY_DRAM:
        return SG_WAIT_LOAD;
    case SG_LATENCY_ATOMIC:
        return SG_WAIT_ATOMIC;
    default:
        return step->kind == SG_STEP_SLEEP  ? SG_WAIT_SLEEP
               : step->kind == SG_STEP_WAIT ? SG_WAIT_LOAD
                                            : SG_WAIT_ARITHMETIC;
    }
}

/* Returns the clock at which a step begins, and reserves what it makes others wait for. Sets *by to
 * the cause of its own wait if that is a register. */
static uint32_t begin(sg_trace_warp *w, uint32_t index, sg_cause *by) {
    const sg_segment *s = w->pending;
    const sg_step *step = &s->steps[index];
    const uint32_t *written = s->registers + step->first, *read = written + step->n_written;
    bool shared = step->latency == SG_LATENCY_SHARED || step->latency == SG_LATENCY_SHARED_ATOMIC;
    uint32_t start = w->clock;
    *by = (sg_cause){.turn = 0};
    if (index >= AHEAD && w->begun[index - AHEAD].clock > start) {
        start = w->begun[index - AHEAD].clock;
        *by = w->begun[index - AHEAD].by;
    }
    for (uint32_t k = 0; k < step->n_read; k++)
        if (w->ready[read[k]].clock > start) {
            start = w->ready[read[k]].clock;
            *by = w->ready[read[k]].by;
        }
    switch ((enum sg_step_kind)step->kind) {
    case SG_STEP_LOAD:
        start = sg_later(start, w->stored[shared]);
        break;
    case SG_STEP_STORE:
        start = enter(w, start, index);
        w->stored[shared] = sg_later(w->stored[shared], start);
        return start;
    case SG_STEP_COPY:
        w->copied = sg_later(w->copied, enter(w, start, index) + took(w, index));
        return start;
    case SG_STEP_COMMIT:
        memmove(w->groups + 1, w->groups, (SG_COPY_GROUPS - 1) * sizeof *w->groups);
        w->groups[0] = w->copied;
        w->n_groups += w->n_groups < SG_COPY_GROUPS;
        return start;
    case SG_STEP_WAIT:
        if (step->pending < w->n_groups)
            start = sg_later(start, w->groups[step->pending]);
        return start;
    case SG_STEP_SLEEP:
        w->clock = start + w->noted[index].took;
        return start;
    case SG_STEP_FENCE:
        w->clock = start + w->gpu->latency[SG_LATENCY_FENCE];
        return start;
    case SG_STEP_PLAIN:
        break;
    }
    sg_awaited end = {enter(w, start, index) + took(w, index),
                      {wait_for(step), step->place, index, w->turn}};
    for (uint32_t k = 0; k < step->n_written; k++)
        w->ready[written[k]] = end;
    if (w->record && wait_for(step) == SG_WAIT_LOAD)
        sg_record_span(w->record, w->index, start, end.clock, -1, step->place);
    return start;
}

/* Charges the time from `before` to the step's begin, in which the warp only waited. The time goes
 * to what the step reads, what that depends on, and so on. */
static void charge(const sg_trace_warp *w, uint32_t index, uint32_t before) {
    const sg_segment *s = w->pending;
    uint32_t to = w->begun[index].clock;
    while (to > before) {
        sg_cause by = w->begun[index].by;
        uint32_t from = before;
        if (!by.turn) /* its own doing: it waits for memory's path or for copies, or sleeps */
            by = (sg_cause){.wait = wait_for(&s->steps[index]), .place = s->steps[index].place};
        if (by.turn == w->turn)
            from = sg_later(before, w->begun[index = by.step].clock);
        if (w->shares)
            sg_shares_wait(w->shares, by.place, by.wait, to - from);
        if (w->record)
            sg_record_span(w->record, w->index, from, to, by.wait, by.place);
        to = from;
    }
}

/* Moves the clock over the pending segment. */
static void finish(sg_trace_warp *w) {
    const sg_segment *s = w->pending;
    if (!s)
        return;
    uint32_t before = sg_later(w->clock, w->last), latest_step = 0;
    w->turn++;
    if (s != w->again)
        w->turns = 0;
    if (!s->goes_on && w->turns++ % s->unrolled == 0)
        w->clock = sg_later(w->clock, w->last);
    w->again = s;
    w->last = sg_later(w->last, w->clock);
    for (uint32_t k = 0; k < s->n_steps; k++) {
        w->begun[k].clock = begin(w, k, &w->begun[k].by);
        latest_step = w->begun[k].clock > w->last ? k : latest_step;
        w->last = sg_later(w->last, w->begun[k].clock);
    }
    w->clock += (uint32_t)(s->slots * fmaxf(1, (float)w->crowd / SCHEDULERS) + 0.5f);
    if ((w->shares || w->record) && w->last > before)
        charge(w, latest_step, before);
    if (w->shares && w->clock > sg_later(w->last, before))
        sg_shares_turn(w->shares, w->op, w->clock - sg_later(w->last, before));
    if (w->record && w->clock > sg_later(w->last, before))
        sg_record_span(w->record, w->index, sg_later(w->last, before), w->clock, SG_WAIT_TURN,
                       s->steps[s->n_steps - 1].place);
    w->place = s->steps[s->n_steps - 1].place;
    w->pending = NULL;
}

/* Makes room for a segment's steps and a function's registers. Another function's registers are
 * ready at once. */
static bool reserve(sg_trace_warp *w, const sg_func *func, uint32_t steps) {
    uint32_t registers = func->source->n_regs + 1;
    if (registers > w->room) {
        sg_awaited *more = realloc(w->ready, registers * sizeof *more);
        if (!more)
            return false;
        w->ready = more;
        w->room = registers;
    }
    if (steps > w->slots) {
        sg_taken *more = realloc(w->noted, steps * sizeof *more);
        w->noted = more ? more : w->noted;
        sg_begun *others = more ? realloc(w->begun, steps * sizeof *others) : NULL;
        if (!others)
            return false;
        w->begun = others;
        w->slots = steps;
    }
    if (w->func != func)
        memset(w->ready, 0, registers * sizeof *w->ready);
    w->func = func;
    return true;
}

void sg_chain_segment(sg_trace_warp *w, const sg_func *func, const sg_segment *s, uint32_t op) {
    finish(w);
    if (!reserve(w, func, s->n_steps))
        return;
    memset(w->noted, 0, s->n_steps * sizeof *w->noted);
    w->pending = s;
    w->op = op;
}

const sg_step *sg_chain_step(const sg_warp *w, const sg_op *ip) {
    const sg_trace_warp *mine = w->trace;
    const sg_segment *s = mine ? mine->pending : NULL;
    if (!s || mine->func != w->func)
        return NULL;
    uint32_t inst = w->func->insts[ip - w->func->ops];
    return inst >= s->first && inst - s->first < s->n_steps ? &s->steps[inst - s->first] : NULL;
}

void sg_chain_took(sg_warp *w, const sg_op *ip, sg_taken taken) {
    const sg_step *step = sg_chain_step(w, ip);
    if (!step)
        return;
    sg_taken *noted = &w->trace->noted[step - w->trace->pending->steps];
    *noted = (sg_taken){sg_later(noted->took, taken.took), noted->busy + taken.busy};
}

uint32_t sg_chain_now(sg_trace_warp *w) {
    finish(w);
    return sg_later(w->clock, w->last);
}

uint32_t sg_chain_clock(const sg_trace_warp *w) {
    return sg_later(w->clock, w->last);
}

uint32_t sg_chain_asks(const sg_trace_warp *w) {
    uint32_t clock = sg_chain_clock(w);
    if (!w->pending)
        return clock;
    const sg_step *step = &w->pending->steps[0];
    const uint32_t *read = w->pending->registers + step->first + step->n_written;
    for (uint32_t k = 0; k < step->n_read; k++)
        clock = sg_later(clock, w->ready[read[k]].clock);
    return clock;
}

void sg_chain_back(sg_trace_warp *w, uint32_t clock) {
    w->clock = w->last = clock;
}

void sg_chain_copied(sg_trace_warp *w, uint32_t clock) {
    w->copied = sg_later(w->copied, clock);
}

void sg_chain_idle(sg_trace_warp *w, uint32_t clocks, enum sg_wait why) {
    uint32_t place = w->pending ? w->pending->steps[0].place : w->place;
    if (w->shares && clocks)
        sg_shares_wait(w->shares, place, why, clocks);
    if (w->record)
        sg_record_span(w->record, w->index, sg_chain_clock(w), sg_chain_clock(w) + clocks, why,
                       place);
    w->clock = sg_chain_clock(w) + clocks;
    w->last = w->clock;
}

void sg_chain_begin(sg_trace_warp *w, const sg_gpu *gpu, sg_shares *shares, uint32_t warps) {
    *w = (sg_trace_warp){.gpu = gpu,
                         .shares = shares,
                         .crowd = warps,
                         .ready = w->ready,
                         .room = w->room,
                         .noted = w->noted,
                         .begun = w->begun,
                         .slots = w->slots};
}

void sg_chain_free(sg_trace_warp *w) {
    if (w)
        WB_FREE(w->ready, w->noted, w->begun);
    free(w);
}
