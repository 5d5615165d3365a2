/* expr.c: literals and constant expressions (PTX ISA 9.0, 4.5): 64-bit integers with C's operators
 * and precedence. A floating-point literal stands alone or is negated. */
#include <ctype.h>
#include <locale.h>
#include "runtime/softgpu/ptx/internal.h"

enum { MAX_NESTING = 64 };

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool ptx_starts_number(ptx_parser *p) {
    char c = ptx_peek(p);
    return (c && strchr("-+~!(", c)) || (ptx_char_class[(unsigned char)c] & PTX_C_DIGIT);
}

static uint64_t digits(ptx_parser *p, unsigned base, bool *is_unsigned) {
    uint64_t value = 0;
    const char *start = p->at;
    for (int d; (d = digit_value(*p->at)) < (int)base; p->at++)
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, (uint64_t)d, &value))
            ptx_fail(p, _("a number does not fit in 64 bits"));
    if (p->at == start)
        ptx_fail(p, _("a number without digits"));
    *is_unsigned = value > INT64_MAX;
    if (*p->at == 'U') {
        *is_unsigned = true;
        p->at++;
    }
    return value;
}

/* Reads the bits of 0f3F800000 or 0d3FF0000000000000. */
static ptx_value hex_float(ptx_parser *p, int n_digits) {
    ptx_value value = {.is_float = n_digits == 8 ? 32 : 64};
    p->at += 2;
    for (int i = 0; i < n_digits; i++, p->at++) {
        int d = digit_value(*p->at);
        if (d > 15)
            ptx_fail(p, _("0f takes 8 hexadecimal digits, 0d takes 16"));
        value.bits = value.bits << 4 | (unsigned)d;
    }
    return value;
}

/* Reads 1.5e3 in the C locale, whatever the program's locale is. */
static ptx_value decimal_float(ptx_parser *p) {
    ptx_value value = {.is_float = 64};
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        ptx_fail(p, _("out of memory"));
    char *end;
    double number = strtod_l(p->at, &end, c_locale);
    freelocale(c_locale);
    memcpy(&value.bits, &number, sizeof number);
    p->at = end;
    return value;
}

static bool looks_decimal_float(const char *c) {
    while (isdigit((unsigned char)*c))
        c++;
    if (*c == '.')
        return isdigit((unsigned char)c[1]) || !(ptx_char_class[(unsigned char)c[1]] & PTX_C_START);
    return (*c == 'e' || *c == 'E') &&
           (isdigit((unsigned char)c[1]) ||
            ((c[1] == '-' || c[1] == '+') && isdigit((unsigned char)c[2])));
}

ptx_value ptx_number(ptx_parser *p) {
    char excerpt[48];
    ptx_value value = {0};
    if (!isdigit((unsigned char)ptx_peek(p)))
        ptx_fail(p, _("expected a number, found %s"), ptx_excerpt(p, excerpt));
    unsigned base = 10;
    if (*p->at == '0') {
        switch (tolower((unsigned char)p->at[1])) {
        case 'f':
            return hex_float(p, 8);
        case 'd':
            return hex_float(p, 16);
        case 'x':
        case 'b':
            base = tolower((unsigned char)p->at[1]) == 'x' ? 16 : 2;
            p->at += 2;
            break;
        default:
            base = isdigit((unsigned char)p->at[1]) ? 8 : 10;
        }
    }
    if (base != 16 && base != 2 && looks_decimal_float(p->at))
        return decimal_float(p);
    value.bits = digits(p, base, &value.is_unsigned);
    return value;
}

/* ---- operators ------------------------------------------------------------------------------ */

/* An operator's code: its characters. */
#define TWO(first, second) ((first) << 8 | (second))

static const struct {
    char text[3];
    int code;
    int level; /* a higher level binds tighter */
} operators[] = {
    {"||", TWO('|', '|'), 1},
    {"&&", TWO('&', '&'), 2},
    {"==", TWO('=', '='), 6},
    {"!=", TWO('!', '='), 6},
    {"<=", TWO('<', '='), 7},
    {">=", TWO('>', '='), 7},
    {"<<", TWO('<', '<'), 8},
    {">>", TWO('>', '>'), 8},
    {"<", '<', 7},
    {">", '>', 7},
    {"|", '|', 3},
    {"^", '^', 4},
    {"&", '&', 5},
    {"+", '+', 9},
    {"-", '-', 9},
    {"*", '*', 10},
    {"/", '/', 10},
    {"%", '%', 10},
};

static int next_operator(ptx_parser *p) {
    ptx_peek(p);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (strncmp(p->at, operators[i].text, strlen(operators[i].text)) == 0)
            return (int)i;
    return -1;
}

static int64_t as_signed(uint64_t bits) {
    return (int64_t)bits;
}

static uint64_t divide(ptx_parser *p, int code, ptx_value a, ptx_value b) {
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    if (b.bits == 0)
        ptx_fail(p, _("division by zero in a constant expression"));
    if (!is_unsigned && as_signed(b.bits) == -1)
        return code == '/' ? 0 - a.bits : 0;
    if (is_unsigned)
        return code == '/' ? a.bits / b.bits : a.bits % b.bits;
    return (uint64_t)(code == '/' ? as_signed(a.bits) / as_signed(b.bits)
                                  : as_signed(a.bits) % as_signed(b.bits));
}

static uint64_t shift(int code, ptx_value a, uint64_t by) {
    if (by > 63)
        return code == TWO('>', '>') && !a.is_unsigned && as_signed(a.bits) < 0 ? ~UINT64_C(0) : 0;
    if (code == TWO('<', '<'))
        return a.bits << by;
    return a.is_unsigned ? a.bits >> by : (uint64_t)(as_signed(a.bits) >> by);
}

