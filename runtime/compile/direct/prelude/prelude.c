/* prelude.c: see prelude.h. */
#include "runtime/compile/direct/prelude/prelude.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/embed.h"
#include "runtime/base/words.h"
#include "runtime/compile/cache/cache.h"

/* A prelude takes 20 to 80 MB. */
enum { MAX_KEPT = 8, AGAIN_SECONDS = 120, BEHIND_OTHERS = 4, LEAST_CACHE_MB = 256 };

/* Increment it when the same headers give another prelude. */
#define FORMAT "warpbook prelude 9"

WB_EMBED(support, "runtime/compile/direct/prelude/support.hpp");
WB_EMBED(make_it, "runtime/compile/direct/prelude/make.sh");

static void put_list(wb_buf *b, const wb_strings *list) {
    for (size_t i = 0; i < list->n; i++)
        wb_buf_printf(b, " '%s'", list->v[i]);
}

bool wb_prelude_has(const char *folder, const char *head) {
    bool has = false;
    size_t n;
    for (const char *p = head; *p && !has; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *file = wb_word_included(p, &n);
        WB_SCOPED char *path = file ? wb_format("%s/%.*s", folder, (int)n, file) : NULL;
        has = path && wb_file_exists(path);
    }
    return has;
}

/* Adds the folders that have a header of `head`. Others are left out, because each notebook has
 * another folder and all of a user's notebooks share preludes. */
static void put_folders(wb_buf *b, const wb_options *o, const char *head) {
    for (size_t i = 0; i < o->folders.n; i++)
        if (wb_prelude_has(o->folders.v[i] + 2, head))
            wb_buf_printf(b, " '%s'", o->folders.v[i]);
}

