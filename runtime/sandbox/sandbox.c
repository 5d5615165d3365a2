/* sandbox.c: bubblewrap's command line, and the check that the sandbox holds. */
#include "runtime/sandbox/sandbox.h"
#include "runtime/base/language.h"
#include "runtime/base/scoped.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ARGS = 512 };

/* The user ids that root gives to sandboxes: EACH for each process of ours, so that no two
 * sandboxes share one. A container may lack these ids. It gets those that systemd reserves for such
 * use. */
enum { FIRST_USER = 1 << 30, EACH = 256, FIRST_RESERVED = 61184, RESERVED = 4096 };

typedef struct arguments {
    char *list[MAX_ARGS + 1];
    size_t n;
    bool failed;
} arguments;

static void add(arguments *a, const char *text) {
    char *copy = text ? strdup(text) : NULL;
    if (!copy || a->n >= MAX_ARGS) {
        free(copy);
        a->failed = true;
        return;
    }
    a->list[a->n++] = copy;
}

static void add_pair(arguments *a, const char *option, const char *value) {
    add(a, option);
    add(a, value);
}

static void add_bind(arguments *a, const char *option, const char *path) {
    add_pair(a, option, path);
    add(a, path);
}

/* Makes the folders above a path readable for all: bubblewrap makes them root's alone. */
static void add_parents(arguments *a, const char *path) {
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        char *parent = strndup(path, (size_t)(slash - path));
        bool known = !parent || strcmp(parent, "/tmp") == 0 || strcmp(parent, "/usr") == 0;
        for (size_t i = 0; !known && i + 1 < a->n; i++)
            known = strcmp(a->list[i], "--dir") == 0 && strcmp(a->list[i + 1], parent) == 0;
        if (!known) {
            add_pair(a, "--perms", "0755");
            add_pair(a, "--dir", parent);
        }
        free(parent);
    }
}

static void add_visible(arguments *a, const char *option, const char *path) {
    if (strncmp(path, "/usr/", 5) != 0)
        add_parents(a, path);
    add_bind(a, option, path);
}

static void add_number(arguments *a, const char *option, size_t value) {
    char text[32];
    snprintf(text, sizeof text, "%zu", value);
    if (value)
        add_pair(a, option, text);
}

/* Shows /bin, /lib, ... as on this system: as links into /usr, or as folders. */
static void add_system(arguments *a) {
    static const char *const roots[] = {"/bin", "/sbin", "/lib", "/lib64", "/lib32"};
    static const char *const etc[] = {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
                                      "/etc/alternatives", "/etc/localtime"};
    add_bind(a, "--ro-bind", "/usr");
    for (size_t i = 0; i < WB_COUNT(roots); i++) {
        char target[256];
        ssize_t n = readlink(roots[i], target, sizeof target - 1);
        if (n > 0) {
            target[n] = '\0';
            add_pair(a, "--symlink", target);
            add(a, roots[i]);
        } else {
            add_bind(a, "--ro-bind-try", roots[i]);
        }
    }
    for (size_t i = 0; i < WB_COUNT(etc); i++)
        add_visible(a, "--ro-bind-try", etc[i]);
    add_pair(a, "--proc", "/proc");
    add_pair(a, "--dev", "/dev");
}

static void add_namespaces(arguments *a) {
    static const char *const root[] = {"--unshare-pid", "--unshare-net", "--unshare-ipc",
                                       "--unshare-uts", "--cap-add",     "CAP_SETUID",
                                       "--cap-add",     "CAP_SETGID"};
    if (geteuid() == 0)
        for (size_t i = 0; i < WB_COUNT(root); i++)
            add(a, root[i]);
    else
        add(a, "--unshare-all");
    add(a, "--die-with-parent");
    add(a, "--new-session");
}

static void add_environment(arguments *a, const char *const *env) {
    static const char *const fixed[][2] = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                           {"HOME", "/tmp"},
                                           {"TMPDIR", "/tmp"},
                                           {"LANG", "C.UTF-8"}};
    const char *language = wb_language_name(wb_language_get());
    add(a, "--clearenv");
    for (size_t i = 0; i < WB_COUNT(fixed); i++) {
        add_pair(a, "--setenv", fixed[i][0]);
        add(a, fixed[i][1]);
    }
    add_pair(a, "--setenv", "WARPBOOK_LANGUAGE");
    add(a, language);
    for (; env && *env; env++) {
        size_t n = strcspn(*env, "=");
        char *name = strndup(*env, n);
        add_pair(a, "--setenv", name);
        add(a, (*env)[n] ? *env + n + 1 : "");
        free(name);
    }
}

/* Returns true if this container has the user id. */
static bool has_user(unsigned long id) {
    FILE *map = fopen("/proc/self/uid_map", "r");
    unsigned long first, outside, count;
    bool found = !map;
    while (!found && fscanf(map, "%lu %lu %lu", &first, &outside, &count) == 3)
        found = id >= first && id - first < count;
    if (map)
        fclose(map);
    return found;
}

/* Returns a user id for a sandbox. Linux counts a user's processes, so sandboxes at the same time
 * need different ids. */
static size_t next_user(void) {
    static atomic_uint count;
    const size_t nth = atomic_fetch_add(&count, 1), id = FIRST_USER + (size_t)getpid() * EACH;
    return has_user(id) ? id + nth % EACH
                        : FIRST_RESERVED + ((size_t)getpid() * 16 + nth) % RESERVED;
}

static void add_confine(arguments *a, const wb_sandbox_spec *spec, const char *confine) {
    add(a, "--");
    add(a, confine);
    add_number(a, "--data", spec->memory);
    add_number(a, "--processes", spec->processes);
    add_number(a, "--file", spec->file);
    add_number(a, "--cpu", spec->cpu_s);
    if (geteuid() == 0)
        add_number(a, "--user", next_user());
    add(a, "--");
    for (const char *const *p = spec->program; p && *p; p++)
        add(a, *p);
}