static uint64_t result(ptx_parser *p, int code, ptx_value a, ptx_value b) {
    bool is_unsigned = a.is_unsigned || b.is_unsigned, equal = a.bits == b.bits;
    bool less = is_unsigned ? a.bits < b.bits : as_signed(a.bits) < as_signed(b.bits);
    switch (code) {
    case TWO('|', '|'):
        return a.bits || b.bits;
    case TWO('&', '&'):
        return a.bits && b.bits;
    case '|':
        return a.bits | b.bits;
    case '^':
        return a.bits ^ b.bits;
    case '&':
        return a.bits & b.bits;
    case TWO('=', '='):
        return equal;
    case TWO('!', '='):
        return !equal;
    case '<':
        return less;
    case TWO('<', '='):
        return less || equal;
    case '>':
        return !less && !equal;
    case TWO('>', '='):
        return !less;
    case TWO('<', '<'):
    case TWO('>', '>'):
        return shift(code, a, b.bits);
    case '+':
        return a.bits + b.bits;
    case '-':
        return a.bits - b.bits;
    case '*':
        return a.bits * b.bits;
    default:
        return divide(p, code, a, b);
    }
}

static ptx_value apply(ptx_parser *p, int code, int level, ptx_value a, ptx_value b) {
    if (a.is_float || b.is_float)
        ptx_fail(p, _("an operator on a floating-point literal"));
    bool truth = level <= 2 || level == 6 || level == 7, shifts = level == 8;
    return (ptx_value){.bits = result(p, code, a, b),
                       .is_unsigned = !truth && (a.is_unsigned || (b.is_unsigned && !shifts))};
}

static ptx_value ternary(ptx_parser *p, int nesting);

static ptx_value negate(ptx_value v) {
    if (v.is_float)
        v.bits ^= v.is_float == 32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    else
        v.bits = 0 - v.bits;
    return v;
}

static ptx_value unary(ptx_parser *p, int nesting) {
    if (nesting > MAX_NESTING)
        ptx_fail(p, _("a constant expression is nested deeper than %d levels"), MAX_NESTING);
    if (ptx_accept(p, '-'))
        return negate(unary(p, nesting + 1));
    if (ptx_accept(p, '+'))
        return unary(p, nesting + 1);
    bool invert = *p->at == '~';
    if (invert || *p->at == '!') {
        p->at++;
        ptx_value v = unary(p, nesting + 1);
        if (v.is_float)
            ptx_fail(p, _("an operator on a floating-point literal"));
        return invert ? (ptx_value){.bits = ~v.bits, .is_unsigned = v.is_unsigned}
                      : (ptx_value){.bits = !v.bits};
    }
    if (ptx_accept(p, '(')) {
        if (ptx_accept(p, '.')) { /* (.s64) or (.u64): a cast */
            ptx_symbol *type = ptx_ident(p, "a type");
            ptx_expect(p, ')');
            ptx_value v = unary(p, nesting + 1);
            if (v.is_float || !(ptx_is(type, "s64") || ptx_is(type, "u64")))
                ptx_fail(p, _("only integers are cast, to .s64 or .u64"));
            v.is_unsigned = ptx_is(type, "u64");
            return v;
        }
        ptx_value v = ternary(p, nesting + 1);
        ptx_expect(p, ')');
        return v;
    }
    if (ptx_accept_word(p, "WARP_SZ"))
        return (ptx_value){.bits = 32};
    return ptx_number(p);
}

static ptx_value binary(ptx_parser *p, int level, int nesting) {
    ptx_value left = unary(p, nesting);
    for (int o; (o = next_operator(p)) >= 0 && operators[o].level >= level;) {
        p->at += strlen(operators[o].text);
        ptx_value right = binary(p, operators[o].level + 1, nesting + 1);
        left = apply(p, operators[o].code, operators[o].level, left, right);
    }
    return left;
}

static ptx_value ternary(ptx_parser *p, int nesting) {
    ptx_value condition = binary(p, 1, nesting);
    if (!ptx_accept(p, '?'))
        return condition;
    ptx_value yes = ternary(p, nesting + 1);
    ptx_expect(p, ':');
    ptx_value no = ternary(p, nesting + 1);
    if (condition.is_float)
        ptx_fail(p, _("a floating-point literal is no condition"));
    return condition.bits ? yes : no;
}

ptx_value ptx_expr(ptx_parser *p) {
    return ternary(p, 0);
}

uint64_t ptx_literal(uint8_t is_float, uint64_t bits, ptx_type type) {
    double number = (double)(int64_t)bits;
    float narrow;
    uint32_t word = (uint32_t)bits;
    bool as_it_is = is_float == 64   ? type != PTX_F32 && type != PTX_TF32
                    : is_float == 32 ? type != PTX_F64
                                     : type != PTX_F32 && type != PTX_F64;
    if (as_it_is)
        return bits;
    if (is_float == 64) {
        memcpy(&number, &bits, sizeof number);
    } else if (is_float == 32) {
        memcpy(&narrow, &word, sizeof narrow);
        number = (double)narrow;
    }
    if (type == PTX_F64) {
        memcpy(&bits, &number, sizeof bits);
        return bits;
    }
    narrow = (float)number;
    memcpy(&word, &narrow, sizeof word);
    return word;
}

uint64_t ptx_integer(ptx_parser *p, uint64_t max, const char *what) {
    ptx_value v = ptx_expr(p);
    if (v.is_float || v.bits > max)
        ptx_fail(p, _("%s is not an integer from 0 to %llu"), what, (unsigned long long)max);
    return v.bits;
}
