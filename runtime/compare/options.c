/* options.c: interprets a call's arguments: kernels, their task, the device, the sizes. */
#include <inttypes.h>

#include "runtime/compare/comparison.h"
#include "runtime/model/choose.h"

bool comparison_is_lab(const char *name) {
    WBK_EACH(kernel)
    if (strcmp(kernel->lab, name) == 0)
        return true;
    return false;
}

static int unknown_name(const comparison *c, const char *name) {
    const char *names[200];
    size_t count = 0;
    WBK_EACH(kernel)
    if (count < WB_COUNT(names))
        names[count++] = kernel->name;
    return wb_cli_usage(c->command,
                        _("there is no kernel or lab \"%s\"%s; `warpbook labs` lists them, and "
                          "FILE.cu:FUNCTION is one of your own"),
                        name, wb_text_meant(name, names, count));
}

static bool read_type(const char *text, void *type) {
    return wbk_parse_type(text, type);
}

#define WB_RECORD comparison
#define ANY_REAL .least = -1e30, .most = 1e30
const wb_option comparison_options[] = {
    WB_OPTION(
        "--type", READ, type, "TYPE",
        "float, double; products also bf16, fp16, tf32 and fp8, by tensor cores; histograms byte",
        .read = read_type, .wants = N_("float, double, bf16, tf32, fp16, fp8 or byte")),
    WB_OPTION("--sizes", TEXT, sizes, "N,N...",
              "1024 (square), 1024x512, 64x32x16 (M x N x K), 8x64x32x16 for a batch; for sums "
              "2^24, 1e8"),
    WB_OPTION("--device", TEXT, device_wanted, "auto|gpu|soft", wb_option_device),
    WB_OPTION("--model", TEXT, gpu_wanted, "GPU",
              "h200 (the default without a GPU), h100, a100, t4, rtx4090, rtx4060-laptop, a file "
              "of your own; none: the CPU's times alone"),
    WB_OPTION("--rounds", NUMBER, rounds, "N", "exactly N runs of each", .least = 1, .most = 1e9),
    WB_OPTION("--runs", NUMBER, rounds, "N", NULL, .least = 1, .most = 1e9),
    WB_OPTION("--seconds", NUMBER, seconds, "S",
              "the most that one size may take (default: 20, on softgpu 4)", .least = 0.01,
              .most = 1e9),
    WB_OPTION("--share", NUMBER, share, "S",
              "after five runs, leave out a kernel that has run for S seconds in total",
              .least = 0.001, .most = 1e9),
    WB_OPTION("--reference", TEXT, reference, "NAME|none",
              "what speed is measured against (default: cuBLAS, CUB or cudaMemcpy)"),
    WB_OPTION("--like", TEXT, like, "NAME",
              "the kernel that your functions are like, when none is named beside them"),
    WB_OPTION("--alpha", NUMBER, alpha, "X", "the factor of a product", ANY_REAL),
    WB_OPTION("--beta", NUMBER, beta, "X", "the factor of the matrix that the product is added to",
              ANY_REAL),
    WB_OPTION("--values", WORD, values, "even|skewed",
              "what a histogram counts: each byte as often, or a few far more often"),
    WB_OPTION("--offset", NUMBER, offset, "N", "arrays begin N elements past an aligned address",
              .least = 0, .most = 1024),
    WB_OPTION("--check", FLAG, check, NULL,
              "check only, but thoroughly: exact integers, reals against fp64, alpha and beta; on "
              "softgpu also races and reads of memory that nothing wrote"),
    WB_OPTION_SEED(seed),
    WB_OPTION("--stage", FLAG, stage, NULL,
              "the chart for the back row of a lecture hall: at most eight kernels, at one size"),
    WB_OPTION("--svg", TEXT, svg, "FILE", "write the chart as a picture"),
    WB_OPTION("--before", TEXT, before, "STATE",
              "with --stage: the state of an earlier run, to show what changed"),
    WB_OPTION("--json", PICK, form, NULL, wb_option_json, .least = FORM_JSON, .shell = true),
    WB_OPTION("--stream", PICK, form, NULL,
              "print events as lines of JSON while it runs: progress {done, text}, wait {text}, "
              "chart {id, update, data: MIME bundle}, table {data}, result {document}, error "
              "{text}, with --stage also stage {state}",
              .least = FORM_STREAM, .shell = true),
    {0}};

