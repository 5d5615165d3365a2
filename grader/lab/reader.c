/* reader.c: reads values of a JSON document, with error messages for mistakes. */
#include "grader/lab/reader.h"
#include "runtime/base/scoped.h"

bool gr_reader_fail(gr_reader *r, const char *path, const char *format, ...) {
    if (r->failed)
        return false;
    r->failed = true;
    char what[700];
    WB_FORMAT_INTO(what, format);
    return wb_json_fail(&r->source, path, "", "%s", what);
}

static const char *found(const json_t *value) {
    static const char *const names[] = {N_("an object"), N_("an array"), N_("a string"),
                                        N_("a number"),  N_("a number"), "true",
                                        "false",         "null"};
    return value ? wb_tr(names[json_typeof(value)]) : _("nothing");
}

gr_place gr_member(gr_reader *r, const gr_place *object, const char *key, bool required) {
    gr_place place = {.value = json_object_get(object->value, key)};
    snprintf(place.path, sizeof place.path, "%.120s%s%.32s", object->path, *object->path ? "." : "",
             key);
    if (!place.value && required)
        gr_reader_fail(r, place.path, _("missing; it is required here"));
    return place;
}

gr_place gr_element(const gr_place *array, size_t index) {
    gr_place place = {.value = json_array_get(array->value, index)};
    snprintf(place.path, sizeof place.path, "%.130s[%zu]", array->path, index);
    return place;
}

bool gr_expect_object(gr_reader *r, const gr_place *place, const char *const *keys, size_t n) {
    if (!place->value)
        return false;
    if (!json_is_object(place->value))
        return gr_reader_fail(r, place->path, _("expected an object, found %s"),
                              found(place->value));
    r->failed = r->failed || !wb_json_known(&r->source, place->path, place->value, keys, n);
    return !r->failed;
}

size_t gr_expect_array(gr_reader *r, const gr_place *place, size_t min, size_t max) {
    if (!place->value)
        return 0;
    size_t n = json_array_size(place->value);
    if (!json_is_array(place->value))
        gr_reader_fail(r, place->path, _("expected an array, found %s"), found(place->value));
    else if (n < min || n > max)
        gr_reader_fail(r, place->path, _("expected %zu to %zu entries, found %zu"), min, max, n);
    else
        return n;
    return 0;
}

char *gr_get_string(gr_reader *r, const gr_place *object, const char *key, const char *otherwise) {
    gr_place place = gr_member(r, object, key, !otherwise);
    if (!place.value)
        return otherwise ? strdup(otherwise) : NULL;
    const char *text = json_string_value(place.value);
    if (!text)
        gr_reader_fail(r, place.path, _("expected a string, found %s"), found(place.value));
    else if (!*text && !otherwise)
        gr_reader_fail(r, place.path, _("expected some text, found an empty string"));
    else
        return strdup(text);
    return NULL;
}

double gr_get_number(gr_reader *r, const gr_place *object, const char *key, double min, double max,
                     const double *otherwise) {
    gr_place place = gr_member(r, object, key, !otherwise);
    if (!place.value)
        return otherwise ? *otherwise : 0;
    double value = json_number_value(place.value);
    if (!json_is_number(place.value))
        gr_reader_fail(r, place.path, _("expected a number, found %s"), found(place.value));
    else if (!(value >= min && value <= max))
        gr_reader_fail(r, place.path, _("expected a number from %g to %g, found %g"), min, max,
                       value);
    else
        return value;
    return 0;
}

bool gr_get_bool(gr_reader *r, const gr_place *object, const char *key, bool otherwise) {
    gr_place place = gr_member(r, object, key, false);
    if (!place.value)
        return otherwise;
    if (!json_is_boolean(place.value))
        return gr_reader_fail(r, place.path, _("expected true or false, found %s"),
                              found(place.value));
    return json_is_true(place.value);
}

int gr_get_choice(gr_reader *r, const gr_place *object, const char *key, const char *const *names,
                  size_t n, int otherwise) {
    gr_place place = gr_member(r, object, key, otherwise < 0);
    if (!place.value)
        return otherwise;
    const char *text = json_string_value(place.value);
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return (int)i;
    WB_SCOPED_BUF wb_buf list = {0};
    for (size_t i = 0; i < n; i++)
        wb_buf_printf(&list, "%s\"%s\"", i == 0 ? "" : i + 1 < n ? ", " : " or ", names[i]);
    gr_reader_fail(r, place.path, _("expected %s, found %s%s%.60s%s"), list.data ? list.data : "",
                   text ? "" : found(place.value), text ? "\"" : "", text ? text : "",
                   text ? "\"" : "");
    return -1;
}
