/* run.c: magics that run code in another way: %time, %timeit, %bench, %program, and %ptx, %sass. */
#include "jupyter_kernel/magics/magics.h"

#include "jupyter_kernel/execution/cell.h"

/* ---- %time -------------------------------------------------------------------------------- */

static void say_duration(wb_buf *out, const char *what, double seconds) {
    if (seconds >= 1)
        wb_buf_printf(out, "%s %.2f s", what, seconds);
    else if (seconds >= 1e-3)
        wb_buf_printf(out, "%s %.2f ms", what, seconds * 1e3);
    else
        wb_buf_printf(out, "%s %.1f us", what, seconds * 1e6);
}

bool magic_time(magic_call *c) {
    if (magics_empty_body(c))
        return magics_misuse(c, _("there is nothing to time"));
    SCOPED_RESULT wb_result result;
    bool ok = magics_run_body(c, (wb_cell){.code = NULL}, &result);
    WB_SCOPED_BUF wb_buf line = {0};
    say_duration(&line, _("compile"), result.compile_s);
    say_duration(&line, _(", run"), result.run_s);
    if (result.cached)
        wb_buf_printf(&line, _(" (from the cache)"));
    else
        wb_buf_printf(&line, _(" (compiled by %s)"), result.direct ? "g++" : "nvcc");
    execution_printf(c->x, "%s\n", line.data);
    return ok;
}

/* ---- %bench ------------------------------------------------------------------------------- */

/* Times the statement up to cudaDeviceSynchronize(), on the host's monotonic clock. A statement
 * that fails gets no time, and its error is reported after the cell. The program includes no header
 * and uses no common name, because cells may define min, max or N as macros. */
static const char bench_program[] =
    "{ auto wb_bench_work = [&]() {\n#line %d\n%s;\n };\n"
    "  const long wb_bench_runs = %ld, wb_bench_warm = %ld; long wb_bench_n = 0;\n"
    "  double wb_bench_sum = 0, *wb_bench_t =\n"
    "      (double *)malloc((wb_bench_runs ? wb_bench_runs : 100000) * sizeof(double));\n"
    "  for (long wb_bench_i = -wb_bench_warm; wb_bench_runs ? wb_bench_i < wb_bench_runs\n"
    "       : wb_bench_i < 10 || (wb_bench_sum < 0.5 && wb_bench_i < 100000); wb_bench_i++) {\n"
    "    struct timespec wb_bench_from, wb_bench_to;\n"
    "    clock_gettime(CLOCK_MONOTONIC, &wb_bench_from);\n"
    "    wb_bench_work(); cudaError_t wb_bench_failed = cudaDeviceSynchronize();\n"
    "    clock_gettime(CLOCK_MONOTONIC, &wb_bench_to);\n"
    "    if (wb_bench_failed || cudaPeekAtLastError()) { wb_bench_n = 0; break; }\n"
    "    double wb_bench_s = (wb_bench_to.tv_sec - wb_bench_from.tv_sec)\n"
    "        + 1e-9 * (wb_bench_to.tv_nsec - wb_bench_from.tv_nsec);\n"
    "    if (wb_bench_i >= 0) {\n"
    "      wb_bench_t[wb_bench_n++] = wb_bench_s; wb_bench_sum += wb_bench_s; } }\n"
    "  if (wb_bench_n) {\n"
    "  qsort(wb_bench_t, wb_bench_n, sizeof(double), [](const void *wb_bench_a,\n"
    "        const void *wb_bench_b) {\n"
    "    double wb_bench_x = *(const double *)wb_bench_a, wb_bench_y = *(const double "
    "*)wb_bench_b;\n"
    "    return (wb_bench_x > wb_bench_y) - (wb_bench_x < wb_bench_y); });\n"
    "  auto wb_bench_at = [&](double wb_bench_q) {\n"
    "    return wb_bench_t[(long)(wb_bench_q * (wb_bench_n - 1) + 0.5)]; };\n"
    "  double wb_bench_unit = wb_bench_at(0.5) < 1e-3 ? 1e6 : wb_bench_at(0.5) < 1 ? 1e3 : 1;\n"
    "  printf(\"median %%.2f %%s, quartiles %%.2f to %%.2f, fastest %%.2f, slowest %%.2f"
    " (%%ld runs)\\n\",\n"
    "    wb_bench_at(0.5) * wb_bench_unit,\n"
    "    wb_bench_unit == 1e6 ? \"us\" : wb_bench_unit == 1e3 ? \"ms\" : \"s\",\n"
    "    wb_bench_at(0.25) * wb_bench_unit, wb_bench_at(0.75) * wb_bench_unit,\n"
    "    wb_bench_at(0) * wb_bench_unit, wb_bench_at(1) * wb_bench_unit, wb_bench_n); }\n"
    "  free(wb_bench_t);\n}\n";

typedef struct counts {
    int64_t n, other;
} counts;