int comparison_read(comparison *c, int argc, char **argv) {
    if (argc - 1 > MOST_NAMES)
        return wb_cli_usage(c->command, _("more than %d names"), MOST_NAMES);
    for (int i = 1; i < argc; i++) {
        c->labels[c->n_words] = stage_label(argv[i]);
        c->words[c->n_words++] = argv[i];
    }
    if (c->reference)
        c->reference_label = stage_label((char *)c->reference); /* a word of argv */
    snprintf(c->seed_text, sizeof c->seed_text, "%" PRIu64, c->seed.value);
    return c->n_words ? 0
                      : wb_cli_usage(c->command, _("which kernels? `warpbook labs` lists them"));
}

/* Returns true if a kernel works on the model's sizes and inputs. Sums mix with transposes; vector
 * sums do not, and products mix only with products. */
static bool mixes(const comparison *c, const wbk_kernel *kernel) {
    return wbk_dimensions(kernel->shape) == wbk_dimensions(c->model->shape) &&
           (!wbk_rate_is_flops(kernel->shape) || kernel->shape == c->model->shape);
}

/* Checks that kernel `name`, or one of lab `name`, mixes with the model. */
static int check_mix(const comparison *c, const char *name) {
    WBK_EACH(kernel)
    if ((strcmp(kernel->name, name) == 0 || strcmp(kernel->lab, name) == 0) && mixes(c, kernel))
        return 0;
    return wb_cli_usage(c->command, _("%s and %s have different tasks, which can't be compared"),
                        c->model->name, name);
}

/* Returns the label of a user's kernel. In a notebook it omits the file, which is a hidden one. */
const char *comparison_user_label(const comparison *c, const char *word) {
    return c->form == FORM_STREAM ? user_function(word) : wb_path_name(word);
}

/* Checks the reference: a kernel with the same task, or "none". */
static int check_reference(const comparison *c) {
    if (!c->reference || strcmp(c->reference, "none") == 0)
        return 0;
    for (size_t i = 0; i < c->n_words; i++) {
        if (user_is(c->words[i]) &&
            strcmp(comparison_user_label(c, c->words[i]), c->reference) == 0)
            return 0;
    }
    return wbk_find(c->reference) ? check_mix(c, c->reference) : unknown_name(c, c->reference);
}

/* Returns the kernel that defines the task of a name: itself, or a lab's first one. A copy, which
 * only shows a limit for transposes, counts as its lab. */
static const wbk_kernel *task_of(const comparison *c, const char *name) {
    const wbk_kernel *named = wbk_find(name), *first = named;
    if (named && named->shape != WBK_COPY)
        return named;
    const char *lab = named ? named->lab : name;
    WBK_EACH(kernel) {
        if (strcmp(kernel->lab, lab) != 0)
            continue;
        if (kernel->shape != WBK_COPY && kernel->symbol[c->type])
            return kernel;
        if (!first) /* histograms have only bytes */
            first = kernel;
    }
    return first;
}

bool comparison_has_users(const comparison *c) {
    for (size_t i = 0; i < c->n_words; i++)
        if (user_is(c->words[i]))
            return true;
    return false;
}

/* Finds the task of the user's kernels, and the meaning of sizes: --like, or the task of the named
 * kernels of the set. If those have several, a user's kernel can't be checked. */
static int find_task(comparison *c) {
    if (c->like)
        return (c->model = wbk_find(c->like)) || (c->model = task_of(c, c->like))
                   ? 0
                   : unknown_name(c, c->like);
    for (size_t i = 0; i < c->n_words; i++) {
        const wbk_kernel *task = user_is(c->words[i]) ? NULL : task_of(c, c->words[i]);
        if (!c->model)
            c->model = task;
        else if (task && task->shape != c->model->shape && mixes(c, task) &&
                 comparison_has_users(c))
            return wb_cli_usage(c->command,
                                _("%s and %s have different tasks: which of them is your own to be "
                                  "like? Say --like %s, or --like %s"),
                                c->model->name, task->name, c->model->name, task->name);
    }
    if (c->model)
        return 0;
    for (size_t i = 0; i < c->n_words; i++)
        if (!user_is(c->words[i]))
            return unknown_name(c, c->words[i]);
    return wb_cli_usage(c->command,
                        _("what is %s like? Name a kernel of the set to compare it with, or "
                          "give --like NAME"),
                        comparison_user_label(c, c->words[0]));
}

