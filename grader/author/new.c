/* new.c: makes a new lab from a template. */
#include "grader/author/author.h"
#include "runtime/base/scoped.h"

#include <sys/stat.h>

static const char *const files[] = {"lab.json",
                                    "README.md",
                                    "reference.cpp",
                                    "starter.cu",
                                    "solutions/1_a_run_each.cu",
                                    "solutions/2_side_by_side.cu"};

static bool copy_template(const char *folder, const char *name, wb_error *err) {
    WB_SCOPED char *template = wb_path_share("lab_template");
    bool ok = template != NULL;
    for (size_t i = 0; ok && i < WB_COUNT(files); i++) {
        WB_SCOPED char *from = wb_format("%s/%s", template, files[i]);
        WB_SCOPED char *to = wb_format("%s/%s", folder, files[i]);
        ok = from && to && gr_author_fill(from, to, "NEW_LAB", name, 0666, err);
    }
    return ok;
}

bool gr_author_new(const char *path, wb_error *err) {
    struct stat st;
    const char *name = wb_path_name(path);
    if (!gr_lab_is_name(name))
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
