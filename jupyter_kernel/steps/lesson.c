/* lesson.c: finds a lab's steps and gives access to them. */
#include "jupyter_kernel/steps/lesson.h"

#include "jupyter_kernel/steps/lesson_check.h"
#include "jupyter_kernel/steps/lesson_tongue.h"
#include "jupyter_kernel/steps/progress.h"
#include "runtime/base/language.h"
#include "runtime/base/words.h"

enum { MOST_BYTES = 1 << 20 };

/* ---- reading ------------------------------------------------------------------------------ */

/* Joins lists of lines into one text, so that other code sees only texts. */
static void join_lines(json_t *value) {
    static const char *const texts[] = {"text", "start", "say", "right", "otherwise"};
    const char *key;
    json_t *member;
    WB_JSON_EACH(element, value) join_lines(element);
    for (size_t i = 0; i < WB_COUNT(texts); i++) {
        json_t *lines = json_object_get(value, texts[i]);
        WB_SCOPED_BUF wb_buf all = {0};
        if (!json_is_array(lines))
            continue;
        WB_JSON_EACH(line, lines)
        wb_buf_printf(&all, "%s%s", line_at ? "\n" : "", json_string_value(line));
        json_object_set_new(value, texts[i], json_string(all.data ? all.data : ""));
    }
    json_object_foreach(value, key, member) join_lines(member);
}

lesson *lesson_parse(const char *lab, const char *folder, const char *file, const char *text,
                     size_t len, wb_error *err) {
    wb_json_source source = {file, text, len, err};
    json_t *root = wb_json_parse(&source);
    lesson *l = root && lesson_check(&source, root) ? calloc(1, sizeof *l) : NULL;
    if (!l) {
        json_decref(root);
        return NULL;
    }
    *l = (lesson){.lab = strdup(lab), .folder = strdup(folder), .root = root};
    join_lines(root);
    l->steps = json_object_get(root, "steps");
    return l;
}

bool lesson_speak(lesson *l, const char *file, const char *text, size_t len, wb_error *err) {
    wb_json_source source = {file, text, len, err};
    WB_SCOPED_JSON json_t *translation = wb_json_parse(&source);
    join_lines(translation);
    return translation && lesson_translate(&source, l->root, translation);
}

void lesson_hear(lesson *l, const json_t *translation) {
    WB_JSON_EACH(other, json_object_get(translation, "steps")) {
        json_t *step = lesson_named(l, wb_field_text(other, "name"));
        json_object_set(step, "unit_too", json_object_get(other, "unit"));
        json_object_set(step, "words", json_object_get(other, "words"));
    }
}

/* Translates the texts into the user's language if the folder has a translation. Whoever reads
 * English may answer in Chinese. */
static bool speak_as_read(lesson *l, wb_error *err) {
    WB_SCOPED char *file = wb_format("%s/steps.zh.json", l->folder);
    WB_SCOPED_BUF wb_buf text = {0};
    if (file && wb_language_get() == WB_ENGLISH) {
        WB_SCOPED_JSON json_t *chinese = json_load_file(file, 0, NULL);
        lesson_hear(l, chinese);
        return true;
    }
    return file && (!wb_file_exists(file) ||
                    (wb_file_read(file, MOST_BYTES, &text, err) &&
                     lesson_speak(l, file, text.data ? text.data : "", text.len, err)));
}

/* Leaves no choice in a place that tells whether it is right. */
static void shuffle(lesson *l) {
    WB_JSON_EACH(step, l->steps) {
        const json_t *choices = json_object_get(step, "choices");
        if (choices)
            json_object_set_new(step, "choices",
                                progress_shuffled(l->lab, wb_field_text(step, "name"), choices));
    }
}

/* Reads FOLDER/steps.json, with its texts in the user's language if the folder has them
 * (steps.zh.json). NULL with *err "FILE:LINE: WHERE: what is wrong" if one has a mistake. */
static lesson *lesson_read(const char *lab, const char *folder, wb_error *err) {
    WB_SCOPED char *file = wb_format("%s/steps.json", folder);
    WB_SCOPED_BUF wb_buf text = {0};
    lesson *l = NULL;
    if (file && wb_file_read(file, MOST_BYTES, &text, err))
        l = lesson_parse(lab, folder, file, text.data ? text.data : "", text.len, err);
    if (l && !speak_as_read(l, err)) {
        lesson_free(l);
        return NULL;
    }
    if (l)
        shuffle(l);
    return l;
}

void lesson_free(lesson *l) {
    if (!l)
        return;
    WB_FREE(l->lab, l->folder);
    json_decref(l->root);
    free(l);
}

