/* compare.c: `warpbook compare` measures kernels of the set, references and the user's own side by
 * side.
 *
 * It never calls CUDA itself. warpbook-compare does, in its own process on the chosen device, and
 * its events become a chart, a table and a document. */
#include <jansson.h>
#include <unistd.h>

#include "runtime/base/pending.h"
#include "runtime/compare/comparison.h"
#include "runtime/json/json.h"

/* ---- the child ---------------------------------------------------------------------------- */

static bool build_users(comparison *c, wb_error *err) {
    for (size_t i = 0; i < c->n_words; i++) {
        if (!user_is(c->words[i]))
            continue;
        if (!c->folder && !(c->folder = wb_dir_temp("compare", err)))
            return false;
        user_kernel *user = &c->users[c->n_users++];
        if (!user_build(c->words[i], comparison_user_label(c, c->words[i]), c->model, c->type,
                        &c->device, c->folder, &wb_cli_interrupted, user, err))
            return false;
        if (wbk_rate_is_flops(c->model->shape) && !user->has_scalars &&
            (c->check || c->alpha || c->beta))
            return wb_fail(err, 2, _("%s takes no alpha and beta, which %s needs"), user->label,
                           c->check ? "--check" : "--alpha or --beta");
    }
    return true;
}

static size_t child_words(const comparison *c, const char *program, const char **argv) {
    const struct {
        const char *name, *value;
    } options[] = {{"--type", wbk_type_name(c->type)},
                   {"--sizes", c->sizes_used},
                   {"--rounds", c->rounds},
                   {"--seconds", c->seconds},
                   {"--alpha", c->alpha},
                   {"--beta", c->beta},
                   {"--reference", c->reference},
                   {"--seed", c->seed.given ? c->seed_text : NULL},
                   {"--share", c->share},
                   {"--offset", c->offset},
                   {"--values", c->values}};
    size_t n = 0, user = 0;
    argv[n++] = program;
    argv[n++] = "--counters";
    if (c->check)
        argv[n++] = "--check";
    if (c->view.gpu)
        argv[n++] = "--model";
    for (size_t i = 0; i < WB_COUNT(options); i++)
        if (options[i].value) {
            argv[n++] = options[i].name;
            argv[n++] = options[i].value;
        }
    for (size_t i = 0; i < c->n_words && n + 8 < MOST_WORDS; i++) {
        if (user_is(c->words[i])) {
            const user_kernel *u = &c->users[user++];
            const char *words[] = {"+user",    u->label,  c->model->name,
                                   u->library, u->symbol, u->has_work ? "1" : "0"};
            for (size_t w = 0; w < WB_COUNT(words); w++)
                argv[n++] = words[w];
        } else if (comparison_is_lab(c->words[i])) {
            comparison_add_lab(c, c->words[i], argv, &n);
        } else {
            argv[n++] = c->words[i];
        }
    }
    argv[n] = NULL;
    return n;
}

/* Takes warpbook-compare's output. Each line of stdout is an event. */
static void take_output(void *ctx, int fd, const char *data, size_t len) {
    comparison *c = ctx;
    if (fd == 2) {
        if (c->errors.len < 100000)
            wb_buf_append(&c->errors, data, len);
        return;
    }
    wb_buf_append(&c->line, data, len);
    char *end;
    while (c->line.data && (end = memchr(c->line.data, '\n', c->line.len))) {
        size_t length = (size_t)(end - c->line.data);
        json_t *event = json_loadb(c->line.data, length, 0, NULL);
        if (event) { /* other lines are output of the user's kernel */
            view_apply(&c->view, event);
            comparison_progress(c);
        } else {
            fprintf(stderr, "%.*s\n", (int)length, c->line.data);
        }
        json_decref(event);
        wb_buf_consume(&c->line, length + 1);
    }
}

/* ---- the call ----------------------------------------------------------------------------- */

static int refuse(const comparison *c, const wb_error *err, int status) {
    if (c->form == FORM_STREAM)
        comparison_print(wb_json_pack("{s:s, s:s}", "event", "error", "text", err->text));
    if (c->form != FORM_STREAM || status != WB_EXIT_FAILED)
        fprintf(stderr, "warpbook compare: %s\n", err->text);
    return status;
}

static void show_wait(void *ctx, const char *text) {
    const comparison *c = ctx;
    if (c->form == FORM_STREAM)
        comparison_print(json_pack("{s:s, s:s}", "event", "wait", "text", text));
    else
        fprintf(stderr, "warpbook compare: %s\n", text);
}

/* Waits for the files that `make lab` builds in the background, in link order. */
static bool await_set(comparison *c, wb_error *err) {
    static const char *const files[] = {"warpbook-compare", "libwarpbook_references.so",
                                        "libwarpbook_kernels.so"};
    for (size_t i = 0; i < WB_COUNT(files); i++)
        if (!wb_pending_wait(files[i], _("the kernel set"), show_wait, c, &wb_cli_interrupted, err))
            return false;
    return true;
}

