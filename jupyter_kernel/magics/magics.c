/* magics.c: the table, and what every magic has in common: finding it, its words, its help. */
#include "jupyter_kernel/magics/magics.h"
#include "runtime/base/language.h"
#include "jupyter_kernel/execution/cell.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const magic table[] = {
    {"lsmagic", MAGIC_LINE, TAKES_NOTHING, "", WB_N("lists the magics"), "", "", magic_lsmagic},
    {"help", MAGIC_LINE, TAKES_MAGIC, "[MAGIC]", WB_N("what a magic does, or how to begin"), "", "",
     magic_help},
    {"device", MAGIC_LINE, TAKES_DEVICE, "[auto|gpu|soft|none|GPU|FILE.json]",
     WB_N("shows the device cells run on, or changes it"),
     WB_N("softgpu (soft) executes the kernels' PTX on the CPU: every cell works on it, its counts "
          "are\n"
          "exact. With the name of a GPU that is not here (h200, h100, a100, t4, rtx4090,\n"
          "rtx4060-laptop, or a file of your own) softgpu stands in for it: cells are compiled for "
          "it,\n"
          "cudaGetDeviceProperties describes it, %%counters and %%compare tell its times, as "
          "modelled.\n"
          "none goes back. Changing the device forgets variables and definitions."),
     "", magic_device},
    {"language", MAGIC_LINE, TAKES_NOTHING, "[en|zh]",
     WB_N("shows the language of messages, or changes it"),
     WB_N("en is English, zh Chinese; without it the one of the environment's LANG, LC_ALL or\n"
          "LANGUAGE. It holds for the kernel, what cells report, and calls behind an exclamation "
          "mark."),
     "", magic_language},
    {"cd", MAGIC_LINE, TAKES_FILE, "[FOLDER]",
     WB_N("changes the folder that cells, commands and %%writefile work in"),
     WB_N(
         "Without one: home; -: the one before. A running cell's own chdir() is the cells' alone."),
     "", magic_cd},
    {"env", MAGIC_LINE, TAKES_NOTHING, "NAME=VALUE",
     WB_N("sets a variable of the environment for cells and commands"),
     WB_N("NAME alone shows it; !env lists all."), "", magic_env},
    {"set_env", MAGIC_LINE, TAKES_NOTHING, "NAME VALUE", WB_N("%env by its other name"), "", "",
     magic_env},
    {"flags", MAGIC_LINE, TAKES_NOTHING, "[FLAG...] [--clear]",
     WB_N("shows the compiler's extra flags, or sets them"),
     WB_N("What nvcc takes, for example -O3 -use_fast_math -std=c++20 -Xcompiler -fopenmp.\n"
          "They hold from the next cell on."),
     "--clear", magic_flags},
    {"who", MAGIC_LINE, TAKES_NOTHING, "[variable|function|kernel|type|macro|template]",
     WB_N("lists the names the cells have defined"), "", "", magic_who},
    {"reset", MAGIC_LINE, TAKES_NOTHING, "", WB_N("forgets all variables and definitions"),
     WB_N("The device's memory is freed with them."), "", magic_reset},
    {"time", MAGIC_LINE | MAGIC_CELL, TAKES_CODE, "STATEMENT",
     WB_N("runs the code and says how long compiling and running took"), "", "", magic_time},
    {"timeit", MAGIC_LINE | MAGIC_CELL, TAKES_CODE, "[-n LOOPS] [-r RUNS] STATEMENT",
     WB_N("runs a statement many times and shows mean and standard deviation, as IPython does"),
     WB_N(
         "Each run ends with cudaDeviceSynchronize(), so kernels count until they are done. "
         "Behind\n"
         "%%timeit stands what is to be done once, before. %bench shows the median and quartiles."),
     "-n -r", magic_timeit},
    {"bench", MAGIC_LINE | MAGIC_CELL, TAKES_CODE, "[-n RUNS] [-w WARMUPS] STATEMENT",
     WB_N("runs a statement many times and shows the median and quartiles"),
     WB_N("Each run ends with cudaDeviceSynchronize(), so kernels count until they are done.\n"
          "Without -n it runs for about half a second, at least 10 times."),
     "-n -w", magic_bench},
    {"ptx", MAGIC_LINE, TAKES_OWN_KERNEL, "[KERNEL]",
     WB_N("shows the PTX of a kernel the cells defined, or of all"), "", "", magic_ptx},
    {"sass", MAGIC_LINE, TAKES_OWN_KERNEL, "[KERNEL]",
     WB_N("shows the machine code of a kernel the cells defined, or of all"), "", "", magic_sass},
    {"compare", MAGIC_CELL | MAGIC_LINE, TAKES_KERNEL,
     "NAME... [:FUNCTION] [--stage] [--sizes N,N...] [--type TYPE] [--device D] [--model GPU] "
     "[--rounds N]",
     WB_N("times kernels side by side, with a live chart"),
     WB_N(
         "A name is a kernel of the set, a lab (all its kernels; `!warpbook labs` lists both), or\n"
         "FILE.cu:FUNCTION. Code below the line joins in: its function solve, or where the line "
         "says\n"
         ":FUNCTION, that one, of this or of another cell, with the parameters of the others. It "
         "may\n"
         "use what the notebook defines, but its variables. NAME=LABEL and :FUNCTION=LABEL call "
         "them\n"
         "LABEL; a backslash at its end takes the line on. --stage: for the back row, eight "
         "kernels at\n"
         "most at one size, your own first, and an arrow to where it was at the last run; run, "
         "edit a\n"
         "number, run. All other options are those of\n"
         "`!warpbook help compare`. Without a GPU the times are those of one, as modelled: an "
         "H200's,\n"
         "or that of %device or --model."),
     "--stage --sizes --type --device --model --rounds --seconds --reference --like --check",
     magic_compare},
    {"counters", MAGIC_CELL, TAKES_CODE, "[--source] [--lines]",
     WB_N("runs the cell and shows what its kernels did to memory, exactly"),
     WB_N("Sectors per request, bank conflicts, divergence and instructions of each launch; and "
          "what it\n"
          "would take on a GPU, as modelled: an H200, or the one of %device, and which lines that "
          "time\n"
          "goes to. softgpu counts; on a GPU the same figures come from Nsight Compute. --source: "
          "the\n"
          "kernels' source, each line with its share of the time, its sectors and its passes of "
          "shared\n"
          "memory, in colour. --lines: the counts for each source line, the most first."),
     "--source --lines", magic_counters},
    {"predict", MAGIC_CELL, TAKES_CODE, "[--sizes N,N...] [--name NAME]",
     WB_N("tells what the cell's launches would take on a GPU that is not here, at a GPU's own "
          "sizes"),
     WB_N(
         "The cell runs once for each size, which a variable n has (--name: another one), as if "
         "its\n"
         "first line were \"constexpr int n = 4096;\". Where a kernel's blocks all do the same, "
         "only\n"
         "some twenty of them run, so a size of a GPU's kind takes seconds; else all run, for 20 s "
         "at\n"
         "most. The cell is a program of its own for that: it has the notebook's kernels, "
         "functions,\n"
         "types, macros and constants, but not its variables. What it computes is not whole, so\n"
         "nothing of it stays, and nothing that it prints is shown. What only fills arrays on the\n"
         "host, or checks results, can be left out. The GPU is an H200, or that of %device h100\n"
         "(a100, t4, rtx4090, rtx4060-laptop, FILE.json)."),
     "--sizes --name", magic_predict},
    {"predict", MAGIC_LINE, TAKES_NOTHING, "STEP = VALUE",
     WB_N("answers a step of a lab with a number or a word, and tells why it is right or wrong"),
     WB_N("As in %predict sectors = 4. A number may be written as 4, 12.5 %, 1/8, 2^10 or 32 * 4; "
          "with\n"
          "? instead of it the question is shown. The step is one of the lab of %step, or of any "
          "lab\n"
          "where only one has it; LAB.STEP says which."),
     "", magic_enter},
    {"step", MAGIC_LINE, TAKES_STEPS, "[LAB|STEP]",
     WB_N("shows the step that is next in a lab, and begins the lab where it is named"),
     WB_N("A lab is a path of small steps: something is predicted (%predict), a line or a function "
          "is\n"
          "filled in (%%try), the whole is graded (%%grade). A folder with a steps.json of your "
          "own is\n"
          "named by its path, with a slash."),
     "", magic_step},
    {"try", MAGIC_CELL, TAKES_NOTHING, "[STEP] [--seed SEED]",
     WB_N("answers a step of a lab with code, which is run on inputs drawn anew and counted"),
     WB_N("The cell is a program of its own with the step's check: it has nothing of the notebook "
          "and\n"
          "leaves nothing there. --seed draws the same inputs again."),
     "--seed", magic_try},
    {"hint", MAGIC_LINE, TAKES_NOTHING, "[STEP]",
     WB_N("gives the next hint for the step that was last shown or tried"), "", "", magic_hint},
    {"solution", MAGIC_LINE, TAKES_NOTHING, "[STEP]",
     WB_N("shows a solution of a step, after an honest try"),
     WB_N("That is two different answers, or one and all hints."), "", magic_solution},
    {"progress", MAGIC_LINE, TAKES_STEPS, "[LAB]",
     WB_N("a bar for each lab: the steps that are passed"),
     WB_N("It is kept in ~/.local/share/warpbook/progress.json (or below $XDG_DATA_HOME)."), "",
     magic_progress},
    {"draw", MAGIC_CELL, TAKES_CODE,
     "access [LINE]|lanes|block|map NAME ROWS COLS [--warp W] [--block X,Y,Z] [--time N]"
     "    [--kernel NAME] [--before] [--by thread|warp|block|time] [--of reads|writes|both]",
     WB_N("runs the cell and draws what a warp did, from the run itself"),
     WB_N(
         "access: one warp's loads and stores of a line of the source: its lanes, and the sectors\n"
         "that memory moved for them, or the passes over the banks of shared memory. LINE is one "
         "of\n"
         "this cell's lines, or of the cell that has the kernel; 3:12 is line 12 of cell [3]. "
         "Without\n"
         "it, the access that moves most for nothing (a needless pass counts as a sector). "
         "--warp,\n"
         "--block: whose (0; 0,0,0). --time: which of the times that the warp came there (1).\n"
         "--kernel: of which, where the cell launches several. --before: beside the picture that "
         "was\n"
         "drawn last.\n"
         "map NAME ROWS COLS: who came first to which element of an array that a variable of the\n"
         "notebook points to: by thread, warp, block (without --by, too), or time, which is the "
         "number\n"
         "of that access to the array among its warp's. --of: reads alone, or writes.\n"
         "lanes: a warp's way through the source, line after line down the page, and which of its "
         "32\n"
         "lanes were on; takes --warp, --block and --kernel. block: the warps of --block in time, "
         "by\n"
         "the clock of the GPU of %device, as modelled: who works, who waits, loads on their way.\n"
         "grid: the launch: its blocks, a block's threads, the warps that these are in, and the\n"
         "numbers of one thread: the last, or that of --block and --thread. Hatched: threads that\n"
         "touched no global memory.\n"
         "softgpu tells what is drawn."),
     "access map lanes block grid --thread --warp --block --time --kernel --before --by --of",
     magic_draw},
    {"memcheck", MAGIC_CELL, TAKES_CODE, "",
     WB_N("runs the cell and reports every access out of bounds or misaligned"),
     WB_N("Also reads of memory that nothing was written to. softgpu finds out-of-bounds accesses "
          "in\n"
          "every cell; this one asks for all checks."),
     "", magic_memcheck},
    {"racecheck", MAGIC_CELL, TAKES_CODE, "",
     WB_N("runs the cell and reports races between threads of a kernel"), "", "", magic_racecheck},
    {"grade", MAGIC_CELL, TAKES_LAB, "LAB [--seed SEED]",
     WB_N("grades the cell as a submission to a lab"),
     WB_N("The cell alone is the submission: the kernels and solve() the lab's README asks for.\n"
          "`!warpbook labs` lists the labs. The last line is the score, as nbgrader reads it."),
     "--seed", magic_grade},
    {"writefile", MAGIC_CELL, TAKES_FILE, "[-a] FILE", WB_N("writes the cell to a file"),
     WB_N("-a appends to it."), "-a", magic_writefile},
    {"file", MAGIC_CELL, TAKES_FILE, "[-a] FILE", WB_N("%%writefile by its short name"),
     WB_N("-a appends to it."), "-a", magic_writefile},
    {"bash", MAGIC_CELL, TAKES_NOTHING, "[ARGUMENT...]", WB_N("runs the cell with bash"),
     WB_N("On softgpu nvcc makes programs that run on it, here and after an exclamation mark."), "",
     magic_bash},
    {"sh", MAGIC_CELL, TAKES_NOTHING, "[ARGUMENT...]", WB_N("runs the cell with sh"), "", "",
     magic_bash},
    {"shell", MAGIC_CELL, TAKES_NOTHING, "[ARGUMENT...]", WB_N("%%bash by its other name"), "", "",
     magic_bash},
    {"ls", MAGIC_LINE, TAKES_FILE, "[ARGUMENT...]", WB_N("the shell's ls"), "", "", magic_command},
    {"pwd", MAGIC_LINE, TAKES_NOTHING, "", WB_N("the shell's pwd"), "", "", magic_command},
    {"cat", MAGIC_LINE, TAKES_FILE, "FILE...", WB_N("the shell's cat"), "", "", magic_command},
    {"cp", MAGIC_LINE, TAKES_FILE, "FILE... PLACE", WB_N("the shell's cp"), "", "", magic_command},
    {"mv", MAGIC_LINE, TAKES_FILE, "FILE... PLACE", WB_N("the shell's mv"), "", "", magic_command},
    {"rm", MAGIC_LINE, TAKES_FILE, "FILE...", WB_N("the shell's rm"), "", "", magic_command},
    {"mkdir", MAGIC_LINE, TAKES_FILE, "FOLDER...", WB_N("the shell's mkdir"), "", "",
     magic_command},
    {"program", MAGIC_CELL, TAKES_NOTHING, "[ARGUMENT...]",
     WB_N("runs the cell as a complete program, in a process of its own"),
     WB_N("A cell with main() is one anyway; this passes arguments, or says so where main is "
          "hidden."),
     "", magic_program},
    {"cuda", MAGIC_CELL, TAKES_NOTHING, "", WB_N("%%program, as nvcc4jupyter has it"), "", "",
     magic_cuda},
    {"cu", MAGIC_CELL, TAKES_NOTHING, "", WB_N("%%program, as nvcc4jupyter has it"), "", "",
     magic_cuda},
    {"load_ext", MAGIC_LINE, TAKES_NOTHING, "nvcc4jupyter",
     WB_N("does nothing: cells are CUDA C++ anyway"), "", "", magic_load_ext},
    {"reload_ext", MAGIC_LINE, TAKES_NOTHING, "nvcc4jupyter",
     WB_N("does nothing: cells are CUDA C++ anyway"), "", "", magic_load_ext},
};

