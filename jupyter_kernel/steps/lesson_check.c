/* lesson_check.c: checks every key of a steps.json, its type and its place. */
#include "jupyter_kernel/steps/lesson_check.h"

#include <math.h>

#include "jupyter_kernel/steps/figure.h"
#include "runtime/base/words.h"
#include "runtime/json/fields.h"

enum { MOST_STEPS = 24, MOST_HINTS = 6, MOST_ENTRIES = 20 };

typedef enum key_type {
    KEY_TEXT,   /* a text, or a list of its lines */
    KEY_WORD,   /* one line */
    KEY_NUMBER, /* finite */
    KEY_ANSWER, /* a number or a word */
    KEY_BOOL,
    KEY_LIST,
    KEY_OBJECT
} key_type;

typedef struct key {
    const char *name;
    key_type type;
    bool required;
} key;

static bool is_text(const json_t *value) {
    if (json_is_string(value))
        return json_string_length(value) > 0;
    WB_JSON_EACH(line, value) {
        if (!json_is_string(line))
            return false;
    }
    return json_array_size(value) > 0;
}

static bool is_of_type(const json_t *value, key_type type) {
    switch (type) {
    case KEY_TEXT:
        return is_text(value);
    case KEY_WORD:
        return json_is_string(value) && json_string_length(value) > 0 &&
               !strchr(json_string_value(value), '\n');
    case KEY_NUMBER:
        return json_is_number(value);
    case KEY_ANSWER:
        return json_is_number(value) || (json_is_string(value) && json_string_length(value) > 0);
    case KEY_BOOL:
        return json_is_boolean(value);
    case KEY_LIST:
        return json_is_array(value);
    case KEY_OBJECT:
        return json_is_object(value);
    }
    return false;
}

