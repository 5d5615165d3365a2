/* lab.c: reads and validates lab.json. */
#include "grader/lab/lab.h"
#include "grader/lab/args.h"
#include "grader/lab/reader.h"
#include "runtime/base/scoped.h"

#include <ctype.h>
#include <math.h>

enum { MAX_TESTS = 40, MAX_CASES = 20, MAX_CRITERIA = 20, MAX_FILE = 1 << 20 };

const char *const gr_measure_names[GR_MEASURES] = {
    "load_efficiency", "store_efficiency", "traffic",     "wavefronts",
    "instructions",    "contention",       "parallelism", "speed"};
const char *const gr_forbidden_names[GR_FORBIDS] = {"cublas", "cub", "thrust"};

/* ---- cases ---------------------------------------------------------------------------------- */

static bool read_size(gr_reader *r, const gr_place *place, gr_range *range) {
    const double most = 2147483647;
    size_t n = json_array_size(place->value);
    json_t *from = n ? json_array_get(place->value, 0) : place->value;
    json_t *to = n ? json_array_get(place->value, 1) : place->value;
    json_t *step = n == 3 ? json_array_get(place->value, 2) : NULL;
    *range = (gr_range){json_integer_value(from), json_integer_value(to),
                        step ? json_integer_value(step) : 1};
    if (n > 3 || !json_is_integer(from) || !json_is_integer(to) || range->from < 0 ||
        json_number_value(to) > most || range->from > range->to || range->step < 1 ||
        (range->to - range->from) % range->step)
        return gr_reader_fail(r, place->path,
                              _("expected a whole number from 0 to %.0f, or [least, most], or "
                                "[least, most, step] with most a number of steps away from least"),
                              most);
    return true;
}

/* Returns the sizes at one end of their ranges. */
static gr_vars sizes_at(const gr_lab *lab, const gr_case *c, bool end) {
    gr_vars vars = {.n = 0};
    for (int i = 0; i < lab->n_args; i++)
        if (lab->args[i].role == GR_SIZE) {
            vars.names[vars.n] = lab->args[i].name;
            vars.values[vars.n++] = end ? c->sizes[i].to : c->sizes[i].from;
        }
    return vars;
}

static bool check_count(gr_reader *r, const gr_lab *lab, int i, const gr_vars *vars,
                        const char *path) {
    const gr_arg *arg = &lab->args[i];
    int64_t count = 0, row = 0;
    char where[80];
    wb_error why;
    snprintf(where, sizeof where, "arguments[%d].count", i);
    if (!gr_expr(arg->count, vars, &count, &why))
        return gr_reader_fail(r, where, "%s", why.text);
    if (arg->row) {
        snprintf(where, sizeof where, "arguments[%d].row", i);
        if (!gr_expr(arg->row, vars, &row, &why))
            return gr_reader_fail(r, where, "%s", why.text);
    }
    if (count < 0)
        return gr_reader_fail(r, where, _("gives %lld elements at the sizes of %s"),
                              (long long)count, path);
    return count <= (int64_t)1 << 33 ||
           gr_reader_fail(r, path, _("\"%s\" would have %lld elements; too many"), arg->name,
                          (long long)count);
}

/* Checks that all formulas can be computed at both ends of the ranges. */
static bool check_counts(gr_reader *r, const gr_lab *lab, const gr_case *c, const char *path) {
    for (int end = 0; end < 2; end++) {
        gr_vars vars = sizes_at(lab, c, end);
        for (int i = 0; i < lab->n_args; i++)
            if (gr_is_array(lab->args[i].role) && !check_count(r, lab, i, &vars, path))
                return false;
        int64_t value;
        wb_error why;
        if (!gr_expr(lab->work, &vars, &value, &why))
            return gr_reader_fail(r, "work", "%s", why.text);
        if (!gr_expr(lab->minimum_bytes, &vars, &value, &why))
            return gr_reader_fail(r, "minimum_bytes", "%s", why.text);
        if (!gr_check_rival(r, lab, &vars) || !gr_args_check_case(r, lab, &vars))
            return false;
    }
    return true;
}