/* Collects the labels that the call gives to kernels. */
static int take_labels(comparison *c) {
    c->view.labels = c->called;
    for (size_t i = 0; i < c->n_words; i++) {
        const char *word = c->words[i];
        if (c->labels[i] && !user_is(word) && comparison_is_lab(word) && !wbk_find(word))
            return wb_cli_usage(c->command, _("%s is a lab, and %s the name of one kernel"), word,
                                c->labels[i]);
        if (c->labels[i])
            c->called[c->view.n_labels++] =
                (view_label){user_is(word) ? comparison_user_label(c, word) : word, c->labels[i]};
    }
    if (c->reference_label)
        c->called[c->view.n_labels++] = (view_label){c->reference, c->reference_label};
    return 0;
}

int comparison_find_model(comparison *c) {
    int unknown = find_task(c);
    if (unknown)
        return unknown;
    for (size_t i = 0; i < c->n_words; i++) {
        bool known = comparison_is_lab(c->words[i]) || wbk_find(c->words[i]);
        int status = user_is(c->words[i]) ? 0
                     : known              ? check_mix(c, c->words[i])
                                          : unknown_name(c, c->words[i]);
        if (status)
            return status;
    }
    wbk_type only = c->type; /* gemm.column_tiles has only double, gemm.wgmma only bf16 */
    while (c->type == WBK_F32 && only < WBK_TYPES - 1 && !c->model->symbol[only])
        only++;
    c->type = c->model->symbol[only] ? only : c->type;
    if (!c->model->symbol[c->type])
        return wb_cli_usage(c->command, _("%s has no version for %s"), c->model->name,
                            wbk_type_name(c->type));
    if (c->values && c->model->shape != WBK_HISTOGRAM)
        return wb_cli_usage(c->command, _("--values is for histograms, and %s is none"),
                            c->model->name);
    int refused = check_reference(c);
    return refused ? refused : take_labels(c);
}

/* Returns the libraries' measured times on that GPU, if its file is the one that they belong to. */
static model_references *references_for(const comparison *c) {
    char *file = model_gpu_file(c->gpu.name, NULL), *full = file ? realpath(file, NULL) : NULL;
    bool ours = full && strcmp(full, c->device.gpu_file) == 0;
    WB_FREE(full, file);
    return ours ? model_references_load(c->gpu.name, NULL) : NULL;
}

/* Chooses the device, and on softgpu the GPU to model: --model's, the device's, or the default. A
 * check models none unless the call names one. */
