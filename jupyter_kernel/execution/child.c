/* child.c: child processes of a cell. */
#include "jupyter_kernel/execution/child.h"
#include "runtime/base/words.h"

/* An interrupted child may end by itself within this time. */
static const double interrupt_grace_s = 1.0;

enum { MOST_ERRORS = 1 << 16 }; /* bytes of stderr that are searched for hints */

/* Text from a pipe that is not yet a whole code point or line. */
typedef struct stream {
    char carry[4];
    size_t carry_len;
    wb_buf text;
} stream;

typedef struct child {
    execution *x;
    stream streams[2];
    void (*line)(void *ctx, const char *text); /* NULL: show */
    void *ctx;
    bool asks;     /* if the child reads stdin, ask the front end */
    wb_buf errors; /* the beginning of its stderr, as shown */
} child;

static void hand_over_lines(child *c, stream *s) {
    char *newline;
    while (s->text.len > 0 && (newline = memchr(s->text.data, '\n', s->text.len))) {
        *newline = '\0';
        c->line(c->ctx, s->text.data);
        wb_buf_consume(&s->text, (size_t)(newline - s->text.data) + 1);
    }
}

static void take(child *c, int fd, const char *data, size_t len, bool final) {
    stream *s = &c->streams[fd - 1];
    wb_utf8_decode(&s->text, s->carry, &s->carry_len, data, len, final);
    if (!c->line) {
        if (s->text.len > 0)
            execution_stream(c->x, fd, s->text.data, s->text.len);
        if (fd == 2 && c->errors.len + s->text.len < MOST_ERRORS)
            wb_buf_append(&c->errors, s->text.data, s->text.len);
        wb_buf_clear(&s->text);
    } else if (fd == 1) {
        hand_over_lines(c, s);
        if (final && s->text.len > 0)
            c->line(c->ctx, s->text.data);
    } else if (s->text.len > 65536) { /* keep the end, which holds the reason */
        wb_buf_consume(&s->text, s->text.len - 32768);
    }
}

static void output(void *ctx, int fd, const char *data, size_t len) {
    take(ctx, fd, data, len, false);
}

/* Asks the front end for a line. If it gets none, it says on stderr that the program asked. */
static char *ask(void *ctx) {
    const child *c = ctx;
    char *line = c->x->sink.input(c->x, "", false);
    if (!line && !kernel_interrupted(c->x->kernel)) {
        const char *text = _("[a program asks for input, which can't be given here: its input "
                             "has ended]\n");
        execution_stream(c->x, 2, text, strlen(text));
    }
    return line;
}

static bool run(child *c, const char *const *argv, const char *const *env, wb_proc_result *result) {
    wb_proc_spec spec = {.argv = argv,
                         .env = env,
                         .stop = &c->x->kernel->interrupted,
                         .stop_grace_s = interrupt_grace_s,
                         .ask = c->asks ? ask : NULL,
                         .output = output,
                         .ctx = c};
    wb_error err = {0};
    bool started = wb_proc_run(&spec, result, &err);
    take(c, 1, "", 0, true);
    take(c, 2, "", 0, true);
    if (!started)
        return execution_fail(c->x, "ProcessError", "%s", err.text);
    if (result->stopped)
        return execution_fail(c->x, "Interrupted", _("The command was interrupted."));
    return true;
}

static void close_child(child *c, wb_proc_result *result) {
    WB_BUF_FREE(&c->streams[0].text, &c->streams[1].text, &c->errors);
    wb_proc_result_free(result);
}

/* ---- hints --------------------------------------------------------------------------------- */

/* nvcc writes an error as "x.cu(3): error: MESSAGE", and the source line below it. */
#define ERROR "): error: "
enum { MOST_HINTS = 3 };

/* Copies `text` up to the end of its line. The caller frees the copy. */
static char *line_at(const char *text) {
    return strndup(text, strcspn(text, "\n"));
}

/* Returns one line for each error of a command's stderr that has a hint: each hint once, at most
 * MOST_HINTS. The caller frees it. NULL: no error has a hint. */
static char *hints_of(const char *text) {
    wb_buf all = {0};
    int n = 0;
    for (const char *at = text; n < MOST_HINTS && (at = strstr(at, ERROR));) {
        const char *begin = text + wb_line_begin(text, (size_t)(at - text));
        at += strlen(ERROR);
        const char *next = at + strcspn(at, "\n");
        WB_SCOPED char *words = line_at(at), *excerpt = *next ? line_at(next + 1) : NULL;
        WB_SCOPED char *hint = words ? wb_cell_error_hint(words, excerpt) : NULL;
        if (hint && (!all.data || !strstr(all.data, hint))) {
            wb_buf_printf(&all, "%.*s: %s\n", (int)(strchr(begin, ')') + 1 - begin), begin, hint);
            n++;
        }
    }
    return n ? wb_buf_steal(&all) : NULL;
}

bool child_show(execution *x, const char *const *argv, const char *const *env, int *exit_code,
                int *signal) {
    child c = {.x = x, .asks = true};
    wb_proc_result result;
    bool ok = run(&c, argv, env, &result);
    WB_SCOPED char *hints = ok && c.errors.len ? hints_of(c.errors.data) : NULL;
    if (hints)
        execution_stream(x, 2, hints, strlen(hints));
    *exit_code = result.exit_code;
    *signal = result.signal;
    close_child(&c, &result);
    return ok;
}

bool child_lines(execution *x, const char *const *argv, void (*line)(void *ctx, const char *text),
                 void *ctx) {
    child c = {.x = x, .line = line, .ctx = ctx};
    wb_proc_result result;
    bool ok = run(&c, argv, NULL, &result);
    const wb_buf *words = &c.streams[1].text;
    char how[200];
    /* Exit status 1 means that the user's code failed. The JSON output says more about that. */
    if (ok && result.exit_code != 0 && result.exit_code != 1)
        ok = execution_fail(x, "ProcessError", "%s",
                            words->len ? words->data : wb_proc_describe(&result, how, sizeof how));
    close_child(&c, &result);
    return ok;
}
