/* view_count.c: sums counters and modelled times. */
#include "runtime/exec/view_count.h"

#include <math.h>

#include "runtime/base/language.h"
#include "runtime/json/fields.h"
#include "runtime/measure/stats.h"
#include "runtime/softgpu/engine.h"

double view_count_sum(const view_count *c, const char *names) {
    double sum = 0;
    for (const char *name = names; c->sums && *name; name += strspn(name, " ")) {
        size_t len = strcspn(name, " ");
        sum += json_number_value(json_object_getn(c->sums, name, len));
        name += len;
    }
    return sum;
}

static void add_counters(view_count *c, const json_t *counters) {
    const char *name;
    json_t *value;
    if (!c->sums)
        c->sums = json_object();
    json_object_foreach((json_t *)counters, name, value) {
        double sum = view_count_sum(c, name) + json_number_value(value);
        json_object_set_new(c->sums, name, json_real(sum));
    }
}

static void add_time(view_count *c, const json_t *model, double seconds) {
    c->seconds += seconds;
    if (!c->model || seconds > c->most) {
        c->most = seconds;
        c->model = model;
    }
}

static void add_launch(view_count *c, const json_t *launch) {
    const json_t *model = json_object_get(launch, "model");
    const json_t *counters = json_object_get(launch, "counters");
    double busiest = wb_field_number(counters, "busiest_address");
    c->launches++;
    c->host += wb_field_number(launch, "seconds");
    if (json_object_get(model, "seconds"))
        add_time(c, model, wb_field_number(model, "seconds"));
    else if (model && !c->untimed)
        c->untimed = model;
    if (!counters)
        return;
    add_counters(c, counters);
    c->clocks += sg_model_clocks(wb_field_number(counters, "warp_instructions"),
                                 wb_field_number(counters, "longest_block"));
    if (busiest > c->busiest) {
        c->busiest = busiest;
        c->threads = wb_field_number(counters, "threads");
    }
}

static bool alike(const json_t *a, const json_t *b, const char *const keys[]) {
    for (size_t i = 0; keys[i]; i++) {
        const json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
        if (x != y && !json_equal(x, y))
            return false;
    }
    return true;
}

/* Returns the entry of `item`, a new one if needed, or NULL if all are used. Launches whose times
 * differ by more than a percent have separate entries. A line has no time: NAN. */
static view_count *entry_of(view_count *all, size_t *n, const json_t *item, const json_t *launch,
                            const char *const keys[], double seconds) {
    const char *symbol = wb_field_text(launch, "symbol");
    for (size_t i = 0; all && i < *n; i++)
        if (strcmp(all[i].symbol, symbol) == 0 && alike(all[i].first, item, keys) &&
            !(fabs(all[i].most - seconds) > 0.01 * all[i].most))
            return &all[i];
    char *kernel = all && *n < VIEW_COUNTS ? wb_view_kernel(launch) : NULL;
    if (!kernel)
        return NULL;
    all[*n] = (view_count){.first = item, .symbol = symbol, .kernel = kernel};
    return &all[(*n)++];
}

size_t view_count_launches(const json_t *report, bool shapes, view_count **all) {
    static const char *const keys[] = {"size", "grid", "block", "dynamic_shared", NULL};
    size_t n = 0;
    *all = calloc(VIEW_COUNTS, sizeof **all);
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        double seconds = wb_field_number(json_object_get(launch, "model"), "seconds");
        view_count *c =
            entry_of(*all, &n, launch, launch, shapes ? keys : &keys[4], shapes ? seconds : NAN);
        if (c)
            add_launch(c, launch);
    }
    return n;
}

static void add_lines(view_count *all, size_t *n, const json_t *launch, const json_t *lines,
                      double seconds) {
    static const char *const keys[] = {"file", "line", NULL};
    WB_JSON_EACH(line, lines) {
        bool named = wb_field_number(line, "line") >= 1;
        view_count *c = named ? entry_of(all, n, line, launch, keys, NAN) : NULL;
        const char *text = wb_field_string(line, "text");
        if (!c)
            continue;
        c->text = c->text ? c->text : text;
        if (json_object_get(line, "counters"))
            add_counters(c, json_object_get(line, "counters"));
        else
            add_time(c, line, seconds * wb_field_number(line, "share"));
    }
}

size_t view_count_lines(const json_t *report, view_count **all) {
    size_t n = 0;
    *all = calloc(VIEW_COUNTS, sizeof **all);
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        const json_t *model = json_object_get(launch, "model");
        add_lines(*all, &n, launch, json_object_get(model, "lines"),
                  wb_field_number(model, "seconds"));
        add_lines(*all, &n, launch, json_object_get(launch, "lines"), 0);
    }
    return n;
}

void view_count_free(view_count *all, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(all[i].kernel);
        json_decref(all[i].sums);
    }
    free(all);
}

char *view_place(const json_t *line) {
    char said[64];
    const char *name = wb_path_name(wb_field_text(line, "file"));
    return wb_format(_("%s, line %d"), wb_language_file(name, said, sizeof said),
                     (int)wb_field_number(line, "line"));
}

char *wb_view_kernel(const json_t *launch) {
    const char *name = wb_field_text(launch, "kernel");
    size_t len = strlen(name), at = len;
    int depth = 0;
    if (strncmp(name, "void ", 5) == 0) {
        name += 5;
        at = len -= 5;
    }
    while (at > 0 && (at == len || depth > 0)) { /* the parameters are the last brackets */
        at--;
        depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    }
    bool parameters = at > 0 && name[at] == '(' && name[at - 1] != ' ';
    return wb_format("%.*s", (int)(parameters ? at : len), name);
}

char *view_whole(double value) {
    char text[64];
    return value < 1000 ? wb_format("%.0f", value)
                        : strdup(wb_stats_number(value, text, sizeof text));
}
