/* expression.c: computes an expression of C in a stopped thread: conditions of breakpoints, and
 * what the user types. A long double holds any number of up to 64 bits exactly. */
#include <ctype.h>
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/debug/state.h"
#include "runtime/softgpu/watch/record/place.h"

enum { MOST_NESTED = 50, UNARY = 11 /* a level above those of the operators */ };

typedef struct parser {
    const dbg_stop *stop;
    uint32_t frame;
    int lane, depth;
    const char *at, *why;
} parser;

static const struct symbol {
    char text[3], code;
    int level; /* a higher level binds tighter */
} operators[] = {
    {"||", 'o', 1}, {"&&", 'a', 2}, {"==", 'e', 6}, {"!=", 'n', 6}, {"<=", 'l', 7}, {">=", 'g', 7},
    {"<<", 'L', 8}, {">>", 'R', 8}, {"<", '<', 7},  {">", '>', 7},  {"|", '|', 3},  {"^", '^', 4},
    {"&", '&', 5},  {"+", '+', 9},  {"-", '-', 9},  {"*", '*', 10}, {"/", '/', 10}, {"%", '%', 10},
};

static dbg_number whole(long double value) {
    return (dbg_number){.value = value};
}

static dbg_number fail(parser *p, const char *why) {
    p->why = p->why ? p->why : why;
    return whole(0);
}

static bool take(parser *p, const char *symbol) {
    p->at += strspn(p->at, " \t\n");
    if (!wb_begins(p->at, symbol))
        return false;
    p->at += strlen(symbol);
    return true;
}

static uint64_t bits_of(dbg_number n) {
    bool fits = fabsl(n.value) < 0x1p63L;
    return fits                               ? (uint64_t)(int64_t)n.value
           : n.value > 0 && n.value < 0x1p64L ? (uint64_t)n.value
                                              : 0;
}

static dbg_number apply(parser *p, char code, dbg_number a, dbg_number b) {
    long double x = a.value, y = b.value;
    bool real = a.is_real || b.is_real;
    uint64_t i = bits_of(a), j = bits_of(b);
    if (strchr("/%", code) && y == 0 && !real)
        return fail(p, _("a division by zero"));
    switch (code) {
    case 'o':
        return whole(x != 0 || y != 0);
    case 'a':
        return whole(x != 0 && y != 0);
    case 'e':
        return whole(x == y);
    case 'n':
        return whole(x != y);
    case 'l':
        return whole(x <= y);
    case 'g':
        return whole(x >= y);
    case '<':
        return whole(x < y);
    case '>':
        return whole(x > y);
    case 'L':
        return whole((int64_t)(i << (j & 63)));
    case 'R':
        return whole((int64_t)i >> (j & 63));
    case '|':
        return whole((int64_t)(i | j));
    case '^':
        return whole((int64_t)(i ^ j));
    case '&':
        return whole((int64_t)(i & j));
    case '+':
        return (dbg_number){real, x + y};
    case '-':
        return (dbg_number){real, x - y};
    case '*':
        return (dbg_number){real, x * y};
    case '/':
        return (dbg_number){real, real ? x / y : truncl(x / y)};
    default:
        return (dbg_number){real, fmodl(x, y)};
    }
}

static dbg_number number_of(const dbg_value *v) {
    const sg_watched *w = &v->shape;
    unsigned unused = 64 - 8 * w->bytes;
    if (w->kind == SG_VALUE_SIGNED)
        return whole((int64_t)(v->bits << unused) >> unused);
    if (w->kind == SG_VALUE_UNSIGNED || w->kind == SG_VALUE_POINTER)
        return whole(v->bits);
    return (dbg_number){true, sg_value_real(w->kind, w->bytes, v->bits)};
}

/* Finds threadIdx.x and the like. */
static bool builtin(const parser *p, const char *path, dbg_number *n) {
    static const struct {
        const char *name;
        int kind;
    } names[] = {{"threadIdx.", PTX_TID_X},
                 {"blockDim.", PTX_NTID_X},
                 {"blockIdx.", PTX_CTAID_X},
                 {"gridDim.", PTX_NCTAID_X}};
    for (size_t k = 0; k < WB_COUNT(names); k++) {
        const char *axis = path + strlen(names[k].name);
        if (!wb_begins(path, names[k].name) || !*axis || !strchr("xyz", *axis) || axis[1])
            continue;
        *n = whole(
            sg_special_value(p->stop->warp, (ptx_special)(names[k].kind + *axis - 'x'), p->lane));
        return true;
    }
    return false;
}

static dbg_number operation(parser *p, int level);

/* Reads a variable with its members and indices, which may be expressions. */
static dbg_number variable(parser *p) {
    char path[200] = "";
    size_t n = 0;
    dbg_value value;
    dbg_number result;
    while (!p->why && n < sizeof path - 40) {
        if (isalnum((unsigned char)*p->at) || *p->at == '_') {
            path[n++] = *p->at++;
        } else if (take(p, ".")) {
            path[n++] = '.';
        } else if (take(p, "[")) {
            dbg_number index = operation(p, 0);
            n += (size_t)snprintf(path + n, 40, "[%llu]", (unsigned long long)bits_of(index));
            if (!take(p, "]") || index.is_real || index.value < 0)
                fail(p, _("an index must be a whole number from 0 on"));
        } else {
            break;
        }
    }
    path[n] = '\0';
    if (p->why)
        return whole(0);
    if (strcmp(path, "true") == 0 || strcmp(path, "false") == 0)
        return whole(*path == 't');
    if (dbg_find(p->stop, p->frame, p->lane, path, &value))
        return number_of(&value);
    return builtin(p, path, &result) ? result
                                     : fail(p, _("no variable of that name has a value here"));
}

static dbg_number literal(parser *p) {
    char *end, *real_end;
    dbg_number n = whole(strtoull(p->at, &end, 0));
    long double fraction = strtold(p->at, &real_end);
    if (real_end > end)
        n = (dbg_number){true, fraction};
    p->at = real_end > end ? real_end : end;
    p->at += strspn(p->at, "uUlLfF");
    return n;
}

static dbg_number unary(parser *p) {
    if (take(p, "-"))
        return apply(p, '-', whole(0), operation(p, UNARY));
    if (take(p, "!"))
        return whole(operation(p, UNARY).value == 0);
    if (take(p, "~"))
        return whole((int64_t)~bits_of(operation(p, UNARY)));
    if (take(p, "(")) {
        dbg_number n = operation(p, 0);
        return take(p, ")") ? n : fail(p, _("a parenthesis is missing"));
    }
    if (isdigit((unsigned char)*p->at))
        return literal(p);
    return isalpha((unsigned char)*p->at) || *p->at == '_'
               ? variable(p)
               : fail(p, _("a name or a number is expected"));
}

static const struct symbol *next_operator(parser *p, int level) {
    for (size_t k = 0; k < WB_COUNT(operators); k++)
        if (take(p, operators[k].text)) {
            if (operators[k].level >= level)
                return &operators[k];
            p->at -= strlen(operators[k].text);
            return NULL;
        }
    return NULL;
}

static dbg_number operation(parser *p, int level) {
    const struct symbol *op;
    if (++p->depth > MOST_NESTED)
        return fail(p, _("the expression nests too deeply"));
    dbg_number left = unary(p);
    while (!p->why && (op = next_operator(p, level)) != NULL)
        left = apply(p, op->code, left, operation(p, op->level + 1));
    p->depth--;
    return left;
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
