/* view_finding.c: what the counters say is worth fixing, most important first. A finding's weight
 * is its kernel's time, times the share that it wastes, times how close its unit is to the busiest
 * one. If nothing is wasted, the finding is the model's limit of the longest kernel. */

#include "runtime/exec/view_count.h"
#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/measure/stats.h"

enum { MOST_FINDINGS = 64 };
#define LIMIT_WEIGHT 0.1 /* of a model's limit, against wasting everything */

typedef enum finding_kind {
    FEW_LOAD,
    LOADS_APART,
    STORES_APART,
    WIDE_OR_BANKS,
    BANKS,
    SHARED_ATOMICS,
    ONE_ADDRESS,
    SPLIT,
    KINDS,
    LIMIT = KINDS
} finding_kind;

#define TRAFFIC(way)                                                                               \
    {"memory", "L2", "L1 and shared memory"}, "global_" way "_sectors", "global_" way "_used",     \
        VIEW_SECTOR
#define BANKS_SPENT "shared_load_wavefronts shared_store_wavefronts"
#define BANKS_NEEDED "shared_load_requests shared_store_requests"
#define BANK_TURNS {"L1 and shared memory"}, BANKS_SPENT, BANKS_NEEDED, 1

static const struct {
    const char *sentence;       /* for the kernels, the value and the place */
    const char *limits[4];      /* limits of the model that it concerns */
    const char *spent, *needed; /* counters; a line wastes their difference */
    double unit;                /* units that one of `spent` counts for */
} kinds[KINDS] = {
    {N_("Loads of %s use only %s of the bytes that they move: what all lanes read at once "
        "belongs in an argument or in __constant__ memory of the kernel's own cell%s."),
     TRAFFIC("load")},
    {N_("Loads of %s use only %s of the bytes that they move: let neighbouring threads load "
        "neighbouring words%s."),
     TRAFFIC("load")},
    {N_("Stores of %s use only %s of the bytes that they move: let neighbouring threads store "
        "neighbouring words%s."),
     TRAFFIC("store")},
    {N_("Shared memory of %s takes %s passes a request: lanes of a warp meet in one bank, or ask "
        "for 8 or 16 bytes each%s."),
     BANK_TURNS},
    {N_("Shared memory of %s takes %s passes a request, because lanes of a warp meet in one "
        "bank: padded rows, [N][N + 1], often keep them apart%s."),
     BANK_TURNS},
    {N_("Atomic operations of %s on shared memory take %s passes: give each lane a copy of its "
        "own, side by side, or let a warp add up first%s."),
     {"L1 and shared memory", "atomics"},
     "shared_atomic_wavefronts",
     "shared_atomic_requests",
     1},
    {N_("Atomic operations of %s queue at one address, %s of them: add in registers and shared "
        "memory first, then once a block%s."),
     {"atomics", "L2"},
     "global_atomic_operations",
     "",
     1},
    {N_("Branches of %s split a warp in %s of cases, and its two sides run one after the "
        "other%s."),
     {"issue", "latency"},
     "divergent_branches",
     "",
     1}};

typedef struct finding {
    finding_kind kind;
    const view_count *of;
    const json_t *line; /* NULL: unknown */
    double value, weight;
} finding;

typedef struct findings {
    finding all[MOST_FINDINGS];
    size_t n;
    const view_count *lines;
    size_t n_lines;
} findings;

/* ---- finding ------------------------------------------------------------------------------- */

/* Returns how close a finding's units are to the busiest one, 0 to 1. Latency and the launch are no
 * units: a notebook's launches are small, and a larger one would have the same fault. */
static double nearness(finding_kind kind, const json_t *model) {
    const char *name;
    json_t *limit;
    double own = 0, most = 0;
    json_object_foreach(json_object_get(model, "limits"), name, limit) {
        bool unit = strcmp(name, "launch") != 0 && strcmp(name, "latency") != 0;
        double value = json_number_value(limit);
        most = unit && value > most ? value : most;
        for (size_t i = 0; i < WB_COUNT(kinds[kind].limits) && kinds[kind].limits[i]; i++)
            if (strcmp(kinds[kind].limits[i], name) == 0 && value > own)
                own = value;
    }
    return most <= 0 || own > most ? 1 : own / most;
}

static double waste(finding_kind kind, const view_count *c) {
    return kinds[kind].unit * view_count_sum(c, kinds[kind].spent) -
           view_count_sum(c, kinds[kind].needed);
}

