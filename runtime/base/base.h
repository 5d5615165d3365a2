/* base.h: growable buffers and arrays, errors, files, paths of the installation, child processes,
 * text helpers, SHA-256, the size of memory, and a parallel loop. It includes the C headers that
 * most files need.
 *
 * Ownership: the caller frees a `char *` result; a `const char *` is borrowed. Nothing here prints
 * or exits. The installation prefix is the only global state. Functions that can fail return false
 * (or NULL, or -1) and fill *err when err is not NULL. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define WB_PRINTF(f, a) __attribute__((format(printf, f, a)))
/* Frees each of the pointers; any may be NULL. */
#define WB_FREE(...)                                                                               \
    wb_free_all((void *const[]){__VA_ARGS__}, WB_COUNT(((void *const[]){__VA_ARGS__})))
#define WB_COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* Calls the function with each of the pointers to `type`. */
#define WB_CALL_EACH(function, type, ...)                                                          \
    for (type *const wb_each[] = {__VA_ARGS__}, *const *wb_at = wb_each;                           \
         wb_at < wb_each + WB_COUNT(wb_each); wb_at++)                                             \
    function(*wb_at)

static inline void wb_free_all(void *const *pointers, size_t n) {
    for (size_t i = 0; i < n; i++)
        free(pointers[i]);
}

/* ---- texts (language.c, runtime/language) --------------------------------------------------- */

/* Returns the text in the user's language, or `text` if the catalogue lacks it. The result stays
 * valid. Thread-safe. */
const char *wb_tr(const char *text) __attribute__((format_arg(1)));
/* Marks a text that people read, and looks it up. No function looks up a text that it is given. */
#define _(text) wb_tr(text)
#define N_(text) text /* marks a text of a table; the code that prints it calls wb_tr */
/* Returns the formatted text of a function that ends in `format, ...`. The caller frees it; NULL if
 * memory runs out. WB_FORMAT_INTO writes into an array and truncates. */
#define WB_FORMATTED(format)                                                                       \
    ({                                                                                             \
        char *wb_formatted = NULL;                                                                 \
        va_list wb_args;                                                                           \
        va_start(wb_args, format);                                                                 \
        if (vasprintf(&wb_formatted, format, wb_args) < 0)                                         \
            wb_formatted = NULL;                                                                   \
        va_end(wb_args);                                                                           \
        wb_formatted;                                                                              \
    })
#define WB_FORMAT_INTO(array, format)                                                              \
    do {                                                                                           \
        va_list wb_args;                                                                           \
        va_start(wb_args, format);                                                                 \
        vsnprintf(array, sizeof(array), format, wb_args);                                          \
        va_end(wb_args);                                                                           \
    } while (0)

/* ---- errors (language.c) ------------------------------------------------------------------ */

/* An error message that a user can act on. The caller defines `code`; 0 means no error. */
typedef struct wb_error {
    int code;
    char text[1200];
} wb_error;

/* Sets *err (NULL is allowed) and returns false, so that `return wb_fail(err, ...)` reads well. */
bool wb_fail(wb_error *err, int code, const char *format, ...) WB_PRINTF(3, 4);

/* ---- buffers (buf.c) ---------------------------------------------------------------------- */

/* A growable byte buffer. All-zero is the empty buffer. data is NUL-terminated whenever it is not
 * NULL. When memory runs out, `failed` is set and the content stays. Later appends do nothing, so a
 * chain of appends needs one check at its end. */
typedef struct wb_buf {
    char *data;
    size_t len, cap;
    bool failed;
} wb_buf;

void wb_buf_free(wb_buf *b); /* frees and zeroes */
#define WB_BUF_FREE(...) WB_CALL_EACH(wb_buf_free, wb_buf, __VA_ARGS__)
void wb_buf_clear(wb_buf *b);                /* len = 0, keeps the memory */
bool wb_buf_reserve(wb_buf *b, size_t more); /* room for `more` bytes and the NUL */
bool wb_buf_append(wb_buf *b, const void *data, size_t len);
bool wb_buf_puts(wb_buf *b, const char *text);
bool wb_buf_putc(wb_buf *b, char c);
bool wb_buf_printf(wb_buf *b, const char *format, ...) WB_PRINTF(2, 3);
/* Appends a text as HTML or XML, also within an attribute. Writes < > & " as entities, and control
 * characters other than tab and newline as '?', because XML 1.0 forbids them. NULL: nothing. */
