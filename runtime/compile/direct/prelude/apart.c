/* apart.c: see apart.h. */
#include "runtime/compile/direct/prelude/apart.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

void wb_run_apart(const char *const *argv, int niceness) {
    pid_t pid = fork();
    if (pid == 0) { /* the parent has threads, so call only async-signal-safe functions */
        setsid();
        if (fork() != 0)
            _exit(0); /* init adopts and reaps the program */
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++)
            dup2(null, fd);
        close_range(3, ~0U, 0);
        if (niceness)
            (void)!nice(niceness);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}
