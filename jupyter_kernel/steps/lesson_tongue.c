/* lesson_tongue.c: replaces the texts of a steps.json by another language's. */
#include "jupyter_kernel/steps/lesson_tongue.h"

#include "runtime/base/words.h"

/* Returns true for a key whose value students read. A translation may change it. */
static bool is_text(const char *key) {
    return wb_word_among(key, strlen(key), "title text right otherwise say unit");
}

/* Returns true for a key that identifies an entry. A translation must repeat its value. */
static bool is_mark(const char *key) {
    return wb_word_among(key, strlen(key), "version name is from to kernel of");
}

static bool merge(const wb_json_source *s, const char *path, json_t *into, const json_t *from);

static bool merge_list(const wb_json_source *s, const char *path, json_t *into,
                       const json_t *from) {
    size_t n = json_array_size(into);
    if (!json_is_array(from) || json_array_size(from) != n)
        return wb_json_fail(s, path, "", _("expected a list of %zu, as steps.json has it"), n);
    for (size_t i = 0; i < n; i++) {
        char where[300];
        const json_t *entry = json_array_get(from, i);
        snprintf(where, sizeof where, "%.250s[%zu]", path, i);
        if (json_is_string(json_array_get(into, i))) {
            if (!json_is_string(entry) || !json_string_length(entry))
                return wb_json_fail(s, where, "", _("expected a text"));
            json_array_set(into, i, (json_t *)entry);
        } else if (!merge(s, where, json_array_get(into, i), entry))
            return false;
    }
    return true;
}

/* The words for a step's choices: several of one are blanks apart, the first is shown. */
static bool take_words(const wb_json_source *s, const char *path, json_t *step,
                       const json_t *words) {
    const char *choice;
    json_t *word;
    json_object_foreach((json_t *)words, choice, word) {
        if (!json_string_length(word) || !json_object_get(json_object_get(step, "choices"), choice))
            return wb_json_fail(s, path, "", _("'%.60s' is no choice of this step, or has no text"),
                                choice);
    }
    return json_object_set(step, "words", (json_t *)words) == 0;
}

/* Merges one member. `words`: every member is a text, as in "choices". */
static bool merge_member(const wb_json_source *s, const char *path, json_t *into, const char *key,
                         const json_t *value, bool words) {
    json_t *here = json_object_get(into, key);
    if (!here && strcmp(key, "words") == 0 && json_object_get(into, "choices"))
        return take_words(s, path, into, value);
    if (!here)
        return wb_json_fail(s, path, "", _("steps.json has no such key here"));
    if (is_mark(key) && !words)
        return json_equal(here, value) ||
               wb_json_fail(s, path, "",
                            _("is not what steps.json has: were entries added or moved there?"));
    if (json_is_object(here) || json_is_array(here))
        return json_is_array(here) ? merge_list(s, path, here, value) : merge(s, path, here, value);
    if (!is_text(key) && !words)
        return wb_json_fail(s, path, "", _("is no text: only texts are translated"));
    if (!json_is_string(value) || !json_string_length(value))
        return wb_json_fail(s, path, "", _("expected a text"));
    if (strcmp(key, "unit") == 0 && !words)
        json_object_set(into, "unit_too", here);
    json_object_set(into, key, (json_t *)value);
    return true;
}

static bool merge(const wb_json_source *s, const char *path, json_t *into, const json_t *from) {
    const char *key, *last = strrchr(path, '.');
    bool words = last && strcmp(last, ".choices") == 0;
    json_t *value;
    if (!json_is_object(from))
        return wb_json_fail(s, path, "", _("expected an object"));
    json_object_foreach((json_t *)from, key, value) {
        char where[300];
        snprintf(where, sizeof where, "%.200s%s%.60s", path, *path ? "." : "", key);
        if (!merge_member(s, where, into, key, value, words))
            return false;
    }
    return true;
}

bool lesson_translate(const wb_json_source *source, json_t *root, const json_t *translation) {
    return merge(source, "", root, translation);
}
