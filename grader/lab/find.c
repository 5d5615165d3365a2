/* find.c: finds a lab. */
#include "grader/lab/lab.h"

#include <sys/stat.h>

static void fail_unknown(const char *name, const char *folder, wb_error *err) {
    wb_strings all = wb_dir_names(folder, ""), labs = {0};
    for (size_t i = 0; i < all.n; i++) {
        char *path = wb_format("%s/%s/lab.json", folder, all.v[i]);
        if (path && wb_file_exists(path))
            wb_strings_add(&labs, all.v[i]);
        free(path);
    }
    char *list = wb_strings_joined(&labs, ", ");
    wb_fail(err, 1, _("there is no lab '%.100s'%s (labs: %.300s; or the path of a lab.json)"), name,
            wb_text_meant(name, (const char *const *)labs.v, labs.n),
            list && *list ? list : _("none"));
    free(list);
    wb_strings_free(&labs);
    wb_strings_free(&all);
}

char *gr_lab_find(const char *name, wb_error *err) {
    struct stat st;
    char *labs = wb_path_share("labs");
    char *path = NULL;
    if (!strchr(name, '/'))
        path = wb_format("%s/%s/lab.json", labs, name);
    if ((!path || !wb_file_exists(path)) && stat(name, &st) == 0) {
        free(path);
        path = S_ISDIR(st.st_mode) ? wb_format("%s/lab.json", name) : strdup(name);
    }
    if (!path || !wb_file_exists(path)) {
        fail_unknown(name, labs ? labs : "", err);
        free(path);
        path = NULL;
    }
    free(labs);
    return path;
}
