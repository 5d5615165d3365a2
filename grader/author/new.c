/* new.c: makes a new lab from a template. */
#include "grader/author/author.h"

#include <ctype.h>
#include <sys/stat.h>

/* The template uses it as the lab's name. */
static const char placeholder[] = "NEW_LAB";

static const char *const files[] = {"lab.json",
                                    "README.md",
                                    "reference.cpp",
                                    "starter.cu",
                                    "solutions/1_a_run_each.cu",
                                    "solutions/2_side_by_side.cu"};

static bool is_lab_name(const char *name) {
    bool fine = isalpha((unsigned char)*name) && strlen(name) <= 40;
    for (const char *p = name; fine && *p; p++)
        fine = isalnum((unsigned char)*p) || *p == '-' || *p == '_';
    return fine;
}

static bool copy_named(const char *from, const char *to, const char *name, wb_error *err) {
    wb_buf text = {0}, made = {0};
    bool ok = wb_file_read(from, 0, &text, err);
    wb_buf_replace(&made, text.data ? text.data : "", placeholder, name);
    ok = ok && wb_file_write(to, made.data ? made.data : "", made.len, err);
    WB_BUF_FREE(&text, &made);
    return ok;
}

static bool copy_template(const char *folder, const char *name, wb_error *err) {
    char *template = wb_path_share("lab_template"), *solutions = wb_format("%s/solutions", folder);
    bool ok = template && solutions && wb_dir_make(solutions, err);
    for (size_t i = 0; ok && i < WB_COUNT(files); i++) {
        char *from = wb_format("%s/%s", template, files[i]);
        char *to = wb_format("%s/%s", folder, files[i]);
        ok = from && to && copy_named(from, to, name, err);
        WB_FREE(from, to);
    }
    WB_FREE(template, solutions);
    return ok;
}

bool gr_author_new(const char *path, wb_error *err) {
    struct stat st;
    const char *name = wb_path_name(path);
    if (!is_lab_name(name))
        return wb_fail(
            err, 1,
            _("'%.100s' is no name for a lab: a letter, then letters, digits, - and _, 40 "
              "at most"),
            name);
    if (lstat(path, &st) == 0)
        return wb_fail(err, 1, _("%s is there already; nothing was changed"), path);
    if (copy_template(path, name, err))
        return true;
    wb_dir_remove(path, NULL);
    return false;
}
