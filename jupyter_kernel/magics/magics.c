/* magics.c: the table of magics, and their common parts: finding one, its options, its help. */
#include "jupyter_kernel/magics/magics.h"
#include "jupyter_kernel/execution/cell.h"
#include "runtime/base/words.h"
#include "runtime/cli/cli.h"

#include <ctype.h>

enum { MAGIC_BOTH = MAGIC_LINE | MAGIC_CELL };
#define MAGIC(n, k, t, u, s, r, ...)                                                               \
    {                                                                                              \
        .name = n, .kinds = MAGIC_##k, .takes = TAKES_##t, .usage = u, .summary = s,               \
        .run = magic_##r, __VA_ARGS__                                                              \
    }

static const magic table[] = {
    MAGIC("lsmagic", LINE, NOTHING, "", "lists the magics", lsmagic),
    MAGIC("help", LINE, MAGIC, "[MAGIC]", "what a magic does, or how to begin", help),
    MAGIC("device", LINE, DEVICE, "[auto|gpu|soft|none|GPU|FILE.json]",
          "shows the device cells run on, or changes it", device,
          .help =
              N_("softgpu (soft) executes the kernels' PTX on the CPU: every cell works on it, "
                 "its counts are exact. With the name of a GPU that is not here (h200, h100, "
                 "a100, t4, rtx4090, rtx4060-laptop, or a file of your own) softgpu stands in for "
                 "it: cells are compiled for it, cudaGetDeviceProperties describes it, and "
                 "%%counters and %%compare show its times, as modelled. none goes back. Changing "
                 "the device forgets variables and definitions.")),
    MAGIC("language", LINE, NOTHING, "[en|zh]", "shows the language of messages, or changes it",
          language,
          .help =
              N_("en is English, zh is Chinese. The default is the language of LANG, LC_ALL or "
                 "LANGUAGE. It holds for the kernel, the reports of cells, and commands behind an "
                 "exclamation mark.")),
    MAGIC("cd", LINE, FILE, "[FOLDER]",
          "changes the folder that cells, commands and %%writefile work in", cd,
          .help = N_("Without one: home; -: the one before. A running cell's own chdir() is the "
                     "cells' alone.")),
    MAGIC("env", LINE, NOTHING, "NAME=VALUE",
          "sets a variable of the environment for cells and commands", env,
          .help = N_("NAME alone shows it; !env lists all.")),
    MAGIC("set_env", LINE, NOTHING, "NAME VALUE", "%env by its other name", env),
    MAGIC("flags", LINE, NOTHING, "[FLAG...]", "shows the compiler's extra flags, or sets them",
          flags,
          .help =
              N_("Flags of nvcc, for example -O3 -use_fast_math -std=c++20 -Xcompiler -fopenmp. "
                 "They hold from the next cell on."),
          .options = flags_options, .place = WB_OPTION_BEFORE),
    MAGIC("who", LINE, NOTHING, "[variable|function|kernel|type|macro|template]",
          "lists the names the cells have defined", who),
    MAGIC("reset", LINE, NOTHING, "", "forgets all variables and definitions", reset,
          .help = N_("The device's memory is freed with them."), .options = reset_options),
    MAGIC("time", BOTH, CODE, "STATEMENT",
          "runs the code and says how long compiling and running took", time),
    MAGIC("timeit", BOTH, CODE, "STATEMENT",
          "runs a statement many times and shows mean and standard deviation, as IPython does",
          timeit,
          .help =
              N_("Each run ends with cudaDeviceSynchronize(), so kernels count until they are "
                 "done. The line of %%timeit itself runs once, before the cell. %bench shows the "
                 "median and quartiles."),
          .options = timeit_options, .place = WB_OPTION_BEFORE),
    MAGIC("bench", BOTH, CODE, "STATEMENT",
          "runs a statement many times and shows the median and quartiles", bench,
          .help = N_(
              "Each run ends with cudaDeviceSynchronize(), so kernels count until they are done."),
          .options = bench_options, .place = WB_OPTION_BEFORE),
    MAGIC("ptx", LINE, OWN_KERNEL, "[KERNEL]",
          "shows the PTX of a kernel the cells defined, or of all", disassemble),
    MAGIC("sass", LINE, OWN_KERNEL, "[KERNEL]",
          "shows the machine code of a kernel the cells defined, or of all", disassemble),
    MAGIC("compare", BOTH, KERNEL, "NAME... [:FUNCTION]",
          "times kernels side by side, with a live chart", compare,
          .help =
              N_("A name is a kernel of the set, a lab (all its kernels; `!warpbook labs` lists "
                 "both), or FILE.cu:FUNCTION. Code below the line joins in: its function solve, "
                 "or the :FUNCTION that the line names, of this or of another cell, with the "
                 "parameters of the others. It may use what the notebook defines, except its "
                 "variables. NAME=LABEL and :FUNCTION=LABEL give a label. A backslash at the end "
                 "of the line continues it. --stage shows your own kernel first, with an arrow to "
                 "its place in the last run: run, edit a number, run. Without a GPU the times are "
                 "those of a GPU as modelled: an H200, or that of %device or --model."),
          .command = "compare"),
    MAGIC("counters", CELL, CODE, "[sectors|used|passes|divergence|lanes|instructions|atomics]",
          "runs the cell and shows what its kernels did to memory, exactly", counters,
          .help = N_(
              "A row for each kernel: its time on an H200 or the GPU of %device, as modelled, what "
              "bounds it, sectors, bank conflicts and divergence; and the most important finding. "
              "With a word only that quantity, for each launch and line. softgpu counts; on a GPU "
              "the same figures come from Nsight Compute."),
          .options = counters_options),
    MAGIC("predict", CELL, CODE, "",
          "models the times of the cell's launches on a GPU that is not in this machine, at large "
          "sizes",
          predict,
          .help = N_(
              "The cell runs once for each size, as if its first line were \"constexpr int n = "
              "4096;\". Where all blocks of a kernel do the same, only about twenty of them run, "
              "so a GPU's own sizes take seconds. Otherwise all run, for at most 20 s. The cell "
              "is a program of its own for that: it has the notebook's kernels, functions, "
              "types, macros and constants, but not its variables. Its results are incomplete, "
              "so nothing of them stays, and its output is not shown. Leave out code that only "
              "fills arrays on the host or checks results. The GPU is an H200, or that of "
              "%device h100 (a100, t4, rtx4090, rtx4060-laptop, FILE.json)."),
          .options = predict_options),
    MAGIC("predict", LINE, NOTHING, "STEP = VALUE",
          "answers a step of a lab with a number or a word, and explains why it is right or wrong",
          enter,
          .help =
              N_("As in %predict sectors = 4. A number may be written as 4, 12.5 %, 1/8, 2^10 or "
                 "32 * 4. With ? in place of it the question is shown. The step is one of the lab "
                 "of %step, or of the only lab that has it. LAB.STEP names both.")),
    MAGIC("step", LINE, STEPS, "[LAB|STEP]",
          "shows the step that is next in a lab, and begins the lab where it is named", step,
          .help = N_("A lab is a path of small steps: you predict something (%predict), fill in a "
                     "line or a function (%%try), and grade the whole (%%grade). The path of a "
                     "folder, with a slash, names a steps.json of your own.")),
    MAGIC("try", CELL, NOTHING, "[STEP]",
          "answers a step of a lab with code, which is run on inputs drawn anew and counted", try,
          .help =
              N_("The cell is a program of its own with the step's check: it has nothing of the "
                 "notebook and leaves nothing there."),
          .options = try_options),
    MAGIC("hint", LINE, NOTHING, "[STEP]",
          "gives the next hint for the step that was last shown or tried", hint),
    MAGIC("solution", LINE, NOTHING, "[STEP]", "shows a solution of a step, after an honest try",
          solution, .help = N_("That is two different answers, or one and all hints.")),
    MAGIC("progress", LINE, STEPS, "[LAB]", "a bar for each lab: the steps that are passed",
          progress,
          .help =
              N_("It is kept in ~/.local/share/warpbook/progress.json (or below $XDG_DATA_HOME).")),
    MAGIC("draw", CELL, CODE, "access [LINE]|lanes|block|grid|map NAME ROWS COLS|values NAME...",
          "runs the cell and draws what a warp did, from the run itself", draw,
          .help = N_(
              "access: one warp's loads and stores of a line of the source: its lanes, and the "
              "sectors that memory moved for them, or the passes over the banks of shared "
              "memory. LINE is one of this cell's lines, or of the cell that has the kernel; "
              "3:12 is line 12 of cell [3]. Without it, the access that moves most for nothing "
              "(a needless pass counts as a sector).\n"
              "map NAME ROWS COLS: who came first to which element of an array that a variable "
              "of the notebook points to.\n"
              "lanes: a warp's way through the source, line after line down the page, and "
              "which of its 32 lanes were on.\n"
              "block: the warps of a block in time, by the clock of the GPU of %device, as "
              "modelled: who works, who waits, loads on their way.\n"
              "grid: the launch: its blocks, a block's threads, the warps that these are in, "
              "and the numbers of one thread. Hatched: threads that touched no global memory.\n"
              "values NAME...: what the variables hold in each lane of a warp, line after line; "
              "what an array in shared memory holds after each barrier. p.x and acc[2] are names "
              "too.\n"
              "All pictures come from softgpu."),
          .options = draw_options),
    MAGIC("debug", CELL, CODE, "", "chooses the thread that JupyterLab's debugger follows", debug,
          .help =
              N_("Press the bug in the notebook's toolbar, click beside a line of a kernel, and "
                 "run the cell: it stops there in this thread, and steps follow its warp. "
                 "softgpu does this; a GPU needs cuda-gdb."),
          .options = debug_options),
    MAGIC("trace", CELL, CODE, "LINES", "runs the cell and lists what a warp holds at some lines",
          trace,
          .help = N_(
              "LINES are 7, 7-9 or 7,12, of the cell that has the kernel. A row of the table is a "
              "moment: the warp comes to the line with these lanes. It shows the variables that "
              "the line names, before the line runs; a value that all lanes have is there once. "
              "Arrays in shared memory are shown whole, a lane's own array only by element: "
              "--vars acc[2]. softgpu does this."),
          .options = trace_options),
    MAGIC("memcheck", CELL, CODE, "",
          "runs the cell and reports every access out of bounds or misaligned", check,
          .help =
              N_("Also reads of memory that nothing was written to. softgpu finds out-of-bounds "
                 "accesses in every cell; this one asks for all checks.")),
    MAGIC("racecheck", CELL, CODE, "",
          "runs the cell and reports races between threads of a kernel", check),
    MAGIC(
        "grade", CELL, LAB, "LAB", "grades the cell as a submission to a lab", grade,
        .help = N_(
            "The cell alone is the submission: the kernels and solve() the lab's README asks for. "
            "`!warpbook labs` lists the labs. The last line is the score, as nbgrader reads it."),
        .command = "grade"),
    MAGIC("writefile", CELL, FILE, "FILE", "writes the cell to a file", writefile,
          .options = writefile_options, .place = WB_OPTION_BEFORE),
    MAGIC("file", CELL, FILE, "FILE", "%%writefile by its short name", writefile,
          .options = writefile_options, .place = WB_OPTION_BEFORE),
    MAGIC(
        "bash", CELL, NOTHING, "[ARGUMENT...]", "runs the cell with bash", bash,
        .help = N_(
            "On softgpu nvcc makes programs that run on it, here and after an exclamation mark.")),
    MAGIC("sh", CELL, NOTHING, "[ARGUMENT...]", "runs the cell with sh", bash),
    MAGIC("shell", CELL, NOTHING, "[ARGUMENT...]", "%%bash by its other name", bash),
    MAGIC("ls", LINE, FILE, "[ARGUMENT...]", "the shell's ls", command),
    MAGIC("pwd", LINE, NOTHING, "", "the shell's pwd", command),
    MAGIC("cat", LINE, FILE, "FILE...", "the shell's cat", command),
    MAGIC("cp", LINE, FILE, "FILE... PLACE", "the shell's cp", command),
    MAGIC("mv", LINE, FILE, "FILE... PLACE", "the shell's mv", command),
    MAGIC("rm", LINE, FILE, "FILE...", "the shell's rm", command),
    MAGIC("mkdir", LINE, FILE, "FOLDER...", "the shell's mkdir", command),
    MAGIC("program", CELL, NOTHING, "[ARGUMENT...]",
          "runs the cell as a complete program, in a process of its own", program,
          .help =
              N_("A cell with main() is one anyway; this passes arguments, or says so where main "
                 "is hidden.")),
    MAGIC("cuda", CELL, NOTHING, "", "%%program, as nvcc4jupyter has it", cuda),
    MAGIC("cu", CELL, NOTHING, "", "%%program, as nvcc4jupyter has it", cuda),
    MAGIC("load_ext", LINE, NOTHING, "nvcc4jupyter", "does nothing: cells are CUDA C++ anyway",
          load_ext),
    MAGIC("reload_ext", LINE, NOTHING, "nvcc4jupyter", "does nothing: cells are CUDA C++ anyway",
          load_ext),
};

