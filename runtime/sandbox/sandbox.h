/* sandbox.h: runs what is not trusted: without a network, on a read-only system, with a private
 * /tmp and limits on memory, processes, files and time. Made by bubblewrap (namespaces) and
 * warpbook-confine (rlimits, an unprivileged user, a seccomp filter).
 *
 * Works unprivileged where user namespaces are allowed, and as root, where the sandboxed program
 * runs as a user id of its own. */
#ifndef WARPBOOK_SANDBOX_H
#define WARPBOOK_SANDBOX_H

#include "runtime/base/base.h"

/* All-zero fields mean "none" or "no such limit". */
typedef struct wb_sandbox_spec {
    const char *const *read_only; /* more host paths, seen under the same names; NULL-terminated */
    const char *const *writable;  /* files or folders; NULL-terminated */
    const char *const *env;       /* "NAME=value"; the rest of the environment is gone */
    const char *cwd;
    size_t memory;    /* bytes of private data a process (RLIMIT_DATA) */
    size_t processes; /* processes and threads at one time */
    size_t file;      /* bytes a file (RLIMIT_FSIZE) */
    size_t tmp;       /* bytes of the private /tmp; 0: 64 MiB */
    unsigned cpu_s;   /* CPU seconds a process */
} wb_sandbox_spec;

/* Makes sure, once a process, that a sandbox can be made here and holds: runs a probe in one that
 * tries what must not work. False with what is missing and the command that fixes it. */
bool wb_sandbox_check(wb_error *err);

/* The bubblewrap in use: the one on $PATH, or the one that came with this installation; malloc'd,
 * NULL: none. */
char *wb_sandbox_program(void);

/* What lets this machine, or the container this is, make sandboxes, after bubblewrap has said why
 * it can't: a command, or options for who starts the container. A constant. */
const char *wb_sandbox_fix(const char *said);

/* The argv to put before a program's own, for wb_proc_run or wb_compile's `wrapper`;
 * NULL-terminated, freed with wb_sandbox_argv_free. Fails only for lack of memory or bubblewrap. */
char **wb_sandbox_argv(const wb_sandbox_spec *spec, wb_error *err);
void wb_sandbox_argv_free(char **argv);

/* Lets the sandboxed user write to a folder the caller made (it may have a user id of its own). */
bool wb_sandbox_give(const char *path, wb_error *err);

#endif
