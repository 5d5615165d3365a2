/* values.c: see values.h. */
#include "runtime/softgpu/cudart/soft/twin/values.h"

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

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
static void find_variables(soft_values *v, const char *symbol) {
    const dbg_info *info = v->twin.info;
    const ptx_module *m = dbg_module(info);
    const ptx_function *kernel = ptx_find(m, symbol);
    dbg_parameters(info, kernel, &v->parameters);
    v->wish.of_function = kernel->name;
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

void soft_values_open(soft_values *v, sg_launch *launch, sg_kernel_info *info) {
    WB_LOCKED(&lock);
    v->wish = *launch->wish;
    v->trouble = SOFT_VALUES_SOURCE;
    if (soft_twin_load(&v->twin, json_object_get(wished, "texts"), launch->kernel, info->name))
        find_variables(v, info->name);
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
    *v = (soft_values){0};
}

/* ---- the record ---------------------------------------------------------------------------- */

static json_t *moment_json(const sg_moment_kept *m) {
    static const char *const names[] = {
        [SG_MOMENT_LINE] = "line", [SG_MOMENT_BARRIER] = "barrier", [SG_MOMENT_END] = "end"};
    return wb_json_pack("{s:s, s:s?, s:I, s:I, s:I, s:s}", "what", names[m->what], "file", m->file,
                        "line", (json_int_t)m->line, "round", (json_int_t)m->round, "mask",
                        (json_int_t)m->mask, "values", m->values ? m->values : "");
}

json_t *soft_values_json(const soft_values *v, const sg_recorded *r) {
    static const char *const troubles[] = {
        [SOFT_VALUES_SOURCE] = "source", [SOFT_VALUES_NAME] = "name", [SOFT_VALUES_MANY] = "many"};
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
    if (v->trouble != SOFT_VALUES_FINE)
        json_object_update_new(
            o, wb_json_pack("{s:s, s:s?}", "trouble", troubles[v->trouble], "name", v->name));
    return wb_json_pack("{s:b, s:o, s:I}", "ran", (int)(r && r->ran), "values", o, "left_out",
                        (json_int_t)0);
}
