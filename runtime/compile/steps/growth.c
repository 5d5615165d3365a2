/* growth.c: see growth.h. The preprocessor says nothing of where it was when it was ended: it is
 * asked again, of the source's first half, and so on. */
#include "runtime/compile/steps/growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/language.h"

/* What a look at a part of the source may take: what does not grow takes a tenth of it. */
enum { LOOK_CPU_S = 2, LOOK_WALL_S = 120 };

/* gcc's words, and those of its preprocessor's own library. */
static const char *const no_memory[] = {"out of memory", "memory exhausted"};

/* A shell's blocks of 512 bytes, and kilobytes. */
static void put_limits(wb_buf *out, int cpu_s) {
    wb_buf_printf(out, "ulimit -f %d; ulimit -v %d; ulimit -S -t %d; ", WB_GROWTH_MB << 11,
                  WB_GROWTH_MEMORY_MB << 10, cpu_s);
}

void wb_growth_limit(wb_buf *out, const char *command) {
    wb_buf_puts(out, "(");
    put_limits(out, WB_GROWTH_CPU_S);
    wb_buf_printf(out, "%s)", command);
}

void wb_growth_test(wb_buf *out, const char *log) {
    wb_buf_printf(out, "[ $r -gt 2 ] || { [ $r != 0 ] && grep -qe '%s' -e '%s' %s; }", no_memory[0],
                  no_memory[1], log);
}

/* Whether the command passes its limits with the first `lines` lines of the source. */
static bool grows(const wb_growth *g, size_t lines) {
    char *name = wb_format("\"%s\"", g->source);
    const char *at = name ? strstr(g->command, name) : NULL;
    wb_buf script = {0};
    if (at) {
        wb_buf_puts(&script, g->exports);
        put_limits(&script, LOOK_CPU_S);
        wb_buf_printf(&script, "\nhead -n %zu %s | ", lines, name);
        wb_buf_append(&script, g->command, (size_t)(at - g->command));
        wb_buf_printf(&script, "-%s", at + strlen(name));
    }
    wb_proc_result run = {0};
    wb_error err;
    bool ran =
        at && !script.failed &&
        wb_proc_run(&(wb_proc_spec){.argv = (const char *const[]){"sh", "-c", script.data, NULL},
                                    .cwd = g->cwd,
                                    .timeout_s = LOOK_WALL_S,
                                    .max_output = 1 << 20,
                                    .merge_stderr = true,
                                    .stop = g->stop},
                    &run, &err);
    const char *said = run.out.data ? run.out.data : "";
    bool passed = ran && (run.exit_code < 0 || run.exit_code > 2 || strstr(said, no_memory[0]) ||
                          strstr(said, no_memory[1]));
    wb_proc_result_free(&run);
    wb_buf_free(&script);
    free(name);
    return passed;
}

/* "FILE(LINE)" of the source's line `number`, counted from 1, as its #line directives have it. */
static char *place(const char *text, size_t number) {
    char file[200] = "";
    long line = 0;
    for (size_t i = 1; text && i <= number; i++, line++) {
        if (sscanf(text, "#line %ld \"%199[^\"]\"", &line, file) == 2)
            line--; /* it tells of the next one */
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return *file ? wb_format("%s(%ld)", file, line - 1) : NULL;
}

char *wb_growth_error(const wb_growth *g) {
    char *path = wb_format("%s/%s", g->cwd, g->source);
    wb_buf text = {0};
    size_t low = 0, high = 0;
    if (path && wb_file_read(path, 0, &text, NULL))
        for (size_t i = 0; i < text.len; i++)
            high += text.data[i] == '\n';
    bool found = high > 0 && grows(g, high);
    while (found && high - low > 1 && !(g->stop && *g->stop)) {
        size_t middle = low + (high - low) / 2;
        if (grows(g, middle))
            high = middle;
        else
            low = middle;
    }
    char *where = found ? place(text.data, high) : NULL;
    char *said = wb_format(
        "%s: error: the macros of this line grow without end: what they come to is more than %d MB "
        "of code, or takes the preprocessor more than %d s. A macro that repeats one that repeats "
        "another "
        "multiplies: write a loop or a function instead\n",
        where ? where : "nvcc", WB_GROWTH_MB, WB_GROWTH_CPU_S);
    wb_buf_free(&text);
    free(where);
    free(path);
    if (g->stop && *g->stop) {
        free(said);
        return NULL;
    }
    return said;
}
