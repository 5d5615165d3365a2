/* values.c: see values.h. */
#include "runtime/softgpu/cudart/soft/twin/values.h"

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/cudart/rt.h"

enum { MOST_NUMBERS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static json_t *wished;

void soft_values_read(const json_t *wish) {
    WB_LOCKED(&lock);
    json_decref(wished);
    wished = json_deep_copy(wish);
}

/* Finds the numbers of all names in one function. Returns false and sets the trouble if a name is
 * unknown there. */
static bool watch_all(soft_values *v, const dbg_info *info, const ptx_function *f) {
    WB_JSON_EACH(name, json_object_get(wished, "names")) {
        v->name = json_string_value(name);
        if (dbg_watch(info, f, v->name, &v->list))
            continue;
        v->trouble = SOFT_VALUES_NAME;
        wb_strings_free(&v->known);
        dbg_names(info, f, &v->known);
        return false;
    }
    v->trouble = v->list.n > MOST_NUMBERS ? SOFT_VALUES_MANY : SOFT_VALUES_FINE;
    return true;
}

/* Finds the variables in the kernel, or else in a function of the same file. */
static void find_variables(soft_values *v, const ptx_function *kernel) {
    const dbg_info *info = v->twin.info;
    const ptx_module *m = dbg_module(info);
    if (watch_all(v, info, kernel))
        return;
    for (uint32_t k = 0; k < m->n_functions; k++) {
        soft_values other = {0};
        const ptx_function *f = m->functions[k];
        bool near = !f->is_entry && !f->is_declaration && f->loc.file == kernel->loc.file;
        bool found = near && watch_all(&other, info, f);
        wb_strings_free(&other.known);
        if (!found) {
            dbg_list_free(&other.list);
            continue;
        }
        dbg_list_free(&v->list);
        v->list = other.list;
        v->trouble = other.trouble;
        for (uint32_t i = 0; i < v->list.n; i++) /* arrays are read in the kernel's own moments */
            v->wish.of_function = v->list.v[i].is_array ? kernel->name : f->name;
        return;
    }
}

/* ---- a trace ------------------------------------------------------------------------------- */

/* Returns the first line from `line` on at which the function has code of its own file, or 0. */
static uint32_t line_from(const ptx_function *f, uint32_t line) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < f->n_insts; k++) {
        const ptx_loc *at = &f->insts[k].loc;
        if (at->file == f->loc.file && at->line >= line && (!found || at->line < found))
            found = at->line;
    }
    return found;
}

/* Returns the function with code at the lines, the kernel first; or NULL, and sets v->next. */
static const ptx_function *function_at(soft_values *v, const ptx_function *kernel,
                                       const uint32_t lines[2]) {
    const ptx_module *m = dbg_module(v->twin.info);
    v->next = 0;
    for (uint32_t k = 0; k <= m->n_functions; k++) {
        const ptx_function *f = k ? m->functions[k - 1] : kernel;
        uint32_t line = f->loc.file == kernel->loc.file ? line_from(f, lines[0]) : 0;
        if (line && line <= lines[1])
            return f;
        v->next = line && (!v->next || line < v->next) ? line : v->next;
    }
    return NULL;
}

/* Finds the function with the lines, and its variables. */
static void find_lines(soft_values *v, const ptx_function *kernel) {
    const json_t *list = json_object_get(wished, "lines");
    const ptx_module *m = dbg_module(v->twin.info);
    const ptx_function *found = NULL;
    v->lines = calloc(json_array_size(list) + 1, sizeof *v->lines);
    v->trouble = SOFT_VALUES_LINE;
    v->file = kernel->loc.file < m->n_files ? m->files[kernel->loc.file] : "";
    WB_JSON_EACH(range, list) {
        uint32_t *lines = v->lines ? v->lines[range_at] : NULL;
        for (size_t k = 0; lines && k < 2; k++)
            lines[k] = (uint32_t)json_integer_value(json_array_get(range, k));
        const ptx_function *f = lines ? function_at(v, kernel, lines) : NULL;
        v->line = lines ? lines[0] : 0;
        v->name = f ? f->name : NULL;
        v->followed = found ? found->name : kernel->name;
        if (!f || (f->is_entry && f != kernel) || (found && f != found))
            return;
        found = f;
    }
    v->wish.lines = (const uint32_t(*)[2])v->lines;
    v->wish.n_lines = (uint32_t)json_array_size(list);
    v->wish.of_function = found->name;
    if (json_object_get(wished, "names")) {
        watch_all(v, v->twin.info, found);
        return;
    }
    dbg_names(v->twin.info, found, &v->known);
    for (size_t k = 0; k < v->known.n; k++)
        dbg_watch(v->twin.info, found, v->known.v[k], &v->list);
    v->trouble = SOFT_VALUES_FINE;
}

