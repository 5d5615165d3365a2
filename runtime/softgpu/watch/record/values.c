/* values.c: see values.h. A row is a line with the lanes that run it. It is open until lanes run
 * another line, or the same one again; then the values are read. Each lane has its own last
 * instruction of the row, because a line may have several branches. */
#include "runtime/softgpu/watch/record/values.h"

#include "runtime/base/base.h"
#include "runtime/softgpu/watch/record/place.h"

enum {
    MOST_CELLS = 1024, /* of an array */
    MOST_PIECES = 32,  /* of a row */
    AT_BARRIER = SG_LANES,
    COUNTS /* of a line: by lane, and at barriers */
};

typedef struct series { /* of a watched variable */
    const sg_watched *of;
    sg_place *places; /* of->n_places */
    uint32_t n;       /* numbers: 32 lanes, or the array's elements */
    struct number {
        uint64_t now, last;
        bool known_now, known, changed;
    } * v;
} series;

struct sg_valuer { /* of a warp */
    uint32_t warp;
    sg_valuer *next; /* of the block's next warp (sg_wish.block_wide); only the first has arrays */
    const sg_wish *wish;
    const sg_run *run;
    const sg_func *func;
    series *s; /* wish->n_watched */
    uint32_t n;
    bool arrays;
    bool *traced; /* by line of the code: the wish has it; NULL: no trace */
    /* the open row: */
    uint32_t mask, line, round, at[SG_LANES];
    uint64_t frame;
    struct piece { /* those that the row consists of */
        uint32_t first, mask;
    } pieces[MOST_PIECES];
    uint32_t n_pieces;
    uint32_t *rounds; /* by line, COUNTS each */
    bool ended;
    sg_moment_kept *moments;
    uint32_t n_moments;
    uint64_t all, same;
};

static bool find_series(sg_valuer *v, const sg_watched *w, series *s) {
    uint64_t elements = 0;
    s->of = w;
    s->places = calloc((size_t)w->n_places + 1, sizeof *s->places);
    for (uint32_t k = 0; s->places && k < w->n_places; k++)
        sg_place_find(v->run, v->func, w, &w->places[k], &s->places[k], &elements);
    s->n = !w->is_array ? SG_LANES : elements < MOST_CELLS ? (uint32_t)elements : MOST_CELLS;
    s->v = calloc((size_t)s->n + 1, sizeof *s->v);
    v->arrays |= w->is_array;
    return s->places && s->v;
}

static void find_traced(sg_valuer *v) {
    const sg_code *code = v->run->code;
    const ptx_module *m = v->run->launch->kernel->module->ptx;
    uint32_t own = v->func->source->loc.file;
    const char *file = own < m->n_files ? m->files[own] : "";
    for (uint32_t k = 0; k < code->n_lines; k++)
        for (uint32_t i = 0; i < v->wish->n_lines; i++)
            v->traced[k] |= code->lines[k].file && strcmp(code->lines[k].file, file) == 0 &&
                            code->lines[k].line >= v->wish->lines[i][0] &&
                            code->lines[k].line <= v->wish->lines[i][1];
}

static sg_valuer *new_of_warp(const sg_wish *wish, const sg_run *run, uint32_t warp) {
    sg_valuer *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->warp = warp;
    v->wish = wish;
    v->run = run;
    v->func = run->code->entry;
    for (uint32_t k = 0; k < run->launch->kernel->module->ptx->n_functions; k++)
        if (run->code->funcs[k] &&
            strcmp(run->code->funcs[k]->source->name, wish->of_function) == 0)
            v->func = run->code->funcs[k];
    v->s = calloc((size_t)wish->n_watched + 1, sizeof *v->s);
    v->rounds = calloc((size_t)run->code->n_lines + 1, COUNTS * sizeof *v->rounds);
    if (wish->lines && (v->traced = calloc((size_t)run->code->n_lines + 1, 1)) != NULL)
        find_traced(v);
    bool ok = v->s && v->rounds && (v->traced || !wish->lines);
    for (; ok && v->n < wish->n_watched; v->n++)
        ok = find_series(v, &wish->watched[v->n], &v->s[v->n]);
    if (ok)
        return v;
    sg_valuer_free(v);
    return NULL;
}

sg_valuer *sg_valuer_new(const sg_wish *wish, const sg_run *run) {
    if (!wish->block_wide || run->n_warps > SG_WIDE_WARPS)
        return new_of_warp(wish, run, wish->warp);
    sg_valuer *first = NULL;
    for (uint32_t warp = run->n_warps; warp-- > 0;) {
        sg_valuer *v = new_of_warp(wish, run, warp);
        if (!v) {
            sg_valuer_free(first);
            return NULL;
        }
        v->next = first;
        first = v;
    }
    return first;
}