bool comparison_choose_device(comparison *c, wb_error *err) {
    const char *wanted =
        c->gpu_wanted && strcmp(c->device_wanted, "auto") == 0 ? "soft" : c->device_wanted;
    if (!model_choose_device(wanted, &c->device, err))
        return false;
    if (c->gpu_wanted && c->device.kind != WB_DEVICE_SOFT)
        return wb_fail(err, 2, _("--model is softgpu's: leave --device gpu out"));
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

/* Returns sizes that show the effect in a few seconds. */
static const char *usual_sizes(const comparison *c) {
    static const struct {
        const char *gpu, *soft;
    } usual[WBK_SHAPES] = {
        [WBK_UPDATE] = {"2^26", "2^22"},
        [WBK_ACCESS] = {"2^26", "2^22"},
        [WBK_REDUCE] = {"2^24,1e8", "2^22"},
        [WBK_MAXIMUM] = {"2^24,1e8", "2^22"},
        [WBK_SCAN] = {"2^20,2^24,2^28", "2^20"},
        [WBK_HISTOGRAM] = {"2^24,2^28", "2^20"},
        [WBK_GEMM] = {"1024,4096", "512"},
        [WBK_GEMM_COLUMN] = {"1024,4096", "512"},
        [WBK_GEMM_TURNED] = {"1024,4096", "512"},
        [WBK_GEMM_BATCH] = {"64x1024x1024x1024", "8x128x128x64"},
    };
    bool soft = c->device.kind == WB_DEVICE_SOFT;
    const char *sizes = soft ? usual[c->model->shape].soft : usual[c->model->shape].gpu;
    return sizes ? sizes : soft ? "2048" : "8192";
}

void comparison_add_lab(const comparison *c, const char *lab, const char **argv, size_t *n) {
    WBK_EACH(k) {
        /* On softgpu a copy by host code says nothing of a GPU, and would dwarf the others. */
        bool dwarfs = c->device.kind == WB_DEVICE_SOFT && k->reference && k->shape == WBK_COPY;
        if (*n + 2 < MOST_WORDS && strcmp(k->lab, lab) == 0 && mixes(c, k) && !dwarfs &&
            k->symbol[c->type])
            argv[(*n)++] = k->name;
    }
}

/* Sets the size for --stage to a GPU's usual one, after a small one for checking. On softgpu only
 * the modelled times count, and a lecture should not wait long. */
static int set_stage(comparison *c) {
    if (c->form != FORM_STREAM && !c->svg)
        return wb_cli_usage(c->command, _("--stage is a picture: give --svg FILE for it, or write "
                                          "%%%%compare --stage in a notebook"));
    if (c->check || (c->sizes && strchr(c->sizes, ',')))
        return wb_cli_usage(c->command, c->check ? _("--check has no times to put on a stage")
                                                 : _("--stage shows one size"));
    const char *words[MOST_WORDS];
    size_t n = 0;
    for (size_t i = 0; i < c->n_words; i++)
        if (!user_is(c->words[i]) && comparison_is_lab(c->words[i]))
            comparison_add_lab(c, c->words[i], words, &n);
        else
            n++;
    if (n > STAGE_MOST)
        return wb_cli_usage(c->command,
                            _("--stage shows %d kernels at most, and these are %zu: name "
                              "those to show"),
                            STAGE_MOST, n);
    const char *size = c->sizes ? c->sizes : stage_size(c->model->shape);
    snprintf(c->sizes_used, sizeof c->sizes_used, "%s", size);
    wbk_size parsed;
    char text[80];
    if (wbk_parse_size(c->model->shape, size, &parsed))
        c->view.stage_size = strdup(wbk_format_size(c->model->shape, parsed, text, sizeof text));
    if (c->view.gpu)
        snprintf(c->sizes_used, sizeof c->sizes_used, "%s,%s",
                 stage_small_size(c->model->shape, size), size);
    c->seconds = c->seconds ? c->seconds : c->view.gpu ? "0.01" : "4";
    return 0;
}

int comparison_check_sizes(comparison *c) {
    snprintf(c->sizes_used, sizeof c->sizes_used, "%s", c->sizes ? c->sizes : usual_sizes(c));
    int refused = c->stage ? set_stage(c) : 0;
    if (refused)
        return refused;
    char copy[sizeof c->sizes_used], *rest = NULL;
    memcpy(copy, c->sizes_used, sizeof copy);
    for (char *size = strtok_r(copy, ",", &rest); size; size = strtok_r(NULL, ",", &rest)) {
        wbk_size parsed;
        if (!wbk_parse_size(c->model->shape, size, &parsed))
            return wb_cli_usage(
                c->command, _("\"%s\" is not a size for %s: give %s"), size, c->model->name,
                wbk_dimensions(c->model->shape) == 1
                    ? _("a number of elements (1000000, 1e8, 2^24)")
                : wbk_dimensions(c->model->shape) == 2 ? _("ROWSxCOLUMNS, or one number for both")
                : wbk_dimensions(c->model->shape) == 3
                    ? _("MxNxK, or one number for all three")
                    : _("BATCHxMxNxK, or one number for M, N and K of 16"));
        c->view.wanted_sizes++;
    }
    return c->view.wanted_sizes ? 0 : wb_cli_usage(c->command, _("--sizes is empty"));
}

/* Checks that the device can run each named kernel. A lab's kernels may be left out. */
bool comparison_check_hardware(const comparison *c, wb_error *err) {
    for (size_t i = 0; i < c->n_words; i++) {
        const wbk_kernel *kernel = wbk_find(c->words[i]);
        char why[300];
        if (kernel && !wbk_runs_on(kernel, c->device.name, c->device.capability,
                                   c->device.kind == WB_DEVICE_SOFT, why, sizeof why))
            return wb_fail(err, 1, "%s", why);
    }
    return true;
}
