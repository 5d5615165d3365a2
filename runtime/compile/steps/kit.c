/* kit.c: see kit.h. A kit is a folder under wb_path_cache("kit"), named by what it was made of:
 *
 *     head                     the first lines
 *     host.ii, device.ii       what is preprocessed of them
 *     host.defs, device.defs   the macros that are defined behind them
 *     p.h, p.h.gch, pragmas    what cudafe++ makes of host.ii, precompiled; of its pragmas those
 *                              that gcc may not keep
 *     script                   for the sandbox
 *     inputs                   size, time and name of each header that was read
 *     sum                      of all that
 *
 * The sandbox's script does every step in one go, since nothing that was left there is looked at
 * outside before nvcc's own output would be. */
#include "runtime/compile/steps/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/compile/cache/cache.h"
#include "runtime/compile/steps/steps.h"

/* Raised when the same command line makes another kit. */
#define KIT_FORMAT "warpbook kit 3"
/* What the sandbox finds programs by. */
#define KIT_PATH "PATH=/usr/local/bin:/usr/bin:/bin"
/* Each takes some 30 MB. */
enum { MAX_KEPT = 6, LEAST_CACHE_MB = 256, REMEMBERED = 8, MAKE_S = 120 };

static const char *const parts[] = {"head", "host.ii", "device.ii", "host.defs", "device.defs",
                                    "p.h",  "p.h.gch", "pragmas",   "script",    "inputs"};

/* ---- nvcc's steps ---------------------------------------------------------------------------- */

/* The steps that the kit has a part in; what lies between goes as it is. */
enum { CPP_HOST, FRONT_END, CPP_DEVICE, COMPILE, N_KNOWN };

/* nvcc's own names for its files, where it keeps them. */
#define HOST_II "submission.cpp4.ii"
#define DEVICE_II "submission.cpp1.ii"
#define HOST_FILE "submission.cudafe1.cpp"
#define INCLUDED " -include \"cuda_runtime.h\""

typedef struct steps {
    wb_buf exports, after; /* after: cicc and all up to COMPILE */
    wb_buf last;           /* behind COMPILE */
    char *known[N_KNOWN];
    int at; /* the last known one */
} steps;

static void free_steps(steps *s) {
    wb_buf_free(&s->exports);
    wb_buf_free(&s->after);
    wb_buf_free(&s->last);
    for (int i = 0; i < N_KNOWN; i++)
        free(s->known[i]);
}

static bool take_line(void *ctx, wb_step step, const char *line) {
    static const int as[] = {[WB_STEP_CPP_DEVICE] = CPP_DEVICE, [WB_STEP_CPP_HOST] = CPP_HOST,
                             [WB_STEP_FRONT_END] = FRONT_END,   [WB_STEP_DEVICE] = N_KNOWN,
                             [WB_STEP_COMPILE] = COMPILE,       [WB_STEP_OTHER] = N_KNOWN};
    steps *s = ctx;
    int kind = as[step];
    if (kind < N_KNOWN) { /* each once, and in this order */
        if (kind != s->at + 1)
            return false;
        s->at = kind;
        return (s->known[kind] = wb_format("%s", line)) != NULL;
    }
    char *gold = s->at == COMPILE ? wb_steps_gold(line) : NULL;
    if (gold) /* unless it says anything */
        wb_buf_printf(&s->last, "{ %s; } >words 2>&1 && [ ! -s words ] ||\n", gold);
    free(gold);
    wb_buf_printf(s->at == COMPILE ? &s->last : &s->after, "{ %s; } >words 2>&1 || exit %d\n", line,
                  WB_KIT_UNCLEAR);
    return s->at >= CPP_DEVICE;
}

static bool read_steps(steps *s, char *text) {
    s->at = -1;
    return wb_steps_read(text, &s->exports, take_line, s) && s->at == COMPILE && s->last.len &&
           strstr(s->known[CPP_HOST], INCLUDED) && strstr(s->known[CPP_DEVICE], INCLUDED);
}

static bool run(const char *const *argv, const char *folder, wb_buf *out) {
    wb_proc_result r = {0};
    wb_error err;
    bool ok = wb_proc_run(&(wb_proc_spec){.argv = argv,
                                          .env = (const char *const[]){KIT_PATH, "LC_ALL=C.UTF-8",
                                                                       "TMPDIR=/tmp", NULL},
                                          .cwd = folder,
                                          .timeout_s = MAKE_S,
                                          .max_output = 1 << 20,
                                          .merge_stderr = true},
                          &r, &err) &&
              r.exit_code == 0;
    if (ok && out && r.out.data)
        wb_buf_puts(out, r.out.data);
    wb_proc_result_free(&r);
    return ok;
}