bool wb_buf_markup(wb_buf *b, const char *text);
/* Appends the text with each `what` replaced. */
bool wb_buf_replace(wb_buf *b, const char *text, const char *what, const char *with);
/* Appends markup with each %s escaped. Knows s, d, u, x, f, g, z, ll and %. */
bool wb_buf_markupf(wb_buf *b, const char *format, ...) WB_PRINTF(2, 3);
void wb_buf_consume(wb_buf *b, size_t len); /* drops the first `len` bytes */
/* gives the text ("" if empty) to the caller and zeroes; NULL if failed */
char *wb_buf_steal(wb_buf *b);
char *wb_format(const char *format, ...) WB_PRINTF(1, 2); /* malloc'd; NULL if memory runs out */

/* ---- arrays (buf.c) ----------------------------------------------------------------------- */

/* Adds a zeroed element to the array `v` of `n` elements and increments `n`. Returns a pointer to
 * it. If memory runs out, returns NULL and changes nothing. The capacity follows from `n`, so such
 * an array grows by WB_PUSH alone, from NULL and 0. It may shrink by lowering `n`. */
#define WB_PUSH(v, n)                                                                              \
    ({                                                                                             \
        __typeof__(v) wb_pushed = wb_grow(&(v), (size_t)(n), sizeof *(v));                         \
        (n) += wb_pushed != NULL;                                                                  \
        wb_pushed;                                                                                 \
    })
void *wb_grow(void *array, size_t n, size_t size); /* returns WB_PUSH's element, not yet counted */
/* Adds a copy of a value. Returns false if memory runs out. */
#define WB_ADD(v, n, ...)                                                                          \
    ({                                                                                             \
        __typeof__(v) wb_added = WB_PUSH(v, n);                                                    \
        if (wb_added)                                                                              \
            *wb_added = __VA_ARGS__;                                                               \
        wb_added != NULL;                                                                          \
    })

/* A list that owns its strings. All-zero is the empty list. `v` ends with a NULL, but is NULL
 * itself before the first string. `failed` stays set once memory has run out. */
typedef struct wb_strings {
    char **v;
    size_t n;
    bool failed;
} wb_strings;

bool wb_strings_add(wb_strings *list, const char *text); /* adds a copy */
bool wb_strings_own(wb_strings *list, char *text);       /* takes the text; NULL: memory ran out */
bool wb_strings_words(wb_strings *list, const char *words); /* adds each word between blanks */
char *wb_strings_joined(const wb_strings *list, const char *between); /* the caller frees it */
void wb_strings_free(wb_strings *list);                               /* frees and zeroes */

/* ---- files (file.c), folders (dir.c) ------------------------------------------------------- */

/* Appends the whole file to *out; refuses more than `max` bytes (0: no limit). */
bool wb_file_read(const char *path, size_t max, wb_buf *out, wb_error *err);
/* Does the same for an open file, from its position to its end. `path` is for messages. */
bool wb_fd_read(int fd, const char *path, size_t max, wb_buf *out, wb_error *err);
/* Writes a temporary file, syncs, renames. A killed process leaves the old or the new file. */
bool wb_file_write(const char *path, const void *data, size_t len, wb_error *err);
/* Does the same without the sync, which takes 10 ms or, on a busy disk, seconds. It is for
 * temporary folders and for caches that check what they read: after a power failure the file may be
 * empty. */
bool wb_file_write_unsynced(const char *path, const void *data, size_t len, wb_error *err);
/* The same with another mode than 0666, from which the umask takes its bits. */
bool wb_file_put(const char *path, const void *data, size_t len, mode_t mode, wb_error *err);
bool wb_file_copy(const char *from, const char *to,
                  wb_error *err); /* replaces `to`, takes the mode of `from` */
/* Writes all of it, in as many calls as that takes. Returns false with errno set. */
bool wb_write_all(int fd, const void *data, size_t len);
bool wb_file_exists(const char *path);
bool wb_dir_make(const char *path, wb_error *err);   /* makes its parents too; true if it exists */
bool wb_dir_remove(const char *path, wb_error *err); /* removes all in it; follows no link */
/* Returns the names in a folder that end with `end`, sorted, without hidden ones. Returns none if
 * the folder can't be read. The caller frees the list. */
wb_strings wb_dir_names(const char *path, const char *end);
/* Makes a private folder $TMPDIR/warpbook-NAME-XXXXXX. The caller frees the path. If a process dies
 * without wb_dir_remove, the next call with that NAME removes its folder. */