#define WB_RECORD counts
#define MOST .most = 1000000
const wb_option bench_options[] = {
    WB_OPTION("-n", WHOLE, n, "RUNS", "runs (default: half a second, at least 10)", .least = 1,
              MOST),
    WB_OPTION("-w", WHOLE, other, "WARMUPS", "runs before them (default: 1)", .least = 0, MOST),
    {0}};
const wb_option timeit_options[] = {
    WB_OPTION("-n", WHOLE, n, "LOOPS",
              "calls in a run (default: the first power of ten that takes 0.2 s)", .least = 1,
              MOST),
    WB_OPTION("-r", WHOLE, other, "RUNS", "runs (default: 7)", .least = 1, MOST),
    {0}};

/* Reads the options and the statement. *rest points to what follows the options in args, which is
 * code and not words. */
static bool read_counts(magic_call *c, counts *asked, const char **rest, const char **statement) {
    *rest = c->args;
    if (!magics_read(c, asked))
        return false;
    for (int i = c->n_plain; i < c->n_words; i++) {
        *rest += strcspn(*rest, " \t");
        *rest += strspn(*rest, " \t");
    }
    *statement = c->body ? c->body : *rest;
    return (*statement)[strspn(*statement, " \t\r\n")] ||
           magics_misuse(c, _("there is no statement to run"));
}

/* Runs a statement's program, and frees it. Errors have the statement's lines. On softgpu, notes
 * whose times it shows. */
static bool measure(magic_call *c, const char *statement, char *code) {
    char *shown = cell_placed(statement, strlen(statement), c->body ? c->line + 1 : c->line);
    wb_cell cell = {.code = code, .len = code ? strlen(code) : 0, .shown = shown};
    bool ok = code && shown ? execution_run(c->x, &cell, NULL)
                            : execution_fail(c->x, "MemoryError", _("out of memory"));
    WB_FREE(shown, code);
    if (ok && execution_on_softgpu(c->x))
        execution_printf(c->x, _("on softgpu: the CPU's times, not a GPU's\n"));
    return ok;
}

bool magic_bench(magic_call *c) {
    counts asked = {.other = 1};
    const char *rest, *statement;
    if (!read_counts(c, &asked, &rest, &statement))
        return false;
    if (c->body && *rest)
        return magics_misuse(c, _("'%s' is not known here"), rest);
    return measure(c, statement,
                   wb_format(bench_program, c->body ? c->line + 1 : c->line, statement,
                             (long)asked.n, (long)asked.other));
}

/* ---- %timeit ------------------------------------------------------------------------------ */

/* Measures as IPython does: R times N calls, where N is the first power of ten that takes 0.2 s.
 * cudaDeviceSynchronize() ends each run. The empty asm keeps calls apart. */
static const char timeit_program[] =
    "{\n#line %d\n%s;\n auto wb_bench_work = [&]() {\n#line %d\n%s;\n };\n"
    "  long wb_bench_n = %ld; const long wb_bench_r = %ld; bool wb_bench_bad = false;\n"
    "  auto wb_bench_run = [&]() {\n"
    "    struct timespec wb_bench_from, wb_bench_to;\n"
    "    clock_gettime(CLOCK_MONOTONIC, &wb_bench_from);\n"
    "    for (long wb_bench_i = 0; wb_bench_i < wb_bench_n; wb_bench_i++) {\n"
    "      wb_bench_work(); asm volatile(\"\" ::: \"memory\"); }\n"
    "    cudaError_t wb_bench_failed = cudaDeviceSynchronize();\n"
    "    clock_gettime(CLOCK_MONOTONIC, &wb_bench_to);\n"
    "    if (wb_bench_failed || cudaPeekAtLastError()) wb_bench_bad = true;\n"
    "    return (wb_bench_to.tv_sec - wb_bench_from.tv_sec)\n"
    "        + 1e-9 * (wb_bench_to.tv_nsec - wb_bench_from.tv_nsec); };\n"
    "  if (!wb_bench_n)\n"
    "    for (wb_bench_n = 1; wb_bench_run() < 0.2 && !wb_bench_bad && wb_bench_n < 1000000000;)\n"
    "      wb_bench_n *= 10;\n"
    "  double wb_bench_mean = 0, wb_bench_squares = 0;\n"
    "  for (long wb_bench_i = 1; wb_bench_i <= wb_bench_r && !wb_bench_bad; wb_bench_i++) {\n"
    "    double wb_bench_s = wb_bench_run() / wb_bench_n, wb_bench_off = wb_bench_s - "
    "wb_bench_mean;\n"
    "    wb_bench_mean += wb_bench_off / wb_bench_i;\n"
    "    wb_bench_squares += wb_bench_off * (wb_bench_s - wb_bench_mean); }\n"
    "  auto wb_bench_say = [](double wb_bench_s, const char *wb_bench_after) {\n"
    "    int wb_bench_u = wb_bench_s >= 1 ? 0 : wb_bench_s >= 1e-3 ? 1 : wb_bench_s >= 1e-6 ? 2 : "
    "3;\n"
    "    const double wb_bench_per[] = {1, 1e3, 1e6, 1e9};\n"
    "    const char *wb_bench_unit[] = {\"s\", \"ms\", \"us\", \"ns\"};\n"
    "    printf(\"%%.3g %%s%%s\", wb_bench_s * wb_bench_per[wb_bench_u], "
    "wb_bench_unit[wb_bench_u],\n"
    "        wb_bench_after); };\n"
    "  if (!wb_bench_bad) {\n"
    "    wb_bench_say(wb_bench_mean, \" \u00b1 \");\n"
    "    wb_bench_say(__builtin_sqrt(wb_bench_squares / wb_bench_r), \" per loop \");\n"
    "    printf(\"(mean \u00b1 std. dev. of %%ld run%%s, %%ld loop%%s each)\\n\", wb_bench_r,\n"
    "        wb_bench_r == 1 ? \"\" : \"s\", wb_bench_n, wb_bench_n == 1 ? \"\" : \"s\"); }\n}\n";

