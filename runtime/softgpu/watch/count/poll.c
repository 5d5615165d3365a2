/* poll.c: keeps the length of a wait out of the counts.
 *
 * The machine decides how often a loop polls before the answer comes, so the number differs from
 * run to run. A turn of such a loop is idle if the warp returns to the load or atomic operation
 * where it waits unchanged. Unchanged means: the same lanes, the same registers, nothing written,
 * and no value changed by an atomic operation. Only the first idle turn is counted, so that a wait
 * costs something. From the second one on, the warp counts into a separate copy. An idle turn
 * discards the copy, and any other turn adds it to the total.
 *
 * Turns that saw a change (a counter that rises) remain. They depend only on the order of the
 * blocks. So counted kernels that may wait for other blocks run on one thread, in turns that no
 * clock ends (launch/). If a block asks a second time for the result of a global atomic, it lets
 * the others go first. Otherwise one block would take a whole queue of work. */
#include "runtime/softgpu/watch/count/counters.h"
#include "runtime/softgpu/watch/count/poll.h"
#include "runtime/softgpu/watch/record/record.h"
#include "runtime/softgpu/watch/trace/waits.h"

enum {
    MAX_ATOMICS = 32, /* in one turn */
    OTHERS = 8,       /* waits elsewhere before the warp has left this one */
    PATIENCE = 4      /* turns in which the lanes stay together */
};

struct sg_poll {
    const sg_op *op; /* the place of the wait; NULL: none yet */
    uint32_t mask;
    int32_t frame;
    unsigned others, turns;
    char *regs; /* their contents there */
    size_t bytes, room;
    bool aside;         /* w->count is `count` */
    sg_counters *count; /* since the warp's last visit */
    sg_counters *total; /* the usual w->count */
    uint64_t issued;
    sg_met atomics[MAX_ATOMICS];
    uint32_t n_atomics;
    const sg_op *asked; /* the last atomic operation by which a block may wait */
};

static uint32_t lines_of(const sg_warp *w) {
    return w->block->run->code->n_lines;
}

/* Returns the bytes of registers in this frame and its callers. */
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

/* Makes the block yield when a warp asks a second time, if the device could hold more blocks. */
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
        w->budget = 1; /* the others have to run before the answer can change */
        if (p->aside)
            throw_away(w, p);
        else
            put_aside(w, p);
        return;
    }
    if (p->op && p->op != ip && !w->wrote && p->others++ < OTHERS)
        return; /* a loop that polls at several places */
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
        w->wrote = true; /* too many changes to undo */
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
