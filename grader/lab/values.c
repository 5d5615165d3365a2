/* values.c: reads how a lab's inputs are drawn. */
#include "grader/lab/args.h"

#include <math.h>

static void read_amount(gr_reader *r, const gr_place *object, const char *key, double otherwise,
                        gr_amount *amount) {
    gr_place place = gr_member(r, object, key, isnan(otherwise));
    const char *text = json_string_value(place.value);
    amount->number = place.value ? json_number_value(place.value) : otherwise;
    if (text)
        amount->formula = strdup(text);
    else if (place.value && !json_is_number(place.value))
        gr_reader_fail(r, place.path, _("expected a number or a formula over the sizes"));
    else if (place.value && !(fabs(amount->number) <= 1e30))
        gr_reader_fail(r, place.path, _("expected a number of at most 1e30"));
}

/* Reads a draw. Each kind has its own keys beside "draw". */
static void read_draw(gr_reader *r, const gr_place *place, gr_rule *rule) {
    static const char *const keys[GR_DRAWS][5] = {
        [GR_DRAW_UNIFORM] = {"draw", "from", "to", "order", "terms"},
        [GR_DRAW_NORMAL] = {"draw", "mean", "deviation"},
        [GR_DRAW_WHOLE] = {"draw", "from", "to", "order"},
        [GR_DRAW_SPARSE] = {"draw", "from", "to", "density"},
        [GR_DRAW_PERMUTATION] = {"draw"},
        [GR_DRAW_OFFSETS] = {"draw", "to", "skew"},
        [GR_DRAW_TEXT] = {"draw"},
        [GR_DRAW_BITS] = {"draw"},
        [GR_DRAW_TERMS] = {"draw"}};
    const double zero = 0;
    if (!json_is_object(place->value)) {
        gr_reader_fail(r, place->path,
                       _("expected an object such as {\"draw\": \"uniform\", "
                         "\"from\": 0, \"to\": 1}"));
        return;
    }
    int draw = gr_get_choice(r, place, "draw", gr_draw_names, GR_DRAWS, -1);
    size_t n = 0;
    if (r->failed)
        return;
    while (n < 5 && keys[draw][n])
        n++;
    if (!gr_expect_object(r, place, keys[draw], n))
        return;
    rule->given = true;
    rule->draw = (gr_draw)draw;
    if (draw == GR_DRAW_NORMAL) {
        read_amount(r, place, "mean", 0, &rule->a);
        read_amount(r, place, "deviation", 1, &rule->b);
    } else if (draw == GR_DRAW_OFFSETS) {
        read_amount(r, place, "to", NAN, &rule->b);
        rule->c = gr_get_number(r, place, "skew", 0, 20, &zero);
    } else if (draw == GR_DRAW_UNIFORM || draw == GR_DRAW_WHOLE || draw == GR_DRAW_SPARSE) {
        read_amount(r, place, "from", NAN, &rule->a);
        read_amount(r, place, "to", NAN, &rule->b);
        if (draw == GR_DRAW_UNIFORM)
            read_amount(r, place, "terms", 0, &rule->terms);
        if (draw == GR_DRAW_SPARSE)
            rule->c = gr_get_number(r, place, "density", 0, 1, NULL);
        else
            rule->order =
                (gr_order)gr_get_choice(r, place, "order", gr_order_names, GR_ORDERS, GR_ANY_ORDER);
    }
}

static void read_rules(gr_reader *r, const gr_place *place, const gr_arg *arg,
                       gr_rule rules[GR_MAX_FIELDS]) {
    if (!arg->is_struct || json_object_get(place->value, "draw")) {
        read_draw(r, place, &rules[0]);
        for (int i = 1; i < arg->n_fields && !r->failed; i++)
            read_draw(r, place, &rules[i]);
        return;
    }
    const char *names[GR_MAX_FIELDS];
    for (int i = 0; i < arg->n_fields; i++)
        names[i] = arg->fields[i].name;
    if (!gr_expect_object(r, place, names, (size_t)arg->n_fields))
        return;
    for (int i = 0; i < arg->n_fields && !r->failed; i++) {
        gr_place field = gr_member(r, place, names[i], true);
        if (field.value)
            read_draw(r, &field, &rules[i]);
    }
}

