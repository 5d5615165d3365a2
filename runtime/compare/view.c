/* view.c: takes events. */
#include "runtime/compare/view.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/compare/modelled.h"
#include "runtime/json/fields.h"

static const double NOISE_FLOOR_SEED = 20250;

void view_free(compare_view *view) {
    VIEW_EACH_SIZE(view, size) {
        VIEW_EACH_ROW(size, row) {
            WB_FREE(row->name, row->title, row->label, row->text, row->times);
            json_decref(row->counters);
            modelled_free(&row->model);
        }
        WB_FREE(size->rows, size->text);
    }
    WB_FREE(view->sizes, view->what, view->title, view->type, view->error, view->lacks,
            view->stage_size);
    json_decref(view->device);
    *view = (compare_view){0};
}

static char *text_of(const json_t *event, const char *key) {
    const char *text = wb_field_string(event, key);
    return text ? strdup(text) : NULL;
}

/* Does the same, but returns "" for a missing text. */
static char *name_of(const json_t *event, const char *key) {
    char *text = text_of(event, key);
    return text ? text : strdup("");
}

static view_size *size_of(compare_view *view, const json_t *event) {
    double index = wb_field_number(event, "size");
    return json_is_number(json_object_get(event, "size")) && index >= 0 &&
                   index < (double)view->n_sizes
               ? &view->sizes[(size_t)index]
               : NULL;
}

static view_row *row_of(compare_view *view, const json_t *event) {
    view_size *size = size_of(view, event);
    double index = wb_field_number(event, "kernel");
    return size && json_is_number(json_object_get(event, "kernel")) && index >= 0 &&
                   index < (double)size->n_rows
               ? &size->rows[(size_t)index]
               : NULL;
}

bool view_has_time(const view_row *row) {
    return row->status == VIEW_TIMED || row->status == VIEW_SAMPLED;
}

bool view_is_soft(const compare_view *view) {
    return wb_field_true(view->device, "soft");
}

const char *view_unit(const compare_view *view, const view_size *size) {
    return !size->flops ? "GB/s" : view_is_soft(view) && !view->gpu ? "GFLOP/s" : "TFLOP/s";
}

static void add_size(compare_view *view, const json_t *event) {
    view_size *size = WB_PUSH(view->sizes, view->n_sizes);
    if (!size)
        return;
    *size = (view_size){.text = name_of(event, "text"),
                        .m = (size_t)wb_field_number(event, "m"),
                        .n = (size_t)wb_field_number(event, "n"),
                        .k = (size_t)wb_field_number(event, "k"),
                        .idle = wb_field_true(event, "idle"),
                        .flops = wb_field_true(event, "flops")};
    if (!view->type)
        view->type = text_of(event, "type");
}

static char *label_of(const compare_view *view, const char *name) {
    for (size_t i = 0; name && i < view->n_labels; i++)
        if (strcmp(view->labels[i].name, name) == 0)
            return strdup(view->labels[i].label);
    return strdup(name ? name : "");
}

static void add_row(const compare_view *view, view_size *size, const json_t *event) {
    view_row *row = WB_PUSH(size->rows, size->n_rows);
    if (!row)
        return;
    char *problem = text_of(event, "problem");
    const char *title = wb_field_string(event, "title");
    *row = (view_row){.name = name_of(event, "name"),
                      .title = name_of(event, "title"),
                      .label = label_of(view, wb_field_string(event, "name")),
                      .text = problem,
                      .reference = wb_field_true(event, "reference"),
                      .yours = title && strcmp(title, "yours") == 0,
                      .host_clock = wb_field_true(event, "host_clock"),
                      .bytes = wb_field_number(event, "bytes"),
                      .flops = wb_field_number(event, "flops"),
                      .efficiency = wb_field_number(event, "efficiency"),
                      .status = problem ? VIEW_UNAVAILABLE : VIEW_PENDING};
    if (!problem)
        modelled_begin(view, size, row);
}

static void take_check(view_row *row, const json_t *event) {
    bool refused = wb_field_true(event, "refused");
    row->checks++;
    row->error = fmax(row->error, wb_field_number(event, "error"));
    if ((wb_field_true(event, "ok") && !refused) || row->status == VIEW_WRONG)
        return;
    row->status = refused ? VIEW_REFUSED : VIEW_WRONG;
    free(row->text);
    row->text = text_of(event, "text");
}

/* Updates the row's summary and rate. */
static void summarise(const compare_view *view, const view_size *size, view_row *row) {
    row->summary = wb_stats_summary(row->times, row->n_times);
    double scale = strcmp(view_unit(view, size), "TFLOP/s") == 0 ? 1e-12 : 1e-9;
    double work = (size->flops ? row->flops : row->bytes) * scale;
    row->rate = row->summary.median > 0 ? work / row->summary.median : 0;
}