/* Checks that an object has all required keys and no unknown ones, with the right types. */
static bool check_keys(const wb_json_source *c, const json_t *object, const char *path,
                       const key *keys, size_t n) {
    static const char *const types[] = {N_("a text or a list of its lines"),
                                        N_("a text of one line"),
                                        N_("a number"),
                                        N_("a number or a word"),
                                        N_("true or false"),
                                        N_("a list"),
                                        N_("an object")};
    const char *names[32];
    if (!json_is_object(object))
        return wb_json_fail(c, path, "", _("expected an object"));
    for (size_t i = 0; i < n; i++)
        names[i] = keys[i].name;
    if (!wb_json_known(c, path, object, names, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_object_get(object, names[i]);
        if (!value && keys[i].required)
            return wb_json_fail(c, path, names[i], _("missing; it is required here"));
        if (value && !is_of_type(value, keys[i].type))
            return wb_json_fail(c, path, names[i], _("expected %s"), wb_tr(types[keys[i].type]));
    }
    return true;
}

/* ---- predictions -------------------------------------------------------------------------- */

bool lesson_speaks_of(const json_t *wrong, double value) {
    const json_t *is = json_object_get(wrong, "is");
    if (is)
        return fabs(json_number_value(is) - value) <= 1e-9 * fmax(1, fabs(value));
    return value >= wb_field_number(wrong, "from") && value <= wb_field_number(wrong, "to");
}

/* Checks the reasons for wrong numbers. None of them may match the right one. */
static bool check_wrong(const wb_json_source *c, const json_t *step, const char *path) {
    static const key keys[] = {{"is", KEY_NUMBER, false},
                               {"from", KEY_NUMBER, false},
                               {"to", KEY_NUMBER, false},
                               {"say", KEY_TEXT, true}};
    const json_t *list = json_object_get(step, "wrong");
    double answer = wb_field_number(step, "answer");
    double within = wb_field_number(step, "within");
    char where[200];
    if (json_array_size(list) > MOST_ENTRIES)
        return wb_json_fail(c, path, "", _("more than %d entries"), MOST_ENTRIES);
    WB_JSON_EACH(entry, list) {
        snprintf(where, sizeof where, "%s.wrong[%zu]", path, entry_at);
        if (!check_keys(c, entry, where, keys, WB_COUNT(keys)))
            return false;
        bool is = json_object_get(entry, "is") != NULL;
        bool range = json_object_get(entry, "from") && json_object_get(entry, "to");
        if (is == range)
            return wb_json_fail(c, where, "", _("expected \"is\", or \"from\" and \"to\""));
        double off = wb_field_number(entry, "is") - answer;
        if (lesson_speaks_of(entry, answer) || (is && fabs(off) <= within * fabs(answer)))
            return wb_json_fail(c, where, "", _("speaks of %g, which is the answer"), answer);
    }
    return true;
}

static bool check_choices(const wb_json_source *c, const json_t *step, const char *path) {
    const json_t *choices = json_object_get(step, "choices"), *say;
    const char *choice;
    char where[100];
    snprintf(where, sizeof where, "%s.choices", path);
    if (json_object_size(choices) < 2 || json_object_size(choices) > MOST_ENTRIES)
        return wb_json_fail(c, where, "", _("expected 2 to %d words to choose from"), MOST_ENTRIES);
    json_object_foreach((json_t *)choices, choice, say) {
        if (!is_text(say))
            return wb_json_fail(c, where, choice,
                                _("expected a text: the feedback for this choice"));
    }
    return json_object_get(choices, wb_field_text(step, "answer")) ||
           wb_json_fail(c, path, "answer", _("expected one of the choices"));
}

static bool check_counted(const wb_json_source *c, const json_t *step, const char *path) {
    static const key keys[] = {
        {"kernel", KEY_WORD, false}, {"of", KEY_WORD, false}, {"printed", KEY_WORD, false}};
    const json_t *counted = json_object_get(step, "counted");
    char where[200];
    snprintf(where, sizeof where, "%s.counted", path);
    if (!counted)
        return true;
    if (!check_keys(c, counted, where, keys, WB_COUNT(keys)))
        return false;
    bool printed = json_object_get(counted, "printed") != NULL;
    bool kernel = json_object_get(counted, "kernel") && json_object_get(counted, "of");
    if (kernel && !figure_known(wb_field_text(counted, "of")))
        return wb_json_fail(c, where, "", _("there is no figure '%s'"),
                            wb_field_text(counted, "of"));
    return printed != kernel ||
           wb_json_fail(c, where, "", _("expected \"kernel\" and \"of\", or \"printed\" alone"));
}

static bool check_predict(const wb_json_source *c, const json_t *step, const char *path) {
    static const key keys[] = {{"name", KEY_WORD, true},       {"kind", KEY_WORD, true},
                               {"title", KEY_WORD, true},      {"text", KEY_TEXT, true},
                               {"hints", KEY_LIST, true},      {"answer", KEY_ANSWER, true},
                               {"unit", KEY_WORD, false},      {"within", KEY_NUMBER, false},
                               {"right", KEY_TEXT, false},     {"wrong", KEY_LIST, false},
                               {"otherwise", KEY_TEXT, false}, {"choices", KEY_OBJECT, false},
                               {"counted", KEY_OBJECT, false}};
    if (!check_keys(c, step, path, keys, WB_COUNT(keys)) || !check_counted(c, step, path))
        return false;
    if (json_is_string(json_object_get(step, "answer")))
        return check_choices(c, step, path);
    static const char *const needed[] = {"right", "wrong", "otherwise"};
    for (size_t i = 0; i < WB_COUNT(needed); i++)
        if (!json_object_get(step, needed[i]))
            return wb_json_fail(c, path, needed[i], _("missing; a number's step needs it"));
    double within = wb_field_number(step, "within");
    if (within < 0 || within > 0.5)
        return wb_json_fail(c, path, "within", _("expected a number from 0 to 0.5"));
    return check_wrong(c, step, path);
}

/* ---- code --------------------------------------------------------------------------------- */

/* Checks that a file is a plain path below the lab's folder. */
static bool check_source(const wb_json_source *c, const json_t *step, const char *path,
                         const char *name) {
    const char *file = wb_field_text(step, name);
    return (file[0] != '/' && !strstr(file, "..") && wb_ends(file, ".cu")) ||
           wb_json_fail(c, path, name, _("expected a .cu file below the lab's folder"));
}

/* The bounds of a list. Those of `because` are of their entry's kernel, and have no other list. */
static bool check_counts(const wb_json_source *c, const json_t *list, const char *path,
                         bool because) {
    static const key keys[] = {{"of", KEY_WORD, true},          {"at_most", KEY_NUMBER, false},
                               {"at_least", KEY_NUMBER, false}, {"beside", KEY_WORD, false},
                               {"say", KEY_TEXT, true},         {"kernel", KEY_WORD, true},
                               {"because", KEY_LIST, false}};
    char where[200];
    WB_JSON_EACH(entry, list) {
        snprintf(where, sizeof where, "%s[%zu]", path, entry_at);
        if (!check_keys(c, entry, where, keys, WB_COUNT(keys) - (because ? 2 : 0)))
            return false;
        if (!figure_known(wb_field_text(entry, "of")))
            return wb_json_fail(c, where, "", _("there is no figure '%s'"),
                                wb_field_text(entry, "of"));
        if (!json_object_get(entry, "at_most") == !json_object_get(entry, "at_least"))
            return wb_json_fail(c, where, "", _("expected \"at_most\" or \"at_least\""));
        snprintf(where, sizeof where, "%s[%zu].because", path, entry_at);
        if (!check_counts(c, json_object_get(entry, "because"), where, true))
            return false;
    }
    return true;
}

static bool check_try(const wb_json_source *c, const json_t *step, const char *path) {
    static const key keys[] = {
        {"name", KEY_WORD, true},  {"kind", KEY_WORD, true},    {"title", KEY_WORD, true},
        {"text", KEY_TEXT, true},  {"hints", KEY_LIST, true},   {"signature", KEY_WORD, true},
        {"start", KEY_TEXT, true}, {"check", KEY_WORD, true},   {"solution", KEY_WORD, true},
        {"right", KEY_TEXT, true}, {"counts", KEY_LIST, false}, {"races", KEY_BOOL, false}};
    char where[200];
    if (!check_keys(c, step, path, keys, WB_COUNT(keys)) || !check_source(c, step, path, "check") ||
        !check_source(c, step, path, "solution"))
        return false;
    if (!strchr(wb_field_text(step, "signature"), '('))
        return wb_json_fail(c, path, "signature",
                            _("expected a function, such as \"void turn(float *a, int n)\""));
    snprintf(where, sizeof where, "%s.counts", path);
    return check_counts(c, json_object_get(step, "counts"), where, false);
}

/* ---- the whole file ------------------------------------------------------------------------- */

static bool check_grade(const wb_json_source *c, const json_t *step, const char *path) {
    static const key keys[] = {{"name", KEY_WORD, true},  {"kind", KEY_WORD, true},
                               {"title", KEY_WORD, true}, {"text", KEY_TEXT, true},
                               {"hints", KEY_LIST, true}, {"share", KEY_NUMBER, true},
                               {"right", KEY_TEXT, true}};
    if (!check_keys(c, step, path, keys, WB_COUNT(keys)))
        return false;
    double share = wb_field_number(step, "share");
    return (share > 0 && share <= 1) ||
           wb_json_fail(c, path, "share",
                        _("expected the part of the points that passes, above 0 and at most 1"));
}

static bool check_hints(const wb_json_source *c, const json_t *step, const char *path) {
    const json_t *hints = json_object_get(step, "hints");
    size_t n = json_array_size(hints);
    char key[40];
    if (n < 1 || n > MOST_HINTS)
        return wb_json_fail(c, path, "hints", _("expected 1 to %d hints"), MOST_HINTS);
    WB_JSON_EACH(hint, hints) {
        snprintf(key, sizeof key, "hints[%zu]", hint_at);
        if (!is_text(hint) || !json_is_string(hint))
            return wb_json_fail(c, path, key, _("expected a text"));
    }
    return true;
}

static bool check_step(const wb_json_source *c, const json_t *steps, size_t i) {
    const json_t *step = json_array_get(steps, i);
    char path[40];
    snprintf(path, sizeof path, "steps[%zu]", i);
    const char *kind = wb_field_text(step, "kind"), *name = wb_field_text(step, "name");
    bool (*check)(const wb_json_source *, const json_t *, const char *) =
        strcmp(kind, "predict") == 0 ? check_predict
        : strcmp(kind, "try") == 0   ? check_try
        : strcmp(kind, "grade") == 0 ? check_grade
                                     : NULL;
    if (!json_is_object(step))
        return wb_json_fail(c, path, "", _("expected an object"));
    if (!check)
        return wb_json_fail(c, path, "kind", _("expected \"predict\", \"try\" or \"grade\""));
    if (!check(c, step, path) || !check_hints(c, step, path))
        return false;
    if (!wb_word_whole(name))
        return wb_json_fail(c, path, "name",
                            _("expected a name: a letter, then letters, digits and _"));
    for (size_t k = 0; k < i; k++)
        if (strcmp(wb_field_text(json_array_get(steps, k), "name"), name) == 0)
            return wb_json_fail(c, path, "name", _("the name '%s' is steps[%zu]'s already"), name,
                                k);
    return true;
}

bool lesson_check(const wb_json_source *c, const json_t *root) {
    static const key keys[] = {{"version", KEY_NUMBER, true},
                               {"title", KEY_WORD, true},
                               {"steps", KEY_LIST, true},
                               {"place", KEY_NUMBER, false},
                               {"solutions", KEY_BOOL, false}};
    if (!check_keys(c, root, "", keys, WB_COUNT(keys)))
        return false;
    if (wb_field_number(root, "version") != 1)
        return wb_json_fail(c, "version", "", _("expected 1"));
    const json_t *steps = json_object_get(root, "steps");
    size_t n = json_array_size(steps);
    if (n < 1 || n > MOST_STEPS)
        return wb_json_fail(c, "steps", "", _("expected 1 to %d steps, found %zu"), MOST_STEPS, n);
    for (size_t i = 0; i < n; i++)
        if (!check_step(c, steps, i))
            return false;
    return true;
}
