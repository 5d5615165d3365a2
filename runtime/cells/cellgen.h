/* cellgen.h: a notebook's cells as translation units. Knows every definition that is live, splits a
 * new cell with a parser and writes the unit that nvcc compiles: what earlier cells defined as
 * declarations, the cell's own definitions as they stand, its statements as initialisers that run
 * in order, `#line` everywhere.
 *
 * A unit is known by its content: its id is a hash of all of it, and stands for the cell wherever
 * the unit names one ("cell [0123456789abcdef]" in #line, symbols, files), so that the same cell
 * makes the same unit whatever its number. What runs is an instance of it: each run of a cell is a
 * library of its own, with variables of its own, that the loader tells from others by its serial
 * number. */
#ifndef WARPBOOK_CELLGEN_H
#define WARPBOOK_CELLGEN_H

#include <jansson.h>
#include "runtime/base/base.h"
#include "runtime/cells/hint/hint.h"
#include "runtime/compile/compile.h"

typedef struct wb_cellgen wb_cellgen;

enum { WB_CELL_ID = 17 }; /* hexadecimal digits and the NUL */

/* Another unit that one is linked to, and the instance of it that is meant. */
typedef struct wb_unit_link {
    char id[WB_CELL_ID];
    unsigned serial;
} wb_unit_link;

typedef struct wb_unit {
    char *source;        /* the whole translation unit */
    bool empty;          /* nothing to compile: blank, or comments alone */
    bool program;        /* defines main: uses no earlier cell, */
    bool alone;          /* ... or has with it what it uses of them */
    char id[WB_CELL_ID]; /* its files have to be called cell_ID.cu and cell_ID.so, all in one
                            folder, which nvcc has to run in: later cells are linked to it there */
    unsigned serial;     /* of the instance that is about to run */
    wb_unit_link *links; /* n_links; the library asks the loader for cell_ID.so of each */
    size_t n_links;
    wb_strings flags; /* more flags for nvcc */
    bool left_out;    /* #include lines of earlier cells that it should not need: where it does not
                         compile, it has to be made again with all (wb_cellgen_bring_all) */
    size_t *carried;  /* n_carried: live entities whose bodies it has, too; the generator's own */
    size_t n_carried, n_anew; /* and how many of them because of what the cell defines anew */
    char *script;             /* to be written to cell_ID.ld there, for the linker; NULL: none */
    char *exports;            /* the same, to cell_ID.list */
    void *changes;            /* what wb_cellgen_accept takes in; the generator's own */
} wb_unit;

wb_cellgen *wb_cellgen_new(void); /* NULL when memory runs out */
void wb_cellgen_free(wb_cellgen *gen);

/* Which of the notebook's cells the next units are, as its editor names them; NULL: nobody knows. A
 * cell that is run again replaces its functions, another one adds overloads to them. */
void wb_cellgen_origin(wb_cellgen *gen, const char *name);

/* Where headers of the user's own lie: the notebook's folder (NULL: this process's) and -I of
 * nvcc's flags. False when memory ran out. */
bool wb_cellgen_folders(wb_cellgen *gen, const char *cwd, const char *const *flags);

/* If the piece in that line of the cell, which did not compile, hangs on a name that only the
 * compiler knows (wb_guess), takes its other reading for the next unit. Returns true if it did. */
bool wb_cellgen_doubt(wb_cellgen *gen, const char *code, size_t len, int line);
/* If that did not compile either, goes back to the grammar's reading, whose errors say most.
 * Returns true if that makes another unit. */
bool wb_cellgen_doubt_none(wb_cellgen *gen);
/* Ends it: `keep` what the compiler accepted for the rest of the notebook, or forget it. */
void wb_cellgen_settle(wb_cellgen *gen, bool keep);

typedef enum wb_unit_kind {
    WB_UNIT_CELL,    /* a program where it has a main */
    WB_UNIT_PROGRAM, /* a complete program, even without one */
    WB_UNIT_ALONE    /* likewise, with what it needs of the notebook's definitions (alone.h) */
} wb_unit_kind;

/* The unit of one cell. False when the cell can't be turned into one: err says what was found, in
 * which line, and what to do. The unit is freed with wb_unit_free in every case. */