static bool ask_nvcc(steps *s, const char *const *nvcc, const char *folder) {
    static const char *const more[] = {"--dryrun", "--keep", "-o", "output", "submission.cu"};
    size_t n = 0;
    while (nvcc[n])
        n++;
    const char **argv = calloc(n + WB_COUNT(more) + 1, sizeof *argv);
    wb_buf out = {0};
    for (size_t i = 0; argv && i < n; i++)
        argv[i] = nvcc[i];
    for (size_t i = 0; argv && i < WB_COUNT(more); i++)
        argv[n + i] = more[i];
    bool ok = argv && run(argv, folder, &out) && out.data && read_steps(s, out.data);
    free(argv);
    wb_buf_free(&out);
    return ok;
}

/* The text with the first `from` in it as `to`; "false" where there is none, so that a script that
 * holds it ends there. malloc'd. */
static char *with(const char *text, const char *from, const char *to) {
    const char *at = text ? strstr(text, from) : NULL;
    return at ? wb_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from))
              : wb_format("false");
}

/* Two replacements. */
static char *with_both(const char *text, const char *from, const char *to, const char *from2,
                       const char *to2) {
    char *once = with(text, from, to), *twice = with(once, from2, to2);
    free(once);
    return twice;
}

/* ---- the script that makes one --------------------------------------------------------------- */

/* One side of the preprocessor: NAME.ii, NAME.defs and NAME.d. */
static void put_side(wb_buf *b, const char *step, const char *name, const char *ii) {
    char *output = wb_format("-o \"%s\"", ii);
    char *listed = with(step, output, "-o all.defs"), *macros = with(listed, " -E ", " -E -dM ");
    char *bare = with_both(macros, INCLUDED, "", "\"submission.cu\"", "empty.h");
    char *only = with(bare, "all.defs", "pre.defs");
    wb_buf_printf(b, "%s -MD -MT x -MF %s.d\n", step, name);
    wb_buf_printf(b, "sed '/^# 1 \"kit\"$/,$d' %s >%s.ii\n", ii, name);
    wb_buf_printf(b, "%s\n%s\n", macros, only);
    /* where one of a system header is used, its mark is missing: it would silence warnings */
    wb_buf_printf(
        b, "sort all.defs >a.defs; sort pre.defs >b.defs; comm -23 a.defs b.defs >%s.defs\n", name);
    /* a macro of the compiler's that the lines take away would come back */
    wb_buf_puts(b, "cut -d' ' -f2 b.defs >b.names; cut -d' ' -f2 a.defs | sort -u >a.names; "
                   "sort -u b.names | comm -13 a.names - >gone; [ ! -s gone ]\n");
    free(output);
    free(listed);
    free(macros);
    free(bare);
    free(only);
}

static char *make_script(const steps *s) {
    wb_buf b = {0};
    char *header = with_both(s->known[COMPILE], " -c -x c++ ", " -x c++-header ",
                             "\"" HOST_FILE "\" -o \"submission.o\"", "\"p.h\" -o \"p.h.gch\"");
    wb_buf_puts(&b, "set -e\n");
    wb_buf_append(&b, s->exports.data ? s->exports.data : "", s->exports.len);
    wb_buf_puts(&b, ": >empty.h\n");
    put_side(&b, s->known[CPP_HOST], "host", HOST_II);
    put_side(&b, s->known[CPP_DEVICE], "device", DEVICE_II);
    wb_buf_printf(&b, "%s\nsed '1d;/^# 1 \"kit\"$/,$d' " HOST_FILE " >p.h\n", s->known[FRONT_END]);
    wb_buf_puts(&b, "grep '^#pragma GCC diagnostic ' p.h >pragmas\n");
    wb_buf_printf(&b, "%s\n[ -s p.h ] && [ -s p.h.gch ] && [ -s host.ii ] && [ -s device.ii ]\n",
                  header);
    wb_buf_puts(&b, "cat host.d device.d | tr -d '\\\\' | tr -s ' ' '\\n' | grep '^/' | sort -u | "
                    "xargs stat -L -c '%s %Y %n' >inputs\n[ -s inputs ]\n"
                    "rm -f empty.h all.defs pre.defs [ab].defs [ab].names gone *.d submission.*\n"
                    "chmod 644 *; chmod 755 .\n");
    free(header);
    return wb_buf_steal(&b);
}

/* ---- the script for the sandbox -------------------------------------------------------------- */

