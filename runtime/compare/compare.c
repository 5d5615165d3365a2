/* compare.c: `warpbook compare`: kernels of the set, references and the user's own, side by side.
 *
 * Nothing here touches CUDA: warpbook-compare does, in a process of its own on the chosen device;
 * its events become a chart, a table and a document. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/registry.h"
#include "runtime/base/base.h"
#include "runtime/base/pending.h"
#include "runtime/cli/cli.h"
#include "runtime/compare/user.h"
#include "runtime/compare/view.h"
#include "runtime/device/device.h"
#include "runtime/json/json.h"
#include "runtime/model/choose.h"

enum { MOST_NAMES = 48, MOST_WORDS = 512 };

typedef enum output_form { FORM_TABLE, FORM_JSON, FORM_STREAM } output_form;

typedef struct comparison {
    const wb_command *command;
    output_form form;
    const char *device_wanted, *sizes, *rounds, *seconds, *alpha, *beta, *reference, *like, *svg;
    const char *seed, *share, *offset;
    const char *gpu_wanted; /* --model: a GPU's name or file, "none", or NULL */
    wbk_type type;
    bool check;
    const char *words[MOST_NAMES]; /* as given */
    size_t n_words;
    const wbk_kernel *model; /* what the user's own are like: --like, or the first of the set */
    char sizes_used[4000];
    wb_device device;
    char *folder; /* the user's compiled kernels; NULL: none */
    user_kernel users[MOST_NAMES];
    size_t n_users;
    model_gpu gpu; /* whose times are shown where there is no GPU */
    model_references *references;
    compare_view view;
    wb_buf line, errors; /* of warpbook-compare's stdout; its stderr */
    double shown;        /* when the chart was last sent */
    bool chart_sent, on_terminal;
} comparison;

/* ---- words -------------------------------------------------------------------------------- */

static bool is_lab(const char *name) {
    size_t n;
    const wbk_kernel *kernels = wbk_kernels(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(kernels[i].lab, name) == 0)
            return true;
    return false;
}

