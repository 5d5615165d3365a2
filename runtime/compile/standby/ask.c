/* ask.c: warpbook-standby FOLDER CELL PROGRAM ARGUMENT... does what PROGRAM with its arguments, one
 * of the steps of nvcc for the cell CELL, would do: by a copy of one that waits (standby.h), where
 * there is one; else, and whenever anything is not as expected, by becoming that program. FOLDER is
 * where the program's files are. Exits with its status. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/compile/standby/await.h"
#include "runtime/compile/standby/begin.h"
#include "runtime/compile/standby/room.h"
#include "runtime/compile/standby/standby.h"

/* A beginning is worth a standby with so much text, or so much more than one has. */
enum { LEAST_TEXT = 64 << 10, LEAST_MORE = 16 << 10, PATIENCE_S = 5 };

typedef struct ask {
    const char *folder;
    char **command; /* the program's */
    char *program;  /* its file */
    char **argv;    /* as a standby has it: `n` arguments */
    size_t n;
    char *input, *module_file; /* names in `folder` */
    standby_names names;
    wb_buf text;
    standby_cuts cuts;
    char *path; /* of the sockets' folder, and open */
    int root;
} ask;

/* The exit status where no standby has done it, and nothing else is to: $WARPBOOK_STANDBY is
 * "only", for tests. Where it is "ahead" nothing is done at all but that one is begun. */
enum { NOT_BY_COPY = 98 };

static bool setting_is(const char *value) {
    const char *setting = getenv("WARPBOOK_STANDBY");
    return setting && strcmp(setting, value) == 0;
}

/* ---- what is asked for ---------------------------------------------------------------------- */