/* What notebooks for IPython use and cells of C++ can't have, and what to write. */
static const struct {
    const char *name, *instead;
} foreign[] = {
    {"capture",
     WB_N("leave the line out: a cell's output can be collapsed or cleared in the notebook")},
    {"pip", WB_N("!pip install NAME does it")},
    {"conda", WB_N("!conda install NAME does it")},
    {"matplotlib", WB_N("leave the line out: cells are CUDA C++")},
    {"config", WB_N("leave the line out: cells are CUDA C++")},
    {"autoreload", WB_N("leave the line out: a cell run again replaces what it defined")},
    {"run", WB_N("!warpbook run FILE.cu compiles and runs a program")},
    {"prun", WB_N("%bench gives times, %%counters what kernels did to memory")},
    {"whos", WB_N("%who lists the names")},
    {"reset_selective", WB_N("%reset forgets all")},
    {"cuda_group_save",
     WB_N("%%writefile FILE keeps a source, !nvcc FILE... -o x && ./x builds and runs them")},
    {"cuda_group_run", WB_N("!nvcc FILE... -o x && ./x builds and runs files of %%writefile")},
    {"script", WB_N("%%bash and %%sh run a cell with a shell")},
    {"cpp", WB_N("leave the line out: cells are CUDA C++, which takes C++")},
    {"python", WB_N("cells are CUDA C++; !python3 FILE.py runs a file of %%writefile")},
    {"python3", WB_N("cells are CUDA C++; !python3 FILE.py runs a file of %%writefile")},
    {"html", WB_N("a Markdown cell takes HTML")},
    {"latex", WB_N("a Markdown cell takes formulas")},
    {"markdown", WB_N("a Markdown cell does it")},
    {"javascript", WB_N("cells are CUDA C++")},
};

