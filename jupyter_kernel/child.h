/* child.h: a child process whose output is shown while it runs, and that an interrupt ends. */
#ifndef WARPBOOK_KERNEL_CHILD_H
#define WARPBOOK_KERNEL_CHILD_H

#include "runtime/base/base.h"

typedef struct child_spec {
    const char *const *argv; /* argv[0] is looked up on $PATH */
    int interrupt_fd;        /* readable: SIGINT to its process group, SIGKILL a second later */
    void *ctx;
    /* Output of fd 1 or 2, as it comes: valid UTF-8, never split inside a code point. */
    void (*output)(void *ctx, int fd, const char *text, size_t len);
} child_spec;

typedef struct child_result {
    int exit_code; /* 0..255, or -1 when a signal ended it */
    int signal;
    bool interrupted;
} child_result;

/* Runs to the end; its process group is gone when this returns. stdin is /dev/null. False with *err
 * when it can't be started. */
bool child_run(const child_spec *spec, child_result *result, wb_error *err);

#endif
