/* cli.h: the command `warpbook`, and how a folder adds a call to it.
 *
 * Every folder registers its calls with WB_COMMAND. The entries are in a linker section of their
 * own, so main() reaches the kernel and the grader although this folder knows neither. */
#pragma once

#include "runtime/cli/option.h"

/* Exit statuses, the same for every call. */
enum {
    WB_EXIT_DONE = 0,   /* done */
    WB_EXIT_FAILED = 1, /* the user's code or submission failed */
    WB_EXIT_USAGE = 2,  /* wrong usage */
    /* the machine lacks something; the message names the command that fixes it */
    WB_EXIT_MACHINE = 3,
    WB_EXIT_SANDBOX = 4 /* warpbook grade: the machine cannot make a sandbox */
};

typedef struct wb_command {
    const char *name;    /* "grade" */
    const char *usage;   /* "LAB SUBMISSION...": the arguments that are no options */
    const char *summary; /* one line for `warpbook help` */
    const char *help;    /* paragraphs, each one line, for `warpbook help NAME`; NULL: none */
    int order;           /* position in the list of calls */
    /* main() reads the options into the record; run() gets the rest. NULL: run() gets all words. */
    const wb_option *options;
    wb_option_place place;
    void *record;
    /* argv[0] is the call's name. Returns an exit status. */
    int (*run)(int argc, char **argv);
} wb_command;

/* Returns the command of that name, or NULL. */
const wb_command *wb_command_find(const char *name);

/* Registers a call, at file scope: WB_COMMAND(id) { .name = ..., ... }; */
#define WB_COMMAND(id)                                                                             \
    static const wb_command id;                                                                    \
    __attribute__((used, section("wb_commands"))) static const wb_command *const id##_entry = &id; \
    static const wb_command id =

/* Prints "warpbook NAME: <message>" and the usage line on stderr. Returns WB_EXIT_USAGE. */
int wb_cli_usage(const wb_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes an interrupt (SIGINT, SIGTERM, SIGHUP, unless ignored) set wb_cli_interrupted to its number
 * instead of ending the process. For calls with temporary files: pass it as `stop` of wb_proc_spec
 * and wb_compile_spec, tidy up and return. The process then ends by the signal. */
extern volatile int wb_cli_interrupted;
void wb_cli_catch_interrupts(void);
