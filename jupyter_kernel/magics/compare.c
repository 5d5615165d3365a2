/* compare.c: %compare and %%compare. They run `warpbook compare --stream` as a child process. The
 * chart is updated live (display_data, then update_display_data); the table follows at the end. */
#include "jupyter_kernel/magics/magics.h"

#include "kernels/registry.h"
#include "jupyter_kernel/execution/bundle.h"
#include "jupyter_kernel/execution/child.h"
#include "runtime/base/words.h"
#include "runtime/measure/stage.h"

/* One running comparison and its displays. */
typedef struct watched {
    execution *x;
    char display_id[64];
    bool waits, has_result;
    bool stage;  /* --stage: the chart is shown before the comparison starts */
    char *error; /* NULL: none */
} watched;

/* The result of the last run with --stage, for the next run to compare with, or NULL. */
static char *last_stage;

/* Shows data (stolen) in the comparison's display of that name. */
static void show(const watched *w, const char *which, json_t *data, bool update) {
    char id[100];
    snprintf(id, sizeof id, "%s-%s", w->display_id, which);
    execution_display(w->x, data, id, update);
}

static void take_event(void *ctx, const char *line) {
    watched *w = ctx;
    WB_SCOPED_JSON json_t *event = json_loads(line, 0, NULL);
    json_t *data = json_object_get(event, "data");
    const char *name = wb_field_text(event, "event");
    const char *text = json_string_value(json_object_get(event, "text"));
    if (!*name) {
        execution_printf(w->x, "%s\n", line);
    } else if (strcmp(name, "chart") == 0 && data) {
        bool update = w->stage || wb_field_true(event, "update");
        const char *which = json_string_value(json_object_get(event, "id"));
        show(w, which ? which : "chart", json_incref(data), update);
    } else if (strcmp(name, "table") == 0 && data) {
        execution_display(w->x, json_incref(data), NULL, false);
    } else if (strcmp(name, "result") == 0) {
        w->has_result = true;
    } else if (strcmp(name, "stage") == 0) {
        const char *state = json_string_value(json_object_get(event, "state"));
        char *copy = state ? strdup(state) : NULL;
        if (copy) {
            free(last_stage);
            last_stage = copy;
        }
    } else if (strcmp(name, "wait") == 0 && text) {
        show(w, "wait", bundle_text(text), w->waits);
        w->waits = true;
    } else if (strcmp(name, "error") == 0 && text && !w->error) {
        w->error = strdup(text);
    }
}

/* Adds the words of the line to argv. The user's own functions (":mine") become "FILE:mine". If the
 * line names none, solve() is added at the end. The user's own reference is a bare name. */
static void add_words(const magic_call *c, const char *file, wb_strings *argv) {
    bool named = !file;
    for (int i = 0; i < c->n_words; i++) {
        const char *word = c->words[i];
        if (word[0] == ':' && i > 0 && strcmp(c->words[i - 1], "--reference") == 0)
            wb_strings_add(argv, word + 1);
        else if (word[0] != ':')
            wb_strings_add(argv, word);
        else if (file)
            named = wb_strings_own(argv, wb_format("%s%s", file, word));
    }
    if (!named)
        wb_strings_own(argv, wb_format("%s:solve", file));
}

/* Explains names that the compiler does not know: a comparison does not have the notebook's
 * variables. Appends to the error message. */
static void explain_names(const magic_call *c, wb_buf *text) {
    WB_SCOPED_JSON json_t *names = magics_names(c->x);
    WB_JSON_EACH(name, names) {
        if (magics_lacks(name, text->data ? text->data : ""))
            wb_buf_printf(text,
                          _("\n%s is a variable of cell [%d]. A comparison is a program of "
                            "its own: it has the notebook's kernels, functions, types, macros "
                            "and constants, and not its variables. Declare it below the "
                            "%%%%compare line as well, or make it a constant."),
                          wb_field_text(name, "name"), (int)wb_field_int(name, "cell"));
    }
}

static bool fail_compare(const magic_call *c, const char *error) {
    WB_SCOPED_BUF wb_buf text = {0};
    wb_buf_puts(&text, error ? error : _("The comparison ended without a result."));
    explain_names(c, &text);
    return execution_fail(c->x, "CompareError", "%s", text.data ? text.data : "");
}

/* Returns the label of a word: "with padding" for "transpose.padded=with padding". */
static const char *label_of(const char *word) {
    const char *equals = strchr(word, '=');
    return equals && equals[1] ? equals + 1 : word[0] == ':' ? word + 1 : word;
}

/* Adds a bar for each name on the line, with its last value: the user's own, or the others. */
static void add_bars(const magic_call *c, bool own, const json_t *last, wb_stage *stage,
                     wb_stage_bar *bars) {
    for (int i = 0; i < c->n_plain && stage->n_bars < WB_STAGE_BARS; i++) {
        const char *label = label_of(c->plain[i]);
        if ((c->plain[i][0] == ':') == own)
            bars[stage->n_bars++] =
                (wb_stage_bar){.name = label, .before = wb_field_number(last, label), .yours = own};
    }
}

