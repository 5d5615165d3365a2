/* session_test.c: whole cells through the session, from tests/cells: a folder a case, its
 * cells 1.cu, 2.cu, ... run in order in one notebook. N.want says what the cell has to do: each of
 * its lines stands, in this order, in the account below; a line that begins with '!' stands nowhere
 * in it.
 *
 *     out TEXT      a line of stdout          value TEXT    text/plain of the displayed value
 *     err TEXT      a line of stderr          display JSON  a display, with its id
 *     hint KIND LINE "NAME"                   of runtime/cells/hint
 *     error ENAME: EVALUE                     trace TEXT    a line of the traceback, without
 * colours lost          the state is lost         ok            it ended well
 *
 * A line "cached" stands first when the cell came from the compile cache. A first line "exactly"
 * says that the lines below it are the whole account, "cached" aside.
 *
 * N.in is what the user answers when the cell reads stdin ("42 7" without it); an empty one is an
 * end of file.
 *
 * N.id, where there is one, is what the notebook's editor calls the cell.
 *
 * A folder of many small cells has them in one file, cells.txt: a line "--- WANT" begins a cell.
 *
 * A case may have a file env of "NAME=VALUE" lines, set while its session is opened and runs;
 * RLIMIT_FSIZE is the limit of that name, in bytes; TMPDIR_SIZE makes $TMPDIR a disk of so many
 * bytes, and where nobody may mount one the case is passed over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/worker/session.h"

typedef struct account {
    wb_buf out, err, shown;
    const char *answer; /* NULL: end of file */
} account;

static void on_stream(void *ctx, int fd, const char *text, size_t len) {
    account *a = ctx;
    wb_buf_append(fd == 1 ? &a->out : &a->err, text, len);
}

static void on_display(void *ctx, const json_t *data, const json_t *metadata, const char *id,
                       bool update) {
    (void)metadata;
    char *text = json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS);
    wb_buf_printf(&((account *)ctx)->shown, "display %s%s%s%s\n", text, id ? " id " : "",
                  id ? id : "", update ? " update" : "");
    free(text);
}

static char *on_input(void *ctx, const char *prompt, bool password) {
    account *a = ctx;
    (void)password;
    wb_buf_printf(&a->shown, "input %s\n", prompt);
    return a->answer ? strdup(a->answer) : NULL;
}

static void add_lines(wb_buf *to, const char *kind, const char *text) {
    for (const char *p = text ? text : ""; *p;) {
        size_t n = strcspn(p, "\n");
        wb_buf_printf(to, "%s %.*s\n", kind, (int)n, p);
        p += n + (p[n] == '\n');
    }
}

static void add_plain(wb_buf *to, const char *kind, const char *text) {
    wb_buf plain = {0};
    for (const char *p = text; *p; p++) {
        if (*p == '\033') /* a colour */
            p += strcspn(p, "m");
        else
            wb_buf_putc(&plain, *p);
    }
    add_lines(to, kind, plain.data);
    wb_buf_free(&plain);
}

/* Runs one cell; returns its account. */
static char *run(wb_session *s, const char *code, size_t len, int number, const char *origin,
                 const char *answer) {
    account a = {.answer = answer};
    wb_sink sink = {.ctx = &a, .stream = on_stream, .display = on_display, .input = on_input};
    wb_result r;
    wb_session_run(s, &(wb_cell){.code = code, .len = len, .number = number, .origin = origin},
                   &sink, &r);
    wb_buf all = {0};
    if (r.cached)
        wb_buf_puts(&all, "cached\n");
    add_lines(&all, "out", a.out.data);
    add_lines(&all, "err", a.err.data);
    wb_buf_puts(&all, a.shown.data ? a.shown.data : "");
    if (r.value)
        add_lines(&all, "value", json_string_value(json_object_get(r.value, "text/plain")));
    if (r.status == WB_OK)
        wb_buf_puts(&all, "ok\n");
    else
        wb_buf_printf(&all, "error %s: %s\n", r.ename, r.evalue);
    size_t i;
    json_t *line, *hint;
    json_array_foreach(r.traceback, i, line) add_plain(&all, "trace", json_string_value(line));
    json_array_foreach(r.hints, i, hint)
        wb_buf_printf(&all, "hint %s %d \"%s\"\n", json_string_value(json_object_get(hint, "kind")),
                      (int)json_integer_value(json_object_get(hint, "line")),
                      json_string_value(json_object_get(hint, "name")));
    if (r.state_lost)
        wb_buf_puts(&all, "lost\n");
    wb_result_free(&r);
    wb_buf_free(&a.out);
    wb_buf_free(&a.err);
    wb_buf_free(&a.shown);
    return wb_buf_steal(&all);
}

