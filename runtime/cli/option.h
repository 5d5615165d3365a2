/* option.h: the options of a command or of a magic, declared once.
 *
 * One table, {0} at its end, gives parsing with limits, refusals, --help and Tab completion. */
#pragma once

#include "runtime/base/base.h"

/* The type behind each name is the type of the target. */
typedef enum wb_option_kind {
    WB_KIND_FLAG,   /* bool: takes no value; the default kind */
    WB_KIND_PICK,   /* int: takes no value and stores `least`; the last of several counts */
    WB_KIND_TEXT,   /* const char *, borrowed from the words, like WORD and NUMBER */
    WB_KIND_WORD,   /* const char *: one of the words in `value`, "soft|gpu|auto" */
    WB_KIND_INDEX,  /* int: the index of that word in `value` */
    WB_KIND_NUMBER, /* const char *: a number from least to most, kept as text */
    WB_KIND_REAL,   /* double, from least to most */
    WB_KIND_WHOLE,  /* int64_t, from least to most */
    WB_KIND_SEED,   /* wb_seed */
    WB_KIND_READ    /* any type: `read` stores it */
} wb_option_kind;

typedef struct wb_seed {
    uint64_t value;
    bool given;
} wb_seed;

typedef struct wb_option {
    const char *name; /* "--seed", or one letter, "-n" */
    wb_option_kind kind;
    size_t at;          /* offset of the target in the record */
    const char *value;  /* name of the value in help, or the words to choose from */
    const char *help;   /* NULL: the option is listed nowhere */
    double least, most; /* equal: no limits */
    /* Returns false if the text is invalid. `wants` says what is valid: "a time, as in ...". */
    bool (*read)(const char *text, void *target);
    const char *wants;
    const char *only; /* the subcommands that take it, "export feedback"; NULL: all */
    bool shell;       /* a magic that runs the command refuses it */
} wb_option;

#define WB_TARGET_FLAG bool
#define WB_TARGET_PICK int
#define WB_TARGET_TEXT const char *
#define WB_TARGET_WORD const char *
#define WB_TARGET_INDEX int
#define WB_TARGET_NUMBER const char *
#define WB_TARGET_REAL double
#define WB_TARGET_WHOLE int64_t
#define WB_TARGET_SEED wb_seed
#define WB_TARGET_READ default
/* One row for a field of the type WB_RECORD, which the file with the table defines. Does not
 * compile if the field has another type than its kind. */
#define WB_OPTION(n, k, f, v, h, ...)                                                              \
    {                                                                                              \
        .name = n, .kind = WB_KIND_##k,                                                            \
        .at = offsetof(WB_RECORD, f) + _Generic(((WB_RECORD *)0)->f, WB_TARGET_##k : 0),           \
        .value = v, .help = h, __VA_ARGS__                                                         \
    }
/* Options that several commands have. */
#define WB_OPTION_SEED(field, ...)                                                                 \
    WB_OPTION("--seed", SEED, field, "S", wb_option_seed, __VA_ARGS__)
#define WB_OPTION_JSON(field, ...)                                                                 \
    WB_OPTION("--json", FLAG, field, NULL, wb_option_json, __VA_ARGS__)
#define WB_OPTION_DEVICE(field, ...)                                                               \
    WB_OPTION("--device", WORD, field, "soft|gpu|auto", wb_option_device, __VA_ARGS__)
extern const char wb_option_seed[], wb_option_json[], wb_option_device[];

typedef enum wb_option_place {
    WB_OPTION_ANYWHERE,
    WB_OPTION_LEADING, /* up to the first word that does not begin with two dashes, or is "--" */
    WB_OPTION_BEFORE   /* up to the first word that is no option of the table */
} wb_option_place;

typedef enum wb_option_wrong {
    WB_OPTION_HELP, /* --help was asked for */
    WB_OPTION_UNKNOWN,
    WB_OPTION_NO_VALUE,
    WB_OPTION_NEEDS_VALUE,
    WB_OPTION_REFUSED, /* the value is out of range, or no value of its kind */
    WB_OPTION_MISPLACED,
    WB_OPTION_SHELL /* for the command line only, but used in a magic */
} wb_option_wrong;

typedef struct wb_option_fault {
    wb_option_wrong wrong;
    const wb_option *option; /* NULL if unknown */
    const char *word, *value, *subcommand;
} wb_option_fault;

/* Stores the options among n words in `record`, and puts all other words,
 * NULL at their end, into `plain`, which may be `words`. The first of them is the subcommand.
 * Without a record, only checks them, for a magic
 * that passes the words on. Returns the number of plain words, or -1 with *fault set. */
int wb_option_read(const wb_option *options, wb_option_place place, char *const *words, int n,
                   void *record, char **plain, wb_option_fault *fault);
/* Returns the error message for a fault. The caller frees it. */
char *wb_option_sentence(const wb_option *options, const wb_option_fault *fault);

/* Appends "usage [--json] [--seed S]", or "usage [OPTION...]" if there are many options. */
void wb_option_usage(wb_buf *out, const char *usage, const wb_option *options, bool first);
/* Appends the help of each listed option. `magic` leaves out those of the shell. */
void wb_option_list(wb_buf *out, const wb_option *options, bool magic);
/* Wraps the text at 96 columns. Indents all lines but the first by `indent`. */
void wb_option_wrap(wb_buf *out, const char *text, size_t indent);
