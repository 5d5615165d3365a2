/* modelled.c: computes a row's time from softgpu's report or from measurements. */
#include "runtime/compare/modelled.h"

#include <math.h>

#include "kernels/registry.h"
#include "runtime/base/base.h"
#include "runtime/model/time.h"
#include "runtime/json/fields.h"

void modelled_free(view_model *m) {
    WB_FREE(m->bound, m->sentence, m->near, m->why);
    json_decref(m->limits);
    *m = (view_model){0};
}

static double work_of(const view_size *size, const view_row *row) {
    return size->flops ? row->flops * 1e-12 : row->bytes * 1e-9;
}

static void refuse(view_model *m, const char *why) {
    modelled_free(m);
    m->why = strdup(why);
}

/* ---- measured ------------------------------------------------------------------------------ */

static void look_up(const compare_view *view, const view_size *size, view_row *row,
                    const wbk_kernel *kernel) {
    double sizes[MODEL_REFERENCE_SIZES] = {(double)size->m, (double)size->n, (double)size->k};
    size_t n = (size_t)wbk_dimensions(kernel->shape);
    const char *type = view->type ? view->type : "float";
    model_reference found;
    wb_error err = {0};
    if (kernel->shape == WBK_COPY) { /* a copy goes by the bytes that it reads */
        sizes[0] = row->bytes / 2;
        n = 1;
        type = "float";
    } else if (n == 1) {
        sizes[0] = (double)size->n;
    }
    if (!view->references || n > MODEL_REFERENCE_SIZES) {
        char *why = wb_format(_("it was not measured on an %s"), view->gpu->title);
        refuse(&row->model, why ? why : "");
        free(why);
    } else if (!model_reference_time(view->references, kernel->name, type, sizes, n, &found,
                                     &err)) {
        refuse(&row->model, err.text);
    } else {
        row->model = (view_model){.known = true,
                                  .reference = true,
                                  .exact = found.exact,
                                  .seconds = found.seconds,
                                  .rate = work_of(size, row) / found.seconds,
                                  .near = strdup(found.near),
                                  .speedup = {NAN, NAN, NAN}};
    }
}

void modelled_begin(const compare_view *view, const view_size *size, view_row *row) {
    const wbk_kernel *kernel = wbk_find(row->name);
    row->model.speedup = (wb_interval){NAN, NAN, NAN};
    if (!view->gpu || !kernel)
        return;
    if (kernel->reference)
        look_up(view, size, row, kernel);
    else if (kernel->waits)
        refuse(&row->model, _("the host does part of its work, which the model does not time"));
    else if (kernel->clusters && view->gpu->capability >= 90)
        refuse(&row->model, _("its blocks form clusters there, which softgpu does not have"));
}

/* ---- modelled ------------------------------------------------------------------------------ */

/* Adds one launch of a call. `first`: the call begins with it. */
static void add_launch(view_model *m, const json_t *model, bool first, double *longest) {
    double less = first ? 0
                        : fmax(0, wb_field_number(json_object_get(model, "limits"), "launch") -
                                      MODEL_NEXT_LAUNCH_S);
    double seconds = wb_field_number(model, "seconds");
    const char *key;
    json_t *value;
    m->seconds += seconds - less;
    m->low += fmax(wb_field_number(model, "low") - less, 0);
    m->high += wb_field_number(model, "high") - less;
    json_object_foreach(json_object_get(model, "limits"), key, value) {
        json_object_set_new(m->limits, key,
                            json_real(wb_field_number(m->limits, key) + json_number_value(value)));
    }
    if (seconds <= *longest)
        return;
    const char *bound = wb_field_string(model, "bound");
    const char *sentence = wb_field_string(model, "sentence");
    *longest = seconds;
    WB_FREE(m->bound, m->sentence);
    m->bound = strdup(bound ? bound : "");
    m->sentence = strdup(sentence ? sentence : "");
}

void modelled_take(const compare_view *view, const view_size *size, view_row *row,
                   const json_t *report) {
    view_model *m = &row->model, sum = {.limits = json_object(), .speedup = {NAN, NAN, NAN}};
    double longest = 0;
    if (!view->gpu || m->known || m->why) {
        modelled_free(&sum);
        return;
    }
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        const json_t *model = json_object_get(launch, "model");
        const char *why = wb_field_string(model, "why");
        if (why || !model) {
            modelled_free(&sum);
            refuse(m, why ? why : _("a launch of it was not traced"));
            return;
        }
        add_launch(&sum, model, launch_at == 0, &longest);
    }
    if (wb_field_int(report, "dropped") > 0 || sum.seconds <= 0) {
        modelled_free(&sum);
        refuse(m, _("it launches nothing, or more than softgpu keeps"));
        return;
    }
    sum.known = true;
    sum.rate = work_of(size, row) / sum.seconds;
    *m = sum;
}

void modelled_compare(view_size *size) {
    const view_model *reference = NULL;
    VIEW_EACH_ROW(size, row) {
        if (row->reference && row->model.known)
            reference = &row->model;
    }
    VIEW_EACH_ROW(size, row) {
        view_model *m = &row->model;
        m->speedup = (wb_interval){NAN, NAN, NAN};
        if (!reference || !m->known || m == reference)
            continue;
        m->speedup.value = reference->seconds / m->seconds;
        m->speedup.low = m->reference ? m->speedup.value : reference->seconds / m->high;
        m->speedup.high = m->reference ? m->speedup.value : reference->seconds / m->low;
    }
}

/* ---- the document -------------------------------------------------------------------------- */

json_t *modelled_json(const compare_view *view, const view_size *size, const view_row *row) {
    const view_model *m = &row->model;
    if (!m->known)
        return json_pack("{s:s, s:s}", "gpu", view->gpu->name, "why",
                         m->why ? m->why : _("it was not run"));
    json_t *o = json_pack("{s:s, s:f}", "gpu", view->gpu->name, "seconds", m->seconds), *more;
    if (m->reference)
        more = json_pack("{s:s+}", "measured", m->exact ? _("at this size") : _("near "),
                         m->exact ? "" : m->near);
    else
        more = json_pack("{s:f, s:f, s:s, s:O*, s:s}", "low", m->low, "high", m->high, "bound",
                         m->bound ? m->bound : "", "limits", m->limits, "sentence",
                         m->sentence ? m->sentence : "");
    json_object_update_new(o, more);
    more = json_pack("{s:f, s:s}", "rate", m->rate, "unit", size->flops ? "TFLOP/s" : "GB/s");
    json_object_update_new(o, more);
    if (!isnan(m->speedup.value))
        json_object_set_new(o, "speedup",
                            json_pack("{s:f, s:f, s:f}", "value", m->speedup.value, "low",
                                      m->speedup.low, "high", m->speedup.high));
    return o;
}
