/* compile.c: runs nvcc in the sandbox, and explains its errors. */
#include "grader/submission/elf.h"
#include "grader/stages/stages.h"
#include "runtime/base/scoped.h"
#include "runtime/compile/compile.h"
#include "runtime/device/toolkit.h"
#include "runtime/sandbox/sandbox.h"

#include <libgen.h>

enum { MAX_LIBRARY = 256 << 20, MAX_DIAGNOSTICS = 5 };
/* memory of all the compiler's programs together */
#define ROOM ((size_t)4 << 30)

char *gr_toolkit_root(wb_error *err) {
    wb_toolkit toolkit;
    if (!wb_toolkit_find(&toolkit, err))
        return NULL;
    return strdup(dirname(dirname(toolkit.nvcc)));
}

static char **compile_sandbox(const gr_work *w, wb_error *err) {
    WB_SCOPED char *toolkit = gr_toolkit_root(err);
    if (!toolkit)
        return NULL;
    const char *read_only[] = {toolkit, w->submission->folder, NULL};
    const char *writable[] = {w->built, NULL}, *env[] = {WB_PROC_LARGE_PAGES, NULL};
    wb_sandbox_spec spec = {.read_only = read_only,
                            .writable = writable,
                            .env = env,
                            .cwd = w->built,
                            .memory = (size_t)3 << 30,
                            .processes = 64,
                            .file = (size_t)256 << 20,
                            .tmp = (size_t)512 << 20,
                            .cpu_s = (unsigned)w->limits.compile_s + 1};
    return wb_sandbox_argv(&spec, err);
}

/* Adds one error in the student's own lines. */
static void add_error(wb_buf *b, const wb_diagnostic *d) {
    const char *file = d->file ? wb_path_name(d->file) : "";
    wb_buf_puts(b, b->len ? "\n" : "");
    if (*file && d->line > 0)
        wb_buf_printf(b, "%s:%d: ", file, d->line);
    else if (*file)
        wb_buf_printf(b, "%s: ", file);
    wb_buf_printf(b, "%.500s", d->text);
}

/* Returns true for the linker's closing lines, which do not help a student. */
static bool is_epilogue(const wb_diagnostic *d) {
    return strstr(d->text, "ld returned ") || strstr(d->text, "final link failed") ||
           strstr(d->text, "hidden symbol");
}

/* Returns true for nvcc's error about an undeclared name. Compilers print English here. */
static bool names_nothing(const wb_diagnostic *d) {
    return strncmp(d->text, "identifier \"", 12) == 0 && strstr(d->text, "\" is undefined");
}

/* Adds a note if another cell of the notebook defines the missing name. */
static void add_elsewhere(wb_buf *b, const gr_submission *s, const char *words) {
    char name[64];
    if (gr_submission_elsewhere(s, words, name))
        wb_buf_printf(
            b,
            _("\n%s stands in another cell of the notebook, and only the graded cell counts: "
              "copy it into that one."),
            name);
}

static void tell_errors(gr_work *w, const wb_compile_result *result) {
    WB_SCOPED_BUF wb_buf b = {0}, elsewhere = {0};
    WB_SCOPED char *signature = gr_lab_signature(w->lab);
    int told = 0;
    const wb_diagnostic *call = NULL, *first = NULL;
    bool undefined = false;
    for (size_t i = 0; i < result->n_diagnostics && told < MAX_DIAGNOSTICS; i++) {
        const wb_diagnostic *d = &result->diagnostics[i];
        if (d->severity != WB_DIAG_ERROR || (told && is_epilogue(d)))
            continue;
        if (d->file && strstr(d->file, GR_DRIVER_FILE)) {
            call = call ? call : d;
            continue;
        }
        add_error(&b, d);
        first = first ? first : d;
        undefined |= names_nothing(d);
        if (!elsewhere.len)
            add_elsewhere(&elsewhere, w->submission, d->text);
        told++;
    }
    if (!told && call)
        add_elsewhere(&elsewhere, w->submission, "'solve'");
    const char *where = elsewhere.data ? elsewhere.data : "";
    if (!told && call && strstr(call->text, "undefined"))
        gr_work_fail(w, WB_FOUND_NO_SOLVE, _("there is no function solve; the lab asks for: %s%s"),
                     signature, where);
    else if (!told && call)
        gr_work_fail(w, WB_FOUND_SIGNATURE,
                     _("solve has another signature than the lab's, which is: %s\n(%.400s)"),
                     signature, call->text);
    else if (told)
        gr_work_fail(w, undefined ? WB_FOUND_UNDEFINED_NAME : WB_FOUND_NOT_COMPILED,
                     _("it does not compile:\n%s%s"), b.data, where);
    else if (w->sandbox && result->log && strncmp(result->log, "bwrap: ", 7) == 0)
        gr_work_fail(w, WB_FOUND_MACHINE, _("the compiler's sandbox can't be made: %.500s"),
                     result->log);
    else
        gr_work_fail(w, WB_FOUND_NOT_COMPILED, _("it does not compile:\n%.2000s"),
                     result->log ? result->log : "");
    if (first)
        json_object_set_new(w->found, "subject", wb_json_text(first->text, strlen(first->text)));
}