static int unknown_name(const comparison *c, const char *name) {
    const char *names[100];
    size_t n, count;
    const wbk_kernel *kernels = wbk_kernels(&n);
    for (count = 0; count < n && count < WB_COUNT(names); count++)
        names[count] = kernels[count].name;
    const char *near = wb_text_nearest(name, names, count);
    return wb_cli_usage(c->command,
                        "there is no kernel or lab \"%s\"%s%s%s; `warpbook labs` lists them, and "
                        "FILE.cu:FUNCTION is one of your own",
                        name, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static const char **option_target(comparison *c, const char *name) {
    struct {
        const char *name;
        const char **target;
    } options[] = {{"--sizes", &c->sizes},     {"--device", &c->device_wanted},
                   {"--rounds", &c->rounds},   {"--runs", &c->rounds},
                   {"--seconds", &c->seconds}, {"--alpha", &c->alpha},
                   {"--beta", &c->beta},       {"--reference", &c->reference},
                   {"--like", &c->like},       {"--svg", &c->svg},
                   {"--seed", &c->seed},       {"--share", &c->share},
                   {"--offset", &c->offset},   {"--model", &c->gpu_wanted}};
    for (size_t i = 0; i < WB_COUNT(options); i++)
        if (strcmp(name, options[i].name) == 0)
            return options[i].target;
    return NULL;
}

static int read_option(comparison *c, char **argv, int *i) {
    const char *name = argv[*i];
    const char **target = option_target(c, name);
    if (strcmp(name, "--json") == 0)
        return c->form = FORM_JSON, 0;
    if (strcmp(name, "--stream") == 0)
        return c->form = FORM_STREAM, 0;
    if (strcmp(name, "--check") == 0)
        return c->check = true, 0;
    const char *value = argv[++*i]; /* there is one: runtime/cli/words.c */
    if (target)
        *target = value;
    else if (!wbk_parse_type(value, &c->type))
        return wb_cli_usage(c->command, "--type is float, double, bf16 or tf32");
    return 0;
}

/* Options that are numbers, looked at here so that the message is about the word the user wrote. */
static int check_numbers(const comparison *c) {
    const struct {
        const char *name, *value;
        double least, most;
    } numbers[] = {{"--rounds", c->rounds, 1, 1e9},   {"--seconds", c->seconds, 0.01, 1e9},
                   {"--share", c->share, 0.001, 1e9}, {"--alpha", c->alpha, -1e30, 1e30},
                   {"--beta", c->beta, -1e30, 1e30},  {"--offset", c->offset, 0, 1024},
                   {"--seed", c->seed, 0, 0x1p64}};
    for (size_t i = 0; i < WB_COUNT(numbers); i++) {
        char *end = NULL;
        double value = numbers[i].value ? strtod(numbers[i].value, &end) : 0;
        bool number = numbers[i].value && end != numbers[i].value && !*end;
        if (numbers[i].value && !(number && value >= numbers[i].least && value <= numbers[i].most))
            return wb_cli_usage(c->command, "%s can't be \"%s\"", numbers[i].name,
                                numbers[i].value);
    }
    return 0;
}

static int read_words(comparison *c, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        int status = 0;
        if (argv[i][0] == '-')
            status = read_option(c, argv, &i);
        else if (c->n_words == MOST_NAMES)
            status = wb_cli_usage(c->command, "more than %d names", MOST_NAMES);
        else
            c->words[c->n_words++] = argv[i];
        if (status)
            return status;
    }
    if (c->n_words == 0)
        return wb_cli_usage(c->command, "which kernels? `warpbook labs` lists them");
    return check_numbers(c);
}

/* Whether a kernel works on what the model's sizes and inputs are: sums beside transposes do, sums
 * of a vector beside transposes, or products beside anything else, do not. */
static bool mixes(const comparison *c, const wbk_kernel *kernel) {
    return wbk_dimensions(kernel->shape) == wbk_dimensions(c->model->shape) &&
           (!wbk_rate_is_flops(kernel->shape) || kernel->shape == c->model->shape);
}

/* `name`: a kernel, or a lab of which at least one is to mix. */
static int check_mix(const comparison *c, const char *name) {
    size_t n;
    const wbk_kernel *kernels = wbk_kernels(&n);
    for (size_t i = 0; i < n; i++)
        if ((strcmp(kernels[i].name, name) == 0 || strcmp(kernels[i].lab, name) == 0) &&
            mixes(c, &kernels[i]))
            return 0;
    return wb_cli_usage(c->command, "%s and %s have different tasks, which can't be compared",
                        c->model->name, name);
}

/* What the user's own are called: in a notebook, where there is one file and nobody sees it, by the
 * function alone. */
static const char *user_label(const comparison *c, const char *word) {
    const char *slash = strrchr(word, '/');
    return c->form == FORM_STREAM ? user_function(word) : slash ? slash + 1 : word;
}

/* The reference is a kernel that the others can be held to, or "none". */
static int check_reference(const comparison *c) {
    if (!c->reference || strcmp(c->reference, "none") == 0)
        return 0;
    for (size_t i = 0; i < c->n_words; i++) {
        if (user_is(c->words[i]) && strcmp(user_label(c, c->words[i]), c->reference) == 0)
            return 0;
    }
    return wbk_find(c->reference) ? check_mix(c, c->reference) : unknown_name(c, c->reference);
}

/* What a word of the set sets as a task: a kernel's own; a lab's is that of its first rung, and so
 * is that of a copy, which stands among transposes only to show what they can reach. */
static const wbk_kernel *task_of(const comparison *c, const char *name) {
    size_t n;
    const wbk_kernel *kernels = wbk_kernels(&n), *kernel = wbk_find(name);
    if (kernel && kernel->shape != WBK_COPY)
        return kernel;
    const char *lab = kernel ? kernel->lab : name;
    for (size_t i = 0; i < n; i++)
        if (strcmp(kernels[i].lab, lab) == 0 && kernels[i].shape != WBK_COPY &&
            kernels[i].symbol[c->type])
            return &kernels[i];
    return kernel;
}

static bool has_users(const comparison *c) {
    for (size_t i = 0; i < c->n_words; i++)
        if (user_is(c->words[i]))
            return true;
    return false;
}

/* What the user's own kernels have to do, and what sizes mean: --like, or the task of the kernels
 * of the set among the words, in whatever order they are. Own kernels are not judged where those
 * have more than one. */
static int find_task(comparison *c) {
    if (c->like)
        return (c->model = wbk_find(c->like)) || (c->model = task_of(c, c->like))
                   ? 0
                   : unknown_name(c, c->like);
    for (size_t i = 0; i < c->n_words; i++) {
        const wbk_kernel *task = user_is(c->words[i]) ? NULL : task_of(c, c->words[i]);
        if (!c->model)
            c->model = task;
        else if (task && task->shape != c->model->shape && mixes(c, task) && has_users(c))
            return wb_cli_usage(c->command,
                                "%s and %s have different tasks: which of them is your own to be "
                                "like? Say --like %s, or --like %s",
                                c->model->name, task->name, c->model->name, task->name);
    }
    if (c->model)
        return 0;
    for (size_t i = 0; i < c->n_words; i++)
        if (!user_is(c->words[i]))
            return unknown_name(c, c->words[i]);
    return wb_cli_usage(c->command,
                        "what is %s like? Name a kernel of the set to compare it with, or "
                        "give --like NAME",
                        user_label(c, c->words[0]));
}

static int find_model(comparison *c) {
    int unknown = find_task(c);
    if (unknown)
        return unknown;
    for (size_t i = 0; i < c->n_words; i++) {
        bool known = is_lab(c->words[i]) || wbk_find(c->words[i]);
        int status = user_is(c->words[i]) ? 0
                     : known              ? check_mix(c, c->words[i])
                                          : unknown_name(c, c->words[i]);
        if (status)
            return status;
    }
    wbk_type only = c->type; /* gemm.column_tiles is double alone, gemm.wgmma bf16 */
    while (c->type == WBK_F32 && only < WBK_TYPES - 1 && !c->model->symbol[only])
        only++;
    c->type = c->model->symbol[only] ? only : c->type;
    if (!c->model->symbol[c->type])
        return wb_cli_usage(c->command, "%s has no version for %s", c->model->name,
                            wbk_type_name(c->type));
    return check_reference(c);
}

/* What libraries took on that GPU, if its file is the one that they were measured beside. */
static model_references *references_for(const comparison *c) {
    char *file = model_gpu_file(c->gpu.name, NULL), *full = file ? realpath(file, NULL) : NULL;
    bool ours = full && strcmp(full, c->device.gpu_file) == 0;
    free(full);
    free(file);
    return ours ? model_references_load(c->gpu.name, NULL) : NULL;
}

/* The device, and on softgpu the GPU whose times are shown: the one that it stands in for,
 * --model's, or the usual one. A check has no times, and is plain softgpu's unless another is
 * named. */
static bool choose_device(comparison *c, wb_error *err) {
    const char *wanted =
        c->gpu_wanted && strcmp(c->device_wanted, "auto") == 0 ? "soft" : c->device_wanted;
    if (!model_choose_device(wanted, &c->device, err))
        return false;
    if (c->gpu_wanted && c->device.kind != WB_DEVICE_SOFT)
        return wb_fail(err, 2, "--model is softgpu's: leave --device gpu out");
    wb_error lacks = {0};
    if (!c->check && !wb_device_has_code(&c->device, &lacks))
        c->view.lacks = strdup(lacks.text);
    bool none =
        c->device.kind != WB_DEVICE_SOFT || (c->gpu_wanted && strcmp(c->gpu_wanted, "none") == 0);
    const char *gpu = none ? "" : c->gpu_wanted ? c->gpu_wanted : c->device.gpu_file;
    if (none && !c->device.stands_in)
        c->device.gpu_file[0] = '\0';
    bool named = c->gpu_wanted || c->device.stands_in;
    if (!*gpu || (c->check && !named))
        return true;
    if (!model_stand_in(gpu, &c->device, err) || !model_gpu_load(c->device.gpu_file, &c->gpu, err))
        return false;
    if (c->check)
        return true;
    c->references = references_for(c);
    c->view.references = c->references;
    c->view.gpu = &c->gpu;
    return true;
}

/* Sizes that show what they should in a few seconds. */
static const char *usual_sizes(const comparison *c) {
    bool soft = c->device.kind == WB_DEVICE_SOFT;
    switch (c->model->shape) {
    case WBK_UPDATE:
    case WBK_ACCESS:
        return soft ? "2^22" : "2^26";
    case WBK_REDUCE:
    case WBK_MAXIMUM:
        return soft ? "2^22" : "2^24,1e8";
    case WBK_GEMM:
    case WBK_GEMM_COLUMN:
        return soft ? "512" : "1024,4096";
    default:
        return soft ? "2048" : "8192";
    }
}

static int check_sizes(comparison *c) {
    snprintf(c->sizes_used, sizeof c->sizes_used, "%s", c->sizes ? c->sizes : usual_sizes(c));
    char copy[sizeof c->sizes_used], *rest = NULL;
    memcpy(copy, c->sizes_used, sizeof copy);
    for (char *size = strtok_r(copy, ",", &rest); size; size = strtok_r(NULL, ",", &rest)) {
        wbk_size parsed;
        if (!wbk_parse_size(c->model->shape, size, &parsed))
            return wb_cli_usage(
                c->command, "\"%s\" is not a size for %s: give %s", size, c->model->name,
                wbk_dimensions(c->model->shape) == 1   ? "a number of elements (1000000, 1e8, 2^24)"
                : wbk_dimensions(c->model->shape) == 2 ? "ROWSxCOLUMNS, or one number for both"
                                                       : "MxNxK, or one number for all three");
        c->view.wanted_sizes++;
    }
    return c->view.wanted_sizes ? 0 : wb_cli_usage(c->command, "--sizes is empty");
}

/* A kernel that is named must be one this device can run; those of a lab may be left out. */
static bool check_hardware(const comparison *c, wb_error *err) {
    for (size_t i = 0; i < c->n_words; i++) {
        const wbk_kernel *kernel = wbk_find(c->words[i]);
        char why[300];
        if (kernel && !wbk_runs_on(kernel, c->device.name, c->device.capability,
                                   c->device.kind == WB_DEVICE_SOFT, why, sizeof why))
            return wb_fail(err, 1, "%s", why);
    }
    return true;
}

/* ---- the child ---------------------------------------------------------------------------- */

static bool build_users(comparison *c, wb_error *err) {
    for (size_t i = 0; i < c->n_words; i++) {
        if (!user_is(c->words[i]))
            continue;
        if (!c->folder && !(c->folder = wb_dir_temp("compare", err)))
            return false;
        user_kernel *user = &c->users[c->n_users++];
        if (!user_build(c->words[i], user_label(c, c->words[i]), c->model, c->type, &c->device,
                        c->folder, &wb_cli_interrupted, user, err))
            return false;
        if (wbk_rate_is_flops(c->model->shape) && !user->has_scalars &&
            (c->check || c->alpha || c->beta))
            return wb_fail(err, 2, "%s takes no alpha and beta, which %s needs", user->label,
                           c->check ? "--check" : "--alpha or --beta");
    }
    return true;
}

static void add_lab(const comparison *c, const char *lab, const char **argv, size_t *n) {
    size_t count;
    const wbk_kernel *kernels = wbk_kernels(&count);
    for (size_t i = 0; i < count && *n + 2 < MOST_WORDS; i++) {
        const wbk_kernel *k = &kernels[i];
        /* A copy by softgpu's host code shows nothing of a GPU, and would dwarf the others. */
        bool dwarfs = c->device.kind == WB_DEVICE_SOFT && k->reference && k->shape == WBK_COPY;
        if (strcmp(k->lab, lab) == 0 && mixes(c, k) && !dwarfs && k->symbol[c->type])
            argv[(*n)++] = k->name;
    }
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
                   {"--seed", c->seed},
                   {"--share", c->share},
                   {"--offset", c->offset}};
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
            const char *words[] = {"--user",   u->label,  c->model->name,
                                   u->library, u->symbol, u->has_work ? "1" : "0"};
            for (size_t w = 0; w < WB_COUNT(words); w++)
                argv[n++] = words[w];
        } else if (is_lab(c->words[i])) {
            add_lab(c, c->words[i], argv, &n);
        } else {
            argv[n++] = c->words[i];
        }
    }
    argv[n] = NULL;
    return n;
}