/* Reads the kind of values: one of the lab's sets. */
static bool read_values(gr_reader *r, const gr_lab *lab, const gr_place *place, gr_case *c) {
    const char *sets[GR_MAX_SETS];
    for (int i = 0; i < lab->n_sets; i++)
        sets[i] = lab->sets[i].name;
    c->values = gr_get_choice(r, place, "values", sets, (size_t)lab->n_sets, 0);
    return !r->failed;
}

static bool read_case(gr_reader *r, const gr_lab *lab, const gr_place *place, gr_case *c) {
    static const char *const keys[] = {"sizes", "scalars", "values"};
    if (!gr_expect_object(r, place, keys, WB_COUNT(keys)))
        return false;
    const char *size_names[GR_MAX_ARGS], *scalar_names[GR_MAX_ARGS];
    size_t n_sizes = 0, n_scalars = 0;
    for (int i = 0; i < lab->n_args; i++) {
        if (lab->args[i].role == GR_SIZE)
            size_names[n_sizes++] = lab->args[i].name;
        if (lab->args[i].role == GR_SCALAR)
            scalar_names[n_scalars++] = lab->args[i].name;
    }
    gr_place sizes = gr_member(r, place, "sizes", true);
    gr_place scalars = gr_member(r, place, "scalars", n_scalars > 0);
    if (!gr_expect_object(r, &sizes, size_names, n_sizes) ||
        (scalars.value && !gr_expect_object(r, &scalars, scalar_names, n_scalars)))
        return false;
    for (int i = 0; i < lab->n_args && !r->failed; i++) {
        if (lab->args[i].role == GR_SIZE) {
            gr_place size = gr_member(r, &sizes, lab->args[i].name, true);
            if (size.value)
                read_size(r, &size, &c->sizes[i]);
        } else if (lab->args[i].role == GR_SCALAR) {
            c->scalars[i] = gr_get_number(r, &scalars, lab->args[i].name, -1e6, 1e6, NULL);
        }
    }
    if (r->failed || !read_values(r, lab, place, c))
        return false;
    return check_counts(r, lab, c, place->path);
}

/* ---- tests and performance ------------------------------------------------------------------ */

static void read_test(gr_reader *r, const gr_lab *lab, const gr_place *place, gr_test *test) {
    static const char *const keys[] = {"name",  "about",  "points", "hidden",
                                       "races", "repeat", "cases"};
    if (!gr_expect_object(r, place, keys, WB_COUNT(keys)))
        return;
    test->name = gr_get_string(r, place, "name", NULL);
    test->about = gr_get_string(r, place, "about", "");
    test->points = gr_get_number(r, place, "points", 0, GR_MAX_POINTS, NULL);
    test->hidden = gr_get_bool(r, place, "hidden", false);
    test->races = gr_get_bool(r, place, "races", false);
    test->repeat = gr_get_bool(r, place, "repeat", false);
    gr_place cases = gr_member(r, place, "cases", true);
    size_t n = gr_expect_array(r, &cases, 1, MAX_CASES);
    test->cases = calloc(n ? n : 1, sizeof *test->cases);
    for (; test->cases && test->n_cases < n && !r->failed; test->n_cases++) {
        gr_place at = gr_element(&cases, test->n_cases);
        read_case(r, lab, &at, &test->cases[test->n_cases]);
    }
}

/* Conditions have no points. Reasons have neither points nor `none`. */
typedef enum gr_kind { CRITERIA, CONDITIONS, REASONS } gr_kind;

