/* args.c: structs, the arguments of solve(), and how results are compared. */
#include "grader/lab/args.h"
#include "runtime/base/scoped.h"

#include <ctype.h>
#include <libgen.h>
#include <limits.h>

enum { MAX_STRUCTS = 4 };

typedef struct record {
    char name[32];
    int n_fields;
    gr_field fields[GR_MAX_FIELDS];
    bool judged[GR_MAX_FIELDS]; /* the field has its own comparison */
    uint32_t bytes;
} record;

typedef struct records {
    record list[MAX_STRUCTS];
    size_t n;
} records;

bool gr_is_source(const char *name) {
    bool ends = wb_ends(name, ".cu") || wb_ends(name, ".cpp");
    for (const char *p = name; ends && *p; p++)
        ends = isalnum((unsigned char)*p) || strchr("-_.", *p);
    return ends && isalnum((unsigned char)*name) && strlen(name) < 64;
}

static bool is_name(const char *text, size_t most) {
    bool fine = isalpha((unsigned char)*text) && strlen(text) < most;
    for (const char *p = text; fine && *p; p++)
        fine = isalnum((unsigned char)*p) || *p == '_';
    return fine;
}

/* Reads a name of C++ into text[0..size). */
static bool read_name(gr_reader *r, const gr_place *object, char *text, size_t size) {
    WB_SCOPED char *name = gr_get_string(r, object, "name", NULL);
    gr_place place = gr_member(r, object, "name", false);
    if (name && !is_name(name, size))
        gr_reader_fail(r, place.path,
                       _("expected a letter, then letters, digits and _, %zu at most"), size - 1);
    snprintf(text, size, "%s", name ? name : "");
    return !r->failed;
}

/* ---- comparison of results ------------------------------------------------------------------ */

static bool read_error_bound(gr_reader *r, const gr_place *place, gr_bound *bound) {
    static const char *const keys[] = {"relative", "absolute", "condition"};
    const double none = 0;
    if (!gr_expect_object(r, place, keys, WB_COUNT(keys)))
        return false;
    bound->relative = gr_get_number(r, place, "relative", 0, 1, &none);
    bound->absolute = gr_get_number(r, place, "absolute", 0, 1e30, &none);
    bound->factor = gr_get_number(r, place, "condition", 0, 1e6, &none);
    bound->by = bound->factor > 0 ? GR_BY_CONDITION : GR_BY_ERROR;
    if (r->failed)
        return false;
    if (bound->factor > 0 && (bound->relative > 0 || bound->absolute > 0))
        return gr_reader_fail(r, place->path, _("\"condition\" stands alone"));
    if (bound->factor <= 0 && bound->relative <= 0 && bound->absolute <= 0)
        return gr_reader_fail(
            r, place->path,
            _("expected \"relative\", \"absolute\" or \"condition\" above 0; where "
              "nothing may be off, \"exact\""));
    return true;
}

static bool read_bound(gr_reader *r, const gr_place *place, gr_type type, bool whole_element,
                       gr_bound *bound) {
    const char *word = json_string_value(place->value);
    if (json_is_object(place->value)) {
        if (!read_error_bound(r, place, bound))
            return false;
        if (gr_type_is_whole(type))
            return gr_reader_fail(r, place->path,
                                  _("whole numbers (%s) have no rounding: \"exact\""),
                                  gr_type_names[type]);
        return whole_element || bound->by != GR_BY_CONDITION ||
               gr_reader_fail(r, place->path,
                              _("\"condition\" is for plain numbers, not for fields "
                                "of a struct"));
    }
    int by = 0;
    while (by <= GR_BY_CHECK && (!word || strcmp(word, gr_by_names[by]) != 0))
        by++;
    if (by > GR_BY_CHECK)
        return gr_reader_fail(
            r, place->path,
            _("expected \"exact\", \"bits\", \"multiset\", \"check\", {\"relative\": "
              "r, \"absolute\": a} or {\"condition\": factor}"));
    bound->by = (gr_by)by;
    return true;
}

/* ---- structs --------------------------------------------------------------------------------- */