/* ---- showing ------------------------------------------------------------------------------ */

static void print_json(json_t *event) {
    char *text = json_dumps(event, JSON_COMPACT);
    if (text)
        puts(text);
    fflush(stdout);
    free(text);
    json_decref(event);
}

static void send_chart(comparison *c) {
    wb_chart chart;
    char subtitle[300];
    if (!view_chart(&c->view, subtitle, sizeof subtitle, &chart))
        return;
    print_json(json_pack("{s:s, s:s, s:b, s:o}", "event", "chart", "id", "times", "update",
                         c->chart_sent, "data", wb_chart_bundle(&chart, NULL)));
    c->chart_sent = true;
    free((void *)chart.rows);
}

static void send_traffic_chart(comparison *c) {
    wb_chart chart;
    if (!view_traffic_chart(&c->view, &chart))
        return;
    print_json(json_pack("{s:s, s:s, s:b, s:o}", "event", "chart", "id", "traffic", "update", false,
                         "data", wb_chart_bundle(&chart, NULL)));
    free((void *)chart.rows);
}

static void show_progress(comparison *c) {
    double now = wb_now();
    if (now - c->shown < 0.25 || c->view.n_sizes == 0)
        return;
    c->shown = now;
    const char *size = c->view.sizes[c->view.n_sizes - 1].text;
    if (c->form == FORM_STREAM) {
        print_json(json_pack("{s:s, s:f, s:s}", "event", "progress", "done", c->view.done, "text",
                             size ? size : ""));
        if (!c->check)
            send_chart(c);
    } else if (c->on_terminal) {
        fprintf(stderr, "\r\033[K%s: %.0f %%", size ? size : "", 100 * c->view.done);
    }
}

