/* steps.c: see steps.h. nvcc runs its programs one after the other: the preprocessor for the device
 * and for the host, cudafe++, cicc, ptxas, fatbinary, the host's compiler, the linker. `nvcc
 * --dryrun` tells their command lines, so that this follows the toolkit and the user's flags.
 * Device and host meet in two places: the host's compiler reads what cicc and fatbinary made, and
 * cicc reads the module's id, a name for what has no linkage, that cudafe++ makes up. Given such an
 * id both read it, and the two sides run at once.
 *
 * Whatever is not as expected (other steps, an argument that a shell might read in its own way, a
 * step that fails where only nvcc's words will do) is left to nvcc. */
#include "runtime/compile/steps/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compile/steps/growth.h"

/* The programs in nvcc's order, which is that of what they print. */
enum { CPP_DEVICE, CPP_HOST, FRONT_END, DEVICE, FINISH, COMPILE, LINK, N_STEPS };

struct wb_steps {
    wb_buf exports;
    wb_buf command[N_STEPS];
    char *folder;
    int last;
};

void wb_steps_free(wb_steps *s) {
    if (!s)
        return;
    wb_buf_free(&s->exports);
    for (int i = 0; i < N_STEPS; i++)
        wb_buf_free(&s->command[i]);
    free(s->folder);
    free(s);
}

/* ---- what nvcc would do --------------------------------------------------------------------- */

/* Whether a shell takes the argument as it stands. */
static bool is_plain(const char *text) {
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./=+,:@%-";
    return *text && strspn(text, safe) == strlen(text);
}

/* Whether the line is "NAME=value". What the programs need of these is appended as a shell's
 * export; *plain is cleared where a shell would read it in another way. */
static bool is_assignment(const char *line, wb_buf *exports, bool *plain) {
    static const char *const wanted[] = {"PATH", "LD_LIBRARY_PATH", "CICC_PATH",
                                         "NVVMIR_LIBRARY_DIR", "TOP"};
    size_t n = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (n == 0 || line[n] != '=')
        return false;
    for (size_t i = 0; i < WB_COUNT(wanted); i++)
        if (strlen(wanted[i]) == n && memcmp(wanted[i], line, n) == 0) {
            *plain &= strchr(line, '\'') == NULL;
            wb_buf_printf(exports, "export %s='%s'\n", wanted[i], line + n + 1);
        }
    return true;
}

static wb_step kind_of(const char *line) {
    if (strstr(line, " -E "))
        return strstr(line, " -D__CUDA_ARCH__=") ? WB_STEP_CPP_DEVICE : WB_STEP_CPP_HOST;
    if (strncmp(line, "cudafe++ ", 9) == 0)
        return WB_STEP_FRONT_END;
    if (strstr(line, "/cicc\" "))
        return WB_STEP_DEVICE;
    return strstr(line, " -c -x c++ ") ? WB_STEP_COMPILE : WB_STEP_OTHER;
}

bool wb_steps_read(char *text, wb_buf *exports,
                   bool (*take)(void *ctx, wb_step kind, const char *line), void *ctx) {
    static const char mark[] = "#$ ", removes[] = "rm -f ";
    bool plain = true;
    for (char *line; plain && (line = strsep(&text, "\n")) != NULL;) {
        if (!*line)
            continue;
        if (strncmp(line, mark, sizeof mark - 1) != 0)
            return false;
        line += sizeof mark - 1;
        if (is_assignment(line, exports, &plain) || *line == '-') /* "-- Filter Dependencies --" */
            continue;
        if (strncmp(line, "rm ", 3) == 0) /* what may not be there; the mark makes room */
            line = memcpy(line - 3, removes, sizeof removes - 1);
        plain = plain && take(ctx, kind_of(line), line);
    }
    return plain;
}

static bool take_command(void *ctx, wb_step step, const char *line) {
    static const int as[] = {[WB_STEP_CPP_DEVICE] = CPP_DEVICE,
                             [WB_STEP_CPP_HOST] = CPP_HOST,
                             [WB_STEP_FRONT_END] = FRONT_END,
                             [WB_STEP_DEVICE] = DEVICE,
                             [WB_STEP_COMPILE] = COMPILE};
    wb_steps *s = ctx;
    int kind = step != WB_STEP_OTHER                    ? as[step]
               : s->last == DEVICE || s->last == FINISH ? FINISH
                                                        : LINK;
    /* each once and in this order; of what finishes the device's side there are several */
    if (kind < s->last || (kind == s->last && kind != FINISH) || kind > s->last + 1)
        return false;
    if (s->command[kind].len)
        wb_buf_puts(&s->command[kind], " &&\n");
    s->last = kind;
    return wb_buf_puts(&s->command[kind], line);
}