const magic *magics_all(size_t *n) {
    *n = WB_COUNT(table);
    return table;
}

const magic *magics_find(const char *name, size_t len) {
    for (size_t i = 0; i < WB_COUNT(table); i++)
        if (strlen(table[i].name) == len && memcmp(table[i].name, name, len) == 0)
            return &table[i];
    return NULL;
}

/* The one of that name and kind; where there is none, the first of that name. */
static const magic *find_kind(const char *name, size_t len, int kind) {
    for (size_t i = 0; i < WB_COUNT(table); i++)
        if (strlen(table[i].name) == len && memcmp(table[i].name, name, len) == 0 &&
            (table[i].kinds & kind))
            return &table[i];
    return magics_find(name, len);
}

bool magics_is_line(const char *name, size_t len) {
    const magic *m = find_kind(name, len, MAGIC_LINE);
    return m && (m->kinds & MAGIC_LINE);
}

/* ---- help --------------------------------------------------------------------------------- */

static void put_usage(wb_buf *out, const magic *m) {
    if (m->kinds & MAGIC_LINE)
        wb_buf_printf(out, "%%%s%s%s\n", m->name, *m->usage ? " " : "", m->usage);
    if (m->kinds == MAGIC_CELL)
        wb_buf_printf(out, "%%%%%s%s%s\n<the cell's other lines>\n", m->name, *m->usage ? " " : "",
                      m->usage);
    else if (m->kinds & MAGIC_CELL)
        wb_buf_printf(out, "%%%%%s (the same for the cell's other lines)\n", m->name);
}

