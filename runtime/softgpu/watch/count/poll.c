/* poll.c: what a wait costs does not depend on how long it took.
 *
 * How often a loop asks before the answer comes is the machine's business, not the kernel's, and
 * differs from run to run. So a turn of a loop is not counted when the warp comes back to the load
 * (or atomic operation) that it waits at just as it was the last time: the same lanes, all of its
 * registers with the same contents, nothing written and no value changed by an atomic operation in
 * between. Such a turn did nothing; work cannot hide in it. The first one is counted, so that a
 * wait costs something. From the second one on what the warp counts goes into a copy of its own,
 * which is thrown away when the turn was idle, and added to the rest when it was not.
 *
 * What is left are turns that saw a change (a counter that rises). They depend on the order of the
 * blocks only, and launches that count kernels which may wait for other blocks run on one thread,
 * in turns that no clock ends (launch/). For the same reason a block that asks for the
 * second time what an atomic operation of global memory returns lets the others go first, as a
 * queue of work would otherwise all go to one block. */
#include "runtime/softgpu/watch/count/counters.h"
#include "runtime/softgpu/watch/count/poll.h"
#include "runtime/softgpu/watch/record/record.h"
#include "runtime/softgpu/watch/trace/waits.h"

enum {
    MAX_ATOMICS = 32, /* of one turn */
    OTHERS = 8,       /* waits elsewhere before this one counts as left */
    PATIENCE = 4      /* turns in which lanes stay together */
};

struct sg_poll {
    const sg_op *op; /* where the warp waits; NULL: nowhere yet */
    uint32_t mask;
    int32_t frame;
    unsigned others, turns;
    char *regs; /* what they held there */
    size_t bytes, room;
    bool aside;         /* w->count is `count` */
    sg_counters *count; /* since the warp was there last */
    sg_counters *total; /* what w->count is otherwise */
    uint64_t issued;
    sg_met atomics[MAX_ATOMICS];
    uint32_t n_atomics;
    const sg_op *asked; /* the last atomic operation that a block may wait by */
};

static uint32_t lines_of(const sg_warp *w) {
    return w->block->run->code->n_lines;
}

/* The registers of this frame and of all that called it. */
static size_t held(const sg_warp *w) {
    return (size_t)(w->r - w->regs) + w->func->frame_bytes;
}

static bool as_before(const sg_warp *w, const sg_poll *p, const sg_op *ip) {
    return p->op == ip && !w->wrote && p->mask == w->mask && p->frame == w->frame &&
           p->bytes == held(w) && memcmp(p->regs, w->regs, p->bytes) == 0;
}

static void clear(sg_warp *w, sg_poll *p) {
    memset(p->count, 0, lines_of(w) * sizeof *p->count);
    p->issued = w->issued;
    p->n_atomics = 0;
}

static void put_aside(sg_warp *w, sg_poll *p) {
    if (!p->count)
        p->count = calloc(lines_of(w), sizeof *p->count);
    if (!p->count)
        return;
    clear(w, p);
    p->total = w->count;
    w->count = p->count;
    p->aside = true;
    if (w->record)
        sg_record_aside(w->record);
}

static void throw_away(sg_warp *w, sg_poll *p) {
    for (uint32_t k = 0; k < p->n_atomics; k++)
        sg_contention_undo(w->block->worker, p->atomics[k]);
    w->issued = p->issued;
    if (w->record)
        sg_record_back(w->record);
    clear(w, p);
}

static void take_back(sg_warp *w, sg_poll *p) {
    for (uint32_t k = 0; k < lines_of(w); k++)
        sg_count_add(&p->total[k], &p->count[k]);
    w->count = p->total;
    p->aside = false;
    if (w->record)
        sg_record_stays(w->record);
}

/* The block gives way when a warp asks a second time, as far as the device would hold others. */
static void ask(sg_warp *w, sg_poll *p, const sg_op *ip) {
    uint32_t held_by_one = 2048 / (w->block->n_warps * SG_LANES);
    bool again = p->asked == ip;
    p->asked = ip;
    if (!again || w->block->worker->n_residents >= SG_MODEL_SMS * (held_by_one ? held_by_one : 1))
        return;
    w->block->gives_way = true;
    w->budget = 1;
}

static void mark(sg_warp *w, const sg_op *ip, char *r) {
    (void)r;
    sg_poll *p = w->poll ? w->poll : (w->poll = calloc(1, sizeof *p));
    if (!p)
        return;
    bool in_turn = w->block->run->turns;
    if (ip->mode && !in_turn)
        ask(w, p, ip);
    if (as_before(w, p, ip)) {
        if (in_turn)
            sg_waits_in_vain(w, true);
        p->others = 0;
        p->turns++;
        w->spinning = true;
        w->budget = 1; /* nothing will come of it before others had their turn */
        if (p->aside)
            throw_away(w, p);
        else
            put_aside(w, p);
        return;
    }
    if (p->op && p->op != ip && !w->wrote && p->others++ < OTHERS)
        return; /* a loop that asks at several places */
    if (in_turn)
        sg_waits_in_vain(w, false);
    if (p->aside)
        take_back(w, p);
    if (p->room < held(w)) {
        char *more = realloc(p->regs, held(w));
        p->op = NULL;
        if (!more)
            return;
        p->regs = more;
        p->room = held(w);
    }
    p->op = ip;
    p->mask = w->mask;
    p->frame = w->frame;
    p->others = p->turns = 0;
    p->bytes = held(w);
    memcpy(p->regs, w->regs, p->bytes);
    w->wrote = false;
}

static void wrote(sg_warp *w, const sg_op *ip, char *r) {
    (void)ip;
    (void)r;
    w->wrote = true;
}

void (*const sg_poll_mark)(sg_warp *w, const sg_op *ip, char *r) = mark;
void (*const sg_poll_wrote)(sg_warp *w, const sg_op *ip, char *r) = wrote;

void sg_poll_atomics(sg_warp *w, const sg_met *met, uint32_t n_met) {
    sg_poll *p = w->poll;
    if (!p || !p->aside)
        return;
    if (n_met > MAX_ATOMICS - p->n_atomics) {
        w->wrote = true; /* too much to be taken back */
        return;
    }
    memcpy(p->atomics + p->n_atomics, met, n_met * sizeof *met);
    p->n_atomics += n_met;
}

bool sg_poll_patient(const sg_warp *w) {
    return w->poll && w->poll->turns > 0 && w->poll->turns <= PATIENCE;
}

void sg_poll_end(sg_block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++) {
        sg_poll *p = b->warps[k].poll;
        if (p && p->aside)
            take_back(&b->warps[k], p);
        if (p) {
            p->op = p->asked = NULL;
            p->turns = 0;
        }
    }
}

void sg_poll_free(sg_poll *p) {
    if (!p)
        return;
    WB_FREE(p->regs, p->count, p);
}
