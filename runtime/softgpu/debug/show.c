/* show.c: a stopped thread as the client sees it: frames, scopes, variables and values. */
#include <inttypes.h>

#include "runtime/base/base.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/debug/state.h"
#include "runtime/softgpu/watch/record/place.h"

enum { MOST_SHOWN = 100 /* elements below one node; more are divided */, PREVIEW = 8 };

/* ---- threads and frames -------------------------------------------------------------------- */

json_t *dbg_show_thread(void) {
    char name[120];
    snprintf(name, sizeof name,
             dbg.stop ? _("block (%u, %u, %u), thread (%u, %u, %u)") : _("no kernel is stopped"),
             dbg.block[0], dbg.block[1], dbg.block[2], dbg.thread[0], dbg.thread[1], dbg.thread[2]);
    return wb_json_pack("{s:[{s:i, s:s}]}", "threads", "id", 1, "name", name);
}

static json_t *frame_json(const dbg_frame *f, uint32_t id) {
    const ptx_module *m = dbg.stop->run->code->kernel->module->ptx;
    const ptx_function *source = f->func->source;
    uint32_t at = f->at < source->n_insts ? f->at : source->n_insts - 1;
    while (at > 0 && !source->insts[at].loc.line)
        at--;
    const ptx_loc *loc = &source->insts[at].loc;
    const char *path = loc->file < m->n_files ? dbg_path(m->files[loc->file]) : "";
    const char *slash = strrchr(path, '/');
    char name[256];
    sg_demangle(source->name, name, sizeof name);
    const char *lambda = strstr(name, "{lambda");
    name[lambda ? 0 : strcspn(name, "(")] = '\0';
    return wb_json_pack("{s:I, s:s, s:I, s:i, s:{s:s, s:s}}", "id", (json_int_t)id, "name",
                        f->inlined ? f->inlined
                        : lambda   ? "lambda"
                                   : name,
                        "line", (json_int_t)(f->line ? f->line : loc->line), "column", 1, "source",
                        "name", slash ? slash + 1 : path, "path", path);
}