static bool copy_amount(const gr_amount *from, gr_amount *to) {
    *to = *from;
    to->formula = from->formula ? strdup(from->formula) : NULL;
    return !from->formula || to->formula;
}

/* A later set inherits from the first what it does not define. */
static void inherit(const gr_set *first, gr_set *set) {
    for (int i = 0; i < GR_MAX_ARGS; i++)
        for (int f = 0; f < GR_MAX_FIELDS; f++)
            if (!set->rules[i][f].given && first->rules[i][f].given) {
                set->rules[i][f] = first->rules[i][f];
                copy_amount(&first->rules[i][f].a, &set->rules[i][f].a);
                copy_amount(&first->rules[i][f].b, &set->rules[i][f].b);
                copy_amount(&first->rules[i][f].terms, &set->rules[i][f].terms);
            }
}

static void read_set(gr_reader *r, gr_lab *lab, const char *name, const gr_place *place) {
    gr_set *set = &lab->sets[lab->n_sets++];
    const char *inputs[GR_MAX_ARGS];
    size_t n = 0;
    if (strlen(name) >= sizeof set->name || !*name) {
        gr_reader_fail(r, place->path, _("expected a name of %zu characters at most"),
                       sizeof set->name - 1);
        return;
    }
    snprintf(set->name, sizeof set->name, "%s", name);
    for (int i = 0; i < lab->n_args; i++)
        if (gr_is_input(lab->args[i].role))
            inputs[n++] = lab->args[i].name;
    if (!gr_expect_object(r, place, inputs, n))
        return;
    for (int i = 0; i < lab->n_args && !r->failed; i++) {
        const gr_arg *arg = &lab->args[i];
        if (!gr_is_input(arg->role))
            continue;
        gr_place rule = gr_member(r, place, arg->name, lab->n_sets == 1);
        if (rule.value)
            read_rules(r, &rule, arg, set->rules[i]);
    }
    if (lab->n_sets > 1)
        inherit(&lab->sets[0], set);
}

void gr_args_read_values(gr_reader *r, gr_lab *lab, const gr_place *top) {
    gr_place place = gr_member(r, top, "values", true);
    const char *name;
    json_t *value;
    if (r->failed)
        return;
    size_t n = json_object_size(place.value);
    if (!json_is_object(place.value) || n < 1 || n > GR_MAX_SETS) {
        gr_reader_fail(r, place.path,
                       _("expected an object of 1 to %d sets: a name, and how each "
                         "input is drawn"),
                       GR_MAX_SETS);
        return;
    }
    lab->sets = calloc(n, sizeof *lab->sets);
    json_object_foreach(place.value, name, value) {
        gr_place set = {.value = value};
        snprintf(set.path, sizeof set.path, "values.%.40s", name);
        if (lab->sets && !r->failed)
            read_set(r, lab, name, &set);
    }
}

bool gr_args_check_case(gr_reader *r, const gr_lab *lab, const gr_vars *sizes) {
    for (int i = 0; i < lab->n_args; i++) {
        const gr_arg *arg = &lab->args[i];
        gr_fill fills[GR_MAX_FIELDS];
        int64_t count = 0;
        char where[120];
        wb_error why;
        if (!gr_is_input(arg->role))
            continue;
        gr_expr(arg->count, sizes, &count, NULL);
        for (int set = 0; set < lab->n_sets; set++)
            if (!gr_lab_fills(lab, set, i, sizes, count, fills, where, &why))
                return gr_reader_fail(r, where, "%s", why.text);
    }
    return true;
}

void gr_args_free(gr_lab *lab) {
    for (int s = 0; s < lab->n_sets; s++)
        for (int i = 0; i < GR_MAX_ARGS; i++)
            for (int f = 0; f < GR_MAX_FIELDS; f++)
                WB_FREE(lab->sets[s].rules[i][f].a.formula, lab->sets[s].rules[i][f].b.formula,
                        lab->sets[s].rules[i][f].terms.formula);
    free(lab->sets);
}