static void put_cpp(wb_buf *b, const char *step, const char *name, const char *ii) {
    char *output = wb_format("\"submission.cu\" -o \"%s\"", ii);
    char *macros = wb_format(" -imacros \"$K/%s.defs\"", name);
    char *line = with_both(step, INCLUDED, macros, output, "\"rest.cu\" -o \"rest.ii\"");
    wb_buf_printf(b, "%s >words 2>&1 || exit %d\n", line, WB_KIT_UNCLEAR);
    /* behind the mark that begins what was handed in */
    wb_buf_printf(b, "{ cat \"$K/%s.ii\"; sed '1,/^# 1 \"rest.cu\"$/d' rest.ii; } >%s\n", name, ii);
    free(output);
    free(macros);
    free(line);
}

static char *use_script(const steps *s, const char *kept, size_t head, long prefix) {
    wb_buf b = {0};
    char *rest = with_both(s->known[COMPILE], " -c -x c++ ", " -c -x c++ -include \"$K/p.h\" ",
                           "\"" HOST_FILE "\"", "\"rest.cudafe1.cpp\"");
    wb_buf_append(&b, s->exports.data ? s->exports.data : "", s->exports.len);
    wb_buf_printf(&b,
                  "K='%s'\ncd \"$(dirname \"$2\")\" && head -c %zu \"$2\" | cmp -s - \"$K/head\" "
                  "|| exit %d\n",
                  kept, head, WB_KIT_UNCLEAR);
    wb_buf_printf(&b, "tail -c +%zu \"$2\" >rest.cu\n", head + 1);
    put_cpp(&b, s->known[CPP_HOST], "host", HOST_II);
    wb_buf_printf(&b,
                  "%s >words 2>&1\nr=$?; [ $r = 0 ] || { [ $r -le 2 ] || exit %d; cat words; exit "
                  "%d; }\n",
                  s->known[FRONT_END], WB_KIT_UNCLEAR, WB_KIT_ERROR);
    put_cpp(&b, s->known[CPP_DEVICE], "device", DEVICE_II);
    wb_buf_append(&b, s->after.data ? s->after.data : "", s->after.len);
    wb_buf_printf(&b,
                  "prefixed() {\n{ read -r first && head -c %ld | cmp -s - \"$K/p.h\" && { printf "
                  "'%%s\\n' \"$first\"; cat \"$K/pragmas\" -; } >rest.cudafe1.cpp; } <" HOST_FILE
                  " &&\n%s >words 2>&1 && [ ! -s words ]\n}\n",
                  prefix, rest);
    wb_buf_printf(&b, "prefixed || %s >words 2>&1 || exit %d\n", s->known[COMPILE], WB_KIT_UNCLEAR);
    wb_buf_append(&b, s->last.data, s->last.len);
    wb_buf_printf(&b, "mv output \"$1/output\" || exit %d\n", WB_KIT_UNCLEAR);
    free(rest);
    return wb_buf_steal(&b);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static bool sum_of(const char *folder, char sum[WB_SHA256_TEXT]) {
    char *paths[WB_COUNT(parts) + 1] = {NULL};
    bool ok = true;
    for (size_t i = 0; i < WB_COUNT(parts); i++)
        ok &= (paths[i] = wb_format("%s/%s", folder, parts[i])) != NULL;
    ok = ok && wb_sha256_files((const char *const *)paths, sum);
    for (size_t i = 0; i < WB_COUNT(parts); i++)
        free(paths[i]);
    return ok;
}

static bool read_part(const char *folder, const char *name, wb_buf *out) {
    char *path = wb_format("%s/%s", folder, name);
    bool ok = path && wb_file_read(path, 0, out, NULL) && out->data;
    free(path);
    return ok;
}

static bool write_part(const char *folder, const char *name, const char *text) {
    char *path = wb_format("%s/%s", folder, name);
    bool ok = path && text && wb_file_put(path, text, strlen(text), 0644, NULL);
    free(path);
    return ok;
}

static bool inputs_hold(const char *folder) {
    char *path = wb_format("%s/inputs", folder);
    bool ok = path && wb_cache_stamps_hold(path);
    free(path);
    return ok;
}

static bool is_whole(const char *folder) {
    char sum[WB_SHA256_TEXT];
    wb_buf kept = {0};
    bool ok = read_part(folder, "sum", &kept) && sum_of(folder, sum) &&
              strcmp(kept.data, sum) == 0 && inputs_hold(folder);
    wb_buf_free(&kept);
    return ok;
}

static bool make_parts(const char *const *nvcc, const char *head, const char *folder,
                       const char *kept) {
    steps s = {.at = -1};
    struct stat st;
    char *unit = wb_format("%s#line 1 \"kit\"\nextern \"C\" int warpbook_kit;\n", head);
    char *prefix = wb_format("%s/p.h", folder), sum[WB_SHA256_TEXT];
    bool ok = unit && prefix && ask_nvcc(&s, nvcc, folder);
    char *make = ok ? make_script(&s) : NULL;
    ok = make && write_part(folder, "submission.cu", unit) && write_part(folder, "head", head) &&
         write_part(folder, "make.sh", make) &&
         run((const char *const[]){"sh", "make.sh", NULL}, folder, NULL) && stat(prefix, &st) == 0;
    char *use = ok ? use_script(&s, kept, strlen(head), (long)st.st_size) : NULL;
    ok = use && write_part(folder, "script", use) && sum_of(folder, sum) &&
         write_part(folder, "sum", sum);
    free(use);
    free(make);
    free(prefix);
    free(unit);
    free_steps(&s);
    return ok;
}

static bool make_kit(const char *const *nvcc, const char *head, const char *root,
                     const char *kept) {
    wb_cache_room(root, MAX_KEPT);
    char *made = wb_dir_make(root, NULL) ? wb_format("%s/new-XXXXXX", root) : NULL;
    bool ok = made && mkdtemp(made) && make_parts(nvcc, head, made, kept);
    /* another process may have been faster, with the same, and somebody uses it already */
    if (ok && !is_whole(kept)) {
        wb_cache_drop(kept);
        ok = rename(made, kept) == 0 || is_whole(kept);
    }
    if (made)
        wb_dir_remove(made, NULL); /* unless it has got its name */
    free(made);
    return ok;
}

static bool make_key(const char *const *nvcc, const char *head, char key[WB_SHA256_TEXT]) {
    wb_buf all = {0};
    char *compiler = wb_path_find("g++");
    const char *const tools[] = {nvcc[0], compiler};
    for (size_t i = 0; i < WB_COUNT(tools); i++) {
        struct stat st = {0};
        if (tools[i] && stat(tools[i], &st) == 0)
            wb_buf_printf(&all, "%lld %lld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec);
    }
    wb_buf_puts(&all, KIT_FORMAT "\n");
    for (size_t i = 0; nvcc[i]; i++)
        wb_buf_printf(&all, "%s\n", nvcc[i]);
    wb_buf_puts(&all, head);
    bool ok = !all.failed;
    wb_sha256(all.data, all.len, key);
    wb_buf_free(&all);
    free(compiler);
    return ok;
}

/* Kits that this process has checked, or could not have. */
static struct {
    char key[WB_SHA256_TEXT];
    bool there;
} met[REMEMBERED];
static size_t n_met;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Notes that the kit is used, where it may be; false when others needed its room and it is gone. */
static bool is_kept(const char *kept) {
    return utimensat(AT_FDCWD, kept, NULL, 0) == 0 || errno != ENOENT;
}

static bool have_kit(const char *const *nvcc, const char *head, const char *root, const char *kept,
                     const char *key) {
    size_t i = 0;
    while (i < REMEMBERED && strcmp(met[i].key, key) != 0)
        i++;
    if (i < REMEMBERED && (!met[i].there || is_kept(kept)))
        return met[i].there;
    bool there = is_whole(kept) || make_kit(nvcc, head, root, kept);
    if (i == REMEMBERED)
        i = n_met++ % REMEMBERED;
    memcpy(met[i].key, key, WB_SHA256_TEXT);
    return met[i].there = there;
}

/* Where the cache is to be small there is none; nor with flags that nvcc takes from elsewhere, or
 * where a path means something to a shell. */
static bool may_have(const char *root) {
    const char *setting = getenv("WARPBOOK_CACHE_MB");
    return (!setting || !*setting || strtoul(setting, NULL, 10) >= LEAST_CACHE_MB) &&
           !getenv("NVCC_APPEND_FLAGS") && !getenv("NVCC_PREPEND_FLAGS") && !getenv("NVCC_CCBIN") &&
           !strpbrk(root, "'\"\\$`\n");
}

char *wb_kit_take(const char *const *nvcc, const char *head) {
    char key[WB_SHA256_TEXT], *root = wb_path_cache("kit"), *kept = NULL;
    if (root && may_have(root) && make_key(nvcc, head, key))
        kept = wb_format("%s/%s", root, key);
    pthread_mutex_lock(&lock);
    if (kept && !have_kit(nvcc, head, root, kept, key)) {
        free(kept);
        kept = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(root);
    return kept;
}