static void read_criterion(gr_reader *r, const gr_place *place, gr_criterion *criterion, bool gpu,
                           gr_kind kind) {
    static const char *const keys[] = {"name", "measure", "full", "advice", "none", "points"};
    if (!gr_expect_object(r, place, keys, WB_COUNT(keys) - kind))
        return;
    criterion->name = gr_get_string(r, place, "name", NULL);
    criterion->advice = gr_get_string(r, place, "advice", NULL);
    if (kind == CRITERIA)
        criterion->points = gr_get_number(r, place, "points", 0, GR_MAX_POINTS, NULL);
    criterion->full = gr_get_number(r, place, "full", 1e-6, 1e6, NULL);
    if (kind != REASONS)
        criterion->none = gr_get_number(r, place, "none", 1e-6, 1e6, NULL);
    int measure = gr_get_choice(r, place, "measure", gr_measure_names, GR_MEASURES, -1);
    if (r->failed)
        return;
    criterion->measure = (gr_measure)measure;
    if (measure != GR_SPEED && gpu)
        gr_reader_fail(r, place->path,
                       _("a GPU is judged by \"speed\" alone (counts are softgpu's)"));
    if (measure == GR_SPEED && kind != CRITERIA)
        gr_reader_fail(r, place->path, _("\"speed\" earns points: it is a criterion's measure"));
    bool more_is_better = gr_more_is_better(criterion->measure);
    if (kind == REASONS) /* any shortfall is reported */
        criterion->none = criterion->full * (more_is_better ? 0.5 : 2);
    if (criterion->full == criterion->none || (criterion->full > criterion->none) != more_is_better)
        gr_reader_fail(r, place->path, _("of \"%s\" %s is better, so \"full\" must be %s \"none\""),
                       gr_measure_names[measure], more_is_better ? _("more") : _("less"),
                       more_is_better ? _("above") : _("below"));
}

static gr_criterion *read_criteria(gr_reader *r, const gr_place *list, size_t *n, bool gpu,
                                   gr_kind kind) {
    size_t max = gr_expect_array(r, list, 1, MAX_CRITERIA);
    gr_criterion *made = calloc(max ? max : 1, sizeof *made);
    for (*n = 0; made && *n < max && !r->failed; (*n)++) {
        gr_place at = gr_element(list, *n);
        read_criterion(r, &at, &made[*n], gpu, kind);
    }
    return made;
}

/* Reads "case" (one) or "cases" (a list). */
static void read_performance_cases(gr_reader *r, const gr_lab *lab, const gr_place *place,
                                   gr_performance *performance) {
    gr_place one = gr_member(r, place, "case", false);
    gr_place list = gr_member(r, place, "cases", !one.value);
    if (one.value && list.value)
        gr_reader_fail(r, list.path, _("\"case\" stands there too; a list holds all of them"));
    size_t n = one.value || r->failed ? 1 : gr_expect_array(r, &list, 1, MAX_CASES);
    performance->cases = calloc(n ? n : 1, sizeof *performance->cases);
    for (size_t i = 0; performance->cases && i < n && !r->failed; i++) {
        gr_place at = one.value ? one : gr_element(&list, i);
        read_case(r, lab, &at, &performance->cases[i]);
        performance->n_cases = i + 1;
    }
}

static void read_performance(gr_reader *r, const gr_lab *lab, const gr_place *place,
                             gr_performance *performance, bool gpu) {
    static const char *const keys[] = {"case", "cases", "criteria", "conditions", "reasons"};
    if (!gr_expect_object(r, place, keys, WB_COUNT(keys) - (gpu ? 2 : 0)))
        return;
    gr_place criteria = gr_member(r, place, "criteria", true);
    gr_place conditions = gr_member(r, place, "conditions", false);
    gr_place reasons = gr_member(r, place, "reasons", false);
    if (!r->failed)
        read_performance_cases(r, lab, place, performance);
    if (r->failed)
        return;
    performance->criteria = read_criteria(r, &criteria, &performance->n_criteria, gpu, CRITERIA);
    if (conditions.value)
        performance->conditions =
            read_criteria(r, &conditions, &performance->n_conditions, gpu, CONDITIONS);
    if (reasons.value)
        performance->reasons = read_criteria(r, &reasons, &performance->n_reasons, gpu, REASONS);
}

