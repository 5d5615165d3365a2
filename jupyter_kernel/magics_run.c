/* magics_run.c: magics that run code in another way: %time %bench %program, and %ptx %sass. */
#include "jupyter_kernel/magics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/cell.h"

static const char *code_of(const magic_call *c) {
    return c->body ? c->body : c->args;
}

/* The magic's code with its lines where they stand in the notebook's cell. malloc'd. */
static char *placed_code(const magic_call *c) {
    return c->body ? cell_placed(c->body, c->body_len, c->line + 1)
                   : cell_placed(c->args, strlen(c->args), c->line);
}

static bool blank(const char *text) {
    return text[strspn(text, " \t\r\n")] == '\0';
}

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
    if (blank(code_of(c)))
        return magics_misuse(c, "there is nothing to time");
    char *code = placed_code(c);
    if (!code)
        return execution_fail(c->x, "MemoryError", "out of memory");
    wb_cell cell = {.code = code, .len = strlen(code), .time = true};
    wb_result result;
    bool ok = execution_run(c->x, &cell, &result);
    wb_buf line = {0};
    say_duration(&line, "compile", result.compile_s);
    say_duration(&line, ", run", result.run_s);
    execution_printf(c->x, "%s\n", line.data);
    wb_buf_free(&line);
    wb_result_free(&result);
    free(code);
    return ok;
}

/* ---- %bench ------------------------------------------------------------------------------- */

/* What is measured is the statement up to cudaDeviceSynchronize(), on the host's steady clock. */
static const char bench_program[] =
    "#include <algorithm>\n#include <chrono>\n#include <cstdio>\n#include <vector>\n"
    "{ auto wb_bench_work = [&]() {\n#line %d\n%s;\n };\n"
    "  long wb_bench_runs = %ld; const long wb_bench_warm = %ld;\n"
    "  std::vector<double> wb_bench_t; double wb_bench_sum = 0;\n"
    "  for (long i = -wb_bench_warm; wb_bench_runs ? i < wb_bench_runs\n"
    "       : i < 10 || (wb_bench_sum < 0.5 && i < 100000); i++) {\n"
    "    auto from = std::chrono::steady_clock::now();\n"
    "    wb_bench_work(); cudaDeviceSynchronize();\n"
    "    std::chrono::duration<double> d = std::chrono::steady_clock::now() - from;\n"
    "    if (i >= 0) { wb_bench_t.push_back(d.count()); wb_bench_sum += d.count(); } }\n"
    "  std::sort(wb_bench_t.begin(), wb_bench_t.end());\n"
    "  auto at = [&](double q) { return wb_bench_t[(size_t)(q * (wb_bench_t.size() - 1) + 0.5)]; "
    "};\n"
    "  double unit = at(0.5) < 1e-3 ? 1e6 : at(0.5) < 1 ? 1e3 : 1;\n"
    "  const char *name = unit == 1e6 ? \"us\" : unit == 1e3 ? \"ms\" : \"s\";\n"
    "  printf(\"median %%.2f %%s, quartiles %%.2f to %%.2f, fastest %%.2f, slowest %%.2f"
    " (%%zu runs)\\n\",\n"
    "    at(0.5) * unit, name, at(0.25) * unit, at(0.75) * unit, at(0) * unit, at(1) * unit,\n"
    "    wb_bench_t.size());\n}\n";

/* Reads "-n 10 -w 2" off the words; *rest is where the statement begins in args. */
static bool bench_options(magic_call *c, long *runs, long *warmups, const char **rest) {
    *rest = c->args;
    while ((*rest)[0] == '-' && ((*rest)[1] == 'n' || (*rest)[1] == 'w')) {
        long *which = (*rest)[1] == 'n' ? runs : warmups;
        char *end;
        *which = strtol(*rest + 2, &end, 10);
        if (end == *rest + 2 || *which < (which == runs) || *which > 1000000)
            return magics_misuse(c, "-%c takes a number from %d to 1000000", (*rest)[1],
                                 which == runs);
        *rest = end + strspn(end, " \t");
    }
    return true;
}

static bool on_softgpu(execution *x) {
    wb_session *session = live_peek(&x->kernel->live);
    json_t *usage = session ? wb_session_usage(session) : NULL;
    const char *kind = json_string_value(json_object_get(usage, "kind"));
    bool soft = !kind || strcmp(kind, "soft") == 0;
    json_decref(usage);
    return soft;
}

bool magic_bench(magic_call *c) {
    long runs = 0, warmups = 1;
    const char *rest;
    if (!bench_options(c, &runs, &warmups, &rest))
        return false;
    if (c->body && *rest)
        return magics_misuse(c, "'%s' is no option", rest);
    const char *statement = c->body ? c->body : rest;
    if (blank(statement))
        return magics_misuse(c, "there is no statement to run");
    char *code =
        wb_format(bench_program, c->body ? c->line + 1 : c->line, statement, runs, warmups);
    if (!code)
        return execution_fail(c->x, "MemoryError", "out of memory");
    wb_cell cell = {.code = code, .len = strlen(code)};
    bool ok = execution_run(c->x, &cell, NULL);
    free(code);
    if (ok && on_softgpu(c->x))
        execution_printf(c->x, "on softgpu: the CPU's times, not a GPU's\n");
    return ok;
}

/* ---- %%program ---------------------------------------------------------------------------- */

bool magic_program(magic_call *c) {
    if (blank(c->body))
        return magics_misuse(c, "the cell is empty");
    char *code = placed_code(c);
    wb_cell cell = {.code = code,
                    .len = code ? strlen(code) : 0,
                    .program = true,
                    .program_args = *c->args ? c->args : NULL};
    bool ok = code ? execution_run(c->x, &cell, NULL)
                   : execution_fail(c->x, "MemoryError", "out of memory");
    free(code);
    return ok;
}

/* ---- %ptx, %sass -------------------------------------------------------------------------- */

static bool disassemble(magic_call *c, bool sass) {
    if (c->n_words > 1)
        return magics_misuse(c, "it takes one kernel's name, or nothing");
    wb_error err = {0};
    wb_session *session = live_peek(&c->x->kernel->live);
    if (!session)
        return execution_fail(c->x, "NameError", "No kernel has been defined yet.");
    char *text = wb_session_disassemble(session, c->n_words ? c->words[0] : NULL, sass, &err);
    if (!text)
        return execution_fail(c->x, "NameError", "%s", err.text);
    execution_stream(c->x, 1, text, strlen(text));
    free(text);
    return true;
}

bool magic_ptx(magic_call *c) {
    return disassemble(c, false);
}

bool magic_sass(magic_call *c) {
    return disassemble(c, true);
}