/* The argument's part behind the folder; NULL: it is elsewhere. */
static char *name_in(const ask *a, const char *argument) {
    size_t n = strlen(a->folder);
    return strncmp(argument, a->folder, n) == 0 && argument[n] == '/' &&
                   !strchr(argument + n + 1, '/')
               ? strdup(argument + n + 1)
               : NULL;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static char *path_of(const ask *a, const char *name) {
    return wb_format("%s/%s", a->folder, name);
}

static bool read_command(ask *a, const char *cell) {
    const char *module = NULL;
    for (size_t i = 0; a->command[i]; i++) {
        if (ends_with(a->command[i], ".ii") && !a->input)
            a->input = name_in(a, a->command[i]);
        if (strcmp(a->command[i], "--module_id_file_name") == 0)
            module = a->command[i + 1];
    }
    a->module_file = module ? name_in(a, module) : NULL;
    char *path = a->input ? path_of(a, a->input) : NULL, *cwd = getcwd(NULL, 0);
    wb_buf id = {0};
    a->program = wb_path_find(a->command[0]);
    bool ok = a->program && path && cwd && a->module_file && wb_file_read(module, 256, &id, NULL) &&
              id.data && wb_file_read(path, 0, &a->text, NULL) && a->text.data &&
              standby_names_find(&a->names, cell, a->folder, cwd, a->input, id.data);
    wb_buf_free(&id);
    free(path);
    free(cwd);
    return ok;
}

static bool hide_arguments(ask *a) {
    size_t n = 0;
    while (a->command[n])
        n++;
    a->argv = calloc(n + 1, sizeof *a->argv);
    for (size_t i = 0; a->argv && i < n; i++) {
        a->argv[i] = standby_names_hide(&a->names, a->command[i]);
        if (!a->argv[i])
            return false;
        a->n++;
    }
    char *input = standby_names_hide(&a->names, a->input);
    char *module = standby_names_hide(&a->names, a->module_file);
    free(a->input);
    free(a->module_file);
    a->input = input;
    a->module_file = module;
    return a->argv && input && module;
}

static void put_file(wb_buf *to, const char *path) {
    struct stat st;
    if (stat(path, &st) == 0)
        wb_buf_printf(to, "%s %lld %lld.%09ld %llu\n", path, (long long)st.st_size,
                      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                      (unsigned long long)st.st_ino);
}

/* Variables that a compiler might read. */
static void put_environment(wb_buf *to) {
    extern char **environ;
    static const char *const begins[] = {"LC_", "LANG",   "TZ=",    "NV",  "CUDA",     "CICC",
                                         "EDG", "MALLOC", "GLIBC_", "LD_", "COLUMNS=", "TERM="};
    for (size_t i = 0; environ[i]; i++)
        for (size_t j = 0; j < WB_COUNT(begins); j++)
            if (strncmp(environ[i], begins[j], strlen(begins[j])) == 0)
                wb_buf_printf(to, "%s\n", environ[i]);
}

/* All that makes one standby another, save the text; malloc'd. */
static char *identity(const ask *a) {
    char host[256] = "", *library = wb_path_lib("libwarpbook_standby.so");
    struct rlimit stack = {0, 0};
    wb_buf all = {0};
    gethostname(host, sizeof host - 1);
    getrlimit(RLIMIT_STACK, &stack);
    wb_buf_printf(&all, "%s\n%s %d\n%llu %llu\n", STANDBY_VERSION, host,
                  getpriority(PRIO_PROCESS, 0), (unsigned long long)stack.rlim_cur,
                  (unsigned long long)stack.rlim_max);
    put_file(&all, a->program);
    if (library)
        put_file(&all, library);
    for (size_t i = 0; i < a->n; i++)
        wb_buf_printf(&all, "%s\n", a->argv[i]);
    put_environment(&all);
    bool ok = library && wb_file_exists(library);
    free(library);
    char *text = wb_buf_steal(&all);
    if (!ok) {
        free(text);
        return NULL;
    }
    return text;
}

/* The folder of the sockets: ours alone. */
static bool open_root(ask *a) {
    struct stat st;
    a->path = wb_path_cache("standby");
    if (!a->path || !wb_dir_make(a->path, NULL))
        return false;
    a->root = open(a->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return a->root >= 0 && fstat(a->root, &st) == 0 && st.st_uid == geteuid() &&
           ((st.st_mode & 077) == 0 || fchmod(a->root, 0700) == 0);
}

static bool prepare(ask *a, const char *cell) {
    char *first = read_command(a, cell) && hide_arguments(a) ? identity(a) : NULL;
    bool ok = first && standby_cuts_find(&a->cuts, &a->names, a->text.data, first) &&
              a->cuts.v[a->cuts.n - 1].hidden >= LEAST_TEXT && open_root(a);
    free(first);
    return ok;
}

/* ---- asking --------------------------------------------------------------------------------- */

static int connect_to(const ask *a, const char *key) {
    struct timeval patience = {.tv_sec = PATIENCE_S};
    int fd =
        faccessat(a->root, key, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? room_connect(a->root, key) : -1;
    if (fd >= 0 && (!room_same_user(fd) ||
                    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The standby that has read most; -1. */
static int find(const ask *a, const standby_cut **cut) {
    for (size_t i = a->cuts.n; i-- > 0;) {
        int fd = connect_to(a, a->cuts.v[i].key);
        *cut = &a->cuts.v[i];
        if (fd >= 0)
            return fd;
    }
    *cut = NULL;
    return -1;
}

/* Files of the program that are named otherwise for a standby: `from` in the folder gets the name
 * `to`, or has it too. */
static bool give_name(const ask *a, const char *from, const char *to, bool keep) {
    char *old = path_of(a, from), *new = path_of(a, to);
    bool ok = old && new && (keep ? (unlink(new), link(old, new)) : rename(old, new)) == 0;
    free(old);
    free(new);
    return ok;
}

/* One that is stuck gets no name in the way of the next, and ends. */
static void drop(const ask *a, int fd, const standby_cut *cut) {
    unlinkat(a->root, cut->key, 0);
    standby_drop(fd);
}

static bool ask_for(const ask *a, int fd, const standby_cut *cut, int words, standby_reply *reply) {
    standby_request r = {.kind = STANDBY_COMPILE, .from = (off_t)cut->at};
    char *real = NULL;
    for (size_t i = 0; a->command[i] && !real; i++)
        real = ends_with(a->command[i], ".ii") ? a->command[i] : NULL;
    int fds[STANDBY_FDS];
    r.umask = umask(0);
    umask(r.umask);
    for (int i = 0; i < (int)RLIM_NLIMITS; i++)
        getrlimit((__rlimit_resource_t)i, &r.limits[i]);
    fds[STANDBY_STDIN] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    fds[STANDBY_WORDS] = words;
    fds[STANDBY_FOLDER] = open(a->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fds[STANDBY_TEXT] = real ? open(real, O_RDONLY | O_CLOEXEC) : -1;
    bool ok = true;
    for (int i = 0; i < STANDBY_FDS; i++)
        ok = ok && fds[i] >= 0;
    ok = ok && room_send(fd, &r, sizeof r, fds, STANDBY_FDS);
    for (int i = 0; i < STANDBY_FDS; i++)
        if (i != STANDBY_WORDS && fds[i] >= 0)
            close(fds[i]);
    bool stuck = false, done = ok && standby_await(fd, reply, &stuck);
    if (stuck)
        drop(a, fd, cut);
    return done && WIFEXITED(reply->status) && WEXITSTATUS(reply->status) <= 2;
}

/* Gives what the copy has written its real names. */
static bool show_file(const ask *a, const char *constant, const char *real, const char *began) {
    char *path = path_of(a, constant);
    wb_buf text = {0};
    bool ok = path && wb_file_read(path, 0, &text, NULL);
    if (ok && text.data && standby_names_show(&a->names, began, &text)) {
        int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        ok = !text.failed && fd >= 0 && wb_write_all(fd, text.data, text.len);
        ok = fd >= 0 && close(fd) == 0 && ok;
    }
    wb_buf_free(&text);
    free(path);
    return ok && give_name(a, constant, real, false);
}

static bool show_files(const ask *a, const char *began) {
    static const char *const outputs[] = {"--gen_c_file_name", "--gen_device_file_name",
                                          "--stub_file_name", "-o"};
    for (size_t i = 0; i + 1 < a->n; i++)
        for (size_t j = 0; j < WB_COUNT(outputs); j++) {
            char *real =
                strcmp(a->command[i], outputs[j]) == 0 ? name_in(a, a->command[i + 1]) : NULL;
            char *path = real ? path_of(a, a->argv[i + 1]) : NULL;
            bool ok = !path || !wb_file_exists(path) || show_file(a, a->argv[i + 1], real, began);
            free(real);
            free(path);
            if (!ok)
                return false;
        }
    return true;
}

static bool show_words(const ask *a, int words, const char *began) {
    wb_buf text = {0};
    bool ok = lseek(words, 0, SEEK_SET) == 0 && wb_fd_read(words, "words", 0, &text, NULL);
    if (ok && text.data)
        standby_names_show(&a->names, began, &text);
    ok = ok && !text.failed && (!text.len || wb_write_all(1, text.data, text.len));
    wb_buf_free(&text);
    return ok;
}

/* The exit status of a copy's work; -1: there is none. */
static int by_copy(const ask *a, int fd, const standby_cut *cut) {
    standby_reply reply;
    int words = memfd_create("words", MFD_CLOEXEC);
    char *module = NULL;
    for (size_t i = 0; a->command[i + 1]; i++)
        if (strcmp(a->command[i], "--module_id_file_name") == 0)
            module = name_in(a, a->command[i + 1]);
    bool ok = words >= 0 && module && give_name(a, module, a->module_file, true) &&
              ask_for(a, fd, cut, words, &reply) && show_files(a, reply.folder) &&
              show_words(a, words, reply.folder);
    free(module);
    if (words >= 0)
        close(words);
    return ok ? WEXITSTATUS(reply.status) : -1;
}

/* The status, or -1: the program itself has to be run. */
static int run(ask *a, const char *cell) {
    bool ahead = setting_is("ahead");
    if (setting_is("0") || !prepare(a, cell))
        return ahead ? 0 : -1;
    const standby_cut *cut, *last = &a->cuts.v[a->cuts.n - 1];
    int fd = find(a, &cut);
    if (last->hidden - (cut ? cut->hidden : 0) >= LEAST_MORE &&
        standby_is_due(a->root, last->key, ahead)) {
        int shorter = cut ? connect_to(a, cut->key) : -1;
        standby_begin(&(standby_start){.root = a->root,
                                       .path = a->path,
                                       .program = a->program,
                                       .argv = a->argv,
                                       .input = a->input,
                                       .module_file = a->module_file,
                                       .names = &a->names,
                                       .cuts = &a->cuts,
                                       .shorter = shorter});
        if (shorter >= 0)
            close(shorter);
    }
    int status = ahead ? 0 : fd >= 0 ? by_copy(a, fd, cut) : -1;
    if (fd >= 0)
        close(fd);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: warpbook-standby FOLDER CELL PROGRAM ARGUMENT...\n");
        return 2;
    }
    ask a = {.folder = argv[1], .command = argv + 3, .root = -1};
    int status = run(&a, argv[2]); /* what it holds goes with the process */
    if (status >= 0)
        return status;
    if (setting_is("only"))
        return NOT_BY_COPY;
    execvp(a.command[0], a.command);
    fprintf(stderr, "%s: %s\n", a.command[0], strerror(errno));
    return 127;
}
