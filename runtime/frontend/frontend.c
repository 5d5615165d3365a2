/* frontend.c: see frontend.h. The process (process/) is asked over a socket: the source's path and
 * the object's, each with its NUL; it answers "made" and the files that were read, or "left" and
 * why. Whatever goes wrong in between ends the process; the next cell starts another. */
#include "runtime/frontend/frontend.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long it may take to read the headers, and a cell with its own. nvcc takes no longer. */
static const double start_s = 10, answer_s = 20;
/* One that ended so often over cells is not started again; nor is one that did not start. */
enum { MOST_ENDS = 3 };

struct wb_frontend {
    int fd; /* -1: it does not run */
    pid_t pid;
    int ends;
    char identity[80];
};

extern char **environ;

wb_frontend *wb_frontend_new(void) {
    const char *on = getenv("WARPBOOK_FRONTEND");
    char *program = wb_path_lib("warpbook-frontend");
    struct stat st;
    bool there = on && strcmp(on, "1") == 0 && program && stat(program, &st) == 0;
    free(program);
    wb_frontend *f = there ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->fd = -1;
    snprintf(f->identity, sizeof f->identity, "front end %lld %lld.%09ld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return f;
}

const char *wb_frontend_identity(const wb_frontend *f) {
    return f->identity;
}

static void end(wb_frontend *f) {
    if (f->fd < 0)
        return;
    close(f->fd);
    kill(-f->pid, SIGKILL); /* and all its forks */
    waitpid(f->pid, NULL, 0);
    f->fd = -1;
}

void wb_frontend_free(wb_frontend *f) {
    if (f)
        end(f);
    free(f);
}

/* ---- the process --------------------------------------------------------------------------------
 */

/* Its answer, up to a NUL, before the clock and the user's patience end. */
static bool read_answer(wb_frontend *f, double seconds, const volatile int *stop, wb_buf *answer) {
    for (double until = wb_now() + seconds; wb_now() < until && !(stop && *stop);) {
        struct pollfd p = {.fd = f->fd, .events = POLLIN};
        if (poll(&p, 1, 20) <= 0)
            continue;
        char part[4096];
        ssize_t n = read(f->fd, part, sizeof part);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || !wb_buf_append(answer, part, (size_t)n))
            return false;
        if (part[n - 1] == '\0')
            return true;
    }
    return false;
}