static bool read_field(gr_reader *r, const gr_place *place, record *s) {
    static const char *const keys[] = {"name", "type", "compare"};
    gr_field *field = &s->fields[s->n_fields];
    if (!gr_expect_object(r, place, keys, WB_COUNT(keys)) ||
        !read_name(r, place, field->name, sizeof field->name))
        return false;
    int type = gr_get_choice(r, place, "type", gr_type_names, GR_TYPES, -1);
    gr_place compare = gr_member(r, place, "compare", false);
    if (r->failed)
        return false;
    field->type = (gr_type)type;
    for (int i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, field->name) == 0)
            return gr_reader_fail(r, place->path, _("\"%s\" stands here twice"), field->name);
    s->judged[s->n_fields] = compare.value != NULL;
    if (compare.value && !read_bound(r, &compare, field->type, false, &field->bound))
        return false;
    if (field->bound.by == GR_BY_MULTISET)
        return gr_reader_fail(r, compare.path,
                              _("\"multiset\" is for whole elements: at the argument"));
    uint32_t size = (uint32_t)gr_type_size(field->type);
    field->offset = (s->bytes + size - 1) / size * size;
    s->bytes = field->offset + size;
    s->n_fields++;
    return true;
}

static void read_record(gr_reader *r, const char *name, const gr_place *list, records *all) {
    record *s = &all->list[all->n];
    if (!is_name(name, sizeof s->name)) {
        gr_reader_fail(r, list->path, _("expected a name of C++, 31 characters at most"));
        return;
    }
    snprintf(s->name, sizeof s->name, "%s", name);
    for (int t = 0; t < GR_TYPES; t++)
        if (strcmp(gr_type_names[t], name) == 0 || strcmp(gr_type_cxx[t], name) == 0)
            gr_reader_fail(r, list->path, _("\"%s\" is a type of numbers already"), name);
    size_t n = gr_expect_array(r, list, 1, GR_MAX_FIELDS), align = 1;
    for (size_t i = 0; i < n && !r->failed; i++) {
        gr_place place = gr_element(list, i);
        if (read_field(r, &place, s) && gr_type_size(s->fields[i].type) > align)
            align = gr_type_size(s->fields[i].type);
    }
    s->bytes = (uint32_t)((s->bytes + align - 1) / align * align);
    all->n++;
}

