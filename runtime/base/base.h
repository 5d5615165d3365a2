/* base.h: what every part of Warpbook needs and C17 does not bring: growable buffers and arrays,
 * errors with a sentence, files, paths of the installation, child processes, small text helpers,
 * SHA-256, how much memory there is, and a loop over several threads. It includes the headers of C
 * that most files need, so that they do not repeat them.
 *
 * Ownership: a function that returns `char *` returns memory the caller frees; a `const char *` is
 * borrowed. Nothing here prints, exits or keeps global state, save the installation prefix, which
 * is found once. Functions that can fail return false (or NULL, or -1) and fill *err when err is
 * not NULL. */
#ifndef WARPBOOK_BASE_H
#define WARPBOOK_BASE_H

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

/* ---- errors (error.c) --------------------------------------------------------------------- */

/* A failure in words a user can act on. `code` is the caller's own; 0 means no error. */
typedef struct wb_error {
    int code;
    char text[1200];
} wb_error;

/* Sets *err (NULL is allowed) and returns false, so that `return wb_fail(err, ...)` reads well. */
bool wb_fail(wb_error *err, int code, const char *format, ...) WB_PRINTF(3, 4);

/* ---- buffers (buf.c) ---------------------------------------------------------------------- */

/* A growable byte buffer. All-zero is the empty buffer; data is NUL-terminated whenever it is not
 * NULL. When memory runs out `failed` is set, the content stays as it was, and later appends do
 * nothing, so a chain of appends needs one check at its end. */
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
/* Appends a text as HTML or XML, also within an attribute: < > & " as entities, other control
 * characters than tab and newline as '?', which XML 1.0 requires. NULL appends nothing. */
bool wb_buf_markup(wb_buf *b, const char *text);
/* Appends the text with each `what` replaced. */
bool wb_buf_replace(wb_buf *b, const char *text, const char *what, const char *with);
/* Appends markup in which each %s is such a text. Knows s, d, u, x, f, g, z, ll and %; the format
 * is not translated. */
bool wb_buf_markupf(wb_buf *b, const char *format, ...) WB_PRINTF(2, 3);
void wb_buf_consume(wb_buf *b, size_t len); /* drops the first `len` bytes */
char *wb_buf_steal(wb_buf *b); /* hands over the text ("" if empty), zeroes; NULL if failed */
char *wb_format(const char *format, ...) WB_PRINTF(1, 2); /* malloc'd; NULL when memory runs out */

/* ---- arrays (buf.c) ----------------------------------------------------------------------- */

/* Adds a zeroed element to the array `v` of `n` elements and counts it in `n`. Returns a pointer to
 * it, or NULL when memory runs out, and then nothing has changed. The capacity follows from `n`, so
 * such an array grows by WB_PUSH alone, from NULL and 0. It may shrink by lowering `n`. */
#define WB_PUSH(v, n)                                                                              \
    ({                                                                                             \
        __typeof__(v) wb_pushed = wb_grow(&(v), (size_t)(n), sizeof *(v));                         \
        (n) += wb_pushed != NULL;                                                                  \
        wb_pushed;                                                                                 \
    })
void *wb_grow(void *array, size_t n, size_t size); /* gives WB_PUSH the element, not yet counted */

/* A list that owns its strings. All-zero is the empty list. `v` ends with a NULL, but is NULL
 * itself before the first string. `failed` stays set once memory has run out. */
typedef struct wb_strings {
    char **v;
    size_t n;
    bool failed;
} wb_strings;

bool wb_strings_add(wb_strings *list, const char *text); /* adds a copy */
bool wb_strings_own(wb_strings *list, char *text);       /* takes the text; NULL: memory ran out */
bool wb_strings_words(wb_strings *list, const char *words); /* adds each; a blank between two */
void wb_strings_free(wb_strings *list);                     /* frees and zeroes */

/* ---- files (file.c), folders (dir.c) ------------------------------------------------------- */

/* Appends the whole file to *out; refuses more than `max` bytes (0: no limit). */
bool wb_file_read(const char *path, size_t max, wb_buf *out, wb_error *err);
/* The same of what is open, from where it stands to its end; `path` is for messages. */
bool wb_fd_read(int fd, const char *path, size_t max, wb_buf *out, wb_error *err);
/* Writes to a temporary name beside `path`, syncs, renames: a killed process leaves old or new. */
bool wb_file_write(const char *path, const void *data, size_t len, wb_error *err);
/* Puts a new file in the place of one that may be running; not synced, and half of it goes. */
bool wb_file_put(const char *path, const void *data, size_t len, mode_t mode, wb_error *err);
bool wb_file_copy(const char *from, const char *to,
                  wb_error *err); /* `to` is replaced; its mode too */
