/* figure.c: adds up counters for each kernel and computes figures from them. */
#include "jupyter_kernel/steps/figure.h"

#include <math.h>

#include "runtime/json/fields.h"

/* A figure is a sum of counters, divided by another sum ("": not divided), times a factor. The
 * model's seconds are added up like a counter. */
static const struct figure {
    const char *name, *sum, *over, *unit;
    double times;
} figures[] = {
    {"sectors_per_load", "global_load_sectors", "global_load_requests", N_("sectors a load"), 1},
    {"sectors_per_store", "global_store_sectors", "global_store_requests", N_("sectors a store"),
     1},
    {"bytes_per_load", "global_load_sectors", "global_load_requests", N_("bytes moved a load"), 32},
    {"loads", "global_load_requests", "", N_("load requests"), 1},
    {"stores", "global_store_requests", "", N_("store requests"), 1},
    {"load_sectors", "global_load_sectors", "", N_("sectors loaded"), 1},
    {"store_sectors", "global_store_sectors", "", N_("sectors stored"), 1},
    {"used_by_loads", "global_load_used", "global_load_sectors", N_("% used"), 100.0 / 32},
    {"used_by_stores", "global_store_used", "global_store_sectors", N_("% used"), 100.0 / 32},
    {"passes_per_shared", "shared_load_wavefronts shared_store_wavefronts",
     "shared_load_requests shared_store_requests", N_("passes an access of shared memory"), 1},
    {"passes_per_shared_load", "shared_load_wavefronts", "shared_load_requests",
     N_("passes a load from shared memory"), 1},
    {"passes_per_shared_store", "shared_store_wavefronts", "shared_store_requests",
     N_("passes a store to shared memory"), 1},
    {"passes_per_shared_atomic", "shared_atomic_wavefronts", "shared_atomic_requests",
     N_("passes an atomic operation on shared memory"), 1},
    {"shared_loads", "shared_load_requests", "", N_("loads from shared memory"), 1},
    {"barriers", "barriers", "", N_("barriers"), 1},
    {"divergent", "divergent_branches", "", N_("divergent branches"), 1},
    {"warp_instructions", "warp_instructions", "", N_("warp instructions"), 1},
    {"lanes", "lane_instructions", "warp_instructions", N_("lanes at work"), 1},
    {"atomics", "global_atomic_operations", "", N_("atomic operations"), 1},
    {"passes_per_atomic", "global_atomic_passes", "global_atomic_requests",
     N_("operations at one address of an atomic request"), 1},
    {"seconds", "seconds", "", N_("s, as modelled"), 1},
};

/* Returns true if `kernel` ("turn" or "turn<3>") names "void turn<3>(float *, int)". */
static bool is_kernel(const char *signature, const char *kernel) {
    if (strncmp(signature, "void ", 5) == 0)
        signature += 5;
    size_t len = strlen(kernel);
    bool begins = strncmp(signature, kernel, len) == 0;
    return begins && (signature[len] == '(' || signature[len] == '<' || signature[len] == '\0');
}

/* Adds up the counters whose names are listed in one text, over all launches of the kernel. */
static double add_up(const json_t *report, const char *kernel, const char *names) {
    double sum = 0;
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        const json_t *counters = json_object_get(launch, "counters"),
                     *model = json_object_get(launch, "model");
        if (!is_kernel(wb_field_text(launch, "kernel"), kernel))
            continue;
        for (const char *name = names; *name; name += strspn(name, " ")) {
            size_t len = strcspn(name, " ");
            sum += json_number_value(json_object_getn(counters, name, len)) +
                   json_number_value(json_object_getn(model, name, len));
            name += len;
        }
    }
    return sum;
}

static bool launched(const json_t *report, const char *kernel) {
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        if (is_kernel(wb_field_text(launch, "kernel"), kernel))
            return true;
    }
    return false;
}

/* Returns the figure of that name, or NULL. */
static const struct figure *find(const char *name) {
    for (size_t i = 0; i < WB_COUNT(figures); i++)
        if (strcmp(figures[i].name, name) == 0)
            return &figures[i];
    return NULL;
}

static const char *unit_of(const char *figure) {
    const struct figure *f = find(figure);
    return f ? wb_tr(f->unit) : figure;
}