char *magics_help(const magic *m) {
    wb_buf out = {0};
    for (size_t i = 0; i < WB_COUNT(table); i++) {
        const magic *same = &table[i];
        if (strcmp(same->name, m->name) != 0)
            continue;
        wb_buf_puts(&out, out.len ? "\n" : "");
        put_usage(&out, same);
        wb_buf_printf(&out, "\n%s.\n%s%s", wb_tr(same->summary), wb_tr(same->help),
                      *same->help ? "\n" : "");
    }
    return wb_buf_steal(&out);
}

bool magics_misuse(const magic_call *call, const char *format, ...) {
    char *why = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&why, wb_tr(format), args) < 0)
        why = NULL;
    va_end(args);
    wb_buf usage = {0};
    put_usage(&usage, call->magic);
    execution_fail(call->x, "UsageError", "%s%s: %s\nusage: %s", call->body ? "%%" : "%",
                   call->magic->name, why ? why : "", usage.data ? usage.data : "");
    wb_buf_free(&usage);
    free(why);
    return false;
}

/* Of the magics that run C++, a cell has one; what another one's name says of the code below it
 * would only be a syntax error there. */
static bool two_magics(const magic_call *c) {
    const char *body = c->body ? c->body + strspn(c->body, " \t\r\n") : "";
    bool runs = c->magic->takes == TAKES_CODE || c->magic->takes == TAKES_KERNEL ||
                c->magic->takes == TAKES_LAB;
    if (!runs || strncmp(body, "%%", 2) != 0 || !isalpha((unsigned char)body[2]))
        return false;
    magics_misuse(c, "a cell has one magic of this kind; %.*s begins another",
                  (int)strcspn(body, " \t\r\n"), body);
    return true;
}

