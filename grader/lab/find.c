/* find.c: finds a lab and reads it. */
#include "grader/lab/lab.h"
#include "runtime/base/scoped.h"

#include <sys/stat.h>

static void fail_unknown(const char *name, const char *folder, wb_error *err) {
    WB_SCOPED_STRINGS wb_strings all = wb_dir_names(folder, ""), labs = {0};
    for (size_t i = 0; i < all.n; i++) {
        WB_SCOPED char *path = wb_format("%s/%s/lab.json", folder, all.v[i]);
        if (path && wb_file_exists(path))
            wb_strings_add(&labs, all.v[i]);
    }
    WB_SCOPED char *list = wb_strings_joined(&labs, ", ");
    wb_fail(err, 1, _("there is no lab '%.100s'%s (labs: %.300s; or the path of a lab.json)"), name,
            wb_text_meant(name, (const char *const *)labs.v, labs.n),
            list && *list ? list : _("none"));
}

gr_lab *gr_lab_find(const char *name, wb_error *err) {
    struct stat st;
    WB_SCOPED char *labs = wb_path_share("labs");
    WB_SCOPED char *by_name = strchr(name, '/') ? NULL : wb_format("%s/%s/lab.json", labs, name);
    WB_SCOPED char *by_path = stat(name, &st) != 0  ? NULL
                              : S_ISDIR(st.st_mode) ? wb_format("%s/lab.json", name)
                                                    : strdup(name);
    const char *path = by_name && wb_file_exists(by_name) ? by_name : by_path;
    if (path && wb_file_exists(path))
        return gr_lab_read(path, err);
    fail_unknown(name, labs ? labs : "", err);
    return NULL;
}
