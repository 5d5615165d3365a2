/* find.c: finds a lab. */
#include "grader/lab/lab.h"

#include <dirent.h>
#include <sys/stat.h>

enum { MAX_LABS = 200 };

/* Lists the names of the installed labs. The caller frees each. */
static size_t list_labs(const char *folder, char *names[MAX_LABS]) {
    DIR *dir = opendir(folder);
    size_t n = 0;
    struct dirent *entry;
    while (dir && n < MAX_LABS && (entry = readdir(dir))) {
        char *path = wb_format("%s/%s/lab.json", folder, entry->d_name);
        if (entry->d_name[0] != '.' && path && wb_file_exists(path))
            names[n++] = strdup(entry->d_name);
        free(path);
    }
    if (dir)
        closedir(dir);
    return n;
}

static void fail_unknown(const char *name, const char *folder, wb_error *err) {
    char *names[MAX_LABS];
    size_t n = list_labs(folder, names);
    wb_buf list = {0};
    for (size_t i = 0; i < n; i++)
        wb_buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    wb_fail(err, 1, _("there is no lab '%.100s'%s (labs: %.300s; or the path of a lab.json)"), name,
            wb_text_meant(name, (const char *const *)names, n), list.data ? list.data : _("none"));
    wb_buf_free(&list);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
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