/* ---- finding ------------------------------------------------------------------------------ */

json_t *lesson_labs(void) {
    enum { PLACE = 9 }; /* digits before a name: its place in the course, or the end */
    WB_SCOPED char *folder = wb_path_share("labs");
    WB_SCOPED_STRINGS wb_strings all = wb_dir_names(folder ? folder : "", ""), labs = {0};
    for (size_t i = 0; i < all.n; i++) {
        WB_SCOPED char *file = wb_format("%s/%s/steps.json", folder, all.v[i]);
        WB_SCOPED_JSON json_t *root = file ? json_load_file(file, 0, NULL) : NULL;
        const json_t *place = json_object_get(root, "place");
        if (file && wb_file_exists(file))
            wb_strings_own(&labs,
                           wb_format("%0*.0f%s", PLACE,
                                     place ? json_number_value(place) : 999999999, all.v[i]));
    }
    if (labs.n)
        qsort(labs.v, labs.n, sizeof *labs.v, wb_by_text);
    json_t *list = json_array();
    for (size_t i = 0; i < labs.n; i++)
        json_array_append_new(list, json_string(labs.v[i] + PLACE));
    return list;
}

static void fail_unknown(const char *lab, wb_error *err) {
    WB_SCOPED_JSON json_t *labs = lesson_labs();
    const char *names[200];
    WB_SCOPED_BUF wb_buf list = {0};
    size_t n = 0;
    WB_JSON_EACH(name, labs) {
        if (n < WB_COUNT(names))
            names[n++] = json_string_value(name);
        wb_buf_printf(&list, "%s%s", name_at ? ", " : "", json_string_value(name));
    }
    wb_fail(err, LESSON_UNKNOWN, _("no lab '%.100s' has steps%s (those that have: %.300s)"), lab,
            wb_text_meant(lab, names, n), list.data ? list.data : _("none"));
}

/* Returns the last part of a path: "stencil" of "./labs/stencil/". */
static char *last_part(const char *path) {
    WB_SCOPED char *whole = strndup(path, wb_trimmed(path, strlen(path), "/"));
    return whole ? strdup(wb_path_name(whole)) : NULL;
}

lesson *lesson_find(const char *lab, wb_error *err) {
    bool path = strchr(lab, '/') != NULL;
    WB_SCOPED char *labs = wb_path_share("labs");
    WB_SCOPED char *folder = path ? strdup(lab) : wb_format("%s/%s", labs, lab);
    WB_SCOPED char *file = folder ? wb_format("%s/steps.json", folder) : NULL;
    WB_SCOPED char *name = path ? last_part(lab) : strdup(lab);
    if (!file || !name)
        wb_fail(err, 1, _("out of memory"));
    else if (wb_file_exists(file))
        return lesson_read(name, folder, err);
    else if (path)
        wb_fail(err, 1, _("there is no %.300s"), file);
    else
        fail_unknown(lab, err);
    return NULL;
}

/* ---- access --------------------------------------------------------------------------------- */

size_t lesson_count(const lesson *l) {
    return json_array_size(l->steps);
}

json_t *lesson_step(const lesson *l, size_t i) {
    return json_array_get(l->steps, i);
}

json_t *lesson_named(const lesson *l, const char *name) {
    WB_JSON_EACH(step, l->steps) {
        if (strcmp(wb_field_text(step, "name"), name) == 0)
            return step;
    }
    char *end;
    unsigned long place = strtoul(name, &end, 10);
    return *end == '\0' && place >= 1 ? lesson_step(l, place - 1) : NULL;
}

size_t lesson_place(const lesson *l, const json_t *step) {
    WB_JSON_EACH(other, l->steps) {
        if (other == step)
            return other_at + 1;
    }
    return 0;
}

step_kind lesson_kind(const json_t *step) {
    const char *kind = wb_field_text(step, "kind");
    return strcmp(kind, "predict") == 0 ? STEP_PREDICT
           : strcmp(kind, "try") == 0   ? STEP_TRY
                                        : STEP_GRADE;
}

char *lesson_function(const json_t *step) {
    const char *text = wb_field_text(step, "signature");
    size_t end = wb_trimmed(text, strcspn(text, "("), WB_BLANK), begin = wb_word_begin(text, end);
    return strndup(text + begin, end - begin);
}

char *lesson_file(const lesson *l, const json_t *step, const char *key, wb_error *err) {
    WB_SCOPED char *path = wb_format("%s/%s", l->folder, wb_field_text(step, key));
    WB_SCOPED_BUF wb_buf text = {0};
    return path && wb_file_read(path, MOST_BYTES, &text, err) ? wb_buf_steal(&text) : NULL;
}