static int run_child(comparison *c) {
    wb_error err = {0};
    char *program = wb_path_lib("warpbook-compare"), **env = wb_device_entries(&c->device);
    const char *argv[MOST_WORDS + 1];
    int status = WB_EXIT_MACHINE;
    if (program && env) {
        child_words(c, program, argv);
        wb_proc_spec spec = {.argv = argv,
                             .env = (const char *const *)env,
                             .output = take_output,
                             .ctx = c,
                             .stop = &wb_cli_interrupted};
        wb_proc_result result;
        if (!wb_proc_run(&spec, &result, &err)) {
            status = refuse(c, &err, WB_EXIT_MACHINE);
        } else {
            char how[200];
            status = result.exit_code == 0   ? WB_EXIT_DONE
                     : result.exit_code == 3 ? WB_EXIT_MACHINE
                                             : WB_EXIT_FAILED;
            if (!c->view.error && !c->view.ended)
                c->view.error = wb_format(_("The comparison %s%s%.*s"),
                                          wb_proc_describe(&result, how, sizeof how),
                                          c->errors.len ? ":\n" : ".", (int)c->errors.len,
                                          c->errors.len ? c->errors.data : "");
            else if (c->errors.len)
                fprintf(stderr, "%s", c->errors.data);
            comparison_show(c);
            if (c->svg && !comparison_write_svg(c, &err))
                status = refuse(c, &err, WB_EXIT_FAILED);
        }
        wb_proc_result_free(&result);
    }
    free(program);
    wb_device_entries_free(env);
    return status;
}

static void close_comparison(comparison *c) {
    model_references_free(c->references);
    if (c->folder)
        wb_dir_remove(c->folder, NULL);
    free(c->folder);
    for (size_t i = 0; i < c->n_users; i++)
        user_free(&c->users[i]);
    view_free(&c->view);
    free(c->said);
    WB_BUF_FREE(&c->line, &c->errors);
}

static comparison asked = {.device_wanted = "auto"};

static int run(int argc, char **argv);

WB_COMMAND(compare_command){
    .name = "compare",
    .usage = "NAME...",
    .summary = N_("times kernels of the set, and your own, side by side"),
    .help = N_(
        "NAME is a kernel (`warpbook labs` lists them), a lab (all its kernels), or "
        "FILE.cu:FUNCTION, a function of yours with the parameters of the others. NAME=LABEL "
        "calls it LABEL.\n\n"
        "Every kernel's result is checked first. A kernel with a wrong result is not timed. "
        "The others run in rounds, on a GPU with cold caches behind a waiting kernel, at least "
        "30 times and half a second each. The table has medians, quartiles, the rate, and the "
        "speed against the reference with its 95 % interval. \"too close to tell\" means that "
        "the difference may be noise. Without a GPU the table begins with the time of each "
        "call on a GPU, as modelled, beside what libraries were measured to take there. The "
        "counts of memory accesses are exact, and the CPU's own times come last. At a GPU's "
        "own sizes only some blocks run, for the modelled time alone (--rounds: all of them)."),
    .order = 50,
    .options = comparison_options,
    .record = &asked,
    .run = run,
};

static int run(int argc, char **argv) {
    comparison c = asked;
    c.command = &compare_command;
    wb_error err = {0};
    int status = comparison_read(&c, argc, argv);
    if (!status)
        status = comparison_find_model(&c);
    if (!status && !comparison_choose_device(&c, &err))
        status = refuse(&c, &err, err.code == 2 ? WB_EXIT_USAGE : WB_EXIT_MACHINE);
    if (!status && !comparison_check_hardware(&c, &err))
        status = refuse(&c, &err, WB_EXIT_MACHINE);
    if (!status)
        status = comparison_check_sizes(&c);
    wb_cli_catch_interrupts();
    if (!status && !await_set(&c, &err))
        status = refuse(&c, &err, WB_EXIT_MACHINE);
    if (!status) {
        c.view.what = wb_format("%s, %s", c.model->lab, wbk_type_name(c.type));
        c.view.title =
            wb_format("%s, %s%s%s", c.model->lab, wbk_type_name(c.type),
                      c.view.gpu ? _(", as modelled for an ") : "", c.view.gpu ? c.gpu.title : "");
    }
    if (!status && c.stage && c.form == FORM_STREAM)
        comparison_send_stage(&c, c.n_words > 0 && comparison_has_users(&c) ? _("compiling")
                                                                            : _("starting"));
    if (!status && !build_users(&c, &err))
        status = refuse(&c, &err, err.code == 2 ? WB_EXIT_USAGE : WB_EXIT_FAILED);
    if (!status) {
        c.on_terminal = isatty(2);
        status = run_child(&c);
    }
    close_comparison(&c);
    return status;
}
