/* explain.c: see explain.h. */
#include "runtime/worker/words/explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "runtime/json/json.h"
#include "runtime/worker/words/traceback.h"

static void add_once(wb_result *r, const char *sentence) {
    for (size_t i = 0; i < json_array_size(r->traceback); i++)
        if (strcmp(json_string_value(json_array_get(r->traceback, i)), sentence) == 0)
            return;
    json_array_append_new(r->traceback, wb_json_text(sentence, strlen(sentence)));
}

/* Whether an error is about the user's text: one of those is about a line. */
static bool is_of_source(const wb_compile_result *compiled) {
    for (size_t i = 0; i < compiled->n_diagnostics; i++)
        if (compiled->diagnostics[i].severity == WB_DIAG_ERROR && compiled->diagnostics[i].line)
            return true;
    return false;
}

/* The compiler and its parts say of a full disk what comes to them: nothing, often. Below this much
 * room for its files they are likely to have met its end. */
enum { LEAST_ROOM_MB = 16 };

/* What was in the compiler's way, which is no fault of the cell's; malloc'd, or NULL. */
static char *no_room(const wb_compile_result *compiled) {
    const char *set = getenv("TMPDIR"), *folder = set && *set ? set : "/tmp";
    struct rlimit limit;
    struct statvfs disk;
    if (compiled->stopped || compiled->timed_out || is_of_source(compiled))
        return NULL;
    if (statvfs(folder, &disk) == 0 &&
        (double)disk.f_bavail * (double)disk.f_frsize < LEAST_ROOM_MB * 1e6)
        return wb_format("the disk that holds %s is full (%.1f MB left), so the compiler could not "
                         "write its files: make room there, or start the kernel with TMPDIR set to "
                         "a folder on another disk",
                         folder, (double)disk.f_bavail * (double)disk.f_frsize / 1e6);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < (rlim_t)256 << 20)
        return wb_format("the file size limit (ulimit -f, signal SIGXFSZ) is %.2f MB, so the "
                         "compiler could not write its files: start the kernel with a larger one",
                         (double)limit.rlim_cur / 1e6);
    return NULL;
}

/* At most this many: what goes wrong first is what the rest comes from. */
enum { MAX_HINTS = 4 };

void wb_explain_errors(const wb_cellgen *gen, const wb_lost *lost, const wb_unit *unit, int cell,
                       const wb_compile_result *compiled, wb_result *r) {
    char *why = no_room(compiled);
    if (why) {
        wb_traceback_plain(r, "MachineError", why);
        free(why);
        return;
    }
    wb_traceback_compile(r, compiled, cell);
    if (unit->program && strstr(r->evalue, "is undefined"))
        add_once(r,
                 "A cell with main is a program of its own: it uses no other cell, and needs its "
                 "own #include lines.");
    if (compiled->n_diagnostics == 0 && compiled->log &&
        strstr(compiled->log, "Segmentation fault"))
        add_once(r,
                 "The compiler itself crashed on this cell, which is a fault of nvcc's: run it in "
                 "parts to find the line, and write that another way.");
    size_t before = json_array_size(r->traceback);
    for (size_t i = 0; i < compiled->n_diagnostics; i++) {
        const wb_diagnostic *d = &compiled->diagnostics[i];
        bool more = json_array_size(r->traceback) < before + MAX_HINTS;
        bool asked = more && d->severity == WB_DIAG_ERROR;
        char *hint = asked && !unit->program ? wb_lost_hint(lost, d->text) : NULL;
        if (asked && !hint)
            hint = wb_cellgen_hint(gen, unit, d->text, d->excerpt);
        if (hint)
            add_once(r, hint);
        free(hint);
    }
}
