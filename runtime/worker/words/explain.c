/* explain.c: see explain.h. */
#include "runtime/worker/words/explain.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/language.h"
#include "runtime/base/scoped.h"
#include "runtime/cells/hint/hint.h"
#include "runtime/json/json.h"
#include "runtime/worker/words/traceback.h"

/* ---- diagnostics ---- */

static const char *severity_name(const wb_diagnostic *d) {
    return d->severity == WB_DIAG_ERROR     ? "error"
           : d->severity == WB_DIAG_WARNING ? "warning"
                                            : "note";
}

/* Writes "cell [3], line 7: " in the user's language, or the part that is known. */
static void put_place(char *to, size_t size, const char *file, int line) {
    char said[64];
    file = wb_language_file(file, said, sizeof said);
    if (file && line)
        snprintf(to, size, _("%s, line %d: "), file, line);
    else
        snprintf(to, size, "%s%s", file ? file : "", file ? ": " : "");
}

static void add_diagnostic(wb_result *r, const wb_diagnostic *d) {
    char where[512];
    put_place(where, sizeof where, d->file, d->line);
    bool error = d->severity == WB_DIAG_ERROR;
    wb_traceback_add(r, "%s%s%s%s" PLAIN " %s", where, error ? RED : DIM, severity_name(d), ":",
                     d->text);
    if (d->excerpt)
        wb_traceback_add(r, "%s", d->excerpt);
}

/* Adds one of the notes that begin at `first`: preferably one about another line of a cell. Returns
 * the index after the notes. */
static size_t add_notes(wb_result *r, const wb_compile_result *compiled, size_t first) {
    const wb_diagnostic *all = compiled->diagnostics, *near = NULL;
    size_t end = first;
    for (; end < compiled->n_diagnostics && all[end].severity == WB_DIAG_NOTE; end++)
        if (!near && all[end].file && strncmp(all[end].file, "cell [", 6) == 0 &&
            all[end].line != all[first - 1].line)
            near = &all[end];
    if (end > first)
        add_diagnostic(r, near ? near : &all[first]);
    if (end > first + 1)
        wb_traceback_add(r, _("… %zu more notes of the compiler"), end - first - 1);
    return end;
}

/* `lead` is a sentence to put before the compiler's messages, or NULL. */
static void add_errors(wb_result *r, const wb_compile_result *compiled, int cell,
                       const char *lead) {
    const wb_diagnostic *first = NULL;
    for (size_t i = 0; i < compiled->n_diagnostics && !first; i++)
        if (compiled->diagnostics[i].severity == WB_DIAG_ERROR)
            first = &compiled->diagnostics[i];
    if (compiled->stopped) {
        wb_traceback_begin(r, WB_INTERRUPTED, "Interrupted",
                           _("cell [%d] was stopped while it was compiled"), cell);
        return;
    }
    if (compiled->timed_out) {
        wb_traceback_begin(
            r, WB_ERROR, "CompileError",
            _("cell [%d] was still compiling after %.0f s; look for templates that never end, and "
              "macros that grow"),
            cell, compiled->seconds);
        return;
    }
    char where[512];
    if (first)
        put_place(where, sizeof where, first->file, first->line);
    if (first)
        wb_traceback_begin(r, WB_ERROR, "CompileError", "%s%s", where, first->text);
    else
        wb_traceback_begin(r, WB_ERROR, "CompileError", _("cell [%d] does not compile"), cell);
    if (lead) { /* evalue stays the compiler's */
        json_array_clear(r->traceback);
        wb_traceback_add(r, RED BOLD "%s" PLAIN ": %s", "CompileError", lead);
    }
    if (!first) /* no diagnostics, so the log is all; of a crash, only its beginning */
        wb_traceback_add(r, "%.*s", lead ? 200 : 1 << 16,
                         compiled->log ? compiled->log : _("the compiler said nothing"));
    for (size_t i = 0; i < compiled->n_diagnostics;) {
        add_diagnostic(r, &compiled->diagnostics[i]);
        i = add_notes(r, compiled, i + 1);
    }
}

char *wb_cell_error_hint(const char *text, const char *excerpt) {
    wb_hint hint;
    bool found = wb_hint_find(&(wb_hint_question){.text = text, .excerpt = excerpt}, &hint);
    return found ? wb_hint_sentence(&hint) : NULL;
}

