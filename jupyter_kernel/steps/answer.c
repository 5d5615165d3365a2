/* answer.c: reads numbers as people write them, and finds the feedback for an answer. */
#include "jupyter_kernel/steps/answer.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "jupyter_kernel/steps/lesson.h"
#include "jupyter_kernel/steps/lesson_check.h"
#include "runtime/base/language.h"
#include "runtime/base/words.h"

/* ---- numbers ------------------------------------------------------------------------------ */

static const char *skip(const char *p) {
    return p + strspn(p, WB_BLANK);
}

#define DIGITS "0123456789"

/* Returns the ASCII characters for what Chinese keyboards and word processors write: full-width
 * forms, blanks, signs and quotes. malloc'd. */
static char *narrow(const char *text) {
    static const char forms[] = /* each with its character behind it */
        "\u3000 \u00a0 \u2009 \u202f 。.、,−-–-×*÷/\u201c\"\u201d\"\u2018'\u2019'「\"」\"";
    char *plain = strdup(text), *to = plain, one[4] = "";
    for (size_t n; plain && *text; text += n) {
        const unsigned char *c = (const unsigned char *)text;
        n = strnlen(text, *c >= 0xe0 ? 3 : *c >= 0xc0 ? 2 : 1);
        memcpy(one, text, n);
        one[n] = '\0';
        unsigned code = n == 3 ? (c[0] & 15u) << 12 | (c[1] & 63u) << 6 | (c[2] & 63u) : 0;
        const char *form = n > 1 ? strstr(forms, one) : NULL;
        if (form || (code > 0xff00 && code < 0xff5f))
            *to++ = form ? form[n] : (char)(code - 0xfee0);
        else
            to = mempcpy(to, one, n);
    }
    if (to)
        *to = '\0';
    return plain;
}

/* Reads `len` characters into `plain`: digits, groups of three of them, a decimal mark. */
static bool read_marked(const char *p, size_t len, char group, char decimal, char *plain) {
    size_t n = strspn(p, DIGITS), at = n, more = 0;
    memcpy(plain, p, n);
    for (; at < len && n && *p != '0' && strspn(p, DIGITS) < 4; at += 4, n += 3) {
        if (p[at] != group || strspn(p + at + 1, DIGITS) != 3)
            break;
        memcpy(plain + n, p + at + 1, 3);
    }
    if (at < len && p[at] == decimal) {
        more = 1 + strspn(p + at + 1, DIGITS);
        memcpy(plain + n, p + at, more);
        plain[n] = '.';
    }
    plain[n + more] = '\0';
    return at + more == len;
}

/* "1,234" is whole. A comma is a decimal mark where it can be nothing else: "12,5", "1.234,5".
 * Returns NULL if it is no number. */
static const char *read_digits(const char *p, double *value) {
    char plain[64], *end;
    size_t len = wb_trimmed(p, strspn(p, DIGITS ".,"), ",");
    if ((!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1]))) ||
        len >= sizeof plain ||
        (!read_marked(p, len, ',', '.', plain) && !read_marked(p, len, '.', ',', plain)))
        return NULL;
    *value = strtod(plain, NULL);
    p += len;
    if ((*p != 'e' && *p != 'E') || !isdigit((unsigned char)p[1]))
        return p;
    *value *= pow(10, (double)strtol(p + 1, &end, 10));
    return end;
}

/* Reads a number with powers: 2^18. */
static const char *read_power(const char *p, double *value) {
    p = read_digits(skip(p), value);
    if (!p || *skip(p) != '^')
        return p;
    double power;
    p = read_digits(skip(skip(p) + 1), &power);
    if (p)
        *value = pow(*value, power);
    return p;
}

static const char *read_product(const char *p, double *value) {
    p = read_power(p, value);
    while (p) {
        const char *at = skip(p);
        double other = 1;
        if (*at != '*' && *at != '/')
            return p;
        p = read_power(at + 1, &other);
        *value = *at == '*' ? *value * other : *value / other;
    }
    return NULL;
}

static const char *read_sum(const char *p, double *value) {
    bool negative = *skip(p) == '-';
    p = read_product(negative ? skip(p) + 1 : p, value);
    *value = negative ? -*value : *value;
    while (p && (*skip(p) == '+' || *skip(p) == '-')) {
        double other, sign = *skip(p) == '+' ? 1 : -1;
        p = read_product(skip(p) + 1, &other);
        *value += p ? sign * other : 0;
    }
    return p;
}

/* Returns true if the word is the unit, its singular, or what it ends with: "扇区" of "个扇区". */
static bool is_unit(const char *word, size_t len, const char *unit) {
    size_t whole = strlen(unit);
    bool singular = len + 1 == whole && unit[len] == 's';
    bool end = len <= whole && (signed char)*word < 0 && strcmp(word, unit + whole - len) == 0;
    return len && ((strncasecmp(word, unit, len) == 0 && (len == whole || singular)) || end);
}