/* Magics of IPython that C++ cells can't have, and what to use instead. */
static const struct {
    const char *name, *instead;
} foreign[] = {
    {"capture",
     N_("leave the line out: a cell's output can be collapsed or cleared in the notebook")},
    {"pip", N_("!pip install NAME does it")},
    {"conda", N_("!conda install NAME does it")},
    {"matplotlib", N_("leave the line out: cells are CUDA C++")},
    {"config", N_("leave the line out: cells are CUDA C++")},
    {"autoreload", N_("leave the line out: a cell run again replaces what it defined")},
    {"run", N_("!warpbook run FILE.cu compiles and runs a program")},
    {"prun", N_("%bench gives times, %%counters what kernels did to memory")},
    {"whos", N_("%who lists the names")},
    {"reset_selective", N_("%reset forgets all")},
    {"cuda_group_save",
     N_("%%writefile FILE keeps a source, !nvcc FILE... -o x && ./x builds and runs them")},
    {"cuda_group_run", N_("!nvcc FILE... -o x && ./x builds and runs files of %%writefile")},
    {"cuda_group_delete", N_("!rm FILE... removes files of %%writefile")},
    {"script", N_("%%bash and %%sh run a cell with a shell")},
    {"cpp", N_("leave the line out: cells are CUDA C++, which takes C++")},
    {"python", N_("cells are CUDA C++; !python3 FILE.py runs a file of %%writefile")},
    {"python3", N_("cells are CUDA C++; !python3 FILE.py runs a file of %%writefile")},
    {"html", N_("a Markdown cell takes HTML")},
    {"latex", N_("a Markdown cell takes formulas")},
    {"markdown", N_("a Markdown cell does it")},
    {"javascript", N_("cells are CUDA C++")},
};