/* All of it to an open file, however many calls that takes; false, with errno. */
bool wb_write_all(int fd, const void *data, size_t len);
bool wb_file_exists(const char *path);
bool wb_dir_make(const char *path, wb_error *err);   /* and its parents; fine if it is there */
bool wb_dir_remove(const char *path, wb_error *err); /* and all in it; never follows links */
/* A new private folder $TMPDIR/warpbook-NAME-XXXXXX, malloc'd; who dies without wb_dir_remove
 * leaves it to the next one that asks for NAME. */
char *wb_dir_temp(const char *name, wb_error *err);

/* ---- the installation (paths.c) ----------------------------------------------------------- */

/* Found from /proc/self/exe, so a build tree, an installation and a moved copy all work:
 * PREFIX/bin/warpbook, PREFIX/lib/warpbook/..., PREFIX/share/warpbook/... (the programs in
 * lib/warpbook find the same prefix). $WARPBOOK_PREFIX overrides. */
const char *wb_path_prefix(void);
char *wb_path_bin(void);                 /* PREFIX/bin/warpbook */
char *wb_path_lib(const char *name);     /* PREFIX/lib/warpbook/NAME */
char *wb_path_share(const char *name);   /* PREFIX/share/warpbook/NAME */
char *wb_path_cache(const char *name);   /* $XDG_CACHE_HOME or ~/.cache, /warpbook/NAME */
char *wb_path_find(const char *program); /* on $PATH; NULL when it is not there */

/* ---- child processes (proc.c) ------------------------------------------------------------- */

/* For the environment of processes that fill large arrays: glibc's malloc() then asks for pages of
 * 2 MB, of which each takes one fault where small ones take 512. Where it knows no such wish
 * nothing changes. */
#define WB_PROC_LARGE_PAGES "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