json_t *wb_explain_warnings(const wb_compile_result *compiled) {
    wb_buf plain = {0}, html = {0};
    for (size_t i = 0; i < compiled->n_diagnostics; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        /* The user's text never causes the linker's warnings. */
        if ((d->severity == WB_DIAG_NOTE && plain.len == 0) || d->linker)
            continue;
        char where[512];
        put_place(where, sizeof where, d->file, d->line);
        wb_buf_printf(&plain, "%s%s%s: %s", plain.len ? "\n" : "", where, severity_name(d),
                      d->text);
        if (d->excerpt)
            wb_buf_printf(&plain, "\n%s", d->excerpt);
        char *hint = wb_cell_error_hint(d->text, NULL);
        if (hint && !strstr(plain.data, hint))
            wb_buf_printf(&plain, "\n%s", hint);
        free(hint);
    }
    json_t *bundle = NULL;
    if (plain.len) {
        wb_buf_puts(&html, "<pre style=\"border-left:4px solid #E69F00;padding-left:8px\">");
        wb_buf_markup(&html, plain.data);
        wb_buf_puts(&html, "</pre>");
        bundle = wb_json_pack("{s:s, s:s}", "text/plain", plain.data, "text/html", html.data);
    }
    WB_BUF_FREE(&plain, &html);
    return bundle;
}

/* ---- advice ---- */

/* Returns true if an error is about the user's text: it has a line, or a tool that knows no lines
 * names the cell. */
static bool is_of_source(const wb_compile_result *compiled) {
    for (size_t i = 0; i < compiled->n_diagnostics; i++)
        if (compiled->diagnostics[i].severity == WB_DIAG_ERROR && compiled->diagnostics[i].line)
            return true;
    return compiled->log && strstr(compiled->log, "cell [");
}

/* Returns true if a compiler tool reports a full disk. Text that the source itself has, as in
 * #error, does not count. */
static bool says_full(const wb_unit *unit, const wb_compile_result *compiled) {
    const int full[] = {ENOSPC, EDQUOT};
    bool said = false;
    for (size_t i = 0; i < WB_COUNT(full) && compiled->log; i++)
        said = said || (strstr(compiled->log, strerror(full[i])) &&
                        !strstr(unit->source, strerror(full[i])));
    return said;
}

/* Free space to require when the compiler failed without a message. */
enum { LEAST_ROOM = 16 << 20 };

/* Returns true if a file of that size does not fit into the folder. */
static bool is_full(const char *folder, rlim_t bytes) {
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int why = fd >= 0 ? posix_fallocate(fd, 0, (off_t)bytes) : errno;
    if (fd >= 0)
        close(fd);
    return why == ENOSPC || why == EDQUOT;
}

/* Returns the message about a full disk, malloc'd. */
static char *disk_words(const char *folder, bool full) {
    return wb_format(_("the disk that holds %s %s, so the compiler could not write its files: "
                       "make room there, or start the kernel with TMPDIR set to a folder on "
                       "another disk"),
                     folder, full ? _("is full") : _("has no room for 16 MB"));
}

static char *limit_words(rlim_t bytes) {
    return wb_format(_("the file size limit (ulimit -f, signal SIGXFSZ) is %.2f MB, so the "
                       "compiler could not write its files: start the kernel with a larger one"),
                     (double)bytes / 1e6);
}

static const char *temporary_folder(void) {
    const char *set = getenv("TMPDIR");
    return set && *set ? set : "/tmp";
}

static rlim_t size_limit(void) {
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &limit);
    return limit.rlim_cur;
}

/* Returns the machine's reason for the failure, malloc'd, or NULL if there is none. */
static char *no_room(const wb_unit *unit, const wb_compile_result *compiled) {
    if (compiled->stopped || compiled->timed_out)
        return NULL;
    bool said = says_full(unit, compiled);
    if (!said && is_of_source(compiled))
        return NULL;
    rlim_t limit = size_limit();
    if (said || is_full(temporary_folder(), limit < LEAST_ROOM ? limit : LEAST_ROOM))
        return disk_words(temporary_folder(), said);
    return limit < (rlim_t)256 << 20 ? limit_words(limit) : NULL;
}

void wb_explain_machine(const wb_error *err, wb_result *r) {
    bool full = err->code == ENOSPC || err->code == EDQUOT;
    bool limited = err->code == EFBIG && size_limit() != RLIM_INFINITY;
    WB_SCOPED char *why = full      ? disk_words(temporary_folder(), true)
                          : limited ? limit_words(size_limit())
                                    : NULL;
    wb_traceback_plain(r, "MachineError", why ? why : err->text);
}