char *wb_sandbox_program(void) {
    char *bwrap = wb_path_find("bwrap");
    WB_SCOPED char *own = bwrap ? NULL : wb_path_lib("bwrap");
    return own ? wb_path_find(own) : bwrap;
}

char **wb_sandbox_argv(const wb_sandbox_spec *spec, wb_error *err) {
    WB_SCOPED char *bwrap = wb_sandbox_program(), *lib = wb_path_lib("");
    WB_SCOPED char *share = wb_path_share(""), *confine = wb_path_lib("warpbook-confine");
    if (!bwrap) {
        wb_fail(err, 1,
                _("bubblewrap is missing; it isolates submissions from this machine. Install it: "
                  "sudo apt-get install bubblewrap"));
        return NULL;
    }
    arguments *a = calloc(1, sizeof *a);
    if (!a || !lib || !share || !confine) {
        wb_fail(err, 1, _("out of memory"));
        free(a);
        return NULL;
    }
    add(a, bwrap);
    add_namespaces(a);
    add_system(a);
    add_pair(a, "--perms", "1777");
    add_number(a, "--size", spec->tmp ? spec->tmp : (size_t)64 << 20);
    add_pair(a, "--tmpfs", "/tmp");
    add_visible(a, "--ro-bind", lib);
    /* hides labs, their tests and solutions */
    if (strncmp(share, "/usr/", 5) == 0)
        add_pair(a, "--tmpfs", share);
    for (const char *const *p = spec->read_only; p && *p; p++)
        add_visible(a, "--ro-bind", *p);
    for (const char *const *p = spec->writable; p && *p; p++)
        add_visible(a, "--bind", *p);
    /* bubblewrap's root is in memory; read-only, so that nobody can fill it */
    add_pair(a, "--remount-ro", "/");
    add_pair(a, "--remount-ro", "/dev");
    add_environment(a, spec->env);
    add_pair(a, "--chdir", spec->cwd ? spec->cwd : "/tmp");
    add_confine(a, spec, confine);
    if (!a->failed)
        return a->list; /* the first member, so freeing it frees all */
    wb_fail(err, 1, _("out of memory, or too many paths for the sandbox"));
    wb_sandbox_argv_free(a->list);
    return NULL;
}

void wb_sandbox_argv_free(char **argv) {
    for (char **p = argv; p && *p; p++)
        free(*p);
    free(argv);
}

bool wb_sandbox_give(const char *path, wb_error *err) {
    /* the parent stays private: a process reaches this path only if a sandbox shows it */
    return chmod(path, 0777) == 0 || wb_fail(err, 1, _("can't change the mode of %s"), path);
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Returns the number in a file under /proc/sys, or -1 if this kernel has no such setting. */
static int setting(const char *path) {
    FILE *f = fopen(path, "r");
    int value = -1;
    if (f) {
        if (fscanf(f, "%d", &value) != 1)
            value = -1;
        fclose(f);
    }
    return value;
}

static bool in_container(void) {
    return wb_file_exists("/.dockerenv") || wb_file_exists("/run/.containerenv") ||
           getenv("KUBERNETES_SERVICE_HOST");
}

const char *wb_sandbox_fix(const char *said) {
    static const char container[] =
        "start the container with --security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --security-opt systempaths=unconfined";
    if (strstr(said, "mount proc")) /* Docker hides a part of /proc */
        return container;
    if (setting("/proc/sys/user/max_user_namespaces") == 0)
        return "sudo sysctl -w user.max_user_namespaces=10000";
    if (setting("/proc/sys/kernel/unprivileged_userns_clone") == 0)
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1";
    if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1) /* Ubuntu 24.04 */
        return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
    if (in_container())
        return container;
    return "sudo sysctl -w kernel.unprivileged_userns_clone=1 "
           "kernel.apparmor_restrict_unprivileged_userns=0";
}

static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;
static int checked; /* 0: not yet, 1: holds, -1: does not */
static wb_error check_error;

static bool run_probe(wb_error *err) {
    WB_SCOPED char *confine = wb_path_lib("warpbook-confine"), *lib = wb_path_lib("");
    const char *program[] = {confine, "--probe", lib, NULL};
    wb_sandbox_spec spec = {.program = program,
                            .memory = (size_t)256 << 20,
                            .processes = 8,
                            .file = 1 << 20,
                            .cpu_s = 5};
    char **argv = wb_sandbox_argv(&spec, err);
    if (!argv)
        return false;
    wb_proc_spec proc = {.argv = (const char *const *)argv,
                         .timeout_s = 20,
                         .max_output = 4096,
                         .merge_stderr = true};
    wb_proc_result result;
    bool ok = wb_proc_run(&proc, &result, err);
    if (ok && (result.exit_code != 0 || !result.out.data || !strstr(result.out.data, "confined"))) {
        char how[128];
        ok = wb_fail(err, 1,
                     _("this machine can't make a sandbox (%s: %.400s), and submissions are graded "
                       "only in one. Its administrator can allow sandboxes: %s"),
                     wb_proc_describe(&result, how, sizeof how),
                     result.out.data ? result.out.data : _("it said nothing"),
                     wb_sandbox_fix(result.out.data ? result.out.data : ""));
    }
    wb_proc_result_free(&result);
    wb_sandbox_argv_free(argv);
    return ok;
}

bool wb_sandbox_check(wb_error *err) {
    WB_LOCKED(&check_lock);
    if (!checked)
        checked = run_probe(&check_error) ? 1 : -1;
    if (checked < 0 && err)
        *err = check_error;
    return checked > 0;
}
