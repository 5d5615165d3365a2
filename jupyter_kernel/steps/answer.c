/* answer.c: reads numbers as people write them, and finds the feedback for an answer. */
#include "jupyter_kernel/steps/answer.h"
#include "runtime/base/language.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "jupyter_kernel/steps/lesson.h"
#include "jupyter_kernel/steps/lesson_check.h"

/* ---- numbers ------------------------------------------------------------------------------ */

static const char *skip(const char *p) {
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* Reads digits, with or without commas between groups of three. NULL: no number. */
static const char *read_digits(const char *p, double *value) {
    char plain[64];
    size_t n = 0;
    if (!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1])))
        return NULL;
    for (; n + 1 < sizeof plain; p++) {
        bool group = *p == ',' && isdigit((unsigned char)p[1]) && isdigit((unsigned char)p[2]) &&
                     isdigit((unsigned char)p[3]) && !isdigit((unsigned char)p[4]);
        bool power = (*p == 'e' || *p == 'E') && n > 0 && isdigit((unsigned char)p[1]);
        if (group)
            continue;
        if (!isdigit((unsigned char)*p) && *p != '.' && !power)
            break;
        plain[n++] = *p;
    }
    plain[n] = '\0';
    char *end;
    *value = strtod(plain, &end);
    return *end ? NULL : p;
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
        bool times = *at == '*' || strncmp(at, "×", strlen("×")) == 0;
        double other = 1;
        if (!times && *at != '/')
            return p;
        p = read_power(at + (*at == '*' || *at == '/' ? 1 : strlen("×")), &other);
        *value = times ? *value * other : *value / other;
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

bool answer_number(const char *text, const char *unit, double *value, bool *percent) {
    const char *p = read_sum(text, value);
    if (!p || !isfinite(*value))
        return false;
    p = skip(p);
    *percent = *p == '%';
    p = skip(p + *percent);
    size_t len = strlen(unit);
    if (len > 0 && strncasecmp(p, unit, len) == 0)
        p = skip(p + len);
    return *p == '\0' || *p == ';';
}

/* ---- judging ------------------------------------------------------------------------------ */

static bool is_right(const json_t *step, double value) {
    double answer = json_number_value(json_object_get(step, "answer"));
    double within = json_number_value(json_object_get(step, "within"));
    return fabs(value - answer) <= fmax(within, 1e-9) * fabs(answer);
}

static answer_kind judge_number(const json_t *step, double value, char **say) {
    const json_t *list = json_object_get(step, "wrong"), *entry;
    size_t i;
    if (is_right(step, value)) {
        *say = strdup(wb_field_text(step, "right"));
        return ANSWER_RIGHT;
    }
    json_array_foreach(list, i, entry) {
        if (lesson_speaks_of(entry, value)) {
            *say = strdup(wb_field_text(entry, "say"));
            return ANSWER_WRONG;
        }
    }
    *say = strdup(wb_field_text(step, "otherwise"));
    return ANSWER_WRONG;
}

/* Judges a word. Case, and quotes and blanks around it, do not matter. */
static answer_kind judge_choice(const json_t *step, const char *text, char **say, char **value) {
    const json_t *choices = json_object_get(step, "choices"), *reason;
    const char *choice;
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\"'`.;", text[len - 1]))
        len--;
    while (len > 0 && strchr(" \t\"'`", *text)) {
        text++;
        len--;
    }
    json_object_foreach((json_t *)choices, choice, reason) {
        if (strlen(choice) != len || strncasecmp(choice, text, len) != 0)
            continue;
        *say = strdup(json_string_value(reason));
        *value = strdup(choice);
        return strcmp(choice, wb_field_text(step, "answer")) == 0 ? ANSWER_RIGHT : ANSWER_WRONG;
    }
    wb_buf list = {0};
    json_object_foreach((json_t *)choices, choice, reason)
        wb_buf_printf(&list, "%s%s", list.len ? wb_tr(", ") : "", choice);
    *say =
        wb_format("%.*s is none of the choices: %s.", (int)len, text, list.data ? list.data : "");
    wb_buf_free(&list);
    return ANSWER_UNREADABLE;
}

answer_kind answer_judge(const json_t *step, const char *text, char **say, char **value) {
    *say = *value = NULL;
    text = skip(text);
    if (*text == '\0' || (*text == '?' && *skip(text + 1) == '\0'))
        return ANSWER_EMPTY;
    if (json_object_get(step, "choices"))
        return judge_choice(step, text, say, value);
    double number;
    bool percent;
    const char *unit = wb_field_text(step, "unit");
    bool share = strcmp(unit, "%") == 0;
    bool read = answer_number(text, unit, &number,
                              &percent) || /* or the English unit, as in the code cells */
                answer_number(text, wb_field_text(step, "unit_too"), &number, &percent);
    if (!read || (percent && !share)) {
        *say = *unit
                   ? wb_format("'%.60s' can't be read as a number of %s: write it as 4, 12.5, 1/8, "
                               "2^10 or 32 * 4.",
                               text, unit)
                   : wb_format("'%.60s' can't be read as a number: write it as 4, 12.5, 1/8, 2^10 "
                               "or 32 * 4.",
                               text);
        return ANSWER_UNREADABLE;
    }
    if (share && !percent && !is_right(step, number) && is_right(step, 100 * number))
        number *= 100; /* 1/8 for 12.5 % */
    *value = wb_format("%.10g", number);
    return judge_number(step, number, say);
}
