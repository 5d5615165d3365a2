/* magics.h: the table of magics: their functions, their arguments and their help. */
#pragma once

#include "jupyter_kernel/execution/execution.h"
#include "runtime/cli/option.h"

enum { MAGIC_LINE = 1, MAGIC_CELL = 2 };

/* The kind of a magic's arguments, for completion. */
typedef enum magic_takes {
    TAKES_NOTHING,
    TAKES_CODE,
    TAKES_FILE,
    TAKES_DEVICE,
    TAKES_KERNEL,     /* a kernel of the precompiled set */
    TAKES_OWN_KERNEL, /* a kernel that a cell defined */
    TAKES_LAB,
    TAKES_STEPS, /* a lab that has steps */
    TAKES_MAGIC
} magic_takes;

/* One call of a magic. Texts are NUL-terminated copies. */
typedef struct magic_call {
    execution *x;
    const struct magic *magic;
    const char *args;   /* the rest of the line, trimmed */
    char *const *words; /* args split as a shell would do, NULL-terminated */
    int n_words;
    char **plain; /* after magics_read(): the words that are not options, NULL-terminated */
    int n_plain;
    const char *body; /* for a cell magic: the lines below; NULL for a line magic */
    size_t body_len;
    int line; /* the magic's line in the cell */
} magic_call;

typedef struct magic {
    const char *name;
    int kinds; /* MAGIC_LINE, MAGIC_CELL */
    magic_takes takes;
    const char *usage;             /* "[auto|gpu|soft]": the words that are not options */
    const char *summary;           /* one line */
    bool (*run)(magic_call *call); /* returns false if it failed, noted in the execution */
    const char *help;              /* NULL, or paragraphs, each on one line */
    const wb_option *options;
    wb_option_place place;
    const char *command; /* NULL, or the command that the magic runs and whose options it takes */
} magic;

/* Returns the options of the magic, or of its command. */
const wb_option *magics_options(const magic *m);

/* Returns the table of n entries. A name may occur twice: as a line magic and a cell magic. */
const magic *magics_all(size_t *n);
const magic *magics_find(const char *name, size_t len); /* the first of that name, or NULL */
const char *magics_meant(const char *name);             /* wb_text_meant() among the magics */
bool magics_is_line(const char *name, size_t len);

/* Runs "name args" (without percent signs). body: NULL for a line magic. */
bool magics_run(execution *x, const char *text, size_t len, const char *body, size_t body_len,
                int line);

/* Stores the options of the line in `record` and fills in the plain words. Returns false if they
 * are refused, noted in the execution. If `record` is NULL, a command will read the options. */
bool magics_read(magic_call *call, void *record);
/* Like magics_read, but also refuses plain words and, for a cell magic, an empty cell. */
bool magics_read_alone(magic_call *call, void *record);

/* Fails with a sentence and the magic's usage. */
bool magics_misuse(const magic_call *call, const char *format, ...) WB_PRINTF(2, 3);

/* Runs the body, or a line magic's statement, with the options in `cell`. The caller frees the
 * result, which may be NULL. */
bool magics_run_body(magic_call *c, wb_cell cell, wb_result *result);
bool magics_empty_body(const magic_call *c); /* it is only blanks */

/* Returns the names that cells defined, as wb_session_names() does; the caller frees them. */
json_t *magics_names(const execution *x);
/* Returns true if one of those is a variable that the compiler's error calls undefined. A program
 * of its own does not have the notebook's variables. */
bool magics_lacks(const json_t *name, const char *error);

/* Returns the help of a magic, or of both with its name. The caller frees it. */
char *magics_help(const magic *m);

/* ---- the magics, by file ------------------------------------------------------------------- */

extern const wb_option flags_options[], reset_options[], timeit_options[], bench_options[];
extern const wb_option counters_options[], predict_options[], try_options[], draw_options[];
extern const wb_option writefile_options[], debug_options[], trace_options[];

typedef bool magic_run(magic_call *c);
/* session.c */
magic_run magic_lsmagic, magic_help, magic_device, magic_language, magic_cd, magic_env, magic_flags,
    magic_who, magic_reset;
/* run.c */
magic_run magic_time, magic_timeit, magic_bench, magic_disassemble, magic_program, magic_cuda,
    magic_load_ext;
magic_run magic_check, magic_counters;                /* check.c */
magic_run magic_draw;                                 /* draw.c */
magic_run magic_debug;                                /* debug.c */
magic_run magic_trace;                                /* trace.c */
magic_run magic_writefile, magic_bash, magic_command; /* shell.c */
magic_run magic_compare;                              /* compare.c */
magic_run magic_predict;                              /* predict.c */
magic_run magic_grade;                                /* lab.c */
/* steps.c; magic_enter is %predict NAME = VALUE */
magic_run magic_step, magic_enter, magic_try, magic_hint, magic_solution, magic_progress;
/* Runs !COMMAND. */
bool magics_shell(execution *x, const char *command);
/* Passes the lab's grading step if the score is high enough. */
void magics_note_grade(execution *x, const char *lab, double score, double most);