/* ---- running ------------------------------------------------------------------------------ */

static void free_words(char **words) {
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

/* One word from *text on, as a shell would take it: quotes group, a backslash takes the next
 * character as it is. */
static char *next_word(const char **text) {
    wb_buf word = {0};
    char quote = '\0';
    const char *p = *text;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? '\0' : *p;
        else if (*p == '\\' && p[1] && quote != '\'')
            wb_buf_putc(&word, *++p);
        else
            wb_buf_putc(&word, *p);
    }
    *text = p;
    return wb_buf_steal(&word);
}

static char **split_words(const char *text, int *n) {
    size_t cap = strlen(text) / 2 + 2;
    char **words = calloc(cap, sizeof *words);
    *n = 0;
    while (words) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            break;
        if (!(words[(*n)++] = next_word(&text))) {
            free_words(words);
            return NULL;
        }
    }
    return words;
}

/* A line that a backslash continued as one line; how many more it was is added to *line. malloc'd.
 */
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

static bool refuse_unknown(execution *x, const char *name, size_t len, bool whole) {
    const char *names[WB_COUNT(table)];
    for (size_t i = 0; i < WB_COUNT(table); i++)
        names[i] = table[i].name;
    char asked[64];
    snprintf(asked, sizeof asked, "%.*s", (int)len, name);
    const char *sign = whole ? "%%" : "%";
    for (size_t i = 0; i < WB_COUNT(foreign); i++)
        if (strcmp(asked, foreign[i].name) == 0)
            return execution_fail(x, "UsageError", "%s%s is IPython's, and not here: %s.", sign,
                                  asked, wb_tr(foreign[i].instead));
    const char *near = wb_text_nearest(asked, names, WB_COUNT(names));
    return execution_fail(x, "UsageError", "There is no magic %s%s%s%s%s. %%lsmagic lists them.",
                          sign, asked, near ? wb_tr("; the nearest is ") : "", near ? sign : "",
                          near ? near : "");
}