static bool add_time(view_row *row, const json_t *seconds) {
    return WB_ADD(row->times, row->n_times, json_number_value(seconds));
}

static void take_result(const compare_view *view, const view_size *size, view_row *row,
                        const json_t *event) {
    const json_t *list = json_object_get(event, "times");
    size_t n = json_array_size(list);
    if (!n)
        return;
    row->n_times = 0;
    for (size_t i = 0; i < n; i++)
        add_time(row, json_array_get(list, i));
    summarise(view, size, row);
    if (row->status == VIEW_PENDING)
        row->status = VIEW_TIMED;
}

/* Takes a round while it runs: one more time for each row. */
static void take_round(const compare_view *view, view_size *size, const json_t *event) {
    const json_t *list = json_object_get(event, "times");
    for (size_t r = 0; r < size->n_rows && r < json_array_size(list); r++) {
        const json_t *time = json_array_get(list, r);
        view_row *row = &size->rows[r];
        if (json_is_number(time) && add_time(row, time))
            summarise(view, size, row);
    }
}

static void take_counters(const compare_view *view, view_size *size, view_row *row,
                          const json_t *report) {
    json_t *sum = json_object(), *value;
    const char *key;
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        json_object_foreach(json_object_get(launch, "counters"), key, value) {
            json_object_set_new(sum, key,
                                json_integer(wb_field_int(sum, key) + json_integer_value(value)));
        }
    }
    json_decref(row->counters);
    row->counters = sum;
    if (json_object_size(sum) == 0) {
        json_decref(sum);
        row->counters = NULL;
    }
    modelled_take(view, size, row, report);
    modelled_compare(size);
}

/* Takes a modelled time. Only some blocks ran, or none of a library's. */
static void take_sample(const compare_view *view, view_size *size, view_row *row,
                        const json_t *report) {
    if (row->status == VIEW_PENDING)
        row->status = VIEW_SAMPLED;
    if (report)
        modelled_take(view, size, row, report);
    modelled_compare(size);
}

static void take_skip(view_size *size, const json_t *event) {
    VIEW_EACH_ROW(size, row) {
        if (row->status == VIEW_PENDING) {
            row->status = VIEW_UNAVAILABLE;
            row->text = text_of(event, "text");
        }
    }
}

static void compare_rows(compare_view *view) {
    VIEW_EACH_SIZE(view, size) {
        const view_row *reference = NULL;
        VIEW_EACH_ROW(size, row) {
            if (row->reference && row->status == VIEW_TIMED)
                reference = row;
        }
        VIEW_EACH_ROW(size, row) {
            row->speedup = (wb_interval){NAN, NAN, NAN};
            if (reference && row->status == VIEW_TIMED && row != reference)
                row->speedup = wb_stats_speedup(row->times, row->n_times, reference->times,
                                                reference->n_times, (uint64_t)NOISE_FLOOR_SEED);
        }
    }
}

static void end(compare_view *view) {
    view->ended = true;
    view->done = 1;
    VIEW_EACH(view, size, row) {
        if (row->status == VIEW_PENDING)
            row->status = row->checks ? VIEW_CHECKED : VIEW_UNAVAILABLE;
    }
    compare_rows(view);
}

void view_apply(compare_view *view, const json_t *event) {
    const char *name = wb_field_string(event, "event");
    view_size *size = size_of(view, event);
    view_row *row = row_of(view, event);
    if (!name)
        return;
    if (strcmp(name, "device") == 0 && !view->device)
        view->device = json_deep_copy(event);
    else if (strcmp(name, "size") == 0)
        add_size(view, event);
    else if (strcmp(name, "kernel") == 0 && size)
        add_row(view, size, event);
    else if (strcmp(name, "check") == 0 && row)
        take_check(row, event);
    else if (strcmp(name, "counters") == 0 && row && !row->counters)
        take_counters(view, size, row, json_object_get(event, "report"));
    else if (strcmp(name, "sampled") == 0 && row)
        take_sample(view, size, row, json_object_get(event, "report"));
    else if (strcmp(name, "round") == 0 && size)
        take_round(view, size, event);
    else if (strcmp(name, "skip") == 0 && size)
        take_skip(size, event);
    else if (strcmp(name, "error") == 0 && !view->error)
        view->error = text_of(event, "text");
    else if (strcmp(name, "end") == 0)
        end(view);
    if (strcmp(name, "result") == 0 && row) {
        take_result(view, size, row, event);
        view->sm_hz = wb_field_number(event, "sm_hz");
    }
    if (strcmp(name, "round") == 0 && view->wanted_sizes)
        view->done = (wb_field_number(event, "size") + wb_field_number(event, "done")) /
                     (double)view->wanted_sizes;
}