bool wb_cellgen_unit(wb_cellgen *gen, const char *code, size_t len, int number, wb_unit_kind kind,
                     wb_unit *unit, wb_error *err);
/* The cell's code as a CUDA file of its own, with what it needs of the notebook's definitions
 * (alone.h); malloc'd, NULL with err as above. */
char *wb_cellgen_alone(wb_cellgen *gen, const char *code, size_t len, int number, wb_error *err);
/* The i-th header of the user's own that the unit has taken in: its path, and its name in messages,
 * the unit's; false: there are no more. */
bool wb_cellgen_header(const wb_unit *unit, size_t i, const char **path, const char **name);
/* What is to be said of the unit's cell where it compiles, a sentence a line; NULL: nothing. */
const char *wb_cellgen_warning(const wb_unit *unit);
/* From now on units have all #include lines of earlier cells, or again those they should need. */
void wb_cellgen_bring_all(wb_cellgen *gen, bool all);
/* From now on units do without `using namespace` for what stands aside (ambiguous.h), or not. */
void wb_cellgen_qualified(wb_cellgen *gen, bool all);
/* What the notebook, or the unit's own cell, has of that name at file scope, or put aside there
 * (ambiguous.h); NULL: nothing that can be used. */
const wb_entity *wb_cellgen_has(const wb_cellgen *gen, const wb_unit *unit, const char *name,
                                size_t len);
/* The declaration of a variable of the host of that name at the top of the cell: its bytes. */
bool wb_cellgen_variable(const wb_cellgen *gen, const char *code, size_t len, const char *name,
                         size_t name_len, size_t *start, size_t *end);
/* The unit was loaded: from now on its definitions are live, and replace earlier ones. `library` is
 * the path of what was made from it: the types of its variables are read from there; `inputs` are
 * the files that were compiled (wb_compile_result), or NULL. Of the cell's items the first
 * `finished` ran to their end (SIZE_MAX: all); the names that it did not come to define, in words,
 * or NULL (unfinished.h). */
char *wb_cellgen_accept(wb_cellgen *gen, wb_unit *unit, const char *library, const char *inputs,
                        size_t finished);
void wb_unit_free(wb_unit *unit);

/* {symbol: version} of what `library`, made from the unit, may share with earlier cells
 * (statics.h); a new reference. `symbols` are the variables it defines, a line each, and behind '&'
 * the functions whose addresses it takes. Once a unit, before it runs. */
json_t *wb_cellgen_statics(wb_cellgen *gen, wb_unit *unit, const char *library,
                           const char *symbols);

/* What of `library` the worker may point elsewhere later, and what of it goes elsewhere: {symbol:
 * [chain, item]} of what it defines, {symbol: [chain]} of what it uses (chains.h); a new reference.
 * `defined` and `used` are its symbols, a line each. Once a unit, before it runs. */
json_t *wb_cellgen_binds(wb_cellgen *gen, wb_unit *unit, const char *library, const char *defined,
                         const char *used);

/* Earlier functions and kernels are compiled again with what the next units define anew; or not,
 * where one of them no longer compiles. */
void wb_cellgen_carry(wb_cellgen *gen, bool all);
/* An error in the body of a function that the unit carries. Where its process is gone, that is
 * hidden from now on, with the error as the reason; else the unit is written without it. Returns
 * false when the error is in no such body. */
bool wb_cellgen_give_up(wb_cellgen *gen, const wb_unit *unit, int cell, int line, const char *why);
/* What earlier cells made goes on to use what the unit's cell has defined anew as something else,
 * in words, a line each, malloc'd; NULL: nothing does. Before it is accepted. */
char *wb_cellgen_kept(wb_cellgen *gen, wb_unit *unit, const char *library);
/* The process that cells ran in is gone: so are all variables. */
void wb_cellgen_lose(wb_cellgen *gen);

/* Finds what a student can do about an error in the unit. here: its line is one of the cell's.
 * Returns false if there is nothing to add. */
bool wb_cellgen_hint(const wb_cellgen *gen, const wb_unit *unit, const wb_diagnostic *error,
                     bool here, wb_hint *hint);

/* The live names, as wb_session_names gives them; a new reference. */
json_t *wb_cellgen_names(const wb_cellgen *gen);

#endif