static void read_forbidden(gr_reader *r, const gr_place *top, unsigned *forbidden) {
    gr_place list = gr_member(r, top, "forbidden", false);
    size_t n = list.value ? gr_expect_array(r, &list, 0, GR_FORBIDS) : 0;
    for (size_t i = 0; i < n; i++) {
        gr_place place = gr_element(&list, i);
        const char *name = json_string_value(place.value);
        int bit = 0;
        while (bit < GR_FORBIDS && (!name || strcmp(name, gr_forbidden_names[bit]) != 0))
            bit++;
        if (bit == GR_FORBIDS)
            gr_reader_fail(r, place.path, _("expected \"cublas\", \"cub\" or \"thrust\""));
        else
            *forbidden |= 1u << bit;
    }
}

/* The largest submission of our labs takes a tenth of these. */
static void read_limits(gr_reader *r, const gr_place *top, gr_budget *limits) {
    static const char *const keys[] = {"cpu_s", "wall_s"};
    static const gr_budget usual = {120, 600};
    enum { LONGEST_S = 86400 };
    gr_place place = gr_member(r, top, "limits", false);
    *limits = usual;
    if (!place.value || !gr_expect_object(r, &place, keys, WB_COUNT(keys)))
        return;
    limits->cpu_s = gr_get_number(r, &place, "cpu_s", 1, LONGEST_S, &usual.cpu_s);
    limits->wall_s = gr_get_number(r, &place, "wall_s", 1, LONGEST_S, &usual.wall_s);
}

static void read_tests(gr_reader *r, gr_lab *lab, const gr_place *top) {
    gr_place list = gr_member(r, top, "tests", true);
    size_t n = gr_expect_array(r, &list, 1, MAX_TESTS);
    lab->tests = calloc(n ? n : 1, sizeof *lab->tests);
    for (; lab->tests && lab->n_tests < n && !r->failed; lab->n_tests++) {
        gr_place place = gr_element(&list, lab->n_tests);
        gr_test *test = &lab->tests[lab->n_tests];
        read_test(r, lab, &place, test);
        for (size_t i = 0; i < lab->n_tests && !r->failed; i++)
            if (strcmp(lab->tests[i].name, test->name) == 0)
                gr_reader_fail(r, place.path, _("a test before has the name \"%.60s\" too"),
                               test->name);
    }
}

bool gr_lab_is_name(const char *name) {
    bool fine = isalpha((unsigned char)*name) && strlen(name) <= 40;
    for (const char *p = name; fine && *p; p++)
        fine = isalnum((unsigned char)*p) || *p == '-' || *p == '_';
    return fine;
}

static void read_name(gr_reader *r, gr_lab *lab, const gr_place *top) {
    lab->name = gr_get_string(r, top, "name", NULL);
    if (lab->name && !gr_lab_is_name(lab->name))
        gr_reader_fail(r, "name",
                       _("expected a letter, then letters, digits, - and _, 40 at most"));
}

/* Reads the reference, and the arguments, which depend on it. */
static bool read_reference(gr_reader *r, gr_lab *lab, const gr_place *top) {
    WB_SCOPED char *source = gr_get_string(r, top, "reference", NULL);
    if (source && !gr_is_source(source))
        gr_reader_fail(r, "reference",
                       _("expected a .cu or .cpp file beside lab.json; found \"%.60s\""), source);
    snprintf(lab->source, sizeof lab->source, "%s", source ? source : "");
    read_forbidden(r, top, &lab->forbidden);
    if (!r->failed)
        gr_args_read(r, lab, top);
    if (!r->failed)
        gr_read_rival(r, lab, top);
    return !r->failed;
}