/* The first errors cause the others, so only these get hints. */
enum { MAX_HINTS = 4 };

/* The sentences and hints about the errors, in their order. */
typedef struct advice {
    json_t *sentences, *hints;
    bool leads; /* the first sentence is about the first error */
} advice;

static void add_once(advice *a, const char *sentence) {
    for (size_t i = 0; i < json_array_size(a->sentences); i++)
        if (strcmp(json_string_value(json_array_get(a->sentences, i)), sentence) == 0)
            return;
    json_array_append_new(a->sentences, wb_json_text(sentence, strlen(sentence)));
}

/* Adds the hint's sentence and its facts, unless the same hint was added before. */
static void add_hint(advice *a, const wb_hint *hint, const char *file) {
    WB_JSON_EACH(known, a->hints) {
        if (strcmp(wb_field_text(known, "kind"), wb_hint_kind_name(hint->kind)) == 0 &&
            strcmp(wb_field_text(known, "name"), hint->name) == 0)
            return;
    }
    char where[512], *words = wb_hint_sentence(hint);
    put_place(where, sizeof where, file, hint->line);
    WB_SCOPED char *sentence = wb_format("%s%s", where, words ? words : "");
    if (sentence)
        add_once(a, sentence);
    json_array_append_new(
        a->hints, wb_json_pack("{s:s, s:o, s:i}", "kind", wb_hint_kind_name(hint->kind), "name",
                               wb_json_text(hint->name, strlen(hint->name)), "line", hint->line));
    free(words);
}

/* Adds advice on the compiler's errors. */
static void advise(const wb_cellgen *gen, const wb_lost *lost, const wb_unit *unit, int cell,
                   const wb_compile_result *compiled, advice *a) {
    wb_hint hint = {0};
    size_t errors = 0;
    bool last = false;
    for (size_t i = 0; i < compiled->n_diagnostics && !last; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        int number = 0;
        bool here = d->file && sscanf(d->file, "cell [%d]", &number) == 1 && number == cell;
        if (json_array_size(a->sentences) >= MAX_HINTS || d->severity != WB_DIAG_ERROR)
            continue;
        char *gone = unit->program ? NULL : wb_lost_hint(lost, d->text);
        if (gone) {
            add_once(a, gone);
        } else if (wb_cellgen_hint(gen, unit, d, here, &hint)) {
            add_hint(a, &hint, d->file);
            last = hint.last;
        }
        free(gone);
        a->leads |= errors++ == 0 && json_array_size(a->sentences) > 0;
    }
}

void wb_explain_errors(const wb_cellgen *gen, const wb_lost *lost, const wb_unit *unit, int cell,
                       const wb_compile_result *compiled, wb_result *r) {
    WB_SCOPED char *why = no_room(unit, compiled);
    if (why) {
        wb_traceback_plain(r, "MachineError", why);
        return;
    }
    advice a = {.sentences = json_array(), .hints = json_array()};
    const wb_diagnostic whole = {.text = compiled->log};
    char where[32];
    wb_hint hint;
    snprintf(where, sizeof where, "cell [%d]", cell);
    if (compiled->n_diagnostics == 0 && compiled->log &&
        wb_cellgen_hint(gen, unit, &whole, false, &hint))
        add_hint(&a, &hint, where);
    a.leads = json_array_size(a.sentences) > 0;
    advise(gen, lost, unit, cell, compiled, &a);
    json_t *lead = a.leads ? json_incref(json_array_get(a.sentences, 0)) : NULL;
    if (lead)
        json_array_remove(a.sentences, 0);
    add_errors(r, compiled, cell, json_string_value(lead));
    json_array_extend(r->traceback, a.sentences);
    if (json_array_size(a.hints))
        r->hints = json_incref(a.hints);
    const char *more =
        _("The compiler needed more memory for this cell than it may have. A template that uses "
          "itself twice multiplies with every level: give it an end, or fewer levels. Where a cell "
          "needs that much, start the kernel with WARPBOOK_COMPILER_MB set to more megabytes.");
    if (strstr(r->evalue, ": out of memory"))
        json_array_append_new(r->traceback, wb_json_text(more, strlen(more)));
    WB_JSON_FREE(lead, a.sentences, a.hints);
}