/* What to run and under which limits; all-zero fields mean "no such limit" or "inherit". */
typedef struct wb_proc_spec {
    const char *const *argv; /* NULL-terminated; argv[0] is looked up on $PATH */
    const char *const
        *env; /* NULL-terminated "NAME=value" laid over the environment; "NAME" alone removes */
    const char *cwd;
    const void *input; /* what the child reads on stdin; NULL: /dev/null */
    size_t input_len;
    /* In place of input: called, on the calling thread, when one of the child's group has waited
     * for its stdin for a tenth of a second. Returns a malloc'd line without its newline; NULL:
     * stdin ends. Where there is no /proc/PID/syscall nobody is asked, and stdin is empty. */
    char *(*ask)(void *ctx);
    size_t max_output; /* bytes kept of stdout and of stderr each; the rest is read and counted */
    double timeout_s;  /* wall clock; then the whole process group is killed */
    double timeout_cpu_s; /* likewise, of processor time: the child's and that of all below it */
    double limit_cpu_s;   /* RLIMIT_CPU */
    size_t limit_memory;  /* RLIMIT_AS, bytes */
    size_t limit_file;    /* RLIMIT_FSIZE, bytes */
    const char *cgroup;   /* the group it joins with all that it starts (cgroup.h); NULL: ours */
    size_t limit_output;  /* stdout + stderr bytes after which the child is killed */
    bool merge_stderr;    /* stderr goes into out */
    int pass_fd;          /* >0: one more descriptor the child keeps, under the same number */
    const volatile int *stop; /* when not NULL and it becomes non-zero (from another thread or a
                                 signal handler) the group is killed within 20 ms */
    double stop_grace_s;      /* ... or asked to end first (SIGINT), and killed this much later */
    /* Called with each piece of stdout (fd 1) and stderr (2) as it comes, on the calling thread;
     * what it gets is not kept in the result. NULL: keep. */
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

/* Runs to the end in a process group of its own; no child outlives the caller (PDEATHSIG). False
 * only when it could not be started; the result is to be freed either way. */
bool wb_proc_run(const wb_proc_spec *spec, wb_proc_result *result, wb_error *err);
void wb_proc_result_free(wb_proc_result *result);
/* "ended by signal 11 (segmentation fault)", "exit status 3", ... into text; returns text. */
const char *wb_proc_describe(const wb_proc_result *result, char *text, size_t size);
/* Seconds for which the process's first thread was ready to run while others had the processors
 * (schedstat, Linux's Documentation/scheduler/sched-stats.rst); 0 where the system does not say. */
double wb_proc_queued(int pid);

/* ---- text (text.c) ------------------------------------------------------------------------ */

/* Replaces each `what` in *text, which is malloc'd or NULL. Keeps the text when memory runs out. */
void wb_text_replace(char **text, const char *what, const char *with);
bool wb_begins(const char *text, const char *with);
bool wb_ends(const char *text, const char *with);
/* Returns what follows the last slash of a path; NULL of NULL. */
const char *wb_path_name(const char *path);
int wb_by_text(const void *a, const void *b); /* for qsort() of an array of strings */
/* The line of `at`, which points into the text; the first is 1. */
int wb_line_at(const char *text, const char *at);

/* FNV-1a, 64 bits: a hash of some bytes, onto `h`, which is WB_HASH at first. */
#define WB_HASH 14695981039346656037u
uint64_t wb_hash(uint64_t h, const void *data, size_t len);

/* Appends `len` bytes as valid UTF-8: what is not UTF-8 becomes U+FFFD; an incomplete sequence at
 * the end stays in carry[0..*carry_len) (at most 3 bytes) for the next call; final flushes it. */
bool wb_utf8_decode(wb_buf *out, char carry[4], size_t *carry_len, const char *data, size_t len,
                    bool final);
/* Appends the text as valid UTF-8 without a loss: a byte that is none of it as \xNN. */
bool wb_utf8_plain(wb_buf *out, const char *text, size_t len);
/* How many of the first `len` bytes are left when a sequence that they cut through is. */
size_t wb_utf8_whole(const char *text, size_t len);
size_t wb_utf8_offset(const char *text, size_t len,
                      size_t codepoints);           /* byte offset of a code point */
size_t wb_utf8_count(const char *text, size_t len); /* code points */
/* Edit distance: how many bytes to change, insert, remove, or swap with the next one. Looks at the
 * first 63 bytes. */
size_t wb_text_distance(const char *a, size_t n, const char *b, size_t m);
/* The entry of names[0..n) nearest to `name` by edit distance, or NULL when none is near. */
const char *wb_text_nearest(const char *name, const char *const *names, size_t n);
/* Returns ", did you mean NAME?" with that entry, in the user's language, or "". The text is valid
 * until the thread's next call. */
const char *wb_text_meant(const char *name, const char *const *names, size_t n);
double wb_now(void); /* CLOCK_MONOTONIC, seconds */

/* ---- variables of the environment (text.c); runtime/README.md has the table ---------------- */

const char *wb_setting(const char *name);         /* NULL if it is unset or empty */
bool wb_setting_on(const char *name, bool usual); /* false if it is "0" */
/* A whole number, or `usual` if the variable is unset, no number or below `least`. */
uint64_t wb_setting_number(const char *name, uint64_t least, uint64_t usual);
double wb_setting_seconds(const char *name, double usual); /* `usual` unless it is above 0 */

/* ---- sums (sha256.c) ---------------------------------------------------------------------- */

/* SHA-256 as hexadecimal digits, without a library: programs on softgpu shall load no libcrypto. */
enum { WB_SHA256_TEXT = 65 }; /* the digits and a NUL */
void wb_sha256(const void *data, size_t len, char text[WB_SHA256_TEXT]);
/* Of the files' contents, one after the other (NULL-terminated). False when one can't be read. */
bool wb_sha256_files(const char *const *paths, char text[WB_SHA256_TEXT]);

/* ---- memory (memory.c) -------------------------------------------------------------------- */

/* What this machine, or the control group we are in, has at all; bytes, 0: unknown. Reads files:
 * not for every launch. */
size_t wb_memory_machine(void);
/* How many processes the system has killed for want of memory since it started. */
unsigned long wb_memory_kills(void);

/* ---- threads (parallel.c) ----------------------------------------------------------------- */

/* Calls work(ctx, from, to) on consecutive parts of 0..n, a part a thread and a thread a core;
 * returns when all are done. Where no thread can be had the caller's does the work. */
void wb_parallel(int64_t n, void (*work)(void *ctx, int64_t from, int64_t to), void *ctx);

#endif