static bool run_compiler(gr_work *w, const char *source, const char *library) {
    wb_error err = {0};
    const char *sources[] = {source, NULL};
    WB_SCOPED char *include =
        w->submission->folder ? wb_format("-I%s", w->submission->folder) : NULL;
    /* uncompressed, so that check_forbidden can search the device code */
    const char *flags[] = {"-no-compress", include, NULL};
    bool sandbox = w->sandbox && !w->lab_source; /* the teacher wrote it, and it is compiled once */
    wb_compile_spec spec = {.kind = WB_COMPILE_SHARED,
                            .sources = sources,
                            .flags = flags,
                            .output = library,
                            .cwd = w->built,
                            .device = w->device,
                            .timeout_s = w->limits.compile_s,
                            .cgroup = gr_work_room(w, ROOM),
                            .no_cache = !w->lab_source,
                            .line_info = true,
                            .stop = w->stop};
    char **wrapper = sandbox ? compile_sandbox(w, &err) : NULL;
    if (sandbox && !wrapper)
        return gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    spec.wrapper = (const char *const *)wrapper;
    wb_compile_result result;
    bool ok = wb_compile(&spec, &result, &err);
    if (gr_work_stopped(w))
        ok = false;
    else if (!ok)
        gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    else if (result.timed_out)
        ok = gr_work_fail(w, WB_FOUND_COMPILES_LONG,
                          _("it does not compile within %.0f s: a template or macro that "
                            "never ends, or a header as large as Thrust's?"),
                          w->limits.compile_s);
    else if (!result.ok) {
        tell_errors(w, &result);
        ok = false;
    }
    wb_compile_result_free(&result);
    wb_sandbox_argv_free(wrapper);
    return ok;
}

/* ---- forbidden libraries -------------------------------------------------------------------- */

/* Returns true if a kernel uses the library. With line information, PTX names every header whose
 * code was inlined into a kernel, whatever the source looks like. */
static bool device_code_uses(const void *code, size_t len, const char *library) {
    char path[32], space[32];
    snprintf(path, sizeof path, "/%s/", library);
    const char *at = code, *end = at + len;
    for (; (at = memmem(at, (size_t)(end - at), path, strlen(path))); at++) {
        const char *line = at;
        while (line > (const char *)code && line[-1] != '\n' && at - line < 4096)
            line--;
        if (memmem(line, (size_t)(at - line), ".file", 5))
            return true;
    }
    snprintf(space, sizeof space, "_ZN%zu%s", strlen(library), library);
    return memmem(code, len, space, strlen(space)) != NULL;
}

static bool check_forbidden(gr_work *w, const wb_buf *library, const void *code, size_t len) {
    const char *name = NULL;
    unsigned forbidden = w->lab_source ? 0 : w->lab->forbidden;
    if (forbidden >> GR_FORBID_CUBLAS & 1)
        name = gr_elf_symbol(library->data, library->len, false, "cublas", false);
    if (name)
        return gr_work_fail(w, WB_FOUND_FORBIDDEN,
                            _("it calls %s of cuBLAS; this lab asks for a kernel of your "
                              "own"),
                            name);
    for (int i = GR_FORBID_CUB; i < GR_FORBIDS; i++)
        if (forbidden >> i & 1 && device_code_uses(code, len, gr_forbidden_names[i]))
            return gr_work_fail(w, WB_FOUND_FORBIDDEN,
                                _("its kernels are made of the library %s%s; this lab asks "
                                  "for a kernel of your own"),
                                gr_forbidden_names[i],
                                i == GR_FORBID_CUB ? _(" (which Thrust is made of too)") : "");
    return true;
}

/* Stores the device code for the runner. */
static bool keep_device_code(gr_work *w, const char *library) {
    WB_SCOPED_BUF wb_buf file = {0};
    wb_error err = {0};
    size_t len = 0;
    bool ok = wb_file_read(library, MAX_LIBRARY, &file, &err);
    if (!ok)
        return gr_work_fail(w, WB_FOUND_NOT_COMPILED, _("what the compiler made can't be used: %s"),
                            err.text);
    const void *code = gr_elf_fatbin(file.data, file.len, &len);
    if (!gr_elf_symbol(file.data, file.len, true, "warpbook_solve", true))
        ok = gr_work_fail(w, WB_FOUND_CUT_OFF,
                          _("the call of solve() is cut off: is there an #if without #endif, "
                            "or a comment that never ends?"));
    else if (!code)
        ok = gr_work_fail(w, WB_FOUND_NO_KERNEL, _("it holds no kernel"));
    ok = ok && check_forbidden(w, &file, code, len);
    WB_SCOPED char *path = gr_work_path(w, "device-code", 0);
    if (ok && !(path && wb_file_write_unsynced(path, code, len, &err)))
        ok = gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    return ok;
}

bool gr_stage_compile(gr_work *w) {
    wb_error err = {0};
    WB_SCOPED char *unit = gr_submission_unit(w->submission, w->lab);
    WB_SCOPED char *source = !unit || !w->built ? NULL
                             : w->lab_source    ? gr_work_unit(w, unit, ".cu")
                                                : wb_format("%s/submission.cu", w->built);
    WB_SCOPED char *library = w->built ? wb_format("%s/submission.so", w->built) : NULL;
    bool ok = unit && source && library;
    if (!ok)
        gr_work_fail(w, WB_FOUND_MACHINE, _("out of memory"));
    else if (!w->lab_source && !wb_file_write_unsynced(source, unit, strlen(unit), &err))
        ok = gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    return ok && run_compiler(w, source, library) && keep_device_code(w, library);
}
