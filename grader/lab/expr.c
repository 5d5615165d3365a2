/* expr.c: formulas over a test's sizes, by recursive descent. */
#include "grader/lab/expr.h"

#include <ctype.h>

enum { MAX_DEPTH = 64 };

typedef struct parser {
    const char *text, *at;
    const gr_vars *vars;
    wb_error *err;
    int depth;
} parser;

static bool sum(parser *p, int64_t *value);

static void skip_space(parser *p) {
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool fail(parser *p, const char *what) {
    return wb_fail(p->err, 1, _("in \"%.200s\", column %d: %s"), p->text,
                   (int)(p->at - p->text) + 1, what);
}

/* Consumes c if it is next. */
static bool accept(parser *p, char c) {
    skip_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool number(parser *p, int64_t *value) {
    *value = 0;
    for (; isdigit((unsigned char)*p->at); p->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, *p->at - '0', value))
            return fail(p, _("the number is too large"));
    return true;
}

static bool call(parser *p, bool larger, int64_t *value) {
    int64_t a, b;
    if (!sum(p, &a))
        return false;
    if (!accept(p, ','))
        return fail(p, _("expected ',' and a second argument"));
    if (!sum(p, &b))
        return false;
    if (!accept(p, ')'))
        return fail(p, _("expected ')'"));
    *value = (a > b) == larger ? a : b;
    return true;
}

static bool name(parser *p, int64_t *value) {
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t len = (size_t)(p->at - start);
    if (len == 3 && (memcmp(start, "min", 3) == 0 || memcmp(start, "max", 3) == 0) &&
        accept(p, '('))
        return call(p, start[1] == 'a', value);
    for (int i = 0; i < p->vars->n; i++)
        if (strlen(p->vars->names[i]) == len && memcmp(p->vars->names[i], start, len) == 0) {
            *value = p->vars->values[i];
            return true;
        }
    p->at = start;
    return fail(p, _("this name is not one of the lab's sizes"));
}

static bool factor(parser *p, int64_t *value) {
    skip_space(p);
    if (++p->depth > MAX_DEPTH)
        return fail(p, _("nested too deeply"));
    bool ok;
    if (accept(p, '-')) {
        ok = factor(p, value) && (!__builtin_sub_overflow((int64_t)0, *value, value) ||
                                  fail(p, _("the result does not fit 64 bits")));
    } else if (accept(p, '(')) {
        ok = sum(p, value) && (accept(p, ')') || fail(p, _("expected ')'")));
    } else if (isdigit((unsigned char)*p->at)) {
        ok = number(p, value);
    } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        ok = name(p, value);
    } else {
        ok = fail(p, _("expected a number, a size or '('"));
    }
    p->depth--;
    return ok;
}

static bool product(parser *p, int64_t *value) {
    if (!factor(p, value))
        return false;
    for (;;) {
        int64_t right;
        skip_space(p);
        char op = *p->at;
        if (op != '*' && op != '/' && op != '%')
            return true;
        p->at++;
        if (!factor(p, &right))
            return false;
        if (op == '*') {
            if (__builtin_mul_overflow(*value, right, value))
                return fail(p, _("the result does not fit 64 bits"));
        } else if (right == 0 || (right == -1 && *value == INT64_MIN)) {
            return fail(p, _("division by zero"));
        } else {
            *value = op == '/' ? *value / right : *value % right;
        }
    }
}

static bool sum(parser *p, int64_t *value) {
    if (!product(p, value))
        return false;
    for (;;) {
        int64_t right;
        bool plus = accept(p, '+');
        if (!plus && !accept(p, '-'))
            return true;
        if (!product(p, &right))
            return false;
        if (plus ? __builtin_add_overflow(*value, right, value)
                 : __builtin_sub_overflow(*value, right, value))
            return fail(p, _("the result does not fit 64 bits"));
    }
}

bool gr_expr(const char *text, const gr_vars *vars, int64_t *value, wb_error *err) {
    parser p = {text, text, vars, err, 0};
    if (!sum(&p, value))
        return false;
    skip_space(&p);
    return *p.at ? fail(&p, _("expected an operator or the end")) : true;
}
