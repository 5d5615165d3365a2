/* json.c: see json.h. */
#include "runtime/json/json.h"

json_t *wb_json_text(const char *text, size_t len) {
    json_t *string = json_stringn(text, len); /* succeeds for UTF-8 */
    if (string)
        return string;
    wb_buf plain = {0};
    if (wb_utf8_plain(&plain, text, len))
        string = json_stringn(plain.data, plain.len);
    wb_buf_free(&plain);
    return string;
}

typedef struct packing {
    const char *at;
    va_list args;
    bool failed;
} packing;

static json_t *any(packing *p);

/* Returns the next character that is not a separator. */
static char peek(packing *p) {
    p->at += strspn(p->at, " ,:");
    return *p->at;
}

static bool take(packing *p, char wanted) {
    bool there = *p->at == wanted && wanted;
    p->at += there;
    return there;
}

/* Returns the value. Fails on NULL, unless the format has * (omit it) or ? (write null). */
static json_t *optional(packing *p, json_t *value) {
    bool skip = take(p, '*');
    if (take(p, '?') && !value)
        return json_null();
    p->failed |= !value && !skip;
    return value;
}

static json_t *string(packing *p) {
    const char *text = va_arg(p->args, const char *);
    size_t len = text ? strlen(text) : 0;
    if (take(p, '%'))
        len = va_arg(p->args, size_t);
    else if (take(p, '#'))
        len = (size_t)va_arg(p->args, int);
    return optional(p, text ? wb_json_text(text, len) : NULL);
}

static json_t *object(packing *p) {
    json_t *all = json_object();
    while (peek(p) == 's') {
        p->at++;
        const char *key = va_arg(p->args, const char *);
        json_t *value = any(p);
        if (value)
            p->failed |= json_object_set_new(all, key, value) != 0;
    }
    p->failed |= !take(p, '}');
    return all;
}

static json_t *array(packing *p) {
    json_t *all = json_array();
    while (peek(p) != ']' && *p->at) {
        json_t *value = any(p);
        if (value)
            p->failed |= json_array_append_new(all, value) != 0;
    }
    p->failed |= !take(p, ']');
    return all;
}

static json_t *any(packing *p) {
    switch (peek(p) ? *p->at++ : '\0') {
    case '{':
        return object(p);
    case '[':
        return array(p);
    case 's':
        return string(p);
    case 'i':
        return json_integer(va_arg(p->args, int));
    case 'I':
        return json_integer(va_arg(p->args, json_int_t));
    case 'b':
        return json_boolean(va_arg(p->args, int));
    case 'f':
        return optional(p, json_real(va_arg(p->args, double))); /* NULL: JSON has no NaN */
    case 'n':
        return json_null();
    case 'o':
        return optional(p, va_arg(p->args, json_t *));
    case 'O':
        return optional(p, json_incref(va_arg(p->args, json_t *)));
    }
    p->failed = true;
    return NULL;
}

json_t *wb_json_pack(const char *format, ...) {
    packing p = {.at = format};
    va_start(p.args, format);
    json_t *value = any(&p);
    va_end(p.args);
    if (!p.failed)
        return value;
    json_decref(value);
    return NULL;
}

char *wb_json_dump(json_t *json, size_t flags) {
    char *text = json_dumps(json, flags);
    json_decref(json);
    return text;
}

bool wb_json_say(json_t *json, size_t flags, FILE *to) {
    char *text = wb_json_dump(json, flags);
    bool ok = fprintf(to, "%s\n", text ? text : "{}") > 0 && fflush(to) == 0;
    free(text);
    return ok;
}
