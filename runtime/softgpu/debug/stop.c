/* stop.c: a launch under the debugger: decides at each piece of a line whether its thread stops,
 * and waits there for a command. */
#include "runtime/base/base.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/debug/state.h"
#include "runtime/softgpu/exec/print.h"
#include "runtime/softgpu/launch/launch.h"
#include "runtime/softgpu/recorded.h"

enum { MOST_PIECES = 64 /* of a line */, MOST_CHECKED = 1 << 14 /* threads */ };

struct dbg_session {
    sg_wish wish;
    sg_watcher watcher;
    wb_strings parameters;
    const dbg_info *info;
    const sg_run *run; /* NULL: no warp has run yet */
    uint8_t *marks;    /* by op: a breakpoint's line begins there */
    unsigned changes;  /* dbg.changes, when it last looked */
    uint64_t block;    /* the focus */
    uint32_t warp, lane;
    bool any, faulted;
    enum dbg_command mode;
    /* the line from which a step goes on, and its pieces that have run */
    uint32_t line, depth, pieces[MOST_PIECES], n_pieces;
    int32_t frame;
    uint64_t draw; /* with a seed: the state of the generator */
};

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* launch at a time */

dbg_info *dbg_open_kernel(const sg_kernel *kernel) {
    return dbg_open(kernel->module->ptx);
}

const char *dbg_path(const char *own) {
    const char *cell = strstr(own, "cell [");
    const char *path = json_string_value(json_object_get(dbg.sources, cell ? cell : own));
    return path ? path : cell ? cell : own;
}

/* ---- the stopped thread -------------------------------------------------------------------- */

/* Finds where a lane of the stopped block is. Returns its frame, or -1 if it has ended. */
static int32_t locate(const dbg_stop *s, const sg_warp *w, uint32_t bit, const sg_op **ip,
                      uint32_t *mask) {
    *mask = w->mask;
    *ip = w == s->stopped ? s->ip : w->ip;
    if (w->mask & bit)
        return w->frame;
    for (uint32_t k = 0; k < w->n_paths; k++)
        if (w->paths[k].mask & bit) {
            *mask = w->paths[k].mask;
            *ip = w->paths[k].ip;
            return w->paths[k].frame;
        }
    for (int32_t k = 0; k < w->n_joins && w->live & bit; k++)
        if (w->joins[k].arrived & w->joins[k].members & bit) {
            *mask = w->joins[k].arrived;
            *ip = w->joins[k].rpc;
            return w->joins[k].frame;
        }
    *mask = 0;
    return -1;
}

static uint32_t inst_of(const sg_func *f, const sg_op *ip) {
    return ip >= f->ops && ip < f->ops + f->n_ops ? f->insts[ip - f->ops] : f->source->n_insts;
}

/* Adds a frame, behind those of the functions that are inlined there. */
static void add_frames(dbg_stop *s, dbg_frame frame) {
    dbg_inlined list[8];
    uint32_t n = dbg_inlined_at(s->info, frame.func->source, frame.at, list, WB_COUNT(list));
    for (uint32_t k = 0; k <= n && s->n_frames < DBG_DEEPEST; k++) {
        frame.inlined = k < n ? list[k].name : NULL;
        s->frames[s->n_frames++] = frame;
        frame.line = k < n ? list[k].line : 0;
    }
}

bool dbg_stop_focus(dbg_stop *s, uint32_t thread) {
    sg_block *b = s->stopped->block;
    const sg_op *ip;
    uint32_t mask;
    if (thread >= b->threads)
        return false;
    sg_warp *w = &b->warps[thread / SG_LANES];
    int32_t at = locate(s, w, 1u << thread % SG_LANES, &ip, &mask);
    if (at < 0)
        return false;
    s->warp = w;
    s->lane = (int)(thread % SG_LANES);
    s->mask = mask;
    for (s->n_frames = 0; at >= 0 && s->n_frames < DBG_DEEPEST; at = w->frames[at].parent) {
        const sg_frame *f = &w->frames[at];
        add_frames(s, (dbg_frame){f->func, inst_of(f->func, ip), f->base, f->local_base, NULL, 0});
        ip = f->back ? f->back - 1 : NULL;
    }
    return true;
}