void sg_valuer_free(sg_valuer *v) {
    if (!v)
        return;
    sg_valuer_free(v->next);
    for (uint32_t k = 0; v->s && k < v->wish->n_watched; k++)
        WB_FREE(v->s[k].places, v->s[k].v);
    for (uint32_t k = 0; k < v->n_moments; k++)
        free(v->moments[k].values);
    WB_FREE(v->s, v->rounds, v->traced, v->moments, v);
}

/* ---- moments -------------------------------------------------------------------------------- */

static bool is_in(const sg_valuer *v, const series *s, bool lanes, uint32_t i) {
    return s->of->is_array ? !lanes || v->traced : lanes && v->mask >> i & 1;
}

/* Compares the values with those that were known. Returns true if any has changed. */
static bool compare(sg_valuer *v, bool lanes) {
    bool any = false;
    for (uint32_t k = 0; k < v->n; k++)
        for (uint32_t i = 0; i < v->s[k].n; i++) {
            struct number *n = &v->s[k].v[i];
            if (!is_in(v, &v->s[k], lanes, i))
                continue;
            n->changed = n->known_now && (!n->known || n->last != n->now);
            n->known |= n->known_now;
            n->last = n->known_now ? n->now : n->last;
            any |= n->changed;
        }
    return any;
}

/* Keeps the values as a moment if it is wished for: those of lanes, or those of arrays. */
static void keep(sg_valuer *v, enum sg_moment what, uint32_t line, uint32_t round) {
    const struct sg_line *source = &v->run->code->lines[line];
    bool lanes = what == SG_MOMENT_LINE;
    if (v->traced)
        v->mask &= v->traced[line] ? v->wish->lanes : 0;
    if (v->traced && !v->mask)
        return;
    if (!compare(v, lanes) && !v->wish->every) {
        v->same += lanes;
        return;
    }
    v->all++;
    sg_moment_kept *m = v->all >= v->wish->first && v->all <= v->wish->last
                            ? WB_PUSH(v->moments, v->n_moments)
                            : NULL;
    wb_buf text = {0};
    if (!m)
        return;
    for (uint32_t k = 0; k < v->n; k++) {
        const series *s = &v->s[k];
        for (uint32_t i = 0; (v->traced || s->of->is_array != lanes) && i < s->n; i++) {
            if (is_in(v, s, lanes, i) && s->v[i].known_now) {
                wb_buf_puts(&text, s->v[i].changed ? "*" : "");
                sg_value_write(v->run, s->of, s->v[i].now, &text);
            }
            wb_buf_putc(&text, '\t');
        }
        wb_buf_putc(&text, '\n');
    }
    *m = (sg_moment_kept){.what = what,
                          .file = source->file,
                          .line = source->line,
                          .round = round,
                          .warp = v->warp,
                          .mask = lanes ? v->mask : 0,
                          .values = wb_buf_steal(&text)};
}

/* Returns the place of a variable when instruction `at` is next, or NULL. */
static const sg_place *place_at(const series *s, uint32_t at) {
    const sg_place *found = NULL;
    for (uint32_t k = 0; k < s->of->n_places; k++)
        if (s->places[k].from <= at && at < s->places[k].to)
            found = &s->places[k];
    return found;
}

static void read_lanes(sg_valuer *v, const sg_warp *w, uint32_t mask) {
    for (uint32_t k = 0; k < v->n; k++)
        for (uint32_t m = v->s[k].of->is_array ? 0 : mask; m; m &= m - 1) {
            int lane = __builtin_ctz(m);
            struct number *n = &v->s[k].v[lane];
            const sg_place *p = place_at(&v->s[k], v->at[lane]);
            n->known_now =
                p && sg_place_read(p, w, v->frame, w->local_base, lane, v->s[k].of->bytes, &n->now);
        }
}

static void read_arrays(sg_valuer *v, const sg_block *b) {
    for (uint32_t k = 0; k < v->n; k++) {
        const series *s = &v->s[k];
        bool array = s->of->is_array && s->of->n_places;
        const char *from = array ? sg_place_array(&s->places[0], b) : NULL;
        for (uint32_t i = 0; from && i < s->n; i++) {
            s->v[i].now = 0;
            s->v[i].known_now = true;
            memcpy(&s->v[i].now, from + i * s->of->stride, s->of->bytes);
        }
    }
}