static bool ask_nvcc(wb_steps *s, const char *const *nvcc, const char *cwd,
                     const volatile int *stop) {
    size_t n = 0;
    while (nvcc[n])
        n++;
    const char **argv = calloc(n + 2, sizeof *argv);
    char *temporary = wb_format("TMPDIR=%s", s->folder);
    bool plain = argv && temporary && is_plain(s->folder);
    for (size_t i = 0; plain && i < n; i++) {
        plain = is_plain(nvcc[i]) || strncmp(nvcc[i], "arch=compute_", 13) == 0; /* [sm_90,... */
        argv[i + (i > 0)] = nvcc[i];
    }
    if (plain)
        argv[1] = "--dryrun";
    wb_proc_result run = {0};
    wb_error err;
    bool ok = plain &&
              wb_proc_run(&(wb_proc_spec){.argv = argv,
                                          .env = (const char *const[]){temporary,
                                                                       WB_COMPILER_LANGUAGE, NULL},
                                          .cwd = cwd,
                                          .timeout_s = 20,
                                          .max_output = 1 << 20,
                                          .merge_stderr = true,
                                          .stop = stop},
                          &run, &err) &&
              run.exit_code == 0 && run.out.data &&
              wb_steps_read(run.out.data, &s->exports, take_command, s) && s->last == LINK;
    wb_proc_result_free(&run);
    free(argv);
    free(temporary);
    return ok;
}

/* The file's name behind `option "`, malloc'd; option NULL: the last one between quotes. */
static char *file_named(const wb_buf *command, const char *option) {
    char *mark = wb_format("%s\"", option);
    const char *at = mark ? strstr(command->data, mark) : NULL;
    at = at ? at + strlen(mark) : NULL;
    free(mark);
    return at ? wb_format("%.*s", (int)strcspn(at, "\""), at) : NULL;
}

/* cudafe++ is to read the module's id, not to make one up. */
static bool give_module_id(wb_steps *s, const char *source, const char *unique) {
    static const char make[] = "--gen_module_id_file ";
    char *at = strstr(s->command[FRONT_END].data, make);
    char *path = file_named(&s->command[FRONT_END], "--module_id_file_name ");
    /* nvcc's form: _49a146ac_24_cell_db14d0ce282a25d2_cu_f0c863d8 */
    char *id = wb_format("_%.8s_%zu_%s_%.8s", unique, strlen(source), source, unique + 8);
    for (char *p = id; p && *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *p))
            *p = '_';
    bool ok = at && path && id && strstr(s->command[DEVICE].data, path) &&
              wb_file_write(path, id, strlen(id), NULL);
    if (ok)
        memset(at, ' ', sizeof make - 1);
    free(path);
    free(id);
    return ok;
}

wb_steps *wb_steps_plan(const char *const *nvcc, const char *source, const char *cwd,
                        const char *folder, const char *unique, const volatile int *stop) {
    static const char *const flags[] = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"};
    for (size_t i = 0; i < WB_COUNT(flags); i++)
        if (getenv(flags[i]) && *getenv(flags[i]))
            return NULL;
    wb_steps *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->last = -1;
    s->folder = wb_format("%s", folder);
    if (s->folder && ask_nvcc(s, nvcc, cwd, stop) && give_module_id(s, source, unique))
        return s;
    wb_steps_free(s);
    return NULL;
}

/* ---- scripts -------------------------------------------------------------------------------- */

/* One step as a shell's function, its words kept in a file. A program that ends in an odd way is
 * nvcc's to report. */
static void put_step(wb_buf *out, const wb_steps *s, int i) {
    const char *command = s->command[i].data;
    char *log = wb_format("%s/log%d", s->folder, i);
    wb_buf_printf(out, "step%d() {\n{ ", i);
    if (i <= CPP_HOST) {
        char *noted = wb_format("%s -MD -MT output -MF %s/inputs%d.d", command, s->folder, i);
        wb_growth_limit(out, noted ? noted : "false");
        free(noted);
    } else {
        wb_buf_puts(out, command);
    }
    wb_buf_printf(out, "\n} >%s 2>&1\nr=$?; ", log);
    if (i <= CPP_HOST) {
        wb_growth_test(out, log);
        wb_buf_printf(out, " && exit %d; ", WB_STEPS_GROWS);
    }
    /* the front end of both sides ends with 4 where memory was not enough, and names the line */
    wb_buf_printf(out,
                  "[ $r -le 2 ] || { [ $r = 4 ] && grep -q ': out of memory' %s; } || exit %d; "
                  "return $r\n}\n",
                  log, WB_STEPS_UNCLEAR);
    free(log);
}

