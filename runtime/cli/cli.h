/* cli.h: the one command, `warpbook`, and how a folder adds a call to it.
 *
 * Every folder registers its calls with WB_COMMAND; the entries stand in a linker section of their
 * own, so main() reaches the kernel and the grader without this folder knowing either. */
#ifndef WARPBOOK_CLI_H
#define WARPBOOK_CLI_H

#include <stdbool.h>

/* Exit statuses, the same for every call. */
enum {
    WB_EXIT_DONE = 0,   /* done */
    WB_EXIT_FAILED = 1, /* the user's code or submission failed */
    WB_EXIT_USAGE = 2,  /* wrong usage */
    WB_EXIT_MACHINE =
        3, /* the machine lacks something; the message names the command that mends it */
};

typedef struct wb_command {
    const char *name;    /* "grade" */
    const char *usage;   /* "LAB SUBMISSION... [--json]": what follows the name */
    const char *summary; /* one line for `warpbook help` */
    const char *help; /* the whole help text, for `warpbook help NAME` and `warpbook NAME --help` */
    int order;        /* place in the list of calls */
    /* The options that take a value, "--seed --device", which may also be written --seed=7: the
     * call gets two words. A call asked with one of them as its last word is not run. */
    const char *values;
    /* Those that take none, "--json", or "". Every other word that begins with a dash is refused
     * then, with the nearest one, before the call is run. NULL: the call looks for itself. */
    const char *flags;
    bool leading; /* options end at the first other word; what follows is not looked at */
    /* argv[0] is the call's name; returns an exit status. */
    int (*run)(int argc, char **argv);
} wb_command;

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
