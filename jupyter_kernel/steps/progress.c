/* progress.c: the file that stores a student's progress. */
#include "jupyter_kernel/steps/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/json/json.h"

enum { MOST_BYTES = 4 << 20 };

/* Makes the data folder and returns the path of a file in it. NULL with *err. */
static char *data_file(const char *name, wb_error *err) {
    const char *data = wb_setting("XDG_DATA_HOME"), *home = wb_setting("HOME");
    WB_SCOPED char *folder = data   ? wb_format("%s/warpbook", data)
                             : home ? wb_format("%s/.local/share/warpbook", home)
                                    : NULL;
    if (!folder)
        wb_fail(err, 1, _("neither $XDG_DATA_HOME nor $HOME says where"));
    return folder && wb_dir_make(folder, err) ? wb_format("%s/%s", folder, name) : NULL;
}

/* Returns the document, or an empty one. Renames a broken file. */
static json_t *read_all(const char *file) {
    WB_SCOPED_BUF wb_buf text = {0};
    if (wb_file_exists(file) && wb_file_read(file, MOST_BYTES, &text, NULL)) {
        json_t *root = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
        if (json_is_object(json_object_get(root, "labs")))
            return root;
        WB_SCOPED char *aside = wb_format("%s.broken", file);
        json_decref(root);
        if (aside)
            rename(file, aside);
    }
    return json_pack("{s:i, s:{}}", "version", 1, "labs");
}

static json_t *entry_of(const json_t *root, const char *lab, const char *step) {
    return json_object_get(json_object_get(json_object_get(root, "labs"), lab), step);
}

/* Returns the step's entry and creates it if it is missing. */
static json_t *own_entry(json_t *root, const char *lab, const char *step) {
    json_t *labs = json_object_get(root, "labs");
    if (!json_is_object(json_object_get(labs, lab)))
        json_object_set_new(labs, lab, json_object());
    json_t *steps = json_object_get(labs, lab);
    if (!json_is_object(json_object_get(steps, step)))
        json_object_set_new(steps, step, json_object());
    return json_object_get(steps, step);
}

/* The document as it is now; NULL where no folder is. */
static json_t *read_own(void) {
    WB_SCOPED char *file = data_file("progress.json", NULL);
    return file ? read_all(file) : NULL;
}

step_record progress_of(const char *lab, const char *step) {
    WB_SCOPED_JSON json_t *root = read_own();
    const json_t *entry = entry_of(root, lab, step);
    return (step_record){.passed = wb_field_true(entry, "passed"),
                         .shown = wb_field_true(entry, "shown"),
                         .invited = wb_field_true(entry, "invited"),
                         .tries = (int)wb_field_int(entry, "tries"),
                         .hints = (int)wb_field_int(entry, "hints")};
}

static void count_up(json_t *entry, const char *key) {
    json_object_set_new(entry, key, json_integer(wb_field_int(entry, key) + 1));
}

static void change_entry(json_t *entry, progress_change change, const char *answer) {
    bool passed = wb_field_true(entry, "passed");
    char sum[WB_SHA256_TEXT] = "";
    if (answer)
        wb_sha256(answer, strlen(answer), sum);
    sum[16] = '\0';
    switch (change) {
    case PROGRESS_WRONG:
        if (!passed && strcmp(wb_field_text(entry, "last"), sum) != 0)
            count_up(entry, "tries");
        json_object_set_new(entry, "last", json_string(sum));
        break;
    case PROGRESS_PASSED:
        json_object_set_new(entry, "passed", json_true());
        break;
    case PROGRESS_HINT:
        count_up(entry, "hints");
        break;
    case PROGRESS_SHOWN:
        if (!passed)
            json_object_set_new(entry, "shown", json_true());
        break;
    case PROGRESS_INVITED:
        json_object_set_new(entry, "invited", json_true());
        break;
    case PROGRESS_STUDENT:
        break;
    }
}

static bool write_all(const char *file, const json_t *root, wb_error *err) {
    WB_SCOPED char *text = json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS);
    return text ? wb_file_write(file, text, strlen(text), err)
                : wb_fail(err, 1, _("out of memory"));
}

/* Draws the student's number. Returns false if the document has one. */
static bool draw_student(json_t *root) {
    unsigned char drawn[16];
    char text[WB_SHA256_TEXT];
    if (json_object_get(root, "student") ||
        getrandom(drawn, sizeof drawn, GRND_NONBLOCK) != sizeof drawn)
        return false;
    wb_sha256(drawn, sizeof drawn, text);
    return json_object_set_new(root, "student", json_string(text)) == 0;
}

bool progress_note(const char *lab, const char *step, progress_change change, const char *answer,
                   wb_error *err) {
    WB_SCOPED char *file = data_file("progress.json", err);
    WB_SCOPED char *lock = file ? data_file("progress.lock", err) : NULL;
    int fd = lock ? open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    bool ok = false;
    if (fd >= 0 && flock(fd, LOCK_EX) == 0) {
        WB_SCOPED_JSON json_t *root = read_all(file);
        bool changed = draw_student(root) || change != PROGRESS_STUDENT;
        if (change != PROGRESS_STUDENT)
            change_entry(own_entry(root, lab, step), change, answer);
        ok = !changed || write_all(file, root, err);
    } else if (lock)
        wb_fail(err, 1, "%s: %s", lock, strerror(errno));
    if (fd >= 0)
        close(fd);
    return ok;
}

/* The student's number, or what stands for it if none can be kept. malloc'd. */
static char *student(void) {
    progress_note("", "", PROGRESS_STUDENT, NULL, NULL);
    WB_SCOPED_JSON json_t *root = read_own();
    const char *kept = wb_field_text(root, "student"), *home = getenv("HOME");
    return *kept ? strdup(kept) : wb_format("%u %s", (unsigned)getuid(), home ? home : "");
}

json_t *progress_shuffled(const char *lab, const char *step, const json_t *choices) {
    WB_SCOPED_JSON json_t *by_sum = json_object();
    json_t *shuffled = json_object(), *value;
    WB_SCOPED char *number = student();
    char text[WB_SHA256_TEXT];
    const char *choice;
    json_object_foreach((json_t *)choices, choice, value) {
        WB_SCOPED char *place = wb_format("%s %s %s %s", number ? number : "", lab, step, choice);
        wb_sha256(place ? place : choice, strlen(place ? place : choice), text);
        json_object_set_new(by_sum, text, json_pack("[s, O]", choice, value));
    }
    WB_SCOPED char *sorted = json_dumps(by_sum, JSON_SORT_KEYS);
    WB_SCOPED_JSON json_t *in_order = sorted ? json_loads(sorted, 0, NULL) : NULL;
    json_object_foreach(in_order, choice, value) json_object_set(
        shuffled, json_string_value(json_array_get(value, 0)), json_array_get(value, 1));
    return shuffled;
}