char *wb_dir_temp(const char *name, wb_error *err);

/* ---- the installation (paths.c) ----------------------------------------------------------- */

/* Finds the prefix from /proc/self/exe, so a build tree, an installation and a moved copy all work:
 * PREFIX/bin/warpbook, PREFIX/lib/warpbook/..., PREFIX/share/warpbook/... The programs in
 * lib/warpbook find the same prefix. $WARPBOOK_PREFIX overrides it. */
const char *wb_path_prefix(void);
char *wb_path_bin(void);                 /* PREFIX/bin/warpbook */
char *wb_path_lib(const char *name);     /* PREFIX/lib/warpbook/NAME */
char *wb_path_share(const char *name);   /* PREFIX/share/warpbook/NAME */
char *wb_path_cache(const char *name);   /* $XDG_CACHE_HOME or ~/.cache, /warpbook/NAME */
char *wb_path_find(const char *program); /* on $PATH; NULL if it is not there */

/* ---- child processes (proc.c) ------------------------------------------------------------- */

/* Makes glibc's malloc() ask for pages of 2 MB: one page fault instead of 512. For processes that
 * fill large arrays. A glibc without this setting ignores it. */
#define WB_PROC_LARGE_PAGES "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

/* The program and its limits. All-zero fields mean "no such limit" or "inherit". */
typedef struct wb_proc_spec {
    const char *const *argv; /* NULL-terminated; argv[0] is looked up on $PATH */
    const char *const
        *env; /* NULL-terminated "NAME=value" laid over the environment; "NAME" alone removes */
    const char *cwd;
    const void *input; /* bytes for the child's stdin; NULL: /dev/null */
    size_t input_len;
    /* Replaces `input`. The calling thread calls it when a process of the child's group has waited
     * for stdin for a tenth of a second. Returns a malloc'd line without its newline, or NULL to
     * end stdin. Without /proc/PID/syscall it is never called, and stdin is empty. */
    char *(*ask)(void *ctx);
    size_t max_output; /* bytes kept of stdout and of stderr each; the rest is read and counted */
    double timeout_s;  /* wall clock; then the whole process group is killed */
    double timeout_cpu_s; /* the same limit, for CPU time of the child and its descendants */
    double limit_cpu_s;   /* RLIMIT_CPU */
    size_t limit_memory;  /* RLIMIT_AS, bytes */
    size_t limit_file;    /* RLIMIT_FSIZE, bytes */
    int nice;             /* added to the child's nice value: others go first on busy processors */
    const char *cgroup;   /* the control group that the child joins (cgroup.h); NULL: ours */
    size_t limit_output;  /* stdout + stderr bytes after which the child is killed */
    bool merge_stderr;    /* stderr goes into out */
    int pass_fd;          /* >0: one more descriptor the child keeps, under the same number */
    /* a thread or a signal handler makes it non-zero to kill the group within 20 ms; or NULL */
    const volatile int *stop;
    double stop_grace_s; /* sends SIGINT first, and kills this much later */
    /* Gets each piece of stdout (fd 1) and stderr (2) on the calling thread. The result does not
     * keep these pieces. NULL: the result keeps them. */
    void (*output)(void *ctx, int fd, const char *data, size_t len);
    void *ctx;
} wb_proc_spec;

typedef struct wb_proc_result {
    int exit_code;           /* 0..255, or -1 when a signal ended it */
    int signal;              /* 0, or the signal */
    bool timed_out, flooded; /* killed for a timeout, for limit_output */
    bool stopped;            /* killed for *stop */
    double wall_s, cpu_s;
    size_t out_total, err_total; /* bytes written, kept or not */
    wb_buf out, err;
} wb_proc_result;

/* Runs the program to its end in a process group of its own. No child outlives the caller
 * (PDEATHSIG). Returns false only if it could not start. The caller frees the result either way. */
bool wb_proc_run(const wb_proc_spec *spec, wb_proc_result *result, wb_error *err);
void wb_proc_result_free(wb_proc_result *result);
/* Returns the environment with wb_proc_spec.env laid over it, or NULL if memory runs out. The array
 * is malloc'd, its strings are not. */
char **wb_proc_environment(const char *const *over);
/* Writes "ended by signal 11 (segmentation fault)", "exit status 3", ... Returns text. */
const char *wb_proc_describe(const wb_proc_result *result, char *text, size_t size);
/* Returns the seconds that the process's first thread was ready but not running (schedstat, Linux's
 * Documentation/scheduler/sched-stats.rst). Returns 0 if the system does not say. */