static uint32_t depth_of(const sg_warp *w, int32_t frame) {
    uint32_t depth = 0;
    for (int32_t at = frame; at >= 0; at = w->frames[at].parent)
        depth++;
    return depth;
}

static void free_refs(dbg_stop *s) {
    for (uint32_t k = 0; k < s->n_refs; k++)
        free(s->refs[k].path);
    free(s->refs);
}

/* Takes the thread as the focus. */
static void take_focus(dbg_session *s, const dbg_stop *stop) {
    const sg_block *b = stop->warp->block;
    const uint32_t *size = s->run->launch->block;
    s->block = b->id;
    s->warp = stop->warp->index;
    s->lane = (uint32_t)stop->lane;
    uint32_t t = s->warp * SG_LANES + s->lane;
    memcpy(dbg.block, b->pos, sizeof dbg.block);
    dbg.thread[0] = t % size[0];
    dbg.thread[1] = t / size[0] % size[1];
    dbg.thread[2] = t / size[0] / size[1];
}

/* Remembers the place of the focus, from which a step goes on. */
static void begin_step(dbg_session *s, const dbg_stop *stop) {
    const sg_warp *w = stop->warp;
    const sg_op *ip;
    uint32_t mask;
    s->frame = locate(stop, w, 1u << stop->lane, &ip, &mask);
    s->line = ip->line;
    s->depth = depth_of(w, s->frame);
    s->n_pieces = 1;
    s->pieces[0] = stop->n_frames ? stop->frames[0].at : 0;
}

/* Stops: tells the client, and waits for its command. The lock is held. May not return, because an
 * interrupt ends the launch. */