json_t *dbg_show_frames(void) {
    const sg_launch *l = dbg.stop->run->launch;
    json_t *frames = json_array();
    char text[160];
    uint32_t n = dbg.stop->n_frames;
    for (uint32_t k = 0; k < n; k++)
        json_array_append_new(frames, frame_json(&dbg.stop->frames[k], k + 1));
    snprintf(text, sizeof text, _("launch <<<(%u, %u, %u), (%u, %u, %u)>>>"), l->grid[0],
             l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    json_array_append_new(frames, wb_json_pack("{s:I, s:s, s:i, s:i, s:s}", "id",
                                               (json_int_t)(n + 1), "name", text, "line", 0,
                                               "column", 0, "presentationHint", "label"));
    return wb_json_pack("{s:o, s:I}", "stackFrames", frames, "totalFrames", (json_int_t)(n + 1));
}

/* ---- references ---------------------------------------------------------------------------- */

/* Returns a new variablesReference. */
static json_int_t refer(enum dbg_ref_kind kind, uint32_t frame, const char *path, uint64_t from,
                        uint64_t to) {
    dbg_ref *r = WB_PUSH(dbg.stop->refs, dbg.stop->n_refs);
    if (r)
        *r = (dbg_ref){kind, frame, path ? strdup(path) : NULL, from, to};
    return r ? (json_int_t)dbg.stop->n_refs : 0;
}

json_t *dbg_show_scopes(json_int_t id) {
    static const char *const names[] = {N_("Thread"), N_("Warp"), N_("Shared memory"),
                                        N_("Block and grid"), N_("Globals")};
    json_t *scopes = json_array();
    uint32_t frame = (uint32_t)(id - 1);
    if (id < 1 || id > (json_int_t)dbg.stop->n_frames + 1) {
        json_decref(scopes);
        return NULL;
    }
    for (int k = 0; frame < dbg.stop->n_frames && k < (int)WB_COUNT(names); k++)
        json_array_append_new(scopes,
                              wb_json_pack("{s:s, s:s*, s:I, s:b}", "name", wb_tr(names[k]),
                                           "presentationHint", k == DBG_THREAD ? "locals" : NULL,
                                           "variablesReference",
                                           refer((enum dbg_ref_kind)k, frame, NULL, 0, 0),
                                           "expensive", k == DBG_GLOBALS));
    return wb_json_pack("{s:o}", "scopes", scopes);
}

/* ---- values -------------------------------------------------------------------------------- */

static void write_type(const sg_watched *w, wb_buf *out) {
    wb_buf_puts(out, w->type ? w->type : "void");
    wb_buf_puts(out, w->kind == SG_VALUE_POINTER ? " *" : "");
    if (w->is_array && w->rows > 1)
        wb_buf_printf(out, "[%" PRIu64 "]", w->rows);
    if (w->is_array)
        wb_buf_printf(out, w->rows ? "[%" PRIu64 "]" : "[]", w->cols);
}

static json_t *variable_json(const char *name, wb_buf *value, wb_buf *type, const char *path,
                             json_int_t reference) {
    json_t *o = wb_json_pack("{s:s, s:s, s:s*, s:s*, s:I}", "name", name, "value",
                             value->data ? value->data : "", "type", type ? type->data : NULL,
                             "evaluateName", path, "variablesReference", reference);
    wb_buf_free(value);
    if (type)
        wb_buf_free(type);
    return o;
}

/* Shows a number. A pointer has its target's elements below it. */
static json_t *number_json(uint32_t frame, const char *name, const char *path, const dbg_value *v) {
    wb_buf value = {0}, type = {0};
    uint64_t n = dbg_elements(dbg.stop, frame, &v->shape, &v->bits);
    sg_value_write(dbg.stop->run, &v->shape, v->bits, &value);
    if (n)
        wb_buf_printf(&value, _(", %llu elements from here"), (unsigned long long)n);
    write_type(&v->shape, &type);
    return variable_json(name, &value, &type, path,
                         n ? refer(DBG_ELEMENTS, frame, path, 0, n < MOST_SHOWN ? n : MOST_SHOWN)
                           : 0);
}

/* Writes what a lane has, or a question mark. */
static void write_lane(uint32_t frame, int lane, const sg_watched *w, wb_buf *out) {
    uint64_t bits;
    if (dbg_read(dbg.stop, frame, lane, w, &bits))
        sg_value_write(dbg.stop->run, w, bits, out);
    else
        wb_buf_puts(out, "?");
}

/* Shows what each lane of the warp has. */
static json_t *lanes_json(uint32_t frame, const char *name, const char *path, const sg_watched *w) {
    wb_buf value = {0}, type = {0};
    uint32_t m = dbg.stop->mask;
    for (uint32_t k = 0; m && k < PREVIEW; k++, m &= m - 1) {
        wb_buf_puts(&value, k ? ", " : "");
        write_lane(frame, __builtin_ctz(m), w, &value);
    }
    wb_buf_puts(&value, m ? ", ..." : "");
    write_type(w, &type);
    wb_buf_puts(&type, " x 32");
    return variable_json(name, &value, &type, NULL, refer(DBG_LANES, frame, path, 0, 0));
}

/* Writes the first elements of a range. */
static void write_elements(uint32_t frame, const sg_watched *w, const uint64_t *pointer,
                           uint64_t from, uint64_t to, wb_buf *out) {
    dbg_value v;
    for (uint64_t k = from; k < to && k < from + PREVIEW; k++) {
        wb_buf_puts(out, k > from ? ", " : "");
        if (dbg_element(dbg.stop, frame, w, pointer, k, &v))
            sg_value_write(dbg.stop->run, &v.shape, v.bits, out);
    }
    wb_buf_puts(out, to - from > PREVIEW ? ", ..." : "");
}

/* Shows an array that the block shares. */
static json_t *array_json(uint32_t frame, const char *name, const char *path, const sg_watched *w) {
    wb_buf value = {0}, type = {0};
    uint64_t n = dbg_elements(dbg.stop, frame, w, NULL);
    dbg_value v;
    if (w->rows == 1 && w->cols == 1 && dbg_element(dbg.stop, frame, w, NULL, 0, &v))
        return number_json(frame, name, path, &v);
    write_elements(frame, w, NULL, 0, n, &value);
    write_type(w, &type);
    return variable_json(name, &value, &type, path, refer(DBG_ELEMENTS, frame, path, 0, n));
}

/* ---- variables ----------------------------------------------------------------------------- */

/* Returns true if the scope has the variable. Another kernel's shared memory is in none. */
static bool belongs(const dbg_stop *s, uint32_t frame, const sg_watched *w,
                    enum dbg_ref_kind scope) {
    const sg_kernel *kernel = s->run->launch->kernel;
    bool shared = false;
    if (!w->is_array)
        return scope == DBG_THREAD || scope == DBG_WARP;
    for (uint32_t k = 0; k < kernel->n_shared && w->n_places; k++)
        shared |= strcmp(kernel->shared_vars[k]->name, w->places[0].name) == 0;
    return scope == (shared ? DBG_SHARED : DBG_GLOBALS) && dbg_elements(s, frame, w, NULL);
}

/* Adds the parts of a path, or the variable itself if it is a number. */
static void add_parts(const dbg_ref *r, const char *path, const dbg_list *list, json_t *to) {
    bool warp = r->kind == DBG_WARP || r->kind == DBG_WARP_PARTS;
    size_t len = strlen(path);
    char last[200] = "";
    for (uint32_t k = 0; k < list->n; k++) {
        const sg_watched *w = &list->v[k];
        size_t end = len + (w->name[len] ? 1 + strcspn(w->name + len + 1, ".[") : 0);
        char part[200];
        dbg_value v = {.shape = *w};
        snprintf(part, sizeof part, "%.*s", (int)end, w->name);
        if (strncmp(w->name, path, len) != 0 || (w->name[len] && !strchr(".[", w->name[len])) ||
            strcmp(part, last) == 0)
            continue;
        strcpy(last, part);
        const char *name = part[len] == '.' ? part + len + 1 : part[len] ? part + len : part;
        if (w->name[end]) {
            wb_buf value = {0};
            wb_buf_puts(&value, "...");
            json_array_append_new(
                to, variable_json(name, &value, NULL, warp ? NULL : part,
                                  refer(warp ? DBG_WARP_PARTS : DBG_PARTS, r->frame, part, 0, 0)));
        } else if (w->is_array) {
            json_array_append_new(to, array_json(r->frame, name, part, w));
        } else if (dbg_read(dbg.stop, r->frame, dbg.stop->lane, w, &v.bits)) {
            json_array_append_new(to, warp ? lanes_json(r->frame, name, part, w)
                                           : number_json(r->frame, name, part, &v));
        }
    }
}

/* Adds a variable of a scope: a number, or a node with its parts. */
static void add_variable(const dbg_ref *r, const char *name, json_t *to) {
    const dbg_stop *s = dbg.stop;
    dbg_list list = {0};
    uint64_t bits;
    if (!dbg_watch(s->info, s->frames[r->frame].func->source, name, &list) ||
        !belongs(s, r->frame, &list.v[0], r->kind)) {
        dbg_list_free(&list);
        return;
    }
    bool leaf = strcmp(list.v[0].name, name) == 0;
    bool known = list.v[0].is_array || dbg_read(s, r->frame, s->lane, &list.v[0], &bits);
    if (leaf) {
        add_parts(r, name, &list, to);
    } else if (known) {
        wb_buf value = {0};
        bool warp = r->kind == DBG_WARP;
        for (uint32_t k = 0; !warp && k < list.n && k < PREVIEW; k++) {
            wb_buf_printf(&value, "%s%s = ", k ? ", " : "", list.v[k].name + strlen(name));
            if (list.v[k].is_array)
                write_elements(r->frame, &list.v[k], NULL, 0, list.v[k].rows * list.v[k].cols,
                               &value);
            else
                write_lane(r->frame, s->lane, &list.v[k], &value);
        }
        json_array_append_new(
            to, variable_json(name, &value, NULL, warp ? NULL : name,
                              refer(warp ? DBG_WARP_PARTS : DBG_PARTS, r->frame, name, 0, 0)));
    }
    dbg_list_free(&list);
}

static void add_lanes(const dbg_ref *r, const sg_watched *w, json_t *to) {
    uint32_t threads = dbg.stop->warp->block->threads;
    for (int lane = 0; lane < SG_LANES; lane++) {
        char name[24];
        wb_buf value = {0};
        bool on = dbg.stop->mask >> lane & 1;
        if (dbg.stop->warp->index * SG_LANES + (uint32_t)lane >= threads)
            break;
        snprintf(name, sizeof name, "[%d]", lane);
        if (on)
            write_lane(r->frame, lane, w, &value);
        else
            wb_buf_puts(&value, "-");
        json_t *o = variable_json(name, &value, NULL, NULL, 0);
        if (!on)
            json_object_set_new(o, "presentationHint",
                                wb_json_pack("{s:[s]}", "attributes", "inactive"));
        json_array_append_new(to, o);
    }
}

/* Adds elements, or groups of them: rows, hundreds. */
static void add_elements(const dbg_ref *r, const sg_watched *w, const uint64_t *pointer,
                         json_t *to) {
    uint64_t n = r->to - r->from, cols = w->is_array && w->rows != 1 && w->cols > 1 ? w->cols : 0;
    uint64_t unit = cols && n > cols ? cols : 1, step = unit;
    while (n / step > MOST_SHOWN)
        step *= MOST_SHOWN;
    for (uint64_t k = r->from; k < r->to; k += step) {
        uint64_t end = k + step < r->to ? k + step : r->to;
        uint64_t first = unit > 1 ? k / unit : cols ? k % cols : k;
        char name[80], path[300];
        dbg_value v;
        wb_buf value = {0};
        snprintf(name, sizeof name, step > unit ? "[%" PRIu64 "-%" PRIu64 "]" : "[%" PRIu64 "]",
                 first, first + (end - k) / unit - 1);
        if (cols)
            snprintf(path, sizeof path, "%s[%" PRIu64 "]%s", r->path, k / cols, name);
        else
            snprintf(path, sizeof path, "%s%s", r->path, name);
        if (step == 1 && dbg_element(dbg.stop, r->frame, w, pointer, k, &v)) {
            json_array_append_new(to, number_json(r->frame, name, path, &v));
            continue;
        }
        write_elements(r->frame, w, pointer, k, end, &value);
        json_array_append_new(to, variable_json(name, &value, NULL, NULL,
                                                refer(DBG_ELEMENTS, r->frame, r->path, k, end)));
    }
}

/* ---- the block and the grid ---------------------------------------------------------------- */

static void add_text(json_t *to, const char *name, const char *format, ...) {
    wb_buf value = {0};
    char *text = WB_FORMATTED(format);
    wb_buf_puts(&value, text ? text : "");
    free(text);
    json_array_append_new(to, variable_json(name, &value, NULL, NULL, 0));
}

static void add_waiting(json_t *to) {
    const sg_block *b = dbg.stop->warp->block;
    const struct sg_line *lines = dbg.stop->run->code->lines;
    wb_buf text = {0};
    for (uint32_t k = 0; k < b->n_warps; k++) {
        const sg_warp *w = &b->warps[k];
        const sg_op *at = w->parked ? w->ip : NULL;
        for (uint32_t i = 0; i < w->n_paths && !at; i++)
            at = w->paths[i].state == SG_PATH_BARRIER ? w->paths[i].ip : NULL;
        if (at)
            wb_buf_printf(&text, _("%swarp %u in line %u"), text.len ? ", " : "", k,
                          lines[at->line].line);
    }
    add_text(to, _("waiting at barriers"), "%s", text.len ? text.data : _("none"));
    wb_buf_free(&text);
}

static void add_grid(json_t *to) {
    const dbg_stop *s = dbg.stop;
    const sg_launch *l = s->run->launch;
    const uint32_t *size = l->block, *pos = s->warp->block->pos;
    uint32_t t = s->warp->index * SG_LANES + (uint32_t)s->lane;
    add_text(to, "threadIdx", "(%u, %u, %u)", t % size[0], t / size[0] % size[1],
             t / size[0] / size[1]);
    add_text(to, "blockIdx", "(%u, %u, %u)", pos[0], pos[1], pos[2]);
    add_text(to, "blockDim", "(%u, %u, %u)", size[0], size[1], size[2]);
    add_text(to, "gridDim", "(%u, %u, %u)", l->grid[0], l->grid[1], l->grid[2]);
    add_text(to, _("warp, lane"), "%u, %d", s->warp->index, s->lane);
    add_text(to, _("active lanes"), "0x%08x, %d", s->mask, __builtin_popcount(s->mask));
    add_waiting(to);
}

/* ---- requests ------------------------------------------------------------------------------ */

static void add_scope(const dbg_ref *r, json_t *to) {
    wb_strings names = {0};
    dbg_names(dbg.stop->info, dbg.stop->frames[r->frame].func->source, &names);
    for (size_t k = 0; k < names.n; k++)
        add_variable(r, names.v[k], to);
    wb_strings_free(&names);
}

/* Adds what is below a path. */
static void add_below(const dbg_ref *r, json_t *to) {
    const dbg_stop *s = dbg.stop;
    char *base = wb_format("%.*s", (int)strcspn(r->path, ".["), r->path);
    dbg_list list = {0};
    dbg_value v;
    if (base)
        dbg_watch(s->info, s->frames[r->frame].func->source, base, &list);
    const sg_watched *w = NULL;
    for (uint32_t k = 0; k < list.n; k++)
        if (strcmp(list.v[k].name, r->path) == 0)
            w = &list.v[k];
    if (r->kind == DBG_PARTS || r->kind == DBG_WARP_PARTS)
        add_parts(r, r->path, &list, to);
    else if (r->kind == DBG_LANES && w)
        add_lanes(r, w, to);
    else if (w && w->is_array && !dbg_is_pointer(w))
        add_elements(r, w, NULL, to);
    else if (dbg_find(s, r->frame, s->lane, r->path, &v))
        add_elements(r, &v.shape, &v.bits, to);
    dbg_list_free(&list);
    free(base);
}

json_t *dbg_show_variables(json_int_t reference) {
    json_t *to = json_array();
    if (reference < 1 || reference > (json_int_t)dbg.stop->n_refs) {
        json_decref(to);
        return NULL;
    }
    dbg_ref r = dbg.stop->refs[reference - 1]; /* a copy: the table grows */
    if (r.kind == DBG_GRID)
        add_grid(to);
    else if (r.path)
        add_below(&r, to);
    else
        add_scope(&r, to);
    return wb_json_pack("{s:o}", "variables", to);
}

json_t *dbg_show_evaluate(json_int_t id, const char *expression, const char **why) {
    const dbg_stop *s = dbg.stop;
    dbg_number n;
    dbg_value v;
    uint32_t frame = (uint32_t)(id - 1);
    if (id < 1 || frame >= s->n_frames) {
        *why = _("no such frame");
        return NULL;
    }
    json_t *o = NULL;
    if (dbg_find(s, frame, s->lane, expression, &v)) {
        o = number_json(frame, expression, expression, &v);
    } else if (dbg_compute(s, frame, s->lane, expression, &n, why)) {
        wb_buf text = {0};
        wb_buf_printf(&text, n.is_real ? "%Lg" : "%.0Lf", n.value);
        o = variable_json(expression, &text, NULL, NULL, 0);
    } else { /* a structure or an array */
        json_t *to = json_array();
        for (enum dbg_ref_kind k = DBG_THREAD; k <= DBG_GLOBALS; k++)
            if (k != DBG_WARP && k != DBG_GRID && !json_array_size(to))
                add_variable(&(dbg_ref){.kind = k, .frame = frame}, expression, to);
        o = json_incref(json_array_get(to, 0));
        json_decref(to);
        *why = o ? NULL : *why;
    }
    json_t *value = json_object_get(o, "value");
    json_object_set(o, "result", value);
    return o;
}
