/* fills.c: computes a lab's draws for the sizes of a case. */
#include "grader/lab/lab.h"

#include <math.h>

static bool amount_value(const gr_amount *amount, const gr_vars *sizes, double *value,
                         wb_error *err) {
    int64_t whole = 0;
    *value = amount->number;
    if (!amount->formula)
        return true;
    bool ok = gr_expr(amount->formula, sizes, &whole, err);
    *value = (double)whole;
    return ok;
}

static bool fits(const gr_fill *fill, gr_type type, int64_t count, wb_error *err) {
    double least = gr_type_least(type), most = gr_type_most(type);
    bool whole = gr_type_is_whole(type), sparse = fill->draw == GR_DRAW_SPARSE;
    const char *name = gr_type_names[type];
    switch (fill->draw) {
    case GR_DRAW_UNIFORM:
    case GR_DRAW_NORMAL:
        if (whole)
            return wb_fail(err, 1, _("\"%s\" draws real numbers, and the type is %s: \"whole\""),
                           gr_draw_names[fill->draw], name);
        return fill->draw == GR_DRAW_NORMAL
                   ? fill->b >= 0 || wb_fail(err, 1, _("\"deviation\" is %g"), fill->b)
                   : fill->a <= fill->b ||
                         wb_fail(err, 1, _("\"from\" is %g, \"to\" is %g"), fill->a, fill->b);
    case GR_DRAW_WHOLE:
    case GR_DRAW_SPARSE:
        if (fill->a > fill->b)
            return count == 0 ||
                   wb_fail(err, 1, _("\"from\" is %g, \"to\" is %g"), fill->a, fill->b);
        if ((!sparse || whole) && (fill->a != rint(fill->a) || fill->b != rint(fill->b)))
            return wb_fail(err, 1, _("expected whole numbers as \"from\" and \"to\""));
        return (sparse && !whole) || (fill->a >= least && fill->b <= most) ||
               wb_fail(err, 1, _("%g to %g does not fit the type %s, which holds %.17g to %.17g"),
                       fill->a, fill->b, name, least, most);
    case GR_DRAW_PERMUTATION:
        return (double)count - 1 <= most ||
               wb_fail(err, 1, _("a permutation of %lld does not fit the type %s"),
                       (long long)count, name);
    case GR_DRAW_OFFSETS:
        return (fill->b >= 0 && fill->b <= most) ||
               wb_fail(err, 1, _("\"to\" is %g, which does not fit the type %s"), fill->b, name);
    case GR_DRAW_TERMS:
        return most >= 1 << 24 || type == GR_FLOAT || type == GR_DOUBLE ||
               wb_fail(err, 1, _("\"terms\" do not fit the type %s"), name);
    case GR_DRAW_TEXT:
        return type == GR_BYTE || wb_fail(err, 1, _("\"text\" needs the type byte"));
    default:
        return true;
    }
}

bool gr_lab_fills(const gr_lab *lab, int set, int arg, const gr_vars *sizes, int64_t count,
                  gr_fill fills[GR_MAX_FIELDS], char where[120], wb_error *err) {
    const gr_arg *a = &lab->args[arg];
    snprintf(where, 120, "values.%s.%s", lab->sets[set].name, a->name);
    for (int f = 0; f < a->n_fields; f++) {
        const gr_rule *rule = &lab->sets[set].rules[arg][f];
        fills[f] = (gr_fill){.draw = rule->draw, .order = rule->order, .c = rule->c};
        if (!amount_value(&rule->a, sizes, &fills[f].a, err) ||
            !amount_value(&rule->b, sizes, &fills[f].b, err) ||
            (rule->draw == GR_DRAW_UNIFORM &&
             !amount_value(&rule->terms, sizes, &fills[f].c, err)) ||
            !fits(&fills[f], a->fields[f].type, count, err))
            return false;
    }
    return true;
}
