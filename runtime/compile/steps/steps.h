/* steps.h: a compilation of one file as the steps that nvcc would take, the device's side and the
 * host's at once: a script for the shell, to be run in `cwd` with $TMPDIR at `folder`. It prints
 * what nvcc would have printed.
 *
 * The list of the files that were read, in make's syntax, is folder/inputs.d then. */
#ifndef WARPBOOK_COMPILE_STEPS_H
#define WARPBOOK_COMPILE_STEPS_H

#include "runtime/base/base.h"

/* How a script ends: well, with an error, having printed just what nvcc would, with a preprocessor
 * over its limits (growth.h), or in some other way (any other code): then nvcc has to be run. */
enum { WB_STEPS_WELL = 0, WB_STEPS_ERROR = 1, WB_STEPS_GROWS = 97, WB_STEPS_UNCLEAR = 99 };

/* For the environment of compilers, whose words are read as English ones; their encoding stays. */
#define WB_COMPILER_LANGUAGE "LANGUAGE=en"

typedef struct wb_steps wb_steps;

/* The steps of a command line of nvcc (with -o, -MD and one source). `unique`, at least 16
 * hexadecimal digits, tells this compilation from every other. NULL: nvcc has to be run. */
wb_steps *wb_steps_plan(const char *const *nvcc, const char *source, const char *cwd,
                        const char *folder, const char *unique, const volatile int *stop);
void wb_steps_free(wb_steps *steps);
/* The commands that nvcc --dryrun prints, in an order that depends on its options. */
typedef enum wb_step {
    WB_STEP_CPP_DEVICE,
    WB_STEP_CPP_HOST,
    WB_STEP_FRONT_END, /* cudafe++ */
    WB_STEP_DEVICE,    /* cicc */
    WB_STEP_COMPILE,   /* the host's compiler */
    WB_STEP_OTHER
} wb_step;

/* Reads what nvcc --dryrun printed, which is changed: `take` gets each command, with rm as rm -f;
 * of the variables that it sets, those that the programs need are appended as a shell's exports.
 * False where take says so, or a shell would not read it as nvcc means it. */
bool wb_steps_read(char *text, wb_buf *exports,
                   bool (*take)(void *ctx, wb_step kind, const char *line), void *ctx);

/* nvcc's line that links, by gold, which takes a fifth of GNU ld's time. What is bound within the
 * library is what it is with that one, for which --dynamic-list means -Bsymbolic, too. Malloc'd;
 * NULL where there is no gold, or an option is not for it. */
char *wb_steps_gold(const char *link);

/* After WB_STEPS_GROWS: wb_growth_error of this source in this folder. */
char *wb_steps_growth(const wb_steps *steps, const char *source, const char *cwd,
                      const volatile int *stop);

/* The shell script that takes all steps; malloc'd, NULL when memory ran out. */
char *wb_steps_script(const wb_steps *steps);

#endif