/* Reads what the open row shows. */
static void read_row(sg_valuer *v, const sg_warp *w, uint32_t mask) {
    if (v->traced && v->arrays && v->traced[v->line])
        read_arrays(v, w->block);
    if (!v->traced || v->traced[v->line])
        read_lanes(v, w, mask);
}

static void close_row(sg_valuer *v, const sg_warp *w) {
    if (!v->mask)
        return;
    if (!v->wish->before)
        read_row(v, w, v->mask);
    keep(v, SG_MOMENT_LINE, v->line, v->round);
    v->mask = v->n_pieces = 0;
}

/* Returns true if the lanes continue the open row: in the same line, in a piece that they have not
 * run in it. So the end of a loop's round and its condition are one row, and each round of a loop
 * in one line has its own. */
static bool continues(const sg_valuer *v, const sg_warp *w, uint32_t line, uint64_t frame,
                      uint32_t first) {
    bool same = v->mask && v->line == line && v->frame == frame;
    for (uint32_t k = 0; k < v->n_pieces; k++)
        same &= v->pieces[k].first != first || !(v->pieces[k].mask & w->mask);
    return same && v->n_pieces < MOST_PIECES;
}

/* Returns the index where the values after a piece are valid: in front of a jump that ends it,
 * because locations behind it are another path's. */
static uint32_t end_of(const ptx_function *f, uint32_t first, uint32_t n) {
    const ptx_inst *last = &f->insts[first + n - 1];
    bool jump = ptx_op_is(last, "bra") || ptx_op_is(last, "brx") || ptx_op_is(last, "ret") ||
                ptx_op_is(last, "exit");
    return first + n - jump;
}

void sg_values_piece(sg_valuer *v, sg_warp *w, const sg_op *ip, const char *r) {
    if (ip->d == 0 && w->func == v->run->code->entry && v->arrays && !v->traced) {
        read_arrays(v, w->block);
        v->ended = true;
    }
    while (v && v->warp != w->index)
        v = v->next;
    if (!v || w->func != v->func)
        return;
    uint32_t first = w->func->insts[ip - w->func->ops];
    uint64_t frame = (uint64_t)(r - w->regs);
    /* code without a line belongs to the line around it */
    uint32_t line = v->mask && !v->run->code->lines[ip->line].line ? v->line : ip->line;
    if (ip->d == 0 || !continues(v, w, line, frame, first))
        close_row(v, w);
    if (ip->d == 0)
        return;
    v->round = v->mask ? v->round : 0;
    v->pieces[v->n_pieces++] = (struct piece){first, w->mask};
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint32_t *round = &v->rounds[line * COUNTS + lane];
        v->at[lane] = v->wish->before ? first : end_of(w->func->source, first, (uint32_t)ip->d);
        if (v->mask >> lane & 1)
            continue;
        if (++*round > v->round)
            v->round = *round;
    }
    v->line = line;
    v->frame = frame;
    if (v->wish->before)
        read_row(v, w, w->mask & ~v->mask);
    v->mask |= w->mask;
}

/* Returns the line of a barrier at which a warp waits. */
static uint32_t barrier_line(const sg_block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++) {
        const sg_warp *w = &b->warps[k];
        if (w->parked)
            return w->ip->line;
        for (uint32_t i = 0; i < w->n_paths; i++)
            if (w->paths[i].state == SG_PATH_BARRIER)
                return w->paths[i].ip->line;
    }
    return 0;
}

void sg_values_barrier(sg_valuer *v, sg_block *b) {
    if (!v->arrays || v->traced)
        return;
    read_arrays(v, b);
    uint32_t line = barrier_line(b);
    keep(v, SG_MOMENT_BARRIER, line, ++v->rounds[line * COUNTS + AT_BARRIER]);
}

void sg_valuer_report(sg_valuer *v, sg_recorded *out) {
    if (v->ended)
        keep(v, SG_MOMENT_END, 0, 1);
    if (v->traced && v->mask && v->wish->before) /* a fault ended the launch in this row */
        keep(v, SG_MOMENT_LINE, v->line, v->round);
    for (; v; v = v->next) {
        for (uint32_t k = 0; k < v->n_moments; k++) {
            sg_moment_kept *m = WB_PUSH(out->moments, out->n_moments);
            if (m)
                *m = v->moments[k];
            else
                free(v->moments[k].values);
        }
        v->n_moments = 0;
        out->all_moments = out->all_moments > v->all ? out->all_moments : v->all;
        out->same = out->same > v->same ? out->same : v->same;
    }
}
