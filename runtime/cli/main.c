/* main.c: `warpbook` finds the call by its name and runs it. */
#include "runtime/cli/cli.h"
#include "runtime/base/base.h"

#include <signal.h>

extern const wb_command *const __start_wb_commands[];
extern const wb_command *const __stop_wb_commands[];

static int by_order(const void *a, const void *b) {
    const wb_command *x = *(const wb_command *const *)a, *y = *(const wb_command *const *)b;
    return x->order != y->order ? x->order - y->order : strcmp(x->name, y->name);
}

static size_t command_count(void) {
    return (size_t)(__stop_wb_commands - __start_wb_commands);
}

const wb_command *wb_command_find(const char *name) {
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
    fprintf(stderr, _("warpbook: there is no call '%s'%s; `warpbook help` lists them\n"), name,
            wb_text_meant(name, names, n));
    return WB_EXIT_USAGE;
}

static int print_help(void) {
    const wb_command *sorted[64];
    size_t n = command_count() < WB_COUNT(sorted) ? command_count() : WB_COUNT(sorted);
    memcpy(sorted, __start_wb_commands, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], by_order);
    printf(_("usage: warpbook CALL [ARGUMENTS]\n\n"));
    for (size_t i = 0; i < n; i++)
        printf("  %-10s %s\n", sorted[i]->name, wb_tr(sorted[i]->summary));
    printf(_("\n`warpbook help CALL` explains a call. Exit status: 0 done, 1 the user's code "
             "or\nsubmission failed, 2 wrong usage, 3 the machine lacks something.\n"));
    return WB_EXIT_DONE;
}

static void put_usage(const wb_command *command, wb_buf *out) {
    wb_buf_printf(out, _("usage: warpbook %s "), command->name);
    wb_option_usage(out, command->usage, command->options, command->place != WB_OPTION_ANYWHERE);
    wb_buf_putc(out, '\n');
}

static int print_command_help(const wb_command *command) {
    wb_buf out = {0};
    put_usage(command, &out);
    wb_buf_putc(&out, '\n');
    wb_option_wrap(&out, wb_tr(command->help ? command->help : command->summary), 0);
    wb_buf_puts(&out, command->options ? "\n\n" : "\n");
    wb_option_list(&out, command->options, false);
    fputs(out.data ? out.data : "", stdout);
    wb_buf_free(&out);
    return WB_EXIT_DONE;
}

int wb_cli_usage(const wb_command *command, const char *format, ...) {
    wb_buf usage = {0};
    va_list args;
    va_start(args, format);
    fprintf(stderr, "warpbook %s: ", command->name);
    vfprintf(stderr, format, args);
    va_end(args);
    put_usage(command, &usage);
    fprintf(stderr, "\n%s", usage.data ? usage.data : "");
    wb_buf_free(&usage);
    return WB_EXIT_USAGE;
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

/* Ends by the signal that interrupted us, so that the parent process sees it. */
static int end(int status) {
    if (wb_cli_interrupted) {
        fflush(NULL);
        handle_interrupts(SIG_DFL);
        raise(wb_cli_interrupted);
    }
    return status;
}

static int run_command(const wb_command *command, int argc, char **argv) {
    wb_option_fault fault;
    if (command->options) {
        int n = wb_option_read(command->options, command->place, argv + 1, argc - 1,
                               command->record, argv + 1, &fault);
        if (n < 0 && fault.wrong == WB_OPTION_HELP)
            return print_command_help(command);
        if (n < 0) {
            char *why = wb_option_sentence(command->options, &fault);
            int status = wb_cli_usage(command, "%s", why ? why : "");
            free(why);
            return status;
        }
        argc = n + 1;
    }
    return command->run(argc, argv);
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
    if (strcmp(name, "--version") == 0) {
        puts("warpbook " WB_VERSION);
        return WB_EXIT_DONE;
    }
    const wb_command *command = wb_command_find(help ? argv[2] : name);
    if (!command)
        return refuse_unknown(help ? argv[2] : name);
    if (help || (argc == 3 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)))
        return print_command_help(command);
    return end(run_command(command, argc - 1, argv + 1));
}