const magic *magics_all(size_t *n) {
    *n = WB_COUNT(table);
    return table;
}

/* Returns the magic of that name and kind, else the first of that name, or NULL. */
static const magic *find_kind(const char *name, size_t len, int kind) {
    const magic *found = NULL;
    for (size_t i = 0; i < WB_COUNT(table) && !(found && (found->kinds & kind)); i++)
        if (wb_word_is(name, len, table[i].name) && (!found || (table[i].kinds & kind)))
            found = &table[i];
    return found;
}

const magic *magics_find(const char *name, size_t len) {
    return find_kind(name, len, MAGIC_BOTH);
}

bool magics_is_line(const char *name, size_t len) {
    const magic *m = find_kind(name, len, MAGIC_LINE);
    return m && (m->kinds & MAGIC_LINE);
}

/* ---- help --------------------------------------------------------------------------------- */

const wb_option *magics_options(const magic *m) {
    const wb_command *command = m->command ? wb_command_find(m->command) : NULL;
    return command ? command->options : m->options;
}

static void put_usage(wb_buf *out, const magic *m) {
    WB_SCOPED_BUF wb_buf words = {0};
    wb_option_usage(&words, m->usage, magics_options(m), m->place != WB_OPTION_ANYWHERE);
    const char *usage = words.data ? words.data : "";
    if (m->kinds & MAGIC_LINE)
        wb_buf_printf(out, "%%%s%s%s\n", m->name, *usage ? " " : "", usage);
    if (m->kinds == MAGIC_CELL)
        wb_buf_printf(out, "%%%%%s%s%s\n<the cell's other lines>\n", m->name, *usage ? " " : "",
                      usage);
    else if (m->kinds & MAGIC_CELL)
        wb_buf_printf(out, _("%%%%%s (the same for the cell's other lines)\n"), m->name);
}

