/* comparison.h: one call of `warpbook compare`, as its parts see it: what its words say
 * (options.c), the child that measures (compare.c), and what is shown (output.c). */
#ifndef WARPBOOK_COMPARE_COMPARISON_H
#define WARPBOOK_COMPARE_COMPARISON_H

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
    bool stage;                    /* for the back row */
    const char *before;            /* the result of the last run on stage; NULL: none */
    const char *words[MOST_NAMES]; /* as given, without their labels */
    size_t n_words;
    const char *labels[MOST_NAMES]; /* of the words; NULL: it has none */
    const char *reference_label;
    view_label called[MOST_NAMES + 1];
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
    char *said;          /* on stage: what it said */
    bool chart_sent, on_terminal;
} comparison;

/* ---- options.c: each says what is wrong, and gives the exit status ---- */

extern const wb_option comparison_options[];
int comparison_read(comparison *c, int argc, char **argv);
/* The kernels' task, whether all have it, and what they are to be called. */
int comparison_find_model(comparison *c);
bool comparison_choose_device(comparison *c, wb_error *err);
bool comparison_check_hardware(const comparison *c, wb_error *err);
int comparison_check_sizes(comparison *c);

bool comparison_is_lab(const char *name);
bool comparison_has_users(const comparison *c);
const char *comparison_user_label(const comparison *c, const char *word);
/* Appends the lab's kernels that this comparison can have, while there is room. */
void comparison_add_lab(const comparison *c, const char *lab, const char **argv, size_t *n);

/* ---- output.c ---- */

void comparison_print(json_t *event); /* takes it over */
/* On stage: the picture; `words` of how far things are, or NULL: what the view says. */
void comparison_send_stage(comparison *c, const char *words);
void comparison_progress(comparison *c);
void comparison_show(comparison *c);
bool comparison_write_svg(const comparison *c, wb_error *err);

#endif