/* Shows the coming bars before anything is compiled. */
static void set_stage(const magic_call *c, const watched *w, bool own) {
    wb_stage_bar bars[WB_STAGE_BARS] = {0};
    WB_SCOPED_JSON json_t *state = last_stage ? json_loads(last_stage, 0, NULL) : NULL;
    const json_t *last = json_object_get(state, "bars");
    wb_stage stage = {.title = "", .words = own ? _("compiling") : _("starting"), .bars = bars};
    add_bars(c, true, last, &stage, bars);
    if (own && stage.n_bars == 0)
        bars[stage.n_bars++] = (wb_stage_bar){
            .name = "solve", .before = wb_field_number(last, "solve"), .yours = true};
    add_bars(c, false, last, &stage, bars);
    for (size_t i = 0; i < stage.n_bars; i++)
        if (bars[i].before > 0)
            stage.title = json_string_value(json_object_get(state, "what"));
    show(w, "stage", wb_stage_bundle(&stage), false);
}

/* file: the user's own code; NULL: none. */
static bool run_compare(magic_call *c, const char *file, watched *w) {
    WB_SCOPED_STRINGS wb_strings argv = {0};
    wb_strings_own(&argv, wb_path_bin());
    wb_strings_words(&argv, "compare --stream --device");
    wb_strings_add(&argv, c->x->live->device); /* --device on the line comes later and wins */
    if (w->stage && last_stage) {
        wb_strings_add(&argv, "--before");
        wb_strings_add(&argv, last_stage);
    }
    add_words(c, file, &argv);
    if (argv.failed)
        return execution_fail(c->x, "MemoryError", _("out of memory"));
    bool ok = child_lines(c->x, (const char *const *)argv.v, take_event, w);
    if (ok && (w->error || !w->has_result)) {
        if (w->stage) /* leaves its bars empty */
            show(w, "stage", bundle_text(""), true);
        ok = fail_compare(c, w->error);
    }
    free(w->error);
    return ok;
}

/* Writes the cell's code at its own lines, with the definitions that it and named functions
 * need. */
static bool write_cell(const magic_call *c, const char *file, wb_error *err) {
    WB_SCOPED_BUF wb_buf code = {0};
    for (int i = 0; i < c->line; i++)
        wb_buf_putc(&code, '\n');
    wb_buf_puts(&code, c->body ? c->body : "");
    wb_buf_puts(&code, "\n//");
    for (int i = 0; i < c->n_words; i++)
        if (c->words[i][0] == ':')
            wb_buf_printf(&code, " %.*s", (int)strcspn(c->words[i] + 1, "="), c->words[i] + 1);
    wb_session *session = live_session(c->x->live, err);
    const char *id = json_string_value(json_object_get(c->x->request->message->metadata, "cellId"));
    wb_cell cell = {
        .code = code.data, .len = code.len, .number = c->x->number, .origin = id, .silent = true};
    WB_SCOPED char *text = session && code.data ? wb_session_alone(session, &cell, err) : NULL;
    return text && wb_file_write(file, text, strlen(text), err);
}

static bool has_code(const magic_call *c) {
    for (int i = 0; i < c->n_plain; i++)
        if (c->plain[i][0] == ':')
            return true;
    return c->body && strspn(c->body, " \t\r\n") < c->body_len;
}

/* Returns true if the cell defines or calls the function `name`. */
static bool has_function(const magic_call *c, const char *name) {
    const size_t len = strlen(name);
    const char *at = c->body;
    while (at && (at = wb_word_find(at, name, len)) != NULL) {
        at += len;
        if (at[strspn(at, " \t")] == '(')
            return true;
    }
    return false;
}

/* Refuses a function of the cell or the notebook that is named without a colon, unless a kernel of
 * the set has that name. Returns true if it refused. */
static bool lacks_colon(const magic_call *c) {
    WB_SCOPED_JSON json_t *names = magics_names(c->x);
    for (int i = 0; i < c->n_plain; i++) {
        const char *word = c->plain[i];
        bool is = has_function(c, word);
        WB_JSON_EACH(name, names) {
            is |= strcmp(wb_field_text(name, "name"), word) == 0 &&
                  strcmp(wb_field_text(name, "kind"), "function") == 0;
        }
        WBK_EACH(kernel)
        is &= strcmp(kernel->name, word) != 0 && strcmp(kernel->lab, word) != 0;
        if (is)
            return !magics_misuse(c, _("%s is a function of this notebook: write :%s"), word, word);
    }
    return false;
}

bool magic_compare(magic_call *c) {
    if (!magics_read(c, NULL))
        return false;
    if (c->n_words == 0)
        return magics_misuse(c, _("which kernels? `!warpbook labs` lists them"));
    if (lacks_colon(c))
        return false;
    static unsigned long number;
    watched w = {.x = c->x};
    bool own = has_code(c);
    snprintf(w.display_id, sizeof w.display_id, "compare-%lu-%d", ++number, c->x->number);
    for (int i = 0; i < c->n_words; i++)
        w.stage |= strcmp(c->words[i], "--stage") == 0;
    if (w.stage)
        set_stage(c, &w, own);
    if (!own)
        return run_compare(c, NULL, &w);
    wb_error err = {0};
    WB_SCOPED char *folder = wb_dir_temp("compare", &err);
    WB_SCOPED char *file = folder ? wb_format("%s/cell.cu", folder) : NULL;
    bool ok = file && write_cell(c, file, &err)
                  ? run_compare(c, file, &w)
                  : execution_fail(c->x, "CompareError", "%s", err.text);
    if (folder)
        wb_dir_remove(folder, NULL);
    return ok;
}