/* The code after %%timeit runs once, before the loop. The statement can use its variables. */
bool magic_timeit(magic_call *c) {
    counts asked = {.other = 7};
    const char *rest, *statement;
    if (!read_counts(c, &asked, &rest, &statement))
        return false;
    return measure(c, statement,
                   wb_format(timeit_program, c->line, c->body ? rest : "",
                             c->body ? c->line + 1 : c->line, statement, (long)asked.n,
                             (long)asked.other));
}

/* ---- %%program ---------------------------------------------------------------------------- */

/* nvcc4jupyter's %%cu and %%cuda: a whole program. There --name FILE only wrote src/FILE. */
bool magic_cuda(magic_call *c) {
    bool names =
        c->n_words == 2 && (strcmp(c->words[0], "--name") == 0 || strcmp(c->words[0], "-n") == 0);
    if (names)
        return magics_misuse(c,
                             _("nvcc4jupyter's --name wrote the cell to src/%s and ran nothing. "
                               "%%%%writefile %s does so here, and a line !nvcc %s -o x && ./x in "
                               "another cell builds and runs it"),
                             c->words[1], c->words[1], c->words[1]);
    static const char *const options[][3] = {
        {"-c", "--compiler-args",
         N_("the line %flags OPTIONS in a cell before this one sets the compiler's options")},
        {"-p", "--profile", N_("%%counters shows what its kernels do to memory")},
        {"-t", "--timeit", N_("%timeit STATEMENT times a statement")}};
    for (size_t i = 0; c->n_words && i < WB_COUNT(options); i++)
        if (strcmp(c->words[0], options[i][0]) == 0 || strcmp(c->words[0], options[i][1]) == 0)
            return magics_misuse(c, _("it takes no %s here: %s"), c->words[0],
                                 wb_tr(options[i][2]));
    if (c->n_words)
        return magics_misuse(c, _("it takes no options here; %%flags sets the compiler's, and "
                                  "%%%%program passes arguments"));
    return magic_program(c);
}

/* A Python notebook loads nvcc4jupyter for what cells do here anyway. */
bool magic_load_ext(magic_call *c) {
    if (c->n_words != 1 || strncmp(c->words[0], "nvcc", 4) != 0)
        return magics_misuse(c,
                             _("cells are CUDA C++ here, and extensions of IPython are Python; of "
                               "those only nvcc4jupyter is stood in for"));
    execution_printf(c->x, _("%s is not needed: cells are CUDA C++ here\n"), c->words[0]);
    return true;
}

bool magic_program(magic_call *c) {
    if (magics_empty_body(c))
        return magics_misuse(c, _("the cell is empty"));
    wb_cell cell = {.program = true, .program_args = *c->args ? c->args : NULL};
    return magics_run_body(c, cell, NULL);
}

/* ---- %ptx, %sass -------------------------------------------------------------------------- */

/* Returns wb_text_meant() for the session's kernels. */
static const char *near_kernel(wb_session *session, const char *name) {
    WB_SCOPED_JSON json_t *all = wb_session_names(session);
    WB_SCOPED const char **kernels = calloc(json_array_size(all) + 1, sizeof *kernels);
    size_t n = 0;
    WB_JSON_EACH(one, all) {
        if (kernels && (strcmp(wb_field_text(one, "kind"), "kernel") == 0 ||
                        strstr(wb_field_text(one, "signature"), "__global__")))
            kernels[n++] = wb_field_text(one, "name");
    }
    return kernels ? wb_text_meant(name, kernels, n) : "";
}

bool magic_disassemble(magic_call *c) {
    bool sass = strcmp(c->magic->name, "sass") == 0;
    if (c->n_words > 1)
        return magics_misuse(c, _("it takes one kernel's name, or nothing"));
    wb_error err = {0};
    wb_session *session = live_peek(c->x->live);
    if (!session)
        return execution_fail(c->x, "NameError", _("No kernel has been defined yet."));
    WB_SCOPED char *text =
        wb_session_disassemble(session, c->n_words ? c->words[0] : NULL, sass, &err);
    if (!text)
        return execution_fail(c->x, "NameError", "%s%s", err.text,
                              c->n_words ? near_kernel(session, c->words[0]) : "");
    execution_stream(c->x, 1, text, strlen(text));
    return true;
}
