/* library.c: compiles a lab's reference. It is the teacher's code, so it needs no sandbox, and the
 * compiler's cache may keep it. One compilation serves a whole class. */
#include "grader/stages/stages.h"
#include "runtime/base/scoped.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/headers.h"

#include <unistd.h>

enum { PATIENCE_S = 120, MAX_ERRORS = 5 };

static const char unit_name[] = "call_of_reference";

static bool has_magnitude(const gr_arg *arg) {
    return gr_is_result(arg->role) && arg->fields[0].bound.by == GR_BY_CONDITION;
}

static void add_reference(wb_buf *b, const gr_lab *lab) {
    int at = 0;
    wb_buf_puts(b, "extern \"C\" void warpbook_reference(void **warpbook_a) {\nreference(");
    for (int i = 0; i < lab->n_args; i++)
        gr_lab_add_argument(&lab->args[i], false, &at, b);
    for (int i = 0; i < lab->n_args; i++)
        if (has_magnitude(&lab->args[i]))
            wb_buf_printf(b, ", *(double **)warpbook_a[%d]", at++);
    wb_buf_puts(b, ");\n}\n");
}

static void add_check(wb_buf *b, const gr_lab *lab) {
    int at = 0;
    wb_buf_puts(b, "extern \"C\" const char *warpbook_check(void **warpbook_a) {\nreturn check(");
    for (int i = 0; i < lab->n_args; i++)
        gr_lab_add_argument(&lab->args[i], true, &at, b);
    for (int i = 0; i < lab->n_args; i++)
        if (gr_is_result(lab->args[i].role))
            gr_lab_add_argument(&lab->args[i], true, &at, b);
    for (int i = 0; i < lab->n_args; i++)
        if (lab->args[i].role == GR_INOUT)
            gr_lab_add_argument(&lab->args[i], true, &at, b);
    wb_buf_puts(b, ");\n}\n");
}

/* Returns the declaration of the teacher's function, for a message. The caller frees it. */
static char *wanted(const gr_lab *lab) {
    wb_buf b = {0};
    wb_buf_puts(&b, "void reference(");
    gr_lab_add_parameters(lab, &b);
    for (int i = 0; i < lab->n_args; i++)
        if (has_magnitude(&lab->args[i]))
            wb_buf_printf(&b, ", double *%s_magnitude", lab->args[i].name);
    wb_buf_putc(&b, ')');
    return wb_buf_steal(&b);
}

/* Returns the teacher's sources, then functions that call theirs with an array of pointers to the
 * arguments. The caller frees it. */
static char *make_unit(const gr_lab *lab, const char *source, const char *check) {
    wb_buf b = {0};
    wb_buf_puts(&b, WB_CELL_HEADERS);
    wb_buf_puts(&b, gr_lab_uses_half(lab) ? "#include <cuda_fp16.h>\n" : "");
    wb_buf_puts(&b, "extern \"C\" { unsigned long long warpbook_secret; }\n");
    wb_buf_printf(&b, "#include \"%s\"\n", source);
    if (check)
        wb_buf_printf(&b, "#include \"%s\"\n", check);
    wb_buf_printf(&b, "#line 1 \"%s\"\n", unit_name);
    wb_buf_puts(&b, GR_SAME_TYPE);
    gr_lab_add_struct_checks(lab, &b);
    add_reference(&b, lab);
    if (check)
        add_check(&b, lab);
    return wb_buf_steal(&b);
}

char *gr_work_unit(const gr_work *w, const char *unit, const char *suffix) {
    char key[WB_SHA256_TEXT];
    wb_sha256(unit, strlen(unit), key);
    WB_SCOPED char *folder = wb_path_cache("references");
    char *path = folder ? wb_format("%s/%.32s%s", folder, key, suffix) : NULL;
    bool there = path && (wb_file_exists(path) || (wb_dir_make(folder, NULL) &&
                                                   wb_file_write(path, unit, strlen(unit), NULL)));
    if (there)
        return path;
    free(path);
    path = wb_format("%s/reference-unit%s", w->folder, suffix);
    if (path && wb_file_write(path, unit, strlen(unit), NULL))
        return path;
    free(path);
    return NULL;
}