static void read_records(gr_reader *r, const gr_place *top, records *all) {
    gr_place place = gr_member(r, top, "structs", false);
    const char *name;
    json_t *value;
    if (place.value && !json_is_object(place.value))
        gr_reader_fail(r, place.path, _("expected an object: a name and a list of fields each"));
    if (r->failed)
        return;
    if (json_object_size(place.value) > MAX_STRUCTS) {
        gr_reader_fail(r, place.path, _("expected %d structs at most"), MAX_STRUCTS);
        return;
    }
    json_object_foreach(place.value, name, value) {
        gr_place list = gr_member(r, &place, name, true);
        read_record(r, name, &list, all);
        if (r->failed)
            return;
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

static bool read_type(gr_reader *r, const gr_place *place, const records *all, gr_arg *arg,
                      const record **found) {
    const char *names[GR_TYPES + MAX_STRUCTS];
    memcpy(names, gr_type_names, sizeof gr_type_names);
    for (size_t i = 0; i < all->n; i++)
        names[GR_TYPES + i] = all->list[i].name;
    int type = gr_get_choice(r, place, "type", names, GR_TYPES + all->n, -1);
    if (r->failed)
        return false;
    *found = type >= GR_TYPES ? &all->list[type - GR_TYPES] : NULL;
    if (*found) {
        arg->is_struct = true;
        arg->n_fields = (*found)->n_fields;
        memcpy(arg->fields, (*found)->fields, sizeof arg->fields);
        arg->bytes = (*found)->bytes;
        snprintf(arg->cxx, sizeof arg->cxx, "%s", (*found)->name);
    } else {
        arg->n_fields = 1;
        arg->fields[0].type = (gr_type)type;
        arg->bytes = (uint32_t)gr_type_size((gr_type)type);
        snprintf(arg->cxx, sizeof arg->cxx, "%s", gr_type_cxx[type]);
    }
    arg->type = arg->fields[0].type;
    return true;
}

/* Reads how each field of a result is compared: as the struct or the argument says. Whole numbers
 * are compared exactly by default. */
static bool read_compare(gr_reader *r, const gr_lab *lab, const gr_place *place, const record *s,
                         gr_arg *arg) {
    gr_place compare = gr_member(r, place, "compare", false);
    bool result = gr_is_result(arg->role);
    if (compare.value && !result)
        return gr_reader_fail(r, compare.path, _("only an output or inout is compared"));
    for (int i = 0; result && i < arg->n_fields; i++) {
        gr_field *field = &arg->fields[i];
        bool judged = s && s->judged[i];
        if (!judged && compare.value && !read_bound(r, &compare, field->type, !s, &field->bound))
            return false;
        if (!judged && !compare.value && !gr_type_is_whole(field->type))
            return gr_reader_fail(
                r, place->path,
                _("say by \"compare\" how \"%s\" is compared: \"exact\", \"bits\", "
                  "{\"relative\": 1e-5}, {\"condition\": 8}, ..."),
                arg->name);
        if (judged && compare.value && json_is_string(compare.value) &&
            strcmp(json_string_value(compare.value), "multiset") == 0)
            return gr_reader_fail(r, compare.path, _("\"%s\" says how its fields are compared"),
                                  s->name);
        if (field->bound.by == GR_BY_CHECK && !*lab->check)
            return gr_reader_fail(
                r, compare.value ? compare.path : place->path,
                _("\"check\" needs a check.cu or check.cpp, named by the lab's key "
                  "\"check\""));
    }
    return true;
}

static bool read_arg(gr_reader *r, gr_lab *lab, const records *all, const gr_place *place,
                     gr_arg *arg) {
    static const char *const keys[] = {"name", "role", "type", "count", "row", "about", "compare"};
    const record *s = NULL;
    if (!gr_expect_object(r, place, keys, WB_COUNT(keys)) ||
        !read_name(r, place, arg->name, sizeof arg->name))
        return false;
    int role = gr_get_choice(r, place, "role", gr_role_names, GR_ROLES, -1);
    if (r->failed || !read_type(r, place, all, arg, &s))
        return false;
    arg->role = (gr_role)role;
    if (arg->role == GR_SIZE && (s || arg->type != GR_INT))
        return gr_reader_fail(r, place->path, _("expected the type \"int\""));
    bool number = !gr_is_array(arg->role);
    if (number && (s || arg->type == GR_HALF))
        return gr_reader_fail(r, place->path, _("a %s is a plain number, and no half"),
                              gr_role_names[arg->role]);
    for (int i = 0; i < 2 && number; i++)
        if (json_object_get(place->value, i ? "row" : "count"))
            return gr_reader_fail(r, place->path, _("a %s has no \"%s\""), gr_role_names[arg->role],
                                  i ? "row" : "count");
    if (!number)
        arg->count = gr_get_string(r, place, "count", NULL);
    if (json_object_get(place->value, "row"))
        arg->row = gr_get_string(r, place, "row", NULL);
    return !r->failed && read_compare(r, lab, place, s, arg);
}

static void read_args(gr_reader *r, gr_lab *lab, const gr_place *top, const records *all) {
    gr_place list = gr_member(r, top, "arguments", true);
    size_t n = gr_expect_array(r, &list, 1, GR_MAX_ARGS);
    bool result = false;
    for (size_t i = 0; i < n && !r->failed; i++) {
        gr_place place = gr_element(&list, i);
        gr_arg *arg = &lab->args[lab->n_args++];
        if (!read_arg(r, lab, all, &place, arg))
            return;
        for (size_t j = 0; j < i; j++)
            if (strcmp(lab->args[j].name, arg->name) == 0)
                gr_reader_fail(r, place.path, _("\"%s\" stands here twice"), arg->name);
        result |= gr_is_result(arg->role);
    }
    if (!result)
        gr_reader_fail(r, list.path,
                       _("none of them is an output or inout: nothing could be right"));
}

void gr_args_read(gr_reader *r, gr_lab *lab, const gr_place *top) {
    records all = {.n = 0};
    WB_SCOPED char *check = gr_get_string(r, top, "check", "");
    if (check && *check && !gr_is_source(check))
        gr_reader_fail(r, "check", _("expected the name of a .cu or .cpp file beside lab.json"));
    snprintf(lab->check, sizeof lab->check, "%s", check ? check : "");
    read_records(r, top, &all);
    if (!r->failed)
        read_args(r, lab, top, &all);
    if (!r->failed)
        gr_args_read_values(r, lab, top);
}

char *gr_lab_beside(const gr_lab *lab, const char *name) {
    WB_SCOPED char *copy = strdup(lab->path);
    char folder[PATH_MAX];
    return copy && realpath(dirname(copy), folder) ? wb_format("%s/%s", folder, name) : NULL;
}
