/* shell.c: %%writefile, %%file, %%bash, %%sh, %%shell, %ls and other commands, and !command. */
#include "jupyter_kernel/magics/magics.h"

#include <errno.h>

#include "jupyter_kernel/execution/child.h"
#include "runtime/model/choose.h"

/* Finds the device that the notebook runs on. */
static bool find_device(execution *x, wb_device *device) {
    wb_session *session = live_peek(x->live);
    if (session && wb_session_device(session, device))
        return true;
    wb_error err = {0};
    return model_choose_device(x->live->device, device, &err) ||
           execution_fail(x, "DeviceError", "%s", err.text);
}

/* Runs a command in an environment in which nvcc builds programs for the device of the cells. */
static bool run_shell(execution *x, const char *const *argv, int *exit_code, int *signal) {
    wb_device device;
    if (!find_device(x, &device))
        return false;
    char **env = wb_device_shell(&device);
    bool ok = env ? child_show(x, argv, (const char *const *)env, exit_code, signal)
                  : execution_fail(x, "MemoryError", _("out of memory"));
    wb_device_entries_free(env);
    return ok;
}

/* As in IPython, a command's failure does not fail the cell, but here its exit status is shown. A
 * second mark (!!), which makes a value of the output in IPython, changes nothing. */
bool magics_shell(execution *x, const char *command) {
    command += *command == '!';
    const char *argv[] = {"bash", "-c", command, NULL};
    int exit_code, signal;
    if (!run_shell(x, argv, &exit_code, &signal))
        return false;
    if (signal)
        execution_printf(x, _("[ended by signal %d: %s]\n"), signal, strsignal(signal));
    else if (exit_code)
        execution_printf(x, _("[exit status %d]\n"), exit_code);
    return true;
}

/* Runs the command with the magic's name: %ls, %pwd, %cat. */
bool magic_command(magic_call *c) {
    WB_SCOPED char *command = wb_format("%s %s", c->magic->name, c->args);
    return command ? magics_shell(c->x, command)
                   : execution_fail(c->x, "MemoryError", _("out of memory"));
}

/* Runs %%bash and %%shell with bash, and %%sh with sh. */
bool magic_bash(magic_call *c) {
    const char *shell = strcmp(c->magic->name, "sh") == 0 ? "sh" : "bash";
    WB_SCOPED const char **argv = calloc((size_t)c->n_words + 5, sizeof *argv);
    if (!argv)
        return execution_fail(c->x, "MemoryError", _("out of memory"));
    argv[0] = shell;
    argv[1] = "-c";
    argv[2] = c->body;
    argv[3] = shell;
    for (int i = 0; i < c->n_words; i++)
        argv[4 + i] = c->words[i];
    int exit_code, signal;
    if (!run_shell(c->x, argv, &exit_code, &signal))
        return false;
    if (signal)
        return execution_fail(c->x, "ProcessError", _("%s ended by signal %d: %s"), shell, signal,
                              strsignal(signal));
    if (exit_code)
        return execution_fail(c->x, "ProcessError", _("%s ended with exit status %d"), shell,
                              exit_code);
    return true;
}

/* ---- %%writefile -------------------------------------------------------------------------- */

static bool append(const char *path, const void *data, size_t len, wb_error *err) {
    FILE *f = fopen(path, "ae");
    bool ok = f && fwrite(data, 1, len, f) == len;
    ok = f && fclose(f) == 0 && ok;
    return ok || wb_fail(err, errno, "%s: %s", path, strerror(errno));
}

const wb_option writefile_options[] = {{.name = "-a", .help = N_("append to the file")}, {0}};

bool magic_writefile(magic_call *c) {
    bool add = false;
    if (!magics_read(c, &add))
        return false;
    if (c->n_plain != 1)
        return magics_misuse(c, c->n_plain ? _("one file, please") : _("which file?"));
    const char *path = c->plain[0];
    wb_error err = {0};
    bool there = wb_file_exists(path);
    if (!(add ? append : wb_file_write)(path, c->body, c->body_len, &err))
        return execution_fail(c->x, "FileError", "%s", err.text);
    execution_printf(c->x, "%s %s\n",
                     add     ? _("Appended to")
                     : there ? _("Overwrote")
                             : _("Wrote"),
                     path);
    return true;
}
