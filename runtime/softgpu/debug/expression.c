/* expression.c: computes an expression of C in a stopped thread: conditions of breakpoints, and
 * what the user types. */
#include <ctype.h>
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/debug/state.h"
#include "runtime/softgpu/watch/record/place.h"

enum { MOST_NESTED = 50 };

typedef struct parser {
    const dbg_stop *stop;
    uint32_t frame;
    int lane, depth;
    const char *at;
    const char *why;
} parser;

static dbg_number whole(int64_t value) {
    return (dbg_number){.whole = value, .real = (double)value};
}

static dbg_number real(double value) {
    return (dbg_number){.is_real = true, .real = value};
}

static dbg_number fail(parser *p, const char *why) {
    p->why = p->why ? p->why : why;
    return whole(0);
}

static bool take(parser *p, const char *symbol) {
    while (isspace((unsigned char)*p->at))
        p->at++;
    if (!wb_begins(p->at, symbol))
        return false;
    p->at += strlen(symbol);
    return true;
}

static dbg_number operation(parser *p, int level);

static dbg_number number_of(const dbg_value *v) {
    const sg_watched *w = &v->shape;
    unsigned unused = 64 - 8 * w->bytes;
    switch (w->kind) {
    case SG_VALUE_SIGNED:
        return whole((int64_t)(v->bits << unused) >> unused);
    case SG_VALUE_FLOAT:
    case SG_VALUE_HALF:
    case SG_VALUE_BFLOAT:
        return real(sg_value_real(w->kind, w->bytes, v->bits));
    default:
        return whole((int64_t)v->bits);
    }
}

/* Finds threadIdx.x and the like. */
static bool builtin(const parser *p, const char *path, dbg_number *n) {
    static const char *const names[] = {"threadIdx.", "blockDim.", "blockIdx.", "gridDim."};
    static const int kinds[] = {SG_TID_X, SG_NTID_X, SG_CTAID_X, SG_NCTAID_X};
    for (size_t k = 0; k < WB_COUNT(names); k++) {
        size_t len = strlen(names[k]);
        if (strncmp(path, names[k], len) != 0 || path[len] < 'x' || path[len] > 'z' ||
            path[len + 1])
            continue;
        *n = whole(sg_special_value(p->stop->warp, kinds[k] + path[len] - 'x', p->lane));
        return true;
    }
    return false;
}

/* Reads a variable with its members and indices, which may be expressions. */
static dbg_number variable(parser *p) {
    wb_buf path = {0};
    dbg_value value = {.bits = 0};
    dbg_number result;
    for (;;) {
        while (isalnum((unsigned char)*p->at) || *p->at == '_')
            wb_buf_putc(&path, *p->at++);
        if (take(p, ".")) {
            wb_buf_putc(&path, '.');
        } else if (take(p, "[")) {
            dbg_number index = operation(p, 0);
            wb_buf_printf(&path, "[%lld]", (long long)index.whole);
            if (!take(p, "]") || index.is_real || index.whole < 0)
                fail(p, _("an index must be a whole number from 0 on"));
        } else {
            break;
        }
        if (p->why)
            break;
    }
    const char *text = path.data ? path.data : "";
    if (p->why)
        result = whole(0);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        result = whole(*text == 't');
    else if (dbg_find(p->stop, p->frame, p->lane, text, &value))
        result = number_of(&value);
    else if (!builtin(p, text, &result))
        result = fail(p, _("no variable of that name has a value here"));
    wb_buf_free(&path);
    return result;
}

static dbg_number literal(parser *p) {
    char *whole_end, *real_end;
    int64_t value = (int64_t)strtoull(p->at, &whole_end, 0);
    double fraction = strtod(p->at, &real_end);
    bool is_real = real_end > whole_end;
    p->at = is_real ? real_end : whole_end;
    while (*p->at && strchr("uUlLfF", *p->at))
        p->at++;
    return is_real ? real(fraction) : whole(value);
}