static bool tell_lab_errors(gr_work *w, const char *source, const wb_compile_result *result) {
    WB_SCOPED_BUF wb_buf b = {0};
    int told = 0;
    bool call = false;
    for (size_t i = 0; i < result->n_diagnostics && told < MAX_ERRORS; i++) {
        const wb_diagnostic *d = &result->diagnostics[i];
        if (d->severity != WB_DIAG_ERROR)
            continue;
        bool ours = d->file && strstr(d->file, unit_name);
        call |= ours;
        if (ours || d->line <= 0)
            wb_buf_printf(&b, "\n%.400s", d->text);
        else
            wb_buf_printf(&b, "\n%s:%d: %.400s", d->file ? wb_path_name(d->file) : "", d->line,
                          d->text);
        told++;
    }
    WB_SCOPED char *signature = call ? wanted(w->lab) : NULL;
    return gr_work_fail(w, WB_FOUND_MACHINE, _("the lab's %s does not compile%s%s:%s"), source,
                        signature ? _("; it has to define ") : "", signature ? signature : "",
                        b.data        ? b.data
                        : result->log ? result->log
                                      : "");
}

static bool compile(gr_work *w, const char *unit, const char *library) {
    WB_SCOPED char *share = wb_path_share("include"); /* warpbook_lab.h */
    WB_SCOPED char *include = share ? wb_format("-I%s", share) : NULL;
    const char *sources[] = {unit, NULL}, *flags[] = {"-O2", include, NULL};
    double limit = w->limits.compile_s > PATIENCE_S ? w->limits.compile_s : PATIENCE_S;
    wb_device device = {.kind = WB_DEVICE_SOFT};
    wb_compile_spec spec = {.kind = WB_COMPILE_SHARED,
                            .sources = sources,
                            .flags = flags,
                            .output = library,
                            .device = &device,
                            .timeout_s = limit,
                            .stop = w->stop};
    wb_compile_result result;
    wb_error err = {0};
    bool ok = wb_compile(&spec, &result, &err);
    if (gr_work_stopped(w))
        ok = false;
    else if (!ok)
        gr_work_fail(w, WB_FOUND_MACHINE, _("the lab's %s: %s"), w->lab->source, err.text);
    else if (result.timed_out)
        ok = gr_work_fail(w, WB_FOUND_MACHINE, _("the lab's %s does not compile within %.0f s"),
                          w->lab->source, limit);
    else if (!result.ok)
        ok = tell_lab_errors(w, w->lab->source, &result);
    wb_compile_result_free(&result);
    return ok;
}

/* Returns the absolute path of a file beside lab.json. NULL: it is missing, and the work fails. */
static char *find_beside(gr_work *w, const char *name) {
    char *path = gr_lab_beside(w->lab, name);
    if (path && access(path, R_OK) == 0)
        return path;
    free(path);
    gr_work_fail(w, WB_FOUND_MACHINE,
                 _("the lab's %s is not there: %s names it, and it has to lie beside that"), name,
                 w->lab->path);
    return NULL;
}

bool gr_stage_library(gr_work *w) {
    const gr_lab *lab = w->lab;
    WB_SCOPED char *source = find_beside(w, lab->source);
    WB_SCOPED char *check = source && *lab->check ? find_beside(w, lab->check) : NULL;
    bool device = strstr(lab->source, ".cu") || strstr(lab->check, ".cu");
    WB_SCOPED char *unit = NULL, *path = NULL;
    if (source && (check || !*lab->check)) {
        unit = make_unit(lab, source, check);
        path = unit ? gr_work_unit(w, unit, device ? ".cu" : ".cpp") : NULL;
        if (!path)
            gr_work_fail(w, WB_FOUND_MACHINE, _("the lab's %s can't be prepared in %s"),
                         lab->source, w->folder);
    }
    WB_SCOPED char *library = gr_work_path(w, "reference.so", 0);
    return path && library && compile(w, path, library);
}