static wb_buf begin_script(const wb_steps *s) {
    wb_buf out = {0};
    wb_buf_append(&out, s->exports.data ? s->exports.data : "", s->exports.len);
    for (int i = 0; i < N_STEPS; i++)
        put_step(&out, s, i);
    wb_buf_printf(&out,
                  "words() { for i in $1; do [ ! -f %s/log$i ] || cat %s/log$i; done; exit $2; }\n",
                  s->folder, s->folder);
    return out;
}

/* Another way for a side to end than by a code of its own. */
static void put_end(wb_buf *out, int code) {
    wb_buf_printf(out, "[ $host != %d ] && [ $device != %d ] || exit %d\n", code, code, code);
}

/* What a side came to, by its code: 10 the preprocessor's error, 20 the front end's or another. */
static void judge(wb_buf *out) {
    put_end(out, WB_STEPS_GROWS);
    put_end(out, WB_STEPS_UNCLEAR);
    wb_buf_printf(out, "[ $device != 10 ] || words 0 %d\n", WB_STEPS_ERROR);
    wb_buf_printf(out, "[ $host != 10 ] || words '0 1' %d\n", WB_STEPS_ERROR);
    wb_buf_printf(out, "[ $host != 20 ] || words '0 1 2' %d\n", WB_STEPS_ERROR);
    wb_buf_printf(out, "[ $host = 0 ] && [ $device = 0 ] || exit %d\n", WB_STEPS_UNCLEAR);
}

#define HOST_SIDE "(step1 || exit 10; step2 || exit 20)"
#define DEVICE_SIDE "(step0 || exit 10; step3 || exit 20; step4 || exit 20)"

char *wb_steps_gold(const char *link) {
    static const char *const own[] = {"-fuse-ld", "-flto", "-Bsymbolic", " -T"};
    char *gold = strncmp(link, "g++ ", 4) == 0 ? wb_path_find("ld.gold") : NULL;
    bool fits = gold != NULL;
    free(gold);
    for (size_t i = 0; i < WB_COUNT(own); i++)
        fits &= strstr(link, own[i]) == NULL;
    return fits ? wb_format("%s -fuse-ld=gold -fno-use-linker-plugin%s", link,
                            strstr(link, "--dynamic-list=") ? " -Wl,-Bsymbolic" : "")
                : NULL;
}

/* The linker, which is gold where it is there. Where it says anything, the other one does the work
 * and says it. */
static void put_link(wb_buf *out, const wb_steps *s) {
    char *gold = wb_steps_gold(s->command[LINK].data);
    if (gold)
        wb_buf_printf(out, "{ %s\n} >%s/gold 2>&1 && [ ! -s %s/gold ] || ", gold, s->folder,
                      s->folder);
    /* a second name of a variable (a cell's linker script) has no type in what gold made */
    wb_buf_printf(out,
                  "{ step6; r=$?; sed -i '/type and size of dynamic symbol .wb[0-9a-f]*\\./d' "
                  "%s/log6; [ $r = 0 ]; } || words '0 1 2 3 4 5 6' %d\n",
                  s->folder, WB_STEPS_ERROR);
    free(gold);
}

char *wb_steps_script(const wb_steps *s) {
    wb_buf out = begin_script(s);
    wb_buf_puts(&out, HOST_SIDE " & host=$!\n" DEVICE_SIDE "; device=$?\nwait $host; host=$?\n");
    judge(&out);
    wb_buf_printf(&out, "step5 || exit %d\n", WB_STEPS_UNCLEAR);
    put_link(&out, s);
    wb_buf_printf(&out,
                  "cd %s && sed '1!s/^output:/ /' inputs?.d | sed 's/\\([^\\\\]\\)$/\\1 \\\\/' "
                  ">inputs.d\nwords '0 1 2 3 4 5 6' %d\n",
                  s->folder, WB_STEPS_WELL);
    return wb_buf_steal(&out);
}

char *wb_steps_growth(const wb_steps *s, const char *source, const char *cwd,
                      const volatile int *stop) {
    return wb_growth_error(&(wb_growth){.exports = s->exports.data ? s->exports.data : "",
                                        .command = s->command[CPP_HOST].data,
                                        .source = source,
                                        .cwd = cwd,
                                        .stop = stop});
}