static void stop_here(dbg_session *s, dbg_stop *stop, const char *reason, const char *text,
                      const dbg_breakpoint *hit) {
    sg_block *b = stop->stopped->block;
    sg_run *run = b->run;
    json_t *hits = hit ? wb_json_pack("[I]", hit->id) : NULL;
    sg_print_flush(b);
    take_focus(s, stop);
    dbg.stop = stop;
    dbg.command = DBG_WAIT;
    dbg.pause = false;
    dbg_event("stopped", wb_json_pack("{s:s, s:I, s:b, s:s*, s:o*}", "reason", reason, "threadId",
                                      (json_int_t)1, "allThreadsStopped", 1, "text", text,
                                      "hitBreakpointIds", hits));
    while (dbg.fd >= 0 && dbg.command == DBG_WAIT && atomic_load(&sg_interrupts) == run->generation)
        dbg_pausing();
    dbg.stop = NULL;
    if (memcmp(dbg.block, b->pos, sizeof dbg.block) == 0) /* else the client chose another block */
        take_focus(s, stop);
    begin_step(s, stop);
    s->mode = dbg.fd >= 0 && dbg.command ? dbg.command : DBG_CONTINUE;
    free_refs(stop);
    dbg_event("continued",
              wb_json_pack("{s:I, s:b}", "threadId", (json_int_t)1, "allThreadsContinued", 1));
    run->progress = wb_now(); /* the watchdog has not waited */
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* Looks at what the client has changed. The lock is held. */
static void look(dbg_session *s, const sg_warp *w) {
    const sg_run *run = s->run = w->block->run;
    const uint32_t *grid = run->launch->grid, *size = run->launch->block;
    uint32_t n = sg_code_ops(run->code);
    uint32_t t = dbg.thread[0] + size[0] * (dbg.thread[1] + size[1] * dbg.thread[2]);
    s->changes = dbg.changes;
    s->block = dbg.block[0] + (uint64_t)grid[0] * (dbg.block[1] + (uint64_t)grid[1] * dbg.block[2]);
    if (t >= run->threads || s->block >= run->n_blocks)
        s->block = UINT64_MAX; /* nobody is the focus */
    s->warp = t / SG_LANES;
    s->lane = t % SG_LANES;
    s->any = dbg.any;
    free(s->marks);
    s->marks = calloc(n + 1, 1);
    if (s->marks)
        dbg_breaks_place(run, s->marks);
    if (dbg.fd < 0)
        s->mode = DBG_CONTINUE;
}

/* Returns true if the focus has come to another line, as its step asks. */
static bool has_stepped(dbg_session *s, const sg_warp *w, const sg_op *ip) {
    const struct sg_line *line = &s->run->code->lines[ip->line];
    uint32_t depth = depth_of(w, w->frame), first = inst_of(w->func, ip);
    bool same = depth == s->depth && w->frame == s->frame && (ip->line == s->line || !line->line) &&
                s->n_pieces < MOST_PIECES;
    if (s->mode == DBG_OUT)
        return depth < s->depth;
    if (depth > s->depth && (s->mode == DBG_OVER || !line->line || strstr(line->file, "/include/")))
        return false;
    for (uint32_t k = 0; k < s->n_pieces; k++)
        same &= s->pieces[k] != first; /* else the next turn of a loop in one line */
    if (same)
        s->pieces[s->n_pieces++] = first;
    return !same && line->line;
}

/* Stops at a breakpoint, if one is hit. */
static void try_breakpoints(dbg_session *s, dbg_stop *stop, bool focused) {
    uint32_t lanes = focused && !s->any ? 1u << s->lane : stop->stopped->mask;
    const dbg_breakpoint *hit = NULL;
    for (; lanes && !hit; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        if (dbg_stop_focus(stop, stop->stopped->index * SG_LANES + (uint32_t)lane))
            hit = dbg_breaks_hit(stop, lane);
    }
    if (hit)
        stop_here(s, stop, "breakpoint", NULL, hit);
}

/* Returns true if the warp has to let others run: the focus's warp, while it steps; or any, as the
 * seed wants. */
static bool gives_way(dbg_session *s, const sg_warp *w) {
    if (s->draw) {
        s->draw ^= s->draw << 13;
        s->draw ^= s->draw >> 7;
        s->draw ^= s->draw << 17;
    }
    if (s->mode == DBG_CONTINUE || w->block->id != s->block || w->index == s->warp)
        return s->draw % 8 == 1;
    const sg_warp *focus = &w->block->warps[s->warp];
    if (!focus->live || focus->parked || focus->stop == SG_STOP_SLICE) /* it waits for others */
        return false;
    bool ready = focus->mask;
    for (uint32_t k = 0; k < focus->n_paths; k++)
        ready |= focus->paths[k].state == SG_PATH_READY;
    return ready;
}

static void on_piece(void *context, sg_warp *w, const sg_op *ip) {
    dbg_session *s = context;
    unsigned changes = atomic_load_explicit(&dbg.changes, memory_order_relaxed);
    if (!ip->d)
        return;
    if ((s->draw || s->mode != DBG_CONTINUE) && changes == s->changes && gives_way(s, w)) {
        w->stop = SG_STOP_SLICE;
        return;
    }
    if (changes == s->changes && s->mode == DBG_CONTINUE &&
        !(s->marks && s->marks[w->func->ordinal + (uint32_t)(ip - w->func->ops)]))
        return;
    pthread_mutex_lock(&dbg.lock);
    if (changes != s->changes)
        look(s, w);
    dbg_stop stop = {.run = s->run, .info = s->info, .stopped = w, .ip = ip};
    bool focused = w->block->id == s->block && w->index == s->warp && w->mask >> s->lane & 1;
    bool marked = s->marks && s->marks[w->func->ordinal + (uint32_t)(ip - w->func->ops)];
    int lane = focused ? (int)s->lane : __builtin_ctz(w->mask);
    bool stepped = focused && s->mode != DBG_CONTINUE && has_stepped(s, w, ip);
    if (dbg.pause || stepped) {
        const char *reason = dbg.pause ? "pause" : "step";
        if (dbg_stop_focus(&stop, w->index * SG_LANES + (uint32_t)lane))
            stop_here(s, &stop, reason, NULL, NULL);
    } else if (marked && (focused || s->any)) {
        try_breakpoints(s, &stop, focused);
    }
    pthread_mutex_unlock(&dbg.lock);
    sg_block_check(w->block); /* an interrupt ends the launch here */
}

static void on_fault(void *context, sg_warp *w, const sg_op *ip, int lane, const char *text) {
    dbg_session *s = context;
    const sg_fault *f = &w->block->run->launch->fault;
    if (s->faulted || !f->code || f->kind == SG_FAULT_INTERRUPTED || !dbg_is_on())
        return;
    s->faulted = true;
    pthread_mutex_lock(&dbg.lock);
    if (!s->run)
        look(s, w);
    dbg_stop stop = {
        .run = s->run, .info = s->info, .stopped = w, .ip = w->sync_op ? w->sync_op : ip};
    if (dbg_stop_focus(&stop, w->index * SG_LANES + (uint32_t)lane))
        stop_here(s, &stop, "exception", text, NULL);
    pthread_mutex_unlock(&dbg.lock);
}

/* ---- a launch ------------------------------------------------------------------------------ */

void dbg_launch_unknown(const char *kernel) {
    char text[300];
    snprintf(text, sizeof text,
             _("%s runs without the debugger, because its source is not a cell of this notebook\n"),
             kernel);
    pthread_mutex_lock(&dbg.lock);
    dbg_event("output", wb_json_pack("{s:s, s:s}", "category", "console", "output", text));
    pthread_mutex_unlock(&dbg.lock);
}

/* Waits until the client has set its breakpoints. */
static void await_client(void) {
    enum { PATIENCE_S = 5 };
    double until = wb_now() + PATIENCE_S;
    unsigned interrupts = atomic_load(&sg_interrupts);
    while (dbg.fd >= 0 && !dbg.configured && wb_now() < until &&
           atomic_load(&sg_interrupts) == interrupts)
        dbg_pausing();
    dbg.configured = true; /* the next launch does not wait again */
}

dbg_session *dbg_launch_open(sg_launch *launch, const dbg_info *info) {
    if (pthread_mutex_trylock(&one) != 0)
        return NULL;
    dbg_session *s = calloc(1, sizeof *s);
    if (!s) {
        pthread_mutex_unlock(&one);
        return NULL;
    }
    s->info = info;
    s->mode = DBG_CONTINUE;
    dbg_parameters(info, launch->kernel->function, &s->parameters);
    pthread_mutex_lock(&dbg.lock);
    await_client();
    s->changes = dbg.changes - 1;
    s->watcher = (sg_watcher){s, on_piece, on_fault, dbg.seed};
    s->draw = dbg.seed * 0x9e3779b97f4a7c15u;
    pthread_mutex_unlock(&dbg.lock);
    s->wish = (sg_wish){.what = SG_RECORD_DEBUG,
                        .watcher = &s->watcher,
                        .parameters = (const char *const *)s->parameters.v,
                        .n_parameters = (uint32_t)s->parameters.n};
    launch->wish = &s->wish;
    /* a launch that is not small would take several times as long */
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    unsigned checks = SG_RACECHECK | SG_INITCHECK;
    bool small = blocks * threads <= MOST_CHECKED;
    launch->options = SG_RECORD | (small ? checks : launch->options & checks);
    return s;
}

void dbg_launch_close(dbg_session *s) {
    if (!s)
        return;
    pthread_mutex_unlock(&one);
    wb_strings_free(&s->parameters);
    WB_FREE(s->marks, s);
}