/* Chooses the warp of the wished thread, and its lane. */
static void find_thread(soft_values *v, const uint32_t block[3]) {
    const json_t *thread = json_object_get(wished, "thread");
    uint32_t at = 0;
    v->wish.lanes = UINT32_MAX;
    for (size_t k = 3; thread && k-- > 0;)
        at = at * block[k] + (uint32_t)json_integer_value(json_array_get(thread, k));
    if (!thread)
        return;
    v->wish.warp = at / 32;
    v->wish.lanes = 1u << at % 32;
}

/* ---- a launch ------------------------------------------------------------------------------ */

static void find(soft_values *v, const char *symbol) {
    const ptx_function *kernel = ptx_find(dbg_module(v->twin.info), symbol);
    dbg_parameters(v->twin.info, kernel, &v->parameters);
    v->wish.of_function = kernel->name;
    if (json_object_get(wished, "lines"))
        find_lines(v, kernel);
    else
        find_variables(v, kernel);
}

void soft_values_open(soft_values *v, sg_launch *launch, sg_kernel_info *info) {
    WB_LOCKED(&lock);
    v->wish = *launch->wish;
    v->trouble = SOFT_VALUES_SOURCE;
    find_thread(v, launch->block);
    if (soft_twin_load(&v->twin, json_object_get(wished, "texts"), launch->kernel, info->name))
        find(v, info->name);
    if (v->trouble == SOFT_VALUES_FINE)
        launch->kernel = v->twin.kernel;
    v->wish.watched = v->list.v;
    v->wish.n_watched = v->list.n;
    v->wish.parameters = (const char *const *)v->parameters.v;
    v->wish.n_parameters = (uint32_t)v->parameters.n;
    v->wish.first = (uint64_t)wb_field_int(wished, "first");
    v->wish.last = (uint64_t)wb_field_int(wished, "last");
    v->wish.before = wb_field_true(wished, "before");
    v->wish.every = wb_field_true(wished, "every");
    v->wish.block_wide = wb_field_true(wished, "wide");
    launch->wish = &v->wish;
    if (v->trouble != SOFT_VALUES_FINE) {
        launch->wish = NULL;
        launch->options &= ~(unsigned)SG_RECORD;
    }
}

void soft_values_close(soft_values *v) {
    dbg_list_free(&v->list);
    wb_strings_free(&v->known);
    wb_strings_free(&v->parameters);
    soft_twin_unload(&v->twin);
    free(v->lines);
    *v = (soft_values){0};
}

/* ---- the record ---------------------------------------------------------------------------- */

static json_t *moment_json(const sg_moment_kept *m) {
    static const char *const names[] = {
        [SG_MOMENT_LINE] = "line", [SG_MOMENT_BARRIER] = "barrier", [SG_MOMENT_END] = "end"};
    return wb_json_pack("{s:s, s:s?, s:I, s:I, s:I, s:I, s:s}", "what", names[m->what], "file",
                        m->file, "line", (json_int_t)m->line, "round", (json_int_t)m->round, "warp",
                        (json_int_t)m->warp, "mask", (json_int_t)m->mask, "values",
                        m->values ? m->values : "");
}

json_t *soft_values_json(const soft_values *v, const sg_recorded *r) {
    static const char *const troubles[] = {[SOFT_VALUES_SOURCE] = "source",
                                           [SOFT_VALUES_NAME] = "name",
                                           [SOFT_VALUES_MANY] = "many",
                                           [SOFT_VALUES_LINE] = "line"};
    json_t *moments = json_array(), *watched = json_array(), *known = json_array();
    for (uint32_t k = 0; r && k < r->n_moments; k++)
        json_array_append_new(moments, moment_json(&r->moments[k]));
    for (uint32_t k = 0; k < v->list.n; k++) {
        const sg_watched *w = &v->list.v[k];
        json_array_append_new(watched,
                              wb_json_pack("{s:s, s:b, s:I, s:I}", "name", w->name, "array",
                                           (int)w->is_array, "rows", (json_int_t)w->rows, "columns",
                                           (json_int_t)w->cols));
    }
    for (size_t k = 0; k < v->known.n; k++)
        json_array_append_new(known, json_string(v->known.v[k]));
    json_t *o = wb_json_pack("{s:o, s:o, s:o, s:I, s:I}", "watched", watched, "moments", moments,
                             "known", known, "all", (json_int_t)(r ? r->all_moments : 0), "same",
                             (json_int_t)(r ? r->same : 0));
    bool lost = v->trouble == SOFT_VALUES_LINE;
    WB_SCOPED char *there = lost && v->name ? rt_plain_name(v->name) : NULL;
    WB_SCOPED char *followed = lost ? rt_plain_name(v->followed) : NULL;
    if (v->trouble != SOFT_VALUES_FINE)
        json_object_update_new(o, wb_json_pack("{s:s, s:s?, s:s?, s:s?, s:I, s:I}", "trouble",
                                               troubles[v->trouble], "name", lost ? there : v->name,
                                               "followed", followed, "file", v->file, "line",
                                               (json_int_t)v->line, "next", (json_int_t)v->next));
    return wb_json_pack("{s:b, s:o, s:I}", "ran", (int)(r && r->ran), "values", o, "left_out",
                        (json_int_t)0);
}