static bool wrong_kind(execution *x, const magic *m, bool whole) {
    return execution_fail(x, "UsageError",
                          whole ? "%%%%%s does not exist; %%%s does, on a line of its own."
                                : "%%%s does not exist; %%%%%s does, on the first line of a cell.",
                          m->name, m->name);
}

bool magics_run_body(magic_call *c, wb_cell cell, wb_result *result) {
    char *code = cell_placed(c->body, c->body_len, c->line + 1);
    *result = (wb_result){0};
    if (!code)
        return execution_fail(c->x, "MemoryError", "out of memory");
    cell.code = code;
    cell.len = strlen(code);
    bool ok = execution_run(c->x, &cell, result);
    free(code);
    return ok;
}

bool magics_empty_body(const magic_call *c) {
    return c->body[strspn(c->body, " \t\r\n")] == '\0';
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
    char *args = joined(text + name, len - name, &line);
    char *copy = strndup(body ? body : "", body_len);
    magic_call call = {.x = x, .magic = m, .args = args, .line = line, .body_len = body_len};
    char **words = args ? split_words(args, &call.n_words) : NULL;
    call.words = words;
    call.body = body ? copy : NULL;
    bool ok = args && copy && words ? !two_magics(&call) && m->run(&call)
                                    : execution_fail(x, "MemoryError", "out of memory");
    free_words(words);
    free(args);
    free(copy);
    return ok;
}