/* Returns the line that wastes most, or for a limit takes the most time. */
static const json_t *worst_line(const findings *f, finding_kind kind, const view_count *of) {
    const json_t *line = NULL;
    double most = 0;
    for (size_t i = 0; i < f->n_lines; i++) {
        const view_count *c = &f->lines[i];
        double own = kind == LIMIT ? c->seconds : waste(kind, c);
        if (strcmp(c->symbol, of->symbol) != 0)
            continue;
        if (own > most) {
            most = own;
            line = f->lines[i].first;
        }
    }
    return line;
}

static void add(findings *f, finding_kind kind, const view_count *of, double value, double wasted) {
    double weight = wasted * (of->seconds > 0 ? of->seconds : 1);
    if (kind != LIMIT)
        weight *= nearness(kind, of->model);
    if (f->n < MOST_FINDINGS)
        f->all[f->n++] = (finding){kind, of, worst_line(f, kind, of), value, weight};
}

static void look_at_traffic(findings *f, const view_count *c) {
    double loads = view_count_sum(c, "global_load_requests"),
           loaded = view_count_sum(c, "global_load_sectors"),
           used = view_count_sum(c, "global_load_used") / VIEW_SECTOR,
           stores = view_count_sum(c, "global_store_requests"),
           stored = view_count_sum(c, "global_store_sectors"),
           wanted = view_count_sum(c, "global_store_used") / VIEW_SECTOR;
    /* A request moves at least one sector, however few bytes it needs. */
    if (loaded > loads && used < 0.5 * loaded)
        add(f, loaded < 2 * loads ? FEW_LOAD : LOADS_APART, c, 100 * used / loaded,
            1 - used / loaded);
    if (stored > stores && wanted < 0.5 * stored)
        add(f, STORES_APART, c, 100 * wanted / stored, 1 - wanted / stored);
}

static void look_at(findings *f, const view_count *c) {
    double requests = view_count_sum(c, kinds[BANKS].needed),
           passes = view_count_sum(c, kinds[BANKS].spent),
           adding = view_count_sum(c, kinds[SHARED_ATOMICS].needed),
           turns = view_count_sum(c, kinds[SHARED_ATOMICS].spent),
           branches = view_count_sum(c, "branches"),
           split = view_count_sum(c, "divergent_branches");
    look_at_traffic(f, c);
    if (requests > 0 && passes > 2 * requests)
        add(f, passes > 4 * requests ? BANKS : WIDE_OR_BANKS, c, passes / requests,
            1 - requests / passes);
    if (adding > 0 && turns > 2 * adding)
        add(f, SHARED_ATOMICS, c, turns / adding, 1 - adding / turns);
    if (c->busiest > 1000 && 40 * c->busiest > c->threads)
        add(f, ONE_ADDRESS, c, c->busiest, 1);
    if (branches > 0 && split > 0.25 * branches)
        add(f, SPLIT, c, 100 * split / branches, split / branches);
}

static int by_weight(const void *a, const void *b) {
    const finding *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->of < y->of ? -1 : x->of > y->of;
}

/* ---- saying -------------------------------------------------------------------------------- */

static bool same_place(const finding *a, const finding *b) {
    return a->kind == b->kind && a->kind != LIMIT && a->line && b->line &&
           wb_field_number(a->line, "line") == wb_field_number(b->line, "line") &&
           strcmp(wb_field_text(a->line, "file"), wb_field_text(b->line, "file")) == 0;
}

/* Returns " (cell [3], line 5)", for a limit " (copy, cell [3], line 5)", or ""; malloc'd. */
static char *place_of(const finding *f) {
    WB_SCOPED char *place = f->line ? view_place(f->line) : NULL;
    const char *kernel = f->kind == LIMIT ? f->of->kernel : "";
    return !place && !*kernel ? strdup("")
                              : wb_format(" (%s%s%s)", kernel, place && *kernel ? _(", ") : "",
                                          place ? place : "");
}

static const char *value_text(const finding *f, char *text, size_t size) {
    bool percent = f->kind <= STORES_APART || f->kind == SPLIT;
    if (f->kind == ONE_ADDRESS)
        return wb_stats_number(f->value, text, size);
    snprintf(text, size, percent ? "%.3g %%" : "%.3g", f->value);
    return text;
}