char *magics_help(const magic *m) {
    wb_buf out = {0};
    for (size_t i = 0; i < WB_COUNT(table); i++) {
        const magic *same = &table[i];
        if (strcmp(same->name, m->name) != 0)
            continue;
        wb_buf_puts(&out, out.len ? "\n" : "");
        put_usage(&out, same);
        wb_buf_printf(&out, "\n%s.\n", wb_tr(same->summary));
        wb_option_wrap(&out, same->help ? wb_tr(same->help) : "", 0);
        wb_buf_puts(&out, same->help ? "\n" : "");
        wb_option_list(&out, magics_options(same), true);
    }
    return wb_buf_steal(&out);
}

bool magics_read(magic_call *c, void *record) {
    const wb_option *options = magics_options(c->magic);
    wb_option_fault fault;
    c->n_plain =
        wb_option_read(options, c->magic->place, c->words, c->n_words, record, c->plain, &fault);
    WB_SCOPED char *why = c->n_plain < 0 ? wb_option_sentence(options, &fault) : NULL;
    return c->n_plain >= 0 || magics_misuse(c, "%s", why ? why : "");
}

bool magics_read_alone(magic_call *c, void *record) {
    if (!magics_read(c, record))
        return false;
    if (c->n_plain > 0)
        return magics_misuse(c, _("'%s' is not known here"), c->plain[0]);
    return !c->body || !magics_empty_body(c) || magics_misuse(c, _("the cell is empty"));
}