/* warpbook-compare's output, as it comes: stdout's lines are events. */
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
        if (event) { /* what a user's kernel prints is no event and goes on to stderr */
            view_apply(&c->view, event);
            show_progress(c);
        } else {
            fprintf(stderr, "%.*s\n", (int)length, c->line.data);
        }
        json_decref(event);
        wb_buf_consume(&c->line, length + 1);
    }
}

static void print_chart(wb_chart *chart) {
    char *text = wb_chart_text(chart, 100);
    printf("\n%s", text ? text : "");
    free(text);
    free((void *)chart->rows);
}

static void print_charts(const comparison *c) {
    wb_chart chart;
    char subtitle[300];
    if (view_chart(&c->view, subtitle, sizeof subtitle, &chart))
        print_chart(&chart);
    if (view_traffic_chart(&c->view, &chart))
        print_chart(&chart);
}

static bool write_svg(const comparison *c, wb_error *err) {
    wb_chart chart;
    char subtitle[300];
    if (!view_chart(&c->view, subtitle, sizeof subtitle, &chart))
        return wb_fail(err, 1, "out of memory");
    char *svg = wb_chart_svg(&chart);
    bool ok = svg && wb_file_write(c->svg, svg, strlen(svg), err);
    free(svg);
    free((void *)chart.rows);
    return ok;
}