/* Appends the kernels with this finding at this place, and their values. Marks them. */
static void join(findings *f, size_t first, bool *told, wb_buf *names, wb_buf *values) {
    const finding *low = &f->all[first], *high = low;
    char a[32], b[32];
    for (size_t i = first; i < f->n; i++) {
        const finding *one = &f->all[i];
        bool named = false;
        if (told[i] || (i != first && !same_place(one, &f->all[first])))
            continue;
        for (size_t k = first; k < i; k++)
            named |= told[k] && same_place(one, &f->all[k]) &&
                     strcmp(one->of->kernel, f->all[k].of->kernel) == 0;
        if (!named)
            wb_buf_printf(names, "%s%s", names->len ? _(", ") : "", one->of->kernel);
        told[i] = true;
        low = one->value < low->value ? one : low;
        high = one->value > high->value ? one : high;
    }
    value_text(low, a, sizeof a);
    value_text(high, b, sizeof b);
    if (strcmp(a, b) == 0)
        wb_buf_puts(values, a);
    else
        wb_buf_printf(values, _("%s to %s"), a, b);
}

static void say(findings *f, size_t first, bool *told, wb_buf *out) {
    const finding *one = &f->all[first];
    wb_buf names = {0}, values = {0};
    WB_SCOPED char *place = place_of(one);
    if (one->kind == LIMIT) {
        wb_buf_printf(out, "%s%s.\n", wb_field_text(one->of->model, "reason"), place ? place : "");
        told[first] = true;
    } else {
        join(f, first, told, &names, &values);
        wb_buf_printf(out, wb_tr(kinds[one->kind].sentence), names.data, values.data,
                      place ? place : "");
        wb_buf_puts(out, "\n");
    }
    WB_BUF_FREE(&names, &values);
}

void wb_view_findings(const json_t *report, wb_buf *first, wb_buf *others) {
    view_count *launches, *lines;
    size_t n = view_count_launches(report, true, &launches);
    findings f = {.n_lines = view_count_lines(report, &lines)};
    bool told[MOST_FINDINGS] = {false};
    f.lines = lines;
    for (size_t i = 0; i < n; i++) {
        if (*wb_field_text(launches[i].model, "reason"))
            add(&f, LIMIT, &launches[i], 0, LIMIT_WEIGHT);
        look_at(&f, &launches[i]);
    }
    qsort(f.all, f.n, sizeof *f.all, by_weight);
    for (size_t i = 0; i < f.n; i++)
        if (!told[i] && (i == 0 || (others && f.all[i].kind != LIMIT)))
            say(&f, i, told, i == 0 ? first : others);
    view_count_free(launches, n);
    view_count_free(lines, f.n_lines);
}

/* Returns words for the name of a fault's kind. */
static const char *fault_words(const char *name) {
    static const char *const kinds[][2] = {
#define FAULT(kind, name, code, words) {name, words},
#include "runtime/softgpu/faults.inc"
#undef FAULT
    };
    for (size_t i = 0; i < WB_COUNT(kinds); i++)
        if (strcmp(kinds[i][0], name) == 0)
            return wb_tr(kinds[i][1]);
    return name;
}

void wb_view_verdict(const json_t *report, bool races, wb_buf *out) {
    const json_t *fault = json_object_get(report, "fault");
    size_t n = json_array_size(json_object_get(report, "launches")) +
               (size_t)wb_field_int(report, "dropped");
    const char *many = n == 1 ? "" : "es";
    if (json_is_object(fault)) { /* softgpu runs no kernel after one */
        char *kernel = wb_view_kernel(fault), *place = view_place(fault);
        wb_buf_printf(out,
                      wb_field_int(fault, "line")
                          ? _("1 fault in %zu kernel launch%s: %s in %s, %s.\n")
                          : _("1 fault in %zu kernel launch%s: %s in %s%.0s.\n"),
                      n, many, fault_words(wb_field_text(fault, "kind")), kernel ? kernel : "",
                      place ? place : "");
        WB_FREE(kernel, place);
    } else if (n == 0)
        wb_buf_puts(out, _("Nothing was checked: no kernel was launched.\n"));
    else
        wb_buf_printf(out,
                      races
                          ? _("No data race in %zu kernel launch%s.\n")
                          : _("No out-of-bounds, misaligned or uninitialised access in %zu kernel "
                              "launch%s.\n"),
                      n, many);
}
