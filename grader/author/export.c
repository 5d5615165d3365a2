/* export.c: writes a lab as the assignment of another system: files from templates, and the lab. */
#include "grader/author/author.h"
#include "runtime/base/scoped.h"

#include <libgen.h>
#include <sys/stat.h>

typedef struct kind {
    const char *name;
    const char *files[4]; /* in share/warpbook/lab_export/NAME; NULL-terminated */
    bool starter;         /* copy starter.cu as LAB.cu, and README.md, for the student */
} kind;

static const kind kinds[] = {
    {"gradescope", {"setup.sh", "run_autograder"}, false},
    {"nbgrader", {NULL}, false},
    {"classroom", {".github/workflows/classroom.yml"}, true},
};

static const kind *find_kind(const char *name) {
    for (size_t i = 0; i < WB_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

bool gr_author_exports(const char *name) {
    return find_kind(name) != NULL;
}

bool gr_author_fill(const char *from, const char *to, const char *placeholder, const char *name,
                    mode_t mode, wb_error *err) {
    WB_SCOPED_BUF wb_buf text = {0}, made = {0};
    WB_SCOPED char *folder = strdup(to);
    bool ok = folder && wb_file_read(from, 0, &text, err) && wb_dir_make(dirname(folder), err);
    wb_buf_replace(&made, text.data ? text.data : "", placeholder, name);
    return ok && wb_file_put(to, made.data ? made.data : "", made.len, mode, err);
}

/* Copies the files beside lab.json. The solutions are in a subfolder, so it leaves them out. */
static bool copy_lab(const char *from, const char *to, wb_error *err) {
    WB_SCOPED_STRINGS wb_strings names = wb_dir_names(from, "");
    bool ok = names.n ? wb_dir_make(to, err) : wb_fail(err, 1, _("can't read %s"), from);
    for (size_t i = 0; ok && i < names.n; i++) {
        struct stat st;
        WB_SCOPED char *source = wb_format("%s/%s", from, names.v[i]),
                       *target = wb_format("%s/%s", to, names.v[i]);
        if (source && target && lstat(source, &st) == 0 && S_ISREG(st.st_mode))
            ok = wb_file_copy(source, target, err);
    }
    return ok;
}

static bool copy_named(const char *from, const char *what, const char *to, const char *as,
                       wb_error *err) {
    WB_SCOPED char *source = wb_format("%s/%s", from, what), *target = wb_format("%s/%s", to, as);
    return source && target ? !wb_file_exists(source) || wb_file_copy(source, target, err)
                            : wb_fail(err, 1, _("out of memory"));
}

static bool export_all(const kind *k, const gr_lab *lab, const char *from, const char *folder,
                       wb_error *err) {
    WB_SCOPED char *templates = wb_path_share("lab_export"), *inside = wb_format("%s/lab", folder);
    bool ok =
        templates && inside ? copy_lab(from, inside, err) : wb_fail(err, 1, _("out of memory"));
    for (size_t i = 0; ok && k->files[i]; i++) {
        WB_SCOPED char *source = wb_format("%s/%s/%s", templates, k->name, k->files[i]);
        WB_SCOPED char *target = wb_format("%s/%s", folder, k->files[i]);
        ok = source && target && gr_author_fill(source, target, "LAB_NAME", lab->name, 0755, err);
    }
    WB_SCOPED char *starter = wb_format("%s.cu", lab->name);
    if (k->starter)
        ok = ok && starter && copy_named(from, "starter.cu", folder, starter, err) &&
             copy_named(from, "README.md", folder, "README.md", err);
    return ok;
}

/* Returns true if a notebook can't find the lab by its name, because it is not installed. */
static bool is_own(const gr_lab *lab) {
    WB_SCOPED char *installed = wb_path_share("labs/"), *path = realpath(lab->path, NULL);
    WB_SCOPED char *real = installed ? realpath(installed, NULL) : NULL;
    return !real || !path || strncmp(path, real, strlen(real)) != 0;
}

static bool export_nbgrader(const gr_lab *lab, const char *from, const char *folder,
                            wb_error *err) {
    bool own = is_own(lab);
    WB_SCOPED char *inside = wb_format("%s/source/%s/lab", folder, lab->name);
    return inside && gr_author_nbgrader(lab, own, folder, err) &&
           (!own || copy_lab(from, inside, err));
}

bool gr_author_export(const char *name, const gr_lab *lab, const char *folder, wb_error *err) {
    struct stat st;
    const kind *k = find_kind(name);
    if (lstat(folder, &st) == 0)
        return wb_fail(err, 1, _("%s is there already; nothing was changed"), folder);
    WB_SCOPED char *from = gr_lab_beside(lab, ".");
    bool notebook = strcmp(k->name, "nbgrader") == 0;
    bool ok = from && (notebook ? export_nbgrader(lab, from, folder, err)
                                : export_all(k, lab, from, folder, err));
    if (!ok)
        wb_dir_remove(folder, NULL);
    return ok;
}
