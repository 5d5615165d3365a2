/* comparison.h: one call of `warpbook compare`, shared by its parts: its arguments (options.c), the
 * child that measures (compare.c), and its output (output.c). */
#pragma once

#include <jansson.h>

#include "kernels/registry.h"
#include "runtime/base/base.h"
#include "runtime/cli/cli.h"
#include "runtime/compare/stage.h"
#include "runtime/compare/user.h"
#include "runtime/compare/view.h"
#include "runtime/device/device.h"

enum { MOST_NAMES = 48, MOST_WORDS = 512 };

typedef enum output_form { FORM_TABLE, FORM_JSON, FORM_STREAM } output_form;

typedef struct comparison {
    const wb_command *command;
    int form; /* output_form */
    const char *device_wanted, *sizes, *rounds, *seconds, *alpha, *beta, *reference, *like, *svg;
    const char *share, *offset, *values;
    wb_seed seed;
    char seed_text[24];
    const char *gpu_wanted; /* --model: a GPU's name or file, "none", or NULL */
    wbk_type type;
    bool check;
    bool stage;                    /* --stage, for a lecture hall */
    const char *before;            /* the state of the last --stage run, or NULL */
    const char *words[MOST_NAMES]; /* as given, without labels */
    size_t n_words;
    const char *labels[MOST_NAMES]; /* the words' labels, or NULL */
    const char *reference_label;
    view_label called[MOST_NAMES + 1];
    const wbk_kernel *model; /* the task of the user's kernels: --like, or the first of the set */
    char sizes_used[4000];
    wb_device device;
    char *folder; /* with the user's compiled kernels, or NULL */
    user_kernel users[MOST_NAMES];
    size_t n_users;
    model_gpu gpu; /* the GPU whose times are modelled */
    model_references *references;
    compare_view view;
    wb_buf line, errors; /* warpbook-compare's unfinished stdout line; its stderr */
    double shown;        /* time of the last chart */
    char *said;          /* the last text on stage */
    bool chart_sent, on_terminal;
} comparison;

/* ---- options.c: each says what is wrong, and gives the exit status ---- */

extern const wb_option comparison_options[];
int comparison_read(comparison *c, int argc, char **argv);
/* Finds the kernels' common task, their types and labels. */
int comparison_find_model(comparison *c);
bool comparison_choose_device(comparison *c, wb_error *err);
bool comparison_check_hardware(const comparison *c, wb_error *err);
int comparison_check_sizes(comparison *c);

bool comparison_is_lab(const char *name);
bool comparison_has_users(const comparison *c);
const char *comparison_user_label(const comparison *c, const char *word);
/* Appends the lab's kernels that fit this comparison, while there is room. */
void comparison_add_lab(const comparison *c, const char *lab, const char **argv, size_t *n);

/* ---- output.c ---- */

void comparison_print(json_t *event); /* takes it over */
/* Sends the picture for --stage. `words` is a progress text; NULL: the view's. */
void comparison_send_stage(comparison *c, const char *words);
void comparison_progress(comparison *c);
void comparison_show(comparison *c);
bool comparison_write_svg(const comparison *c, wb_error *err);
