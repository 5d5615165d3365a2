/* sandbox.h: runs untrusted programs: no network, a read-only system, a private /tmp, and limits on
 * memory, processes, files and time. It uses bubblewrap (namespaces) and warpbook-confine (rlimits,
 * an unprivileged user, a seccomp filter).
 *
 * It works unprivileged if the system allows user namespaces. It also works as root: the program
 * then runs with a user id of its own. */
#pragma once

#include "runtime/base/base.h"

/* All-zero fields mean "none" or "no such limit". */
typedef struct wb_sandbox_spec {
    const char *const *read_only; /* more host paths, seen under the same names; NULL-terminated */
    const char *const *writable;  /* files or folders; NULL-terminated */
    const char *const *env;       /* "NAME=value"; the program sees no other variable */
    const char *const *program;   /* its argv; NULL: the caller adds it; NULL-terminated */
    const char *cwd;
    size_t memory;    /* bytes of private data for each process (RLIMIT_DATA) */
    size_t processes; /* processes and threads at one time */
    size_t file;      /* bytes for each file (RLIMIT_FSIZE) */
    size_t tmp;       /* bytes of the private /tmp; 0: 64 MiB */
    unsigned cpu_s;   /* CPU seconds for each process */
} wb_sandbox_spec;

/* Checks once for each process that a sandbox can be made and holds: a probe inside it tries what
 * must not work. Returns false and sets err to what is missing and the command that fixes it. */
bool wb_sandbox_check(wb_error *err);

/* Returns bubblewrap's path on $PATH, else the installation's; NULL: none. The caller frees it. */
char *wb_sandbox_program(void);

/* Returns what enables sandboxes on this machine, from what bubblewrap said: a command, or options
 * to start the container with. The result is a constant. */
const char *wb_sandbox_fix(const char *said);

/* Returns the argv that runs spec->program. Without one, it goes before a program's own argv.
 * NULL-terminated; free it with wb_sandbox_argv_free. Fails if memory or bubblewrap is missing. */
char **wb_sandbox_argv(const wb_sandbox_spec *spec, wb_error *err);
void wb_sandbox_argv_free(char **argv);

/* Lets the sandboxed user, who may have another user id, write to a folder of the caller. */
bool wb_sandbox_give(const char *path, wb_error *err);
