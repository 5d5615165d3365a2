/* traceback.c: sentences for everything that can end a cell. Each line is one traceback entry,
 * because nbgrader's LimitOutput counts entries. */
#include "runtime/worker/words/traceback.h"
#include "runtime/base/scoped.h"
#include "runtime/worker/words/guard.h"
#include "runtime/base/language.h"
#include "runtime/cells/redefine/overload.h"
#include "runtime/json/json.h"
#include "runtime/worker/client/memory.h"

#include <signal.h>

/* ---- building blocks ---- */

/* If snprintf truncated the text, cuts it at the last whole UTF-8 character. */
static void cut(char *text, int wanted, size_t size) {
    if (wanted >= (int)size)
        text[wb_utf8_whole(text, size - 1)] = '\0';
}

/* Returns valid UTF-8, malloc'd. An exception's text or a file's name may be any bytes. */
static char *plain(const char *text) {
    wb_buf out = {0};
    wb_utf8_plain(&out, text, strlen(text));
    return wb_buf_steal(&out);
}

void wb_traceback_add(wb_result *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char text[4096];
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cut(text, n, sizeof text);
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")))
        if (*line)
            json_array_append_new(r->traceback, wb_json_text(line, strlen(line)));
}

void wb_traceback_begin(wb_result *r, wb_status status, const char *ename, const char *format,
                        ...) {
    char text[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cut(text, n, sizeof text);
    if (r->traceback) {
        wb_traceback_add(r, BOLD "%s" PLAIN ": %s", ename, text);
        return;
    }
    r->status = status;
    r->ename = plain(ename);
    r->evalue = plain(text);
    r->traceback = json_array();
    wb_traceback_add(r, RED BOLD "%s" PLAIN ": %s", ename, text);
}

static void quote_line(wb_result *r, const wb_listing *listing, const char *file, int line) {
    WB_SCOPED char *code = wb_listing_line(listing, file, line);
    if (code)
        wb_traceback_add(r, "  %4d | %s", line, code);
}

static void add_frame(wb_result *r, const wb_frame *f, const wb_listing *listing) {
    const char *file = wb_listing_name(listing, f->file);
    bool named = f->function && strncmp(f->function, "__wb", 4) != 0 &&
                 strncmp(f->function, "cell_statements_", 16) != 0 &&
                 strncmp(f->function, "_GLOBAL__", 9) != 0 && !strstr(f->function, "static_init");
    char said[64];
    wb_traceback_add(r, _("%s, line %d%s%s"), wb_language_file(file, said, sizeof said), f->line,
                     named ? ", in " : "", named ? f->function : "");
    quote_line(r, listing, file, f->line);
}

/* Adds the frames of cells and of the user's headers. Counts frames that repeat one of the two
 * before them, as in a recursion. */
static void add_frames(wb_result *r, const wb_outcome *o, const wb_listing *listing) {
    const wb_frame *before[2] = {NULL, NULL};
    size_t more = 0;
    for (size_t i = 0; i < o->n_frames; i++) {
        const wb_frame *f = &o->frames[i];
        bool same = false;
        if (!wb_listing_name(listing, f->file))
            continue; /* our own glue, or a library of the system */
        for (size_t k = 0; k < 2 && before[k]; k++)
            same |= f->line == before[k]->line && f->function && before[k]->function &&
                    strcmp(f->function, before[k]->function) == 0;
        more += same;
        if (!same && more)
            wb_traceback_add(r, _("… %zu more of the same"), more);
        if (!same)
            add_frame(r, f, listing);
        more = same ? more : 0;
        before[1] = same ? before[1] : before[0];
        before[0] = same ? before[0] : f;
    }
    if (more)
        wb_traceback_add(r, _("… %zu more of the same"), more);
}

static const wb_frame *first_frame(const wb_outcome *o, const wb_listing *listing) {
    for (size_t i = 0; i < o->n_frames; i++)
        if (wb_listing_name(listing, o->frames[i].file))
            return &o->frames[i];
    return NULL;
}

/* Writes "cell [3], line 2", or only the cell if no frame is known. */
static void name_place(char *to, size_t size, const wb_frame *frame, const wb_listing *listing,
                       int cell) {
    char said[64];
    if (frame)
        snprintf(to, size, _("%s, line %d"),
                 wb_language_file(wb_listing_name(listing, frame->file), said, sizeof said),
                 frame->line);
    else
        snprintf(to, size, _("cell [%i]"), cell);
}

static void say_lost(wb_result *r) {
    wb_traceback_add(
        r, DIM "%s" PLAIN,
        _("The variables of the earlier cells are gone with the process that held them; "
          "run those cells again to have them. Functions, kernels, types, macros and "
          "#include lines are still known."));
}

void wb_traceback_plain(wb_result *r, const char *ename, const char *text) {
    wb_traceback_begin(r, WB_ERROR, ename, "%s", text);
}

/* ---- running ---- */

/* Bytes before a block that free() reads. Device memory begins with a page. */
enum { NOTES = 16 };

/* Returns true if glibc reports a damaged heap. Its message rarely names the cause. */
static bool is_heap(const char *words) {
    static const char *const said[] = {"malloc",          "free()",        "realloc()",
                                       "munmap_chunk",    "calloc",        "sysmalloc",
                                       "corrupted",       "double free",   "unlink",
                                       "invalid fastbin", "invalid chunk", "mremap_chunk"};
    for (size_t i = 0; words && i < WB_COUNT(said); i++)
        if (strncmp(words, said[i], strlen(said[i])) == 0)
            return true;
    return false;
}

static void damaged_heap(wb_result *r, const wb_outcome *o, const wb_listing *listing,
                         const char *where) {
    bool freed = strstr(o->text, "free(): invalid") || strstr(o->text, "double free") ||
                 strstr(o->text, "munmap_chunk");
    wb_traceback_begin(r, WB_ERROR, "HeapCorruption",
                       _("%s: the heap of the host is damaged (the C library says \"%.*s\")"),
                       where, (int)strcspn(o->text, "\n"), o->text);
    add_frames(r, o, listing);
    wb_traceback_add(
        r,
        _("Host code of this cell or an earlier one damaged it before: it wrote past the end of "
          "a new[], malloc or std::vector, or to one that was freed%s. The call that found the "
          "damage is not at fault."),
        freed ? _(", or freed what is no allocation of the host's, or freed it twice") : "");
}

/* Reports a container's failed check (guard.h). */
static void guarded(wb_result *r, const wb_outcome *o, const wb_listing *listing, int cell) {
    static const struct {
        const char *ename, *format;
    } kinds[] = {
        [WB_GUARD_INDEX] = {"OutOfBounds", N_("%s: the index is past the end of the %s; compare "
                                              "it with size()")},
        [WB_GUARD_EMPTY] = {"OutOfBounds", N_("%s: the %s is empty; ask empty() before you take "
                                              "an element")},
        [WB_GUARD_VALUE] = {"NoValue", N_("%s: the %s has no value; ask has_value() first")},
        [WB_GUARD_NULL] = {"NullPointer", N_("%s: the %s is null; compare it with nullptr "
                                             "first")},
    };
    char where[600], type[400];
    name_place(where, sizeof where, first_frame(o, listing), listing, cell);
    wb_guard kind = wb_guard_read(wb_field_text(o->guard, "function"), type, sizeof type);
    if (kind == WB_GUARD_OTHER)
        wb_traceback_begin(r, WB_ERROR, "Aborted", _("%s: a call of %s needs %s"), where, type,
                           wb_field_text(o->guard, "condition"));
    else
        wb_traceback_begin(r, WB_ERROR, kinds[kind].ename, wb_tr(kinds[kind].format), where, type);
    add_frames(r, o, listing);
}

static void crashed(wb_result *r, const wb_outcome *o, const wb_listing *listing, int cell) {
    static const struct {
        int signal;
        const char *ename, *what;
    } names[] = {
        {SIGSEGV, "SegmentationFault", N_("accessed memory that does not exist")},
        {SIGBUS, "BusError", N_("accessed memory that does not exist (bus error)")},
        {SIGFPE, "ArithmeticError", N_("divided by zero, or an integer result does not fit")},
        {SIGILL, "IllegalInstruction",
         N_("ran into an illegal instruction; a function without return?")},
        {SIGABRT, "Aborted",
         N_("called abort(): a failed assert, std::terminate or a damaged heap")},
        {SIGTRAP, "Trapped", N_("ran into a trap")},
    };
    const char *ename = "Crashed", *what = strsignal(o->signal);
    for (size_t i = 0; i < WB_COUNT(names); i++)
        if (names[i].signal == o->signal) {
            ename = names[i].ename;
            what = wb_tr(names[i].what);
        }
    const wb_frame *frame = first_frame(o, listing);
    char where[600];
    name_place(where, sizeof where, frame, listing, cell);
    if (o->signal == SIGABRT && is_heap(o->text)) {
        damaged_heap(r, o, listing, where);
        return;
    }
    if (o->stack_overflow)
        wb_traceback_begin(
            r, WB_ERROR, "StackOverflow",
            _("%s: the stack is full; a recursion without end, or a large local array"), where);
    else if (o->signal == SIGSEGV || o->signal == SIGBUS)
        wb_traceback_begin(
            r, WB_ERROR, ename, _("%s: %s, address 0x%llx%s"), where, what,
            (unsigned long long)o->address,
            o->address < 4096 ? _(" (a null pointer)")
            : !o->device      ? ""
            : o->address % 4096 >= 4096 - NOTES
                ? _("; free() and delete are for the host's own memory, a pointer from "
                    "cudaMalloc is cudaFree's")
                : _("; host code can't follow a pointer from cudaMalloc: copy with cudaMemcpy(), "
                    "or take cudaMallocManaged()"));
    else
        wb_traceback_begin(r, WB_ERROR, ename, "%s: %s", where, what);
    add_frames(r, o, listing);
}

/* Returns the frame of the failed call. A kernel launch has the kernel's stub before it, in the
 * kernel's line. kernel is "" for other calls. */
static const wb_frame *calling_frame(const wb_outcome *o, const wb_listing *listing,
                                     const char *kernel) {
    size_t n = strcspn(kernel, "<(");
    for (size_t i = 0; i < o->n_frames; i++) {
        const char *function = o->frames[i].function ? o->frames[i].function : "";
        bool stub = n && (strstr(function, "__device_stub__") ||
                          (strncmp(function, kernel, n) == 0 && strchr("(<", function[n])));
        if (!stub && o->frames[i].line && wb_listing_name(listing, o->frames[i].file))
            return &o->frames[i];
    }
    return NULL;
}

/* Reports a kernel's fault with line, block and thread. Returns false if there was none. */
static bool device_fault(wb_result *r, const wb_outcome *o, const wb_listing *listing) {
    const json_t *fault = json_object_get(o->report, "fault");
    if (!json_is_object(fault))
        return false;
    const char *name = wb_field_string(fault, "error");
    const char *text = wb_field_string(fault, "text");
    wb_traceback_begin(r, WB_ERROR, "CudaError", "%s: %s", name ? name : _("fault"),
                       text ? text : "");
    quote_line(r, listing, wb_field_string(fault, "file"), (int)wb_field_int(fault, "line"));
    return true;
}

/* Reports a failed API call or launch. A GPU does not say which it was. */
static void cuda_failed(wb_result *r, const wb_outcome *o, const wb_listing *listing, int cell) {
    const json_t *unchecked = json_object_get(o->report, "unchecked");
    const char *name = o->cuda_name;
    const char *call = wb_field_string(unchecked, "call");
    const char *text = wb_field_string(unchecked, "text");
    const char *kernel = wb_field_string(unchecked, "kernel");
    bool launch = wb_field_true(unchecked, "launch");
    const wb_frame *frame = calling_frame(o, listing, kernel ? kernel : "");
    char where[600];
    name_place(where, sizeof where, frame, listing, cell);
    wb_traceback_begin(r, WB_ERROR, "CudaError", "%s: %s", name ? name : _("error"),
                       text && *text ? text
                       : o->text     ? o->text
                                     : "");
    if (launch)
        wb_traceback_add(r,
                         _("from a kernel launch in %s; a launch returns nothing, so check "
                           "cudaGetLastError() after it"),
                         where);
    else if (call)
        wb_traceback_add(
            r, _("from %s in %s, whose result the cell ignores: compare it with cudaSuccess"), call,
            where);
    else if (name && strcmp(name, "cudaErrorStreamCaptureUnsupported") == 0)
        wb_traceback_add(
            r,
            _("found after cell [%d]: a stream is still captured, and can't be waited for; begin "
              "and end a capture in one cell, or end it now with cudaStreamEndCapture()"),
            cell);
    else
        wb_traceback_add(
            r,
            _("found after cell [%d]: a launch or a call failed, and the cell did not check "
              "cudaGetLastError()"),
            cell);
    if (frame)
        quote_line(r, listing, frame->file, frame->line);
}

/* Adds the failed API call, if softgpu knows it, that preceded a throw or exit(). */
static void say_what_failed(wb_result *r, const wb_outcome *o) {
    const json_t *error = json_object_get(o->report, "unchecked");
    if (json_is_object(json_object_get(o->report, "fault")))
        return; /* it came first */
    if (!json_is_object(error))
        error = json_object_get(o->report, "answered");
    if (json_is_string(json_object_get(error, "refused")))
        return; /* say_refusals() adds it */
    const char *call = wb_field_string(error, "call");
    const char *name = wb_field_string(error, "error");
    const char *text = wb_field_string(error, "text");
    bool went_wrong = o->kind == WB_THREW || o->exit_status != 0;
    if (went_wrong && name && text && *text)
        wb_traceback_add(r, "%s%s%s: %s", call ? call : "", call ? _(" gave ") : "", name, text);
}

/* Adds what softgpu refused. That fails the cell even if the program checked the error. */
static void say_refusals(wb_result *r, const wb_outcome *o) {
    WB_JSON_EACH(refused, json_object_get(o->report, "refused")) {
        const char *text = wb_field_string(refused, "text");
        if (text && r->traceback && !(r->evalue && strstr(r->evalue, text)))
            wb_traceback_add(r, "%s", text);
        else if (text && !r->traceback)
            wb_traceback_begin(r, WB_ERROR, "CudaError", "%s: %s", "cudaErrorNotSupported", text);
    }
}

/* Reports an exception, "type: what()" from wb_cell_call. */
static void threw(wb_result *r, const wb_outcome *o, const wb_listing *listing, int cell,
                  bool program) {
    const char *text = o->text ? o->text : "";
    const char *colon = strstr(text, ": ");
    char ename[256], held[16], limit[16];
    snprintf(ename, sizeof ename, "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
    if (o->held && o->limit)
        wb_traceback_begin(
            r, WB_ERROR, ename,
            _("no memory is left: the session held %s when it asked for more, and may hold %s "
              "(WARPBOOK_WORKER_MEMORY)"),
            wb_memory_text(o->held, held), wb_memory_text(o->limit, limit));
    else if (o->held)
        wb_traceback_begin(r, WB_ERROR, ename,
                           _("no memory is left: the session held %s when it asked for more"),
                           wb_memory_text(o->held, held));
    else
        wb_traceback_begin(r, WB_ERROR, *ename ? ename : "Exception", "%s", colon ? colon + 2 : "");
    add_frames(r, o, listing);
    say_what_failed(r, o);
    if (!program)
        wb_traceback_add(r, _("thrown out of cell [%d]; the variables it had set are kept"), cell);
}

void wb_traceback_missing(wb_result *r, const char *names) {
    if (names && r->traceback)
        wb_traceback_add(r, _("not created, since the cell ended before: %s"), names);
}

static void killed_from_outside(wb_result *r, const wb_outcome *o, int cell) {
    char peak[16], machine[16];
    bool large = o->peak > o->machine / 2;
    wb_traceback_begin(
        r, WB_ERROR, "Killed",
        _("cell [%d] was killed from outside (signal 9)%s: its process used up to %s of %s%s"),
        cell,
        o->for_memory ? _(" because memory ran out")
        : large       ? _(", most likely because memory ran out")
                      : "",
        wb_memory_text(o->peak, peak), wb_memory_text(o->machine, machine),
        o->for_memory || large ? "" : _(", so memory is probably not the reason"));
    if (o->for_memory || large)
        wb_traceback_add(
            r,
            _("The line is not known. With a limit, such as WARPBOOK_WORKER_MEMORY=4G in the "
              "environment of the kernel, the line that asks for too much throws std::bad_alloc."));
}

static void killed(wb_result *r, const wb_outcome *o, int cell) {
    if (o->interrupted)
        wb_traceback_begin(
            r, WB_INTERRUPTED, "Interrupted",
            _("cell [%d] did not stop within a second of the interrupt, so its process was ended"),
            cell);
    else if (o->signal == SIGKILL)
        killed_from_outside(r, o, cell);
    else if (o->signal)
        wb_traceback_begin(r, WB_ERROR, "Killed", _("cell [%d] was ended by signal %d (%s)"), cell,
                           o->signal, strsignal(o->signal));
    else
        wb_traceback_begin(r, WB_ERROR, "Killed", _("cell [%d] lost its process (exit status %d)"),
                           cell, o->exit_status);
}

static void unloadable(wb_result *r, const wb_outcome *o, int cell) {
    const char *text = o->text ? o->text : "";
    const char *symbol = strstr(text, "undefined symbol: ");
    symbol = symbol ? symbol + strlen("undefined symbol: ") : NULL;
    WB_SCOPED char *plain = symbol ? wb_overload_plain(symbol) : NULL;
    if (symbol)
        wb_traceback_begin(
            r, WB_ERROR, "LinkError",
            _("cell [%d] uses %s, which is declared but defined in no cell that ran"), cell,
            plain ? plain : symbol);
    else
        wb_traceback_begin(r, WB_ERROR, "LinkError", _("cell [%d] can't be loaded: %s"), cell,
                           text);
}

/* Reports a truncated file, even if the cell ignored the failed call. */
static void file_too_large(wb_result *r, const wb_outcome *o, int cell) {
    char text[300];
    snprintf(text, sizeof text,
             _("cell [%d] wrote beyond the file size limit (signal SIGXFSZ): a file may have "
               "%zu bytes here (ulimit -f), and the rest was not written"),
             cell, o->file_limit);
    if (r->traceback)
        wb_traceback_add(r, "%s", text);
    else
        wb_traceback_begin(r, WB_ERROR, "FileTooLarge", "%s", text);
}

/* Returns true if the host called a __device__ function, whose body nvcc replaces by exit(). */
static bool is_stub(const wb_outcome *o, const wb_listing *listing, char *where, size_t size) {
    const wb_frame *f = first_frame(o, listing);
    WB_SCOPED char *line = f ? wb_listing_line(listing, f->file, f->line) : NULL;
    bool is = line && strstr(line, "__device__") && !strstr(line, "__host__");
    name_place(where, size, f, listing, 0);
    return is;
}

/* Reports that host code called exit(), or failed a check of a container that does. */
static void left(wb_result *r, const wb_outcome *o, const wb_listing *listing, int cell,
                 bool lost) {
    char where[600];
    if (o->guard) {
        guarded(r, o, listing, cell);
        return;
    }
    if (is_stub(o, listing, where, sizeof where))
        wb_traceback_begin(
            r, WB_ERROR, "DeviceFunction",
            _("%s: this function runs on the device only: call it in a kernel, or put __host__ "
              "__device__ before it"),
            where);
    else
        wb_traceback_begin(r, WB_ERROR, "Exited", _("cell [%d] called exit(%d)"), cell,
                           o->exit_status);
    add_frames(r, o, listing);
    say_what_failed(r, o);
    if (!lost)
        wb_traceback_add(
            r, _("exit() ends the cell, not the notebook: the variables it had set are kept"));
}

void wb_traceback_outcome(wb_result *r, const wb_outcome *o, const wb_listing *listing, int cell,
                          bool program, bool lost) {
    bool stopped = o->kind == WB_STOPPED || (o->kind == WB_KILLED && o->interrupted);
    bool faulted = !stopped && !o->fault_seen && device_fault(r, o, listing);
    switch (o->kind) {
    case WB_RAN:
        if (o->unsaid)
            wb_traceback_begin(
                r, WB_ERROR, "TooLarge",
                _("cell [%d] showed or reported more at once than a message holds (256 MB); show a "
                  "part of it"),
                cell);
        break;
    case WB_THREW:
        threw(r, o, listing, cell, program);
        break;
    case WB_STOPPED:
        wb_traceback_begin(r, WB_INTERRUPTED, "Interrupted", _("cell [%d] was stopped%s"), cell,
                           lost || program ? "" : _("; its variables are kept"));
        break;
    case WB_LEFT:
        left(r, o, listing, cell, lost);
        break;
    case WB_UNLOADABLE:
        unloadable(r, o, cell);
        break;
    case WB_CUDA_FAILED:
        if (!faulted)
            cuda_failed(r, o, listing, cell);
        break;
    case WB_EXITED:
        if (!program)
            wb_traceback_begin(r, WB_ERROR, "Exited",
                               _("cell [%d] called exit(%d), which ends the process that holds "
                                 "the notebook's variables"),
                               cell, o->exit_status);
        else if (o->exit_status != 0)
            wb_traceback_begin(r, WB_ERROR, "ProgramFailed",
                               _("the program ended with exit status %d"), o->exit_status);
        else if (o->cuda_code && !faulted)
            cuda_failed(r, o, listing, cell);
        say_what_failed(r, o);
        break;
    case WB_CRASHED:
        (o->guard && o->signal == SIGABRT ? guarded : crashed)(r, o, listing, cell);
        break;
    case WB_KILLED:
        killed(r, o, cell);
        break;
    }
    say_refusals(r, o);
    if (o->file_limit)
        file_too_large(r, o, cell);
    if (lost && r->traceback)
        say_lost(r);
}