/* Writes the text whose hash names the prelude. */
static bool key_text(wb_buf *b, const wb_options *o, const char *head) {
    WB_SCOPED char *compiler = wb_path_find(o->compiler);
    const char *const tools[] = {o->nvcc.v[0], compiler};
    wb_buf_puts(b, FORMAT);
    for (size_t i = 0; i < WB_COUNT(tools); i++) {
        struct stat st = {0};
        if (!tools[i] || stat(tools[i], &st) != 0)
            continue;
        wb_buf_printf(b, "%lld %lld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec);
    }
    put_list(b, &o->nvcc);
    put_list(b, &o->compile);
    put_folders(b, o, head);
    return wb_buf_puts(b, "\n");
}

static bool name_of(const wb_buf *options, const char *head, size_t len, char key[WB_SHA256_TEXT]) {
    WB_SCOPED_BUF wb_buf all = {0};
    bool ok = wb_buf_append(&all, options->data, options->len) && wb_buf_append(&all, head, len);
    if (ok)
        wb_sha256(all.data, all.len, key);
    return ok;
}

bool wb_prelude_find(const wb_options *o, const char *head, wb_prelude *prelude) {
    char key[WB_SHA256_TEXT];
    WB_SCOPED char *root = wb_path_cache("prelude");
    WB_SCOPED_BUF wb_buf options = {0};
    *prelude = (wb_prelude){.folder = NULL};
    bool ok = root && key_text(&options, o, head);
    for (size_t len = strlen(head); ok && len > 0 && !prelude->folder; len--) {
        if (head[len - 1] != '\n' || !name_of(&options, head, len, key))
            continue;
        WB_SCOPED char *folder = wb_format("%s/%s", root, key);
        WB_SCOPED char *stamps = wb_format("%s/%s/stamps", root, key);
        /* all headers, and the files made from them, must be unchanged */
        if (folder && stamps && utimensat(AT_FDCWD, folder, NULL, 0) == 0 &&
            wb_cache_stamps_hold(stamps)) {
            prelude->folder = folder;
            prelude->rest = head + len;
            folder = NULL;
        }
    }
    return prelude->folder != NULL;
}

void wb_prelude_free(wb_prelude *prelude) {
    free(prelude->folder);
    *prelude = (wb_prelude){.folder = NULL};
}

/* ---- making one ------------------------------------------------------------------------------ */

/* Writes a shell function that calls the command with its arguments appended. */
static void put_function(wb_buf *b, const char *name, const char *command,
                         const wb_strings *options, const wb_strings *more) {
    wb_buf_printf(b, "%s() { %s", name, command);
    put_list(b, options);
    if (more)
        put_list(b, more);
    wb_buf_puts(b, " \"$@\"; }\n");
}

/* Returns make.sh after the functions that it uses. The caller frees it. */
static char *make_script(const wb_options *o, const char *made, const char *kept) {
    wb_buf b = {0};
    wb_buf_printf(&b, "made='%s'; kept='%s'; tool='%s'; compiler='%s'\n", made, kept, o->nvcc.v[0],
                  o->compiler);
    put_function(&b, "nvcc", "", &o->nvcc, &o->folders);
    put_function(&b, "device", "\"$tool\" -ptx", &o->device, NULL);
    put_function(&b, "host", "\"$compiler\"", &o->compile, NULL);
    wb_buf_puts(&b, "folders() { \"$@\"");
    put_list(&b, &o->folders);
    wb_buf_puts(&b, "; }\n");
    wb_buf_puts(&b, make_it);
    if (b.failed)
        wb_buf_free(&b);
    return wb_buf_steal(&b);
}

static bool write_beside(const char *folder, const char *name, const char *text) {
    WB_SCOPED char *path = wb_format("%s/%s", folder, name);
    return path && text && wb_file_write_unsynced(path, text, strlen(text), NULL);
}

/* Returns true if this process should make it: not while it is being made or was tried recently,
 * and not at the first request unless wanted `now`. A file .turn-KEY, not counted as kept, notes
 * the first request, and then the start. */
static bool take_turn(const char *root, const char *key, bool now) {
    WB_SCOPED char *path = wb_format("%s/.turn-%s", root, key);
    struct stat st;
    bool met = path && stat(path, &st) == 0;
    bool begun = met && st.st_size > 0 && st.st_mtim.tv_sec + AGAIN_SECONDS >= time(NULL);
    bool due = path && !begun && (met || now);
    if (path && !begun)
        due &= wb_file_write_unsynced(path, "begun", due ? 5 : 0, NULL);
    return due;
}

/* Starts argv[0], found on $PATH, in a session of its own that outlives this process, with only
 * /dev/null open. Does not wait. */
static void run_apart(const char *const *argv) {
    pid_t pid = fork();
    if (pid == 0) { /* the parent has threads, so call only async-signal-safe functions */
        setsid();
        if (fork() != 0)
            _exit(0); /* init adopts and reaps the program */
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++)
            dup2(null, fd);
        close_range(3, ~0U, 0);
        (void)!nice(BEHIND_OTHERS);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

void wb_prelude_begin(const wb_options *o, const char *head, bool now) {
    char key[WB_SHA256_TEXT];
    WB_SCOPED char *root = wb_path_cache("prelude"), *kept = NULL, *made = NULL;
    WB_SCOPED_BUF wb_buf options = {0};
    if (root && wb_setting_number("WARPBOOK_CACHE_MB", 0, LEAST_CACHE_MB) >= LEAST_CACHE_MB &&
        wb_dir_make(root, NULL) && !strpbrk(root, "'\n") && key_text(&options, o, head) &&
        name_of(&options, head, strlen(head), key))
        kept = wb_format("%s/%s", root, key);
    if (kept && take_turn(root, key, now)) {
        wb_cache_room(root, MAX_KEPT);
        wb_cache_drop(kept);
        made = wb_format("%s/new-XXXXXX", root);
    }
    WB_SCOPED char *unit = wb_format("%s#line 1 \"kit\"\nextern \"C\" int warpbook_kit;\n", head);
    if (made && mkdtemp(made)) {
        WB_SCOPED char *script = make_script(o, made, kept), *path = wb_format("%s/make.sh", made);
        if (write_beside(made, "head.cu", unit) && write_beside(made, "support.hpp", support) &&
            write_beside(made, "make.sh", script) && path)
            run_apart((const char *const[]){"sh", path, NULL});
    }
}