static bool read_number(char *text, const char *unit, const char *unit_too, double *value,
                        bool *percent) {
    static const char of_hundred[] = "百分之";
    text[wb_trimmed(text, strcspn(text, ";"), " \t\n.")] = '\0';
    size_t before = strncmp(text, of_hundred, strlen(of_hundred)) == 0 ? strlen(of_hundred) : 0;
    const char *p = read_sum(text + before, value);
    if (!p || !isfinite(*value))
        return false;
    p = skip(p);
    size_t sign = *p == '%' ? 1 : strncasecmp(p, "percent", 7) == 0 ? 7 : 0;
    p = skip(p + sign);
    *percent = before || sign;
    return !*p || is_unit(p, strlen(p), unit) || is_unit(p, strlen(p), unit_too);
}

bool answer_number(const char *text, const char *unit, const char *unit_too, double *value,
                   bool *percent) {
    WB_SCOPED char *plain = narrow(skip(text));
    return plain && read_number(plain, unit, unit_too, value, percent);
}

/* ---- judging ------------------------------------------------------------------------------ */

static bool is_right(const json_t *step, double value) {
    double answer = wb_field_number(step, "answer"), within = wb_field_number(step, "within");
    return fabs(value - answer) <= fmax(within, 1e-9) * fabs(answer);
}

static answer_kind judge_number(const json_t *step, double value, char **say) {
    if (is_right(step, value)) {
        *say = strdup(wb_field_text(step, "right"));
        return ANSWER_RIGHT;
    }
    WB_JSON_EACH(entry, json_object_get(step, "wrong")) {
        if (lesson_speaks_of(entry, value)) {
            *say = strdup(wb_field_text(entry, "say"));
            return ANSWER_WRONG;
        }
    }
    *say = strdup(wb_field_text(step, "otherwise"));
    return ANSWER_WRONG;
}

/* Returns a choice's letters alone: without blanks and quotes around it, in lower case. malloc'd.
 */
static char *folded(const char *text) {
    char *plain = narrow(text), *to = plain;
    for (const char *p = plain; p && *p; p++)
        if (!strchr(" \t\n\"'`;", *p) && !(*p == '.' && !*skip(p + 1)))
            *to++ = *p == '*' ? 'x' : (char)tolower((unsigned char)*p);
    if (to)
        *to = '\0';
    return plain;
}

/* Returns true if the answer is the choice, or one of its words in the other language. */
static bool chooses(const char *answer, const char *choice, const char *words) {
    WB_SCOPED char *name = folded(choice);
    return name &&
           (strcmp(answer, name) == 0 || (*answer && wb_word_among(answer, strlen(answer), words)));
}

/* Judges a word. Case, and quotes and blanks around it, do not matter. */
static answer_kind judge_choice(const json_t *step, const char *text, char **say, char **value) {
    const json_t *choices = json_object_get(step, "choices"), *reason;
    const json_t *words = json_object_get(step, "words");
    const char *choice;
    WB_SCOPED char *answer = folded(text);
    json_object_foreach((json_t *)choices, choice, reason) {
        if (!answer || !chooses(answer, choice, wb_field_text(words, choice)))
            continue;
        *say = strdup(json_string_value(reason));
        *value = strdup(choice);
        return strcmp(choice, wb_field_text(step, "answer")) == 0 ? ANSWER_RIGHT : ANSWER_WRONG;
    }
    WB_SCOPED char *list = answer_choices(step, "");
    *say = wb_format(_("%.*s is none of the choices: %s."), (int)strcspn(text, "\n"), text,
                     list ? list : "");
    return ANSWER_UNREADABLE;
}

char *answer_choices(const json_t *step, const char *quote) {
    const json_t *words = json_object_get(step, "words"), *say;
    bool english = wb_language_get() == WB_ENGLISH;
    const char *choice;
    wb_buf list = {0};
    json_object_foreach(json_object_get(step, "choices"), choice, say) {
        const char *word = wb_field_text(words, choice);
        wb_buf_printf(&list, "%s%s%s%s", list.len ? _(", ") : "", quote, choice, quote);
        if (!english && *word)
            wb_buf_printf(&list, "（%.*s）", (int)strcspn(word, " "), word);
    }
    return wb_buf_steal(&list);
}

answer_kind answer_judge(const json_t *step, const char *text, char **say, char **value) {
    *say = *value = NULL;
    text = skip(text);
    WB_SCOPED char *plain = narrow(text);
    if (!plain || plain[strspn(plain, " \t?")] == '\0')
        return ANSWER_EMPTY;
    if (json_object_get(step, "choices"))
        return judge_choice(step, text, say, value);
    double number;
    bool percent;
    const char *unit = wb_field_text(step, "unit");
    bool share = strcmp(unit, "%") == 0;
    bool read = answer_number(text, unit, wb_field_text(step, "unit_too"), &number, &percent);
    if (!read || (percent && !share)) {
        *say =
            *unit
                ? wb_format(_("'%.60s' can't be read as a number of %s: write it as 4, 12.5, 1/8, "
                              "2^10 or 32 * 4."),
                            text, unit)
                : wb_format(_("'%.60s' can't be read as a number: write it as 4, 12.5, 1/8, 2^10 "
                              "or 32 * 4."),
                            text);
        return ANSWER_UNREADABLE;
    }
    if (share && !percent && !is_right(step, number) && is_right(step, 100 * number))
        number *= 100; /* 1/8 for 12.5 % */
    *value = wb_format("%.10g", number);
    return judge_number(step, number, say);
}