bool figure_counts(const char *figure, const char *kind, bool shared) {
    const struct figure *f = find(figure);
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s_%s_", shared ? "shared" : "global", kind);
    return f && strstr(f->sum, prefix) && !strstr(f->sum, "_requests");
}

bool figure_by_lanes(const char *figure) {
    return strcmp(figure, "lanes") == 0 || strcmp(figure, "divergent") == 0;
}

bool figure_known(const char *figure) {
    return find(figure) != NULL;
}

bool figure_of(const json_t *report, const char *kernel, const char *figure, double *value) {
    const struct figure *f = find(figure);
    if (!f || !launched(report, kernel))
        return false;
    double over = *f->over ? add_up(report, kernel, f->over) : 1;
    *value = f->times * add_up(report, kernel, f->sum) / (over > 0 ? over : 1);
    return over > 0 && (*value > 0 || strcmp(figure, "seconds") != 0); /* 0 s: not modelled */
}

/* Is a bound met, for the kernel's figure, or for its ratio to that of `beside`? *share: the figure
 * or ratio. False with NAN where there is nothing to divide by. */
static bool is_met(const json_t *report, const char *kernel, const json_t *bound, double *share) {
    const char *figure = wb_field_text(bound, "of"), *beside = wb_field_text(bound, "beside");
    const json_t *at_most = json_object_get(bound, "at_most");
    double other = 1;
    if (!figure_of(report, kernel, figure, share) ||
        (*beside && !figure_of(report, beside, figure, &other))) {
        *share = NAN;
        return false;
    }
    *share /= other;
    return at_most ? *share <= json_number_value(at_most) * (1 + 1e-9)
                   : *share >= wb_field_number(bound, "at_least") * (1 - 1e-9);
}

/* Returns the first cause of an entry that is not met that the kernel shows, or the entry. */
static const json_t *cause_of(const json_t *report, const char *kernel, const json_t *entry) {
    double share;
    WB_JSON_EACH(cause, json_object_get(entry, "because")) {
        if (!is_met(report, kernel, cause, &share) && !isnan(share))
            return cause;
    }
    return entry;
}

char *figure_complaint(const json_t *report, const json_t *entry, const json_t **missed) {
    const char *kernel = wb_field_text(entry, "kernel"), *figure = wb_field_text(entry, "of");
    const char *beside = wb_field_text(entry, "beside");
    const json_t *at_most = json_object_get(entry, "at_most");
    double value, share;
    *missed = NULL;
    if (!launched(report, kernel))
        return wb_format(_("The kernel `%s` was never launched: the step asks for a kernel of that "
                           "name."),
                         kernel);
    if (!figure_of(report, kernel, figure, &value))
        return wb_format(_("`%s` makes no access for what the step counts: %s. %s"), kernel,
                         unit_of(figure), wb_field_text(entry, "say"));
    if (is_met(report, kernel, entry, &share))
        return NULL;
    if (isnan(share))
        return wb_format(_("`%s`, which the step compares with, has no %s."), beside,
                         unit_of(figure));
    double bound = json_number_value(at_most ? at_most : json_object_get(entry, "at_least"));
    *missed = cause_of(report, kernel, entry);
    const char *say = wb_field_text(*missed, "say");
    if (*beside && at_most && strcmp(figure, "seconds") == 0)
        return wb_format(
            _("The results are right. `%s` takes %.2f of the time of `%s`, as modelled; "
              "the step asks for at most %g. %s"),
            kernel, share, beside, bound, say);
    if (*beside)
        return wb_format(_("The results are right. `%s` comes to %.2f of `%s` in %s; the step asks "
                           "for %s %g. %s"),
                         kernel, share, beside, unit_of(figure),
                         at_most ? _("at most") : _("at least"), bound, say);
    char shown[64]; /* shows counts in full, other values with their first digits */
    snprintf(shown, sizeof shown, fabs(value) < 1e4 ? "%.4g" : "%.0f", value);
    return wb_format(_("The results are right. softgpu counts %s %s in `%s`; the step asks for %s "
                       "%g. %s"),
                     shown, unit_of(figure), kernel, at_most ? _("at most") : _("at least"), bound,
                     say);
}