double wb_proc_queued(int pid);

/* ---- text (text.c) ------------------------------------------------------------------------ */

/* Replaces each `what` in *text, which is malloc'd or NULL. Keeps the text if memory runs out. */
void wb_text_replace(char **text, const char *what, const char *with);
bool wb_begins(const char *text, const char *with);
bool wb_ends(const char *text, const char *with);
/* Returns what follows the last slash of a path; NULL for NULL. */
const char *wb_path_name(const char *path);
int wb_by_text(const void *a, const void *b); /* for qsort() of an array of strings */
/* Returns the line of `at`, which points into the text. The first line is 1. */
int wb_line_at(const char *text, const char *at);
/* Returns the start of that line, or NULL if the text has fewer or is NULL. *len: its length. */
const char *wb_text_line(const char *text, int line, size_t *len);

/* Returns the 64-bit FNV-1a hash of some bytes, added to `h`. Begin with WB_HASH. */
#define WB_HASH 14695981039346656037u
uint64_t wb_hash(uint64_t h, const void *data, size_t len);

/* Appends `len` bytes as valid UTF-8 with U+FFFD for invalid bytes. An incomplete sequence at the
 * end (at most 3 bytes) stays in carry[0..*carry_len) for the next call. `final` flushes it. */
bool wb_utf8_decode(wb_buf *out, char carry[4], size_t *carry_len, const char *data, size_t len,
                    bool final);
/* Appends the text as valid UTF-8 without loss: writes each invalid byte as \xNN. */
bool wb_utf8_plain(wb_buf *out, const char *text, size_t len);
/* Returns `len` less an incomplete sequence at the end. */
size_t wb_utf8_whole(const char *text, size_t len);
size_t wb_utf8_offset(const char *text, size_t len,
                      size_t codepoints);           /* byte offset of a code point */
size_t wb_utf8_count(const char *text, size_t len); /* code points */
/* Returns the edit distance of the first 63 bytes: to change, insert, remove, or swap with the
 * next. */
size_t wb_text_distance(const char *a, size_t n, const char *b, size_t m);
/* Returns the entry of names[0..n) nearest to `name` by edit distance, or NULL if none is near. */
const char *wb_text_nearest(const char *name, const char *const *names, size_t n);
/* Returns ", did you mean NAME?" with that entry, in the user's language, or "". The text is valid
 * until the thread's next call. */
const char *wb_text_meant(const char *name, const char *const *names, size_t n);
double wb_now(void); /* CLOCK_MONOTONIC, seconds */

/* ---- variables of the environment (text.c); runtime/README.md has the table ---------------- */

const char *wb_setting(const char *name);         /* NULL if it is unset or empty */
bool wb_setting_on(const char *name, bool usual); /* false if it is "0" */
/* Returns a whole number. Returns `usual` if the variable is unset, no number or below `least`. */
uint64_t wb_setting_number(const char *name, uint64_t least, uint64_t usual);
double wb_setting_seconds(const char *name, double usual); /* `usual` unless it is above 0 */

/* ---- sums (sha256.c) ---------------------------------------------------------------------- */

/* SHA-256 in hexadecimal. It needs no library: programs on softgpu must not load libcrypto. */
enum { WB_SHA256_TEXT = 65 }; /* the digits and a NUL */
void wb_sha256(const void *data, size_t len, char text[WB_SHA256_TEXT]);
/* Hashes the files' contents in order (NULL-terminated). Returns false if it can't read one. */
bool wb_sha256_files(const char *const *paths, char text[WB_SHA256_TEXT]);

/* ---- memory (memory.c) -------------------------------------------------------------------- */

/* Returns the memory of this machine, or of our control group if that is less, in bytes; 0:
 * unknown. It reads files, so do not call it for every launch. */
size_t wb_memory_machine(void);
/* Returns how many processes the system has killed since it started because memory ran out. */
unsigned long wb_memory_kills(void);

/* ---- threads (parallel.c) ----------------------------------------------------------------- */

/* Calls work(ctx, from, to) on consecutive parts of 0..n, one thread for each core. Returns when
 * all are done. The caller's thread does the work of a thread that can't start. */
void wb_parallel(int64_t n, void (*work)(void *ctx, int64_t from, int64_t to), void *ctx);
