/* growth.c: see growth.h. Finds the line by bisection. */
#include "runtime/compile/growth.h"

#include "runtime/base/words.h"

/* For comparison, all of Thrust and CUB is 12 MB, in 0.9 s and 160 MB of memory. */
enum { CPU_S = 4, WALL_S = 120, MEGABYTES = 64, MEMORY_MB = 512, MAX_SAID = 4096 };

/* Messages of gcc and of its preprocessor library. */
static const char *const no_memory[] = {"out of memory", "memory exhausted"};

static bool has_macro_with_arguments(const char *text) {
    for (const char *p = text; (p = strstr(p, "define")); p++) {
        const char *name = p + 6 + strspn(p + 6, " \t");
        const char *end = name + wb_word_length(name);
        if (end > name && *end == '(')
            return true;
    }
    return false;
}

/* Returns true if the text's first `len` bytes exceed the limits. */
static bool grows(const wb_growth *g, size_t len) {
    wb_proc_result run = {0};
    wb_error err;
    bool ran = wb_proc_run(&(wb_proc_spec){.argv = g->preprocess,
                                           .cwd = g->cwd,
                                           .input = g->text,
                                           .input_len = len,
                                           .timeout_cpu_s = CPU_S,
                                           .timeout_s = WALL_S,
                                           .limit_memory = (size_t)MEMORY_MB << 20,
                                           .limit_output = (size_t)MEGABYTES << 20,
                                           .max_output = MAX_SAID,
                                           .stop = g->stop},
                           &run, &err);
    bool passed = ran && (run.timed_out || run.flooded);
    for (size_t i = 0; i < WB_COUNT(no_memory) && ran && run.err.data; i++)
        passed |= strstr(run.err.data, no_memory[i]) != NULL;
    wb_proc_result_free(&run);
    return passed;
}

/* Returns "FILE(LINE)", by the #line directives, of the line that ends at `end`. */
static char *place(const char *text, const char *end) {
    char file[200] = "";
    long line = 0;
    for (; text && text < end; line++) {
        if (sscanf(text, "#line %ld \"%199[^\"]\"", &line, file) == 2)
            line--; /* it numbers the next line */
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return *file ? wb_format("%s(%ld)", file, line - 1) : NULL;
}

static size_t line_end(const char *text, size_t at) {
    const char *end = strchr(text + at, '\n');
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

char *wb_growth_error(const wb_growth *g) {
    size_t low = 0, high = strlen(g->text);
    if (!has_macro_with_arguments(g->text) || !grows(g, high))
        return NULL;
    while (!(g->stop && *g->stop)) {
        size_t middle = line_end(g->text, low + (high - low) / 2);
        if (middle >= high) /* the rest is one long line */
            middle = line_end(g->text, low);
        if (middle >= high)
            break;
        if (grows(g, middle))
            high = middle;
        else
            low = middle;
    }
    if (g->stop && *g->stop)
        return NULL;
    WB_SCOPED char *where = place(g->text, g->text + high);
    return wb_format(_("%s: error: the macros of this line grow without end: they come to more "
                       "than %d MB of code, or take the preprocessor more than %d s. Write a "
                       "loop or a function instead\n"),
                     where ? where : "nvcc", MEGABYTES, CPU_S);
}