static dbg_number unary(parser *p) {
    dbg_number n;
    if (++p->depth > MOST_NESTED)
        return fail(p, _("the expression nests too deeply"));
    if (take(p, "-")) {
        n = unary(p);
        n = n.is_real ? real(-n.real) : whole((int64_t)(0 - (uint64_t)n.whole));
    } else if (take(p, "!")) {
        n = unary(p);
        n = whole(n.is_real ? n.real == 0 : n.whole == 0);
    } else if (take(p, "~")) {
        n = whole(~unary(p).whole);
    } else if (take(p, "(")) {
        n = operation(p, 0);
        if (!take(p, ")"))
            fail(p, _("a parenthesis is missing"));
    } else if (take(p, "") && isdigit((unsigned char)*p->at)) {
        n = literal(p);
    } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        n = variable(p);
    } else {
        n = fail(p, _("a name or a number is expected"));
    }
    p->depth--;
    return n;
}

/* Operators by precedence. A longer one comes before its beginning. */
static const char *const levels[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

static const char *take_operator(parser *p, int level) {
    for (size_t k = 0; levels[level][k]; k++) {
        const char *symbol = levels[level][k];
        if (!take(p, symbol))
            continue;
        char next = *p->at; /* "a & b" is not "a && b" */
        if (!symbol[1] && strchr("&|<>", *symbol) && next == *symbol) {
            p->at--;
            continue;
        }
        return symbol;
    }
    return NULL;
}

static dbg_number compare(const char *symbol, dbg_number a, dbg_number b) {
    bool reals = a.is_real || b.is_real;
    bool less = reals ? a.real < b.real : a.whole < b.whole;
    bool equal = reals ? a.real == b.real : a.whole == b.whole;
    bool more = reals ? a.real > b.real : a.whole > b.whole;
    switch (*symbol) {
    case '<':
        return whole(less || (symbol[1] && equal));
    case '>':
        return whole(more || (symbol[1] && equal));
    default:
        return whole(equal == (*symbol == '='));
    }
}

static dbg_number arithmetic(parser *p, char symbol, dbg_number a, dbg_number b) {
    uint64_t x = (uint64_t)a.whole, y = (uint64_t)b.whole;
    bool reals = a.is_real || b.is_real;
    if (!reals && strchr("/%", symbol) && (!y || b.whole == -1))
        return y ? whole(symbol == '/' ? (int64_t)(0 - x) : 0) : fail(p, _("a division by zero"));
    switch (symbol) {
    case '+':
        return reals ? real(a.real + b.real) : whole((int64_t)(x + y));
    case '-':
        return reals ? real(a.real - b.real) : whole((int64_t)(x - y));
    case '*':
        return reals ? real(a.real * b.real) : whole((int64_t)(x * y));
    case '/':
        return reals ? real(a.real / b.real) : whole(a.whole / b.whole);
    case '%':
        return reals ? real(fmod(a.real, b.real)) : whole(a.whole % b.whole);
    case '|':
        return whole(a.whole | b.whole);
    case '&':
        return whole(a.whole & b.whole);
    default:
        return whole(a.whole ^ b.whole);
    }
}

static bool is_true(dbg_number n) {
    return n.is_real ? n.real != 0 : n.whole != 0;
}

static dbg_number operation(parser *p, int level) {
    if (level == (int)WB_COUNT(levels))
        return unary(p);
    dbg_number a = operation(p, level + 1);
    const char *symbol;
    while (!p->why && (symbol = take_operator(p, level)) != NULL) {
        dbg_number b = operation(p, level + 1);
        if (symbol[1] && *symbol == '|')
            a = whole(is_true(a) || is_true(b));
        else if (symbol[1] && *symbol == '&')
            a = whole(is_true(a) && is_true(b));
        else if (strcmp(symbol, "<<") == 0)
            a = whole((int64_t)((uint64_t)a.whole << (b.whole & 63)));
        else if (strcmp(symbol, ">>") == 0)
            a = whole(a.whole >> (b.whole & 63));
        else if (strchr("=!<>", *symbol))
            a = compare(symbol, a, b);
        else
            a = arithmetic(p, *symbol, a, b);
    }
    return a;
}

bool dbg_compute(const dbg_stop *stop, uint32_t frame, int lane, const char *text,
                 dbg_number *result, const char **why) {
    parser p = {.stop = stop, .frame = frame, .lane = lane, .at = text};
    *result = operation(&p, 0);
    if (take(&p, "") && *p.at)
        fail(&p, _("the expression goes on after its end"));
    *why = p.why;
    return !p.why;
}
