/* main.c: `warpbook`: finds the call by its name and runs it. */
#include "runtime/cli/words.h"
#include "runtime/base/language.h"
#include "runtime/base/base.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const wb_command *const __start_wb_commands[];
extern const wb_command *const __stop_wb_commands[];

static int by_order(const void *a, const void *b) {
    const wb_command *x = *(const wb_command *const *)a, *y = *(const wb_command *const *)b;
    return x->order != y->order ? x->order - y->order : strcmp(x->name, y->name);
}

static size_t command_count(void) {
    return (size_t)(__stop_wb_commands - __start_wb_commands);
}

static const wb_command *find(const char *name) {
    for (size_t i = 0; i < command_count(); i++)
        if (strcmp(__start_wb_commands[i]->name, name) == 0)
            return __start_wb_commands[i];
    return NULL;
}

static int refuse_unknown(const char *name) {
    const char *names[64];
    size_t n = 0;
    for (; n < command_count() && n < WB_COUNT(names); n++)
        names[n] = __start_wb_commands[n]->name;
    const char *near = wb_text_nearest(name, names, n);
    fprintf(stderr, wb_tr("warpbook: there is no call '%s'%s%s%s; `warpbook help` lists them\n"),
            name, near ? wb_tr(", did you mean '") : "", near ? near : "", near ? "'?" : "");
    return WB_EXIT_USAGE;
}

static int print_help(void) {
    const wb_command *sorted[64];
    size_t n = command_count() < WB_COUNT(sorted) ? command_count() : WB_COUNT(sorted);
    memcpy(sorted, __start_wb_commands, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], by_order);
    printf(wb_tr("usage: warpbook CALL [ARGUMENTS]\n\n"));
    for (size_t i = 0; i < n; i++)
        printf("  %-10s %s\n", sorted[i]->name, wb_tr(sorted[i]->summary));
    printf(
        wb_tr("\n`warpbook help CALL` tells the rest. Exit status: 0 done, 1 the user's code or\n"
              "submission failed, 2 wrong usage, 3 the machine lacks something.\n"));
    return WB_EXIT_DONE;
}

static int print_command_help(const wb_command *command) {
    printf(wb_tr("usage: warpbook %s %s\n\n%s\n"), command->name, command->usage,
           wb_tr(command->help ? command->help : command->summary));
    return WB_EXIT_DONE;
}

/* ---- interrupts --------------------------------------------------------------------------- */

volatile int wb_cli_interrupted;

static void on_interrupt(int signal) {
    wb_cli_interrupted = signal;
}

static void handle_interrupts(void (*handler)(int)) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handler}, before;
    for (size_t i = 0; i < WB_COUNT(signals); i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void wb_cli_catch_interrupts(void) {
    handle_interrupts(on_interrupt);
}

/* Who waits for us is to see what ended us. */
static int end(int status) {
    if (wb_cli_interrupted) {
        fflush(NULL);
        handle_interrupts(SIG_DFL);
        raise(wb_cli_interrupted);
    }
    return status;
}

static int run_command(const wb_command *command, int argc, char **argv) {
    char **words = calloc(2 * (size_t)argc + 1, sizeof *words);
    int n = words ? wb_cli_words(command, argc, argv, words) : -1 - WB_EXIT_MACHINE;
    int status = n >= 0 ? command->run(n, words) : n == -1 ? print_command_help(command) : -1 - n;
    free(words);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_help();
        return WB_EXIT_USAGE;
    }
    const char *name = argv[1];
    bool help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (help && argc == 2)
        return print_help();
    const wb_command *command = find(help ? argv[2] : name);
    if (!command)
        return refuse_unknown(help ? argv[2] : name);
    if (help || (argc == 3 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)))
        return print_command_help(command);
    return end(run_command(command, argc - 1, argv + 1));
}
