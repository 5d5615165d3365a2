/* warpbook-confine: the last step into the sandbox. Sets limits, becomes an unprivileged user,
 * forbids system calls that programs in there do not need, and runs the program.
 *
 *     warpbook-confine [--data BYTES] [--processes N] [--file BYTES] [--cpu SECONDS] [--user ID]
 *                      -- PROGRAM ARGUMENTS...
 *     warpbook-confine --probe INSTALLATION
 *                      tries forbidden things; prints "confined" if all of them fail */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void die(const char *what) {
    fprintf(stderr, "warpbook-confine: %s: %s\n", what, strerror(errno));
    _exit(126);
}

static void limit(int resource, const char *value) {
    rlim_t n = (rlim_t)strtoull(value, NULL, 10);
    struct rlimit both = {n, n};
    if (setrlimit((__rlimit_resource_t)resource, &both) != 0)
        die("setrlimit");
}

static void become(const char *user) {
    uid_t id = (uid_t)strtoul(user, NULL, 10);
    if (setgroups(0, NULL) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0)
        die("can't become an unprivileged user");
}

/* Forbids system calls that reach other processes, the kernel or the network. */
static void filter_calls(void) {
    static const int denied[] = {
        SCMP_SYS(ptrace),
        SCMP_SYS(process_vm_readv),
        SCMP_SYS(process_vm_writev),
        SCMP_SYS(bpf),
        SCMP_SYS(perf_event_open),
        SCMP_SYS(mount),
        SCMP_SYS(umount2),
        SCMP_SYS(pivot_root),
        SCMP_SYS(chroot),
        SCMP_SYS(setns),
        SCMP_SYS(unshare),
        SCMP_SYS(keyctl),
        SCMP_SYS(add_key),
        SCMP_SYS(request_key),
        SCMP_SYS(userfaultfd),
        SCMP_SYS(io_uring_setup),
        SCMP_SYS(kexec_load),
        SCMP_SYS(init_module),
        SCMP_SYS(finit_module),
        SCMP_SYS(delete_module),
        SCMP_SYS(reboot),
        SCMP_SYS(swapon),
        SCMP_SYS(personality),
        SCMP_SYS(open_by_handle_at),
        SCMP_SYS(socket),
        SCMP_SYS(pidfd_getfd),
        SCMP_SYS(kcmp),
        SCMP_SYS(acct),
        SCMP_SYS(quotactl),
        SCMP_SYS(fsopen),
        SCMP_SYS(move_mount),
        SCMP_SYS(open_tree),
        SCMP_SYS(seccomp),
    };
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool ok = filter != NULL;
    for (size_t i = 0; ok && i < sizeof denied / sizeof denied[0]; i++)
        ok = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), denied[i], 0) == 0;
    /* New namespaces: filters clone's flags. clone3 hides them, so libc must use clone. */
    ok = ok && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)) == 0;
    ok = ok && seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    ok = ok && seccomp_load(filter) == 0;
    if (!ok)
        die("can't install the system call filter");
    seccomp_release(filter);
}

/* ---- the probe ------------------------------------------------------------------------------ */

static bool can_write(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int forked_before_refusal(void) {
    int n = 0;
    pid_t pids[64];
    while (n < 64 && (pids[n] = fork()) >= 0) {
        if (pids[n] == 0) {
            usleep(200000);
            _exit(0);
        }
        n++;
    }
    for (int i = 0; i < n; i++)
        kill(pids[i], SIGKILL);
    for (int i = 0; i < n; i++)
        waitpid(pids[i], NULL, 0);
    return n;
}

/* Returns true if the folder, and each folder below it, shows nothing but the way to `path`. */
static bool leads_only_to(const char *folder, const char *path) {
    char next[PATH_MAX];
    DIR *dir = opendir(folder);
    bool alone = true, found = false;
    if (!dir)
        return true;
    for (struct dirent *e; alone && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        int n = snprintf(next, sizeof next, "%s/%s", folder, e->d_name);
        found = n > 0 && (size_t)n < sizeof next && strncmp(path, next, (size_t)n) == 0 &&
                (path[n] == '/' || path[n] == '\0');
        alone = found;
    }
    closedir(dir);
    bool arrived = found && strspn(path + strlen(next), "/") == strlen(path + strlen(next));
    return alone && (!found || arrived || leads_only_to(next, path));
}

/* Returns a hole in the sandbox. A home folder may show only the way to `installation`. */
static int probe(const char *installation) {
    const char *hole = NULL;
    if (can_write("/usr/warpbook-probe") || can_write("/etc/warpbook-probe"))
        hole = "the system can be written to";
    else if (can_write("/dev/warpbook-probe") || can_write("/dev/shm/warpbook-probe"))
        hole = "/dev can be filled";
    else if (!can_write("/tmp/probe") || !can_write("/dev/null"))
        hole = "the private /tmp can't be written to";
    else if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
        hole = "sockets can be made";
    else if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
        hole = "ptrace works";
    else if (geteuid() == 0 || setuid(0) == 0)
        hole = "it runs as root";
    else if (!leads_only_to("/root", installation) || !leads_only_to("/home", installation))
        hole = "home folders can be seen";
    else if (getpid() > 100)
        hole = "other processes can be seen";
    else if (forked_before_refusal() >= 64)
        hole = "the number of processes is not limited";
    puts(hole ? hole : "confined");
    return hole ? 1 : 0;
}

int main(int argc, char **argv) {
    int i = 1;
    const char *user = NULL;
    if (argc == 3 && strcmp(argv[1], "--probe") == 0)
        return probe(argv[2]);
    for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (strcmp(argv[i], "--data") == 0)
            limit(RLIMIT_DATA, argv[i + 1]);
        else if (strcmp(argv[i], "--processes") == 0)
            limit(RLIMIT_NPROC, argv[i + 1]);
        else if (strcmp(argv[i], "--file") == 0)
            limit(RLIMIT_FSIZE, argv[i + 1]);
        else if (strcmp(argv[i], "--cpu") == 0)
            limit(RLIMIT_CPU, argv[i + 1]);
        else if (strcmp(argv[i], "--user") == 0)
            user = argv[i + 1];
        else
            break;
    }
    if (i + 1 >= argc || strcmp(argv[i], "--") != 0) {
        fprintf(stderr, "warpbook-confine: made for warpbook's sandbox; see sandbox.h\n");
        return 2;
    }
    limit(RLIMIT_CORE, "0");
    umask(022);
    if (user)
        become(user);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        die("no_new_privs");
    filter_calls();
    execv(argv[i + 1], argv + i + 1);
    execvp(argv[i + 1], argv + i + 1);
    die(argv[i + 1]);
}