/* False, with a message, when the account is not what is wanted. */
static bool check(const char *where, const char *account, char *want) {
    static const char whole[] = "exactly\n", cached[] = "cached\n";
    const char *at = account;
    char *rest = want;
    if (strncmp(want, whole, sizeof whole - 1) == 0) {
        at += strncmp(at, cached, sizeof cached - 1) == 0 ? sizeof cached - 1 : 0;
        if (strcmp(at, want + sizeof whole - 1) == 0)
            return true;
        const char *wanted = want + sizeof whole - 1, *there = at;
        for (size_t n; (n = strcspn(wanted, "\n")) == strcspn(there, "\n") && wanted[n] &&
                       strncmp(wanted, there, n + 1) == 0;)
            wanted += n + 1, there += n + 1;
        print_error("%s: not \"%.*s\" but \"%.*s\"\n", where, (int)strcspn(wanted, "\n"), wanted,
                    (int)strcspn(there, "\n"), there);
        print_error("%s: it is not\n%s\nbut\n%s", where, want, account);
        return false;
    }
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (!*line)
            continue;
        if (*line == '!') {
            if (!strstr(account, line + 1))
                continue;
            print_error("%s: \"%s\" must not be in\n%s", where, line + 1, account);
            return false;
        }
        const char *found = strstr(at, line);
        if (!found) {
            print_error("%s: \"%s\" is not (there) in\n%s", where, line, account);
            return false;
        }
        at = found + strlen(line);
    }
    return true;
}

static void go_on(int number) {
    (void)number;
}

static void limit_files(rlim_t bytes) {
    signal(SIGXFSZ, go_on); /* as in the kernel */
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
}

/* A disk of its own as $TMPDIR, seen by this process and its children alone. NULL: take it away. */
static bool small_disk(const char *bytes) {
    static char *before, *folder;
    if (!bytes) {
        umount2(folder, MNT_DETACH);
        rmdir(folder);
        before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
        free(before), free(folder);
        return true;
    }
    char *size = wb_format("size=%s", bytes);
    before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    folder = wb_format("%s/disk-XXXXXX", before ? before : "/tmp");
    bool ok = unshare(CLONE_NEWNS) == 0 &&
              mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mkdtemp(folder) &&
              mount("none", folder, "tmpfs", 0, size) == 0 && setenv("TMPDIR", folder, 1) == 0;
    free(size);
    return ok;
}

/* A case's settings, "NAME=VALUE" a line of its file env; set: or take them back. */
static void settings(const char *folder, bool set) {
    char *path = wb_format("%s/env", folder);
    wb_buf text = {0};
    bool there = wb_file_exists(path) && wb_file_read(path, 0, &text, NULL) && text.data;
    char *rest = there ? text.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n")) != NULL;) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        if (strcmp(line, "RLIMIT_FSIZE") == 0) {
            limit_files(set ? strtoull(value, NULL, 10) : RLIM_INFINITY);
            continue;
        }
        if (strcmp(line, "TMPDIR_SIZE") == 0) {
            if (!small_disk(set ? value : NULL))
                skip();
            continue;
        }
        if (set)
            setenv(line, value, 1);
        else
            unsetenv(line);
    }
    wb_buf_free(&text);
    free(path);
}