static void read_lab(gr_reader *r, gr_lab *lab, const gr_place *top) {
    static const char *const keys[] = {"version",   "name",      "title",       "summary",
                                       "reference", "arguments", "work",        "minimum_bytes",
                                       "forbidden", "tests",     "performance", "rival",
                                       "structs",   "values",    "check",       "limits"};
    if (!gr_expect_object(r, top, keys, WB_COUNT(keys)))
        return;
    gr_get_number(r, top, "version", 1, 1, NULL);
    read_name(r, lab, top);
    lab->title = gr_get_string(r, top, "title", NULL);
    lab->summary = gr_get_string(r, top, "summary", NULL);
    lab->work = gr_get_string(r, top, "work", NULL);
    lab->minimum_bytes = gr_get_string(r, top, "minimum_bytes", NULL);
    read_limits(r, top, &lab->limits);
    if (!read_reference(r, lab, top))
        return;
    read_tests(r, lab, top);
    static const char *const devices[] = {"soft", "gpu"};
    gr_place performance = gr_member(r, top, "performance", true);
    if (r->failed || !gr_expect_object(r, &performance, devices, 2))
        return;
    gr_place soft = gr_member(r, &performance, "soft", true);
    gr_place gpu = gr_member(r, &performance, "gpu", true);
    read_performance(r, lab, &soft, &lab->soft, false);
    if (!r->failed)
        read_performance(r, lab, &gpu, &lab->gpu, true);
    double a = gr_lab_max_score(lab, false), b = gr_lab_max_score(lab, true);
    if (!r->failed && (a <= 0 || fabs(a - b) > 1e-9))
        gr_reader_fail(r, performance.path,
                       _("soft is worth %g points in all and gpu %g; they must be equal and not 0"),
                       a, b);
}

gr_lab *gr_lab_parse(const char *path, const char *text, size_t len, wb_error *err) {
    gr_lab *lab = calloc(1, sizeof *lab);
    gr_reader r = {.source = {path, text, len, err}};
    gr_place top = {.value = wb_json_parse(&r.source), .path = ""};
    r.failed = !top.value || (!lab && !wb_fail(err, 1, _("out of memory")));
    if (!r.failed) {
        lab->path = strdup(path);
        read_lab(&r, lab, &top);
    }
    json_decref(top.value);
    if (!r.failed)
        return lab;
    gr_lab_free(lab);
    return NULL;
}

gr_lab *gr_lab_read(const char *path, wb_error *err) {
    WB_SCOPED_BUF wb_buf text = {0};
    return wb_file_read(path, MAX_FILE, &text, err)
               ? gr_lab_parse(path, text.data ? text.data : "", text.len, err)
               : NULL;
}

static void free_criteria(gr_criterion *criteria, size_t n) {
    for (size_t i = 0; i < n; i++)
        WB_FREE(criteria[i].name, criteria[i].advice);
    free(criteria);
}

static void free_performance(gr_performance *performance) {
    free(performance->cases);
    free_criteria(performance->criteria, performance->n_criteria);
    free_criteria(performance->conditions, performance->n_conditions);
    free_criteria(performance->reasons, performance->n_reasons);
}

void gr_lab_free(gr_lab *lab) {
    if (!lab)
        return;
    for (size_t i = 0; i < lab->n_tests; i++)
        WB_FREE(lab->tests[i].name, lab->tests[i].about, lab->tests[i].cases);
    free(lab->tests);
    free_performance(&lab->soft);
    free_performance(&lab->gpu);
    for (int i = 0; i < lab->n_args; i++)
        WB_FREE(lab->args[i].count, lab->args[i].row);
    gr_args_free(lab);
    gr_free_rival(lab);
    WB_FREE(lab->path, lab->name, lab->title, lab->summary, lab->work, lab->minimum_bytes, lab);
}

double gr_lab_max_score(const gr_lab *lab, bool gpu) {
    double points = 0;
    for (size_t i = 0; i < lab->n_tests; i++)
        points += lab->tests[i].points;
    const gr_performance *performance = gpu ? &lab->gpu : &lab->soft;
    for (size_t i = 0; i < performance->n_criteria; i++)
        points += performance->criteria[i].points;
    return points;
}

bool gr_judges_speed(const gr_performance *performance) {
    for (size_t i = 0; i < performance->n_criteria; i++)
        if (performance->criteria[i].measure == GR_SPEED)
            return true;
    return false;
}