bool magics_misuse(const magic_call *call, const char *format, ...) {
    WB_SCOPED char *why = WB_FORMATTED(format);
    WB_SCOPED_BUF wb_buf usage = {0};
    put_usage(&usage, call->magic);
    return execution_fail(call->x, "UsageError", _("%s%s: %s\nusage: %s"), call->body ? "%%" : "%",
                          call->magic->name, why ? why : "", usage.data ? usage.data : "");
}

/* Returns true, and refuses, if a second magic follows one that runs C++: a syntax error there. */
static bool two_magics(const magic_call *c) {
    const char *body = c->body ? c->body + strspn(c->body, " \t\r\n") : "";
    bool runs = c->magic->takes == TAKES_CODE || c->magic->takes == TAKES_KERNEL ||
                c->magic->takes == TAKES_LAB;
    if (!runs || strncmp(body, "%%", 2) != 0 || !isalpha((unsigned char)body[2]))
        return false;
    magics_misuse(c, _("a cell has one magic of this kind; %.*s begins another"),
                  (int)strcspn(body, " \t\r\n"), body);
    return true;
}

/* ---- running ------------------------------------------------------------------------------ */

/* Copies one word from *text to `to`, as a shell would read it: quotes group, and a backslash
 * escapes the next character. Returns the place for the next word. */
static char *take_word(const char **text, char *to) {
    char quote = '\0';
    const char *p = *text;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? '\0' : *p;
        else
            *to++ = *p == '\\' && p[1] && quote != '\'' ? *++p : *p;
    }
    *text = p;
    *to = '\0';
    return to + 1;
}

/* Splits a line into words that end with NULL, in one block that the caller frees. After the NULL
 * it has room for as many words again. */
static char **split_words(const char *text, int *n) {
    size_t cap = strlen(text) / 2 + 2;
    char **words = calloc(1, 2 * cap * sizeof *words + 2 * strlen(text) + 2);
    char *to = words ? (char *)(words + 2 * cap) : NULL;
    for (*n = 0; words && *(text += strspn(text, " \t\n\v\f\r"));) {
        words[(*n)++] = to;
        to = take_word(&text, to);
    }
    return words;
}