/* Runs the cells N.cu of the folder. Returns false if one does not do what N.want says. */
static bool run_files(wb_session *s, const char *folder) {
    bool good = true;
    for (int i = 1; good; i++) {
        char *cell = wb_format("%s/%d.cu", folder, i), *wish = wb_format("%s/%d.want", folder, i);
        char *named = wb_format("%s/%d.id", folder, i);
        char *typed = wb_format("%s/%d.in", folder, i);
        wb_buf code = {0}, want = {0}, origin = {0}, input = {0};
        bool there = wb_file_read(cell, 0, &code, NULL);
        if (there) {
            wb_file_read(named, 0, &origin, NULL);
            bool told = wb_file_read(typed, 0, &input, NULL);
            char *account = run(s, code.data ? code.data : "", code.len, i, origin.data,
                                !told       ? "42 7"
                                : input.len ? input.data
                                            : NULL);
            assert_true(wb_file_read(wish, 0, &want, NULL));
            good = check(cell, account, want.data);
            free(account);
        }
        wb_buf_free(&code);
        wb_buf_free(&want);
        wb_buf_free(&origin);
        wb_buf_free(&input);
        free(typed);
        free(named);
        free(cell);
        free(wish);
        if (!there)
            break;
    }
    return good;
}

/* Runs the cells of a file, all of them. Returns false if one does not do what its line says. */
static bool run_table(wb_session *s, const char *file) {
    wb_buf text = {0};
    assert_true(wb_file_read(file, 0, &text, NULL) && text.data);
    bool good = true;
    int number = 0;
    for (char *at = strstr(text.data, "--- "), *next; at; at = next) {
        next = strstr(at, "\n--- ");
        if (next)
            *next++ = '\0';
        char *want = strsep(&at, "\n") + 4, *where = wb_format("%s: %s", file, want);
        char *account = run(s, at, strlen(at), ++number, NULL, "42 7");
        good &= check(where, account, want);
        free(account);
        free(where);
    }
    wb_buf_free(&text);
    assert_true(number > 0);
    return good;
}

static void run_case(void **state) {
    const char *folder = *state;
    settings(folder, true);
    wb_error err = {0};
    wb_session *s = wb_session_open(&(wb_session_options){.device = "soft", .cwd = folder}, &err);
    if (!s)
        fail_msg("%s", err.text);
    char *table = wb_format("%s/cells.txt", folder);
    bool good = wb_file_exists(table) ? run_table(s, table) : run_files(s, folder);
    free(table);
    wb_session_close(s);
    settings(folder, false);
    assert_true(good);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

int main(int argc, char **argv) {
    static struct CMUnitTest tests[200];
    size_t n = 0;
    const char *root = getenv("WARPBOOK_CELLS") ? getenv("WARPBOOK_CELLS") : "tests/cells";
    DIR *d = opendir(root);
    if (!d) {
        fprintf(stderr, "%s can't be read; run this in the top folder\n", root);
        return 1;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL && n < WB_COUNT(tests);) {
        char *first = wb_format("%s/%s/1.cu", root, e->d_name);
        char *table = wb_format("%s/%s/cells.txt", root, e->d_name);
        bool chosen = argc < 2;
        for (int i = 1; i < argc; i++)
            chosen |= strcmp(argv[i], e->d_name) == 0;
        if (chosen && (wb_file_exists(first) || wb_file_exists(table)))
            tests[n++] = (struct CMUnitTest){.name = strdup(e->d_name),
                                             .test_func = run_case,
                                             .initial_state = wb_format("%s/%s", root, e->d_name)};
        free(first);
        free(table);
    }
    closedir(d);
    qsort(tests, n, sizeof *tests, by_name);
    if (n == 0)
        return 1;
    int failed = _cmocka_run_group_tests("cells", tests, n, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        free((char *)tests[i].name);
        free(tests[i].initial_state);
    }
    return failed;
}