static bool spawn(wb_frontend *f, const char *const *argv, int child_end) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    posix_spawn_file_actions_adddup2(&files, child_end, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    bool ok = posix_spawn(&f->pid, argv[0], &files, &how, (char *const *)argv, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return ok;
}

static bool start(wb_frontend *f, const wb_frontend_job *job, wb_error *why) {
    char *program = wb_path_lib("warpbook-frontend"), *ours = wb_path_share("include");
    char *stand_ins = wb_path_share("frontend");
    const char *argv[] = {program, job->include_dir, ours, stand_ins, NULL};
    int ends[2];
    wb_buf answer = {0};
    bool ok = program && ours && stand_ins &&
              socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    if (ok) {
        ok = spawn(f, argv, ends[1]);
        close(ends[1]);
        f->fd = ends[0];
        if (!ok) {
            close(f->fd);
            f->fd = -1;
        }
    }
    if (ok && (!read_answer(f, start_s, job->stop, &answer) || strcmp(answer.data, "ready") != 0)) {
        wb_fail(why, 1, "the front end does not start: %.300s", answer.data ? answer.data : "");
        end(f);
        f->ends += job->stop && *job->stop ? 0 : MOST_ENDS;
        ok = false;
    }
    wb_buf_free(&answer);
    free(program);
    free(ours);
    free(stand_ins);
    return ok;
}

/* "made" and the files; false: nvcc's. */
static bool ask(wb_frontend *f, const wb_frontend_job *job, const char *object, wb_buf *answer,
                wb_error *why) {
    if (f->fd < 0 && (f->ends >= MOST_ENDS || !start(f, job, why)))
        return false;
    wb_buf words = {0};
    wb_buf_append(&words, job->source, strlen(job->source) + 1);
    wb_buf_append(&words, object, strlen(object) + 1);
    bool ok = !words.failed &&
              send(f->fd, words.data, words.len, MSG_NOSIGNAL) == (ssize_t)words.len &&
              read_answer(f, answer_s, job->stop, answer);
    wb_buf_free(&words);
    if (!ok) {
        end(f);
        f->ends += !(job->stop && *job->stop);
        return wb_fail(why, 1, "the front end crashed or took too long");
    }
    if (strncmp(answer->data, "made\n", 5) != 0)
        return wb_fail(why, 1, "%.300s", answer->data);
    return true;
}

/* ---- the linker ---------------------------------------------------------------------------------
 */

/* Whether the flag changes nothing here; `with`: with the one that follows it. A folder of headers
 * does not: a cell that reads one of the user's is nvcc's (is_hidden). */
static bool is_idle(const char *flag, const char *next, bool *with) {
    *with = strcmp(flag, "-Xcompiler") == 0 && next && strcmp(next, "-fno-gnu-unique") == 0;
    return *with || strncmp(flag, "-I", 2) == 0 ||
           strcmp(flag, "--device-entity-has-hidden-visibility=false") == 0 ||
           strcmp(flag, "-static-global-template-stub=false") == 0;
}

static bool is_linked(const char *flag) {
    size_t n = strlen(flag);
    return *flag != '-' && n > 3 &&
           (strcmp(flag + n - 3, ".so") == 0 || strcmp(flag + n - 2, ".o") == 0);
}

/* The linker's command line, NULL-terminated, its strings borrowed; NULL: a flag that is not known
 * here, or no memory. */
static const char **link_line(const wb_frontend_job *job, const char *object,
                              const char *const folders[2], wb_error *why) {
    size_t n = 0, m = 0;
    while (job->flags && job->flags[n])
        n++;
    const char **argv = calloc(n + 12, sizeof *argv);
    if (!argv)
        return NULL;
    argv[m++] = "g++";
    argv[m++] = "-shared";
    argv[m++] = "-o";
    argv[m++] = job->output;
    argv[m++] = object;
    for (size_t i = 0; i < n; i++) {
        bool with = false;
        const char *flag = job->flags[i];
        if (strcmp(flag, "-Xlinker") == 0 && job->flags[i + 1]) {
            argv[m++] = flag;
            argv[m++] = job->flags[++i];
        } else if (is_idle(flag, job->flags[i + 1], &with)) {
            i += with;
        } else if (is_linked(flag)) {
            argv[m++] = flag;
        } else {
            wb_fail(why, 1, "left the flag %s", flag);
            free(argv);
            return NULL;
        }
    }
    argv[m++] = folders[0];
    if (folders[1])
        argv[m++] = folders[1];
    argv[m++] = "-lcudart";
    return argv;
}

static bool run_linker(const wb_frontend_job *job, const char *const *argv, wb_error *why) {
    wb_proc_result run;
    if (!wb_proc_run(&(wb_proc_spec){.argv = argv,
                                     .cwd = job->cwd,
                                     .timeout_s = answer_s,
                                     .max_output = 4096,
                                     .merge_stderr = true,
                                     .stop = job->stop},
                     &run, why))
        return false;
    bool ok = run.exit_code == 0 && run.out.len == 0;
    if (!ok)
        wb_fail(why, 1, "left the linker: %.300s", run.out.data ? run.out.data : "");
    wb_proc_result_free(&run);
    return ok;
}

/* Whether one of the -I folders has a file of that header's name, which nvcc would read instead. */
static bool is_hidden(const wb_frontend_job *job, const char *path, size_t len) {
    size_t name = len;
    while (name > 0 && path[name - 1] != '/')
        name--;
    bool hidden = false;
    for (size_t i = 0; job->flags && job->flags[i] && !hidden; i++) {
        if (strncmp(job->flags[i], "-I", 2) != 0)
            continue;
        char *other = wb_format("%s/%.*s", job->flags[i] + 2, (int)(len - name), path + name);
        hidden = !other || wb_file_exists(other);
        free(other);
    }
    return hidden;
}

static bool reads_what_nvcc_would(const wb_frontend_job *job, const char *files, wb_error *why) {
    for (const char *at = files; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (is_hidden(job, at, strcspn(at, "\n")))
            return wb_fail(why, 1, "left a header of its own is called as one of the system's");
    return true;
}

/* The files of the answer, as make reads them. */
static bool write_inputs(const wb_frontend_job *job, const char *files) {
    wb_buf text = {0};
    wb_buf_printf(&text, "output: %s", job->source);
    for (const char *at = files; *at; at += strcspn(at, "\n"), at += *at == '\n')
        wb_buf_printf(&text, " \\\n %.*s", (int)strcspn(at, "\n"), at);
    wb_buf_putc(&text, '\n');
    bool ok = !text.failed && wb_file_write(job->depfile, text.data, text.len, NULL);
    wb_buf_free(&text);
    return ok;
}

bool wb_frontend_make(wb_frontend *f, const wb_frontend_job *job, wb_error *why) {
    char *object = wb_format("%s/front.o", job->folder);
    char *library_dir = wb_format("-L%s", job->library_dir);
    char *link_dir = *job->link_dir ? wb_format("-L%s", job->link_dir) : NULL;
    wb_buf answer = {0};
    const char **argv = object && library_dir
                            ? link_line(job, object, (const char *[]){library_dir, link_dir}, why)
                            : NULL;
    bool ok = argv && ask(f, job, object, &answer, why) &&
              reads_what_nvcc_would(job, answer.data + 5, why) && run_linker(job, argv, why) &&
              (!job->depfile || write_inputs(job, answer.data + 5));
    wb_buf_free(&answer);
    free(argv);
    free(object);
    free(library_dir);
    free(link_dir);
    return ok;
}