static void show_result(comparison *c) {
    if (c->on_terminal && c->form == FORM_TABLE)
        fprintf(stderr, "\r\033[K");
    if (c->form == FORM_JSON) {
        json_t *document = view_document(&c->view);
        json_dumpf(document, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(document);
        return;
    }
    char *text = view_table_text(&c->view);
    if (c->form == FORM_STREAM) {
        char *html = view_table_html(&c->view);
        if (!c->check) {
            send_chart(c);
            send_traffic_chart(c);
        }
        print_json(json_pack("{s:s, s:{s:s, s:s}}", "event", "table", "data", "text/html",
                             html ? html : "", "text/plain", text ? text : ""));
        print_json(json_pack("{s:s, s:o}", "event", "result", "document", view_document(&c->view)));
        free(html);
    } else {
        printf("%s", text ? text : "");
        if (!c->check)
            print_charts(c);
    }
    free(text);
}

/* ---- the call ----------------------------------------------------------------------------- */

static int refuse(const comparison *c, const wb_error *err, int status) {
    if (c->form == FORM_STREAM)
        print_json(wb_json_pack("{s:s, s:s}", "event", "error", "text", err->text));
    if (c->form != FORM_STREAM || status != WB_EXIT_FAILED)
        fprintf(stderr, "warpbook compare: %s\n", err->text);
    return status;
}

static void show_wait(void *ctx, const char *text) {
    const comparison *c = ctx;
    if (c->form == FORM_STREAM)
        print_json(json_pack("{s:s, s:s}", "event", "wait", "text", text));
    else
        fprintf(stderr, "warpbook compare: %s\n", text);
}

/* What `make lab` builds behind JupyterLab; the one that is linked last comes last. */
static bool await_set(comparison *c, wb_error *err) {
    static const char *const files[] = {"warpbook-compare", "libwarpbook_references.so",
                                        "libwarpbook_kernels.so"};
    for (size_t i = 0; i < WB_COUNT(files); i++)
        if (!wb_pending_wait(files[i], "the kernel set", show_wait, c, &wb_cli_interrupted, err))
            return false;
    return true;
}

static int run_child(comparison *c) {
    wb_error err = {0};
    char *program = wb_path_lib("warpbook-compare"), *library = wb_device_environment(&c->device);
    char **gpu = wb_device_gpu_entries(&c->device);
    const char *argv[MOST_WORDS + 1], *env[8] = {library};
    int status = WB_EXIT_MACHINE;
    if (program && library && gpu) {
        child_words(c, program, argv);
        for (size_t i = 0; gpu[i] && i + 2 < WB_COUNT(env); i++)
            env[i + 1] = gpu[i];
        wb_proc_spec spec = {
            .argv = argv, .env = env, .output = take_output, .ctx = c, .stop = &wb_cli_interrupted};
        wb_proc_result result;
        if (!wb_proc_run(&spec, &result, &err)) {
            status = refuse(c, &err, WB_EXIT_MACHINE);
        } else {
            char how[200];
            status = result.exit_code == 0   ? WB_EXIT_DONE
                     : result.exit_code == 3 ? WB_EXIT_MACHINE
                                             : WB_EXIT_FAILED;
            if (!c->view.error && !c->view.ended)
                c->view.error =
                    wb_format("The comparison %s%s%.*s", wb_proc_describe(&result, how, sizeof how),
                              c->errors.len ? ":\n" : ".", (int)c->errors.len,
                              c->errors.len ? c->errors.data : "");
            else if (c->errors.len)
                fprintf(stderr, "%s", c->errors.data);
            show_result(c);
            if (c->svg && !write_svg(c, &err))
                status = refuse(c, &err, WB_EXIT_FAILED);
        }
        wb_proc_result_free(&result);
    }
    free(program);
    free(library);
    wb_device_entries_free(gpu);
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
    wb_buf_free(&c->line);
    wb_buf_free(&c->errors);
}

static int run(int argc, char **argv);

WB_COMMAND(compare_command){
    .name = "compare",
    .usage =
        "NAME... [--sizes N,N...] [--type TYPE] [--device auto|gpu|soft] [--model GPU|none]\n"
        "       [--rounds N] [--seconds S] [--reference NAME|none] [--like NAME] [--alpha X] "
        "[--beta X]\n"
        "       [--share S] [--offset N] [--check] [--seed N] [--svg FILE] [--json | --stream]",
    .summary = "times kernels of the set, and your own, side by side",
    .help =
        "NAME is a kernel (`warpbook labs` lists them), a lab (all its kernels), or "
        "FILE.cu:FUNCTION,\n"
        "a function of yours with the parameters of the others.\n"
        "\n"
        "Every kernel's result is checked first; a wrong one is not timed. Then all are run in "
        "rounds,\n"
        "on a GPU with cold caches behind a waiting kernel, at least 30 times and half a second "
        "each.\n"
        "The table has medians, quartiles, the rate, and the speed against the reference (cuBLAS,\n"
        "CUB or cudaMemcpy, unless --reference says otherwise) with its 95 % interval; \"too close "
        "to\n"
        "tell\" means what it says. Without a GPU the table leads with what each call would take "
        "on\n"
        "one, as modelled, beside what libraries were measured to take there; the counts of "
        "memory\n"
        "accesses are exact, and the CPU's own times come last. At sizes of a GPU's kind only some "
        "blocks\n"
        "run there, for its time alone (--rounds: all of them).\n"
        "\n"
        "  --type      float, double; products also bf16 and tf32, by tensor cores\n"
        "  --sizes     1024 (square), 1024x512, 64x32x16 (M x N x K); sums: 2^24, 1e8\n"
        "  --model     the GPU: h200 (the default without a GPU), h100, a100, t4, rtx4090,\n"
        "              rtx4060-laptop, a file of your own; none: the CPU's times alone\n"
        "  --rounds    exactly so many runs of each\n"
        "  --seconds   the most that one size may take (default 20, on softgpu 4)\n"
        "  --share     a kernel that has run for S seconds in sum sits out, after five runs\n"
        "  --offset    arrays begin N elements past an aligned address\n"
        "  --check     only checks, but thoroughly: exact integers, reals against fp64, alpha and "
        "beta;\n"
        "              on softgpu also races and reads of what nothing wrote\n"
        "  --like      the kernel that your functions are like, when none is named beside them\n"
        "  --svg FILE  writes the chart as a picture\n"
        "  --json      one document;  --stream  events as lines of JSON while it runs:\n"
        "              progress {done, text}, wait {text}, chart {id, update, data: MIME bundle}, "
        "table {data},\n"
        "              result {document}, error {text}",
    .order = 50,
    .values =
        "--sizes --device --rounds --runs --seconds --alpha --beta --reference --like --svg --seed "
        "--share --offset --type --model",
    .flags = "--json --stream --check",
    .run = run,
};

static int run(int argc, char **argv) {
    comparison c = {.command = &compare_command, .device_wanted = "auto"};
    wb_error err = {0};
    int status = read_words(&c, argc, argv);
    if (!status)
        status = find_model(&c);
    if (!status && !choose_device(&c, &err))
        status = refuse(&c, &err, err.code == 2 ? WB_EXIT_USAGE : WB_EXIT_MACHINE);
    if (!status && !check_hardware(&c, &err))
        status = refuse(&c, &err, WB_EXIT_MACHINE);
    if (!status)
        status = check_sizes(&c);
    wb_cli_catch_interrupts();
    if (!status && !await_set(&c, &err))
        status = refuse(&c, &err, WB_EXIT_MACHINE);
    if (!status && !build_users(&c, &err))
        status = refuse(&c, &err, err.code == 2 ? WB_EXIT_USAGE : WB_EXIT_FAILED);
    if (!status) {
        c.on_terminal = isatty(2);
        c.view.title =
            wb_format("%s, %s%s%s", c.model->lab, wbk_type_name(c.type),
                      c.view.gpu ? ", as modelled for an " : "", c.view.gpu ? c.gpu.title : "");
        status = run_child(&c);
    }
    close_comparison(&c);
    return status;
}
