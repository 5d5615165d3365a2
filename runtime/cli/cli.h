/* cli.h: the one command, `warpbook`, and how a folder adds a call to it.
 *
 * Every folder registers its calls with WB_COMMAND; the entries stand in a linker section of their
 * own, so main() reaches the kernel and the grader without this folder knowing either. */
#ifndef WARPBOOK_CLI_H
#define WARPBOOK_CLI_H

#include "runtime/cli/option.h"

/* Exit statuses, the same for every call. */
enum {
    WB_EXIT_DONE = 0,   /* done */
    WB_EXIT_FAILED = 1, /* the user's code or submission failed */
    WB_EXIT_USAGE = 2,  /* wrong usage */
    WB_EXIT_MACHINE = 3 /* the machine lacks something; the message names the command for that */
};

typedef struct wb_command {
    const char *name;    /* "grade" */
    const char *usage;   /* "LAB SUBMISSION...": the words that are no options */
    const char *summary; /* one line for `warpbook help` */
    const char *help;    /* paragraphs, each one line, for `warpbook help NAME`; NULL: none */
    int order;           /* place in the list of calls */
    /* main() reads the options into the record, and run() gets the other words. NULL: run() gets
     * all words. */
    const wb_option *options;
    wb_option_place place;
    void *record;
    /* argv[0] is the call's name; returns an exit status. */
    int (*run)(int argc, char **argv);
} wb_command;

/* The command of that name, or NULL. */
const wb_command *wb_command_find(const char *name);

/* WB_COMMAND(id) { .name = ..., ... }; at file scope registers a call. */
#define WB_COMMAND(id)                                                                             \
    static const wb_command id;                                                                    \
    __attribute__((used, section("wb_commands"))) static const wb_command *const id##_entry = &id; \
    static const wb_command id =

/* Prints "warpbook NAME: <message>" and the usage line on stderr; returns WB_EXIT_USAGE. */
int wb_cli_usage(const wb_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A call with temporary files: from here on an interrupt (SIGINT, SIGTERM, SIGHUP, where they are
 * not ignored) ends nothing but sets wb_cli_interrupted to its number. The call hands that to what
 * it waits for (`stop` of wb_proc_spec and wb_compile_spec), tidies up and returns; then the
 * process ends by the signal. */
extern volatile int wb_cli_interrupted;
void wb_cli_catch_interrupts(void);

#endif