/* Joins lines that end with a backslash and adds their number to *line. malloc'd. */
static char *joined(const char *text, size_t len, int *line) {
    wb_buf out = {0};
    for (size_t i = 0; i < len; i++) {
        size_t next = i + 1;
        while (text[i] == '\\' && next < len && (text[next] == ' ' || text[next] == '\t'))
            next++;
        if (text[i] == '\\' && next < len && text[next] == '\n') {
            wb_buf_putc(&out, ' ');
            ++*line;
            i = next;
        } else {
            wb_buf_putc(&out, text[i]);
        }
    }
    return wb_buf_steal(&out);
}

const char *magics_meant(const char *name) {
    const char *names[WB_COUNT(table)];
    for (size_t i = 0; i < WB_COUNT(table); i++)
        names[i] = table[i].name;
    return wb_text_meant(name, names, WB_COUNT(names));
}

static bool refuse_unknown(execution *x, const char *name, size_t len, bool whole) {
    char asked[64];
    snprintf(asked, sizeof asked, "%.*s", (int)len, name);
    const char *sign = whole ? "%%" : "%";
    for (size_t i = 0; i < WB_COUNT(foreign); i++)
        if (strcmp(asked, foreign[i].name) == 0)
            return execution_fail(x, "UsageError", _("%s%s is IPython's, and not here: %s."), sign,
                                  asked, wb_tr(foreign[i].instead));
    return execution_fail(x, "UsageError", _("There is no magic %s%s%s (%%lsmagic lists them)"),
                          sign, asked, magics_meant(asked));
}

static bool wrong_kind(execution *x, const magic *m, bool whole) {
    return execution_fail(x, "UsageError",
                          whole
                              ? _("%%%%%s does not exist; %%%s does, on a line of its own.")
                              : _("%%%s does not exist; %%%%%s does, on the first line of a cell."),
                          m->name, m->name);
}

bool magics_run_body(magic_call *c, wb_cell cell, wb_result *result) {
    WB_SCOPED char *code = c->body ? cell_placed(c->body, c->body_len, c->line + 1)
                                   : cell_placed(c->args, strlen(c->args), c->line);
    if (result)
        *result = (wb_result){0};
    if (!code)
        return execution_fail(c->x, "MemoryError", _("out of memory"));
    cell.code = code;
    cell.len = strlen(code);
    return execution_run(c->x, &cell, result);
}

json_t *magics_names(const execution *x) {
    wb_session *session = live_peek(x->live);
    return session ? wb_session_names(session) : json_array();
}

bool magics_lacks(const json_t *name, const char *error) {
    WB_SCOPED char *undefined = wb_format("\"%s\" is undefined", wb_field_text(name, "name"));
    return undefined && strcmp(wb_field_text(name, "kind"), "variable") == 0 &&
           strstr(error, undefined);
}

bool magics_empty_body(const magic_call *c) {
    const char *code = c->body ? c->body : c->args;
    return code[strspn(code, " \t\r\n")] == '\0';
}

bool magics_run(execution *x, const char *text, size_t len, const char *body, size_t body_len,
                int line) {
    while (len > 0 && *text == '%') { /* %%name below a cell's first line */
        text++;
        len--;
    }
    size_t name = 0;
    while (name < len && (isalnum((unsigned char)text[name]) || text[name] == '_'))
        name++;
    const magic *m = find_kind(text, name, body ? MAGIC_CELL : MAGIC_LINE);
    if (!m)
        return refuse_unknown(x, text, name, body != NULL);
    if (!(m->kinds & (body ? MAGIC_CELL : MAGIC_LINE)))
        return wrong_kind(x, m, body != NULL);
    while (name < len && isspace((unsigned char)text[name]))
        name++;
    WB_SCOPED char *args = joined(text + name, len - name, &line);
    WB_SCOPED char *copy = strndup(body ? body : "", body_len);
    magic_call call = {.x = x, .magic = m, .args = args, .line = line, .body_len = body_len};
    WB_SCOPED char **words = args ? split_words(args, &call.n_words) : NULL;
    call.words = words;
    call.plain = words ? words + call.n_words + 1 : NULL;
    call.body = body ? copy : NULL;
    return args && copy && words ? !two_magics(&call) && m->run(&call)
                                 : execution_fail(x, "MemoryError", _("out of memory"));
}
