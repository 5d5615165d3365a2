/* cellgen.h: turns a notebook's cells into translation units. It knows every live definition,
 * splits a new cell with a parser, and writes the unit that nvcc compiles: declarations of what
 * earlier cells defined, the cell's own definitions, its statements as initialisers in order, and
 * `#line` everywhere.
 *
 * A unit's id is a hash of its content. It replaces the cell's name inside the unit ("cell
 * [0123456789abcdef]" in #line, symbols, files), so the same cell gives the same unit whatever its
 * number. Each run of a cell is an instance of its unit: a library with variables of its own, which
 * the loader distinguishes by a serial number. */
#pragma once

#include <jansson.h>
#include "runtime/base/base.h"
#include "runtime/cells/hint/hint.h"
#include "runtime/compile/compile.h"

typedef struct wb_cellgen wb_cellgen;

enum { WB_CELL_ID = 17 }; /* hexadecimal digits and the NUL */

/* A link to another unit, and to an instance of it. */
typedef struct wb_unit_link {
    char id[WB_CELL_ID];
    unsigned serial;
} wb_unit_link;

typedef struct wb_unit {
    char *source; /* the whole translation unit */
    bool empty;   /* nothing to compile: blank, or comments alone */
    bool program; /* it defines main and uses no earlier cell */
    bool alone;   /* a program that includes what it needs of earlier cells */
    /* names the files cell_ID.cu and cell_ID.so, which must be in one folder, where nvcc runs:
     * later cells link to them there */
    char id[WB_CELL_ID];
    unsigned serial;     /* of the instance to run */
    wb_unit_link *links; /* n_links; the library needs cell_ID.so of each */
    size_t n_links;
    wb_strings flags; /* more flags for nvcc */
    /* #include lines of earlier cells are left out. If it does not compile, make it again with all
     * (wb_unit_ways) */
    bool left_out;
    /* n_carried: live entities whose bodies it includes; owned by the generator */
    size_t *carried;
    size_t n_carried, n_anew; /* the number that the cell's redefinitions cause */
    char *script;             /* linker script for cell_ID.ld; NULL: none */
    char *exports;            /* export list for cell_ID.list; NULL: none */
    void *changes;            /* owned by the generator, for wb_cellgen_accept */
} wb_unit;

wb_cellgen *wb_cellgen_new(void); /* NULL if memory runs out */
void wb_cellgen_free(wb_cellgen *gen);

/* Sets the editor's id of the next units' cell; NULL: unknown. A cell that runs again replaces its
 * functions; another cell adds overloads. */
void wb_cellgen_origin(wb_cellgen *gen, const char *name);

/* Sets where the user's headers are: the notebook's folder (NULL: this process's) and -I of nvcc's
 * flags. Returns false if memory runs out. */
bool wb_cellgen_folders(wb_cellgen *gen, const char *cwd, const char *const *flags);

/* If the piece in that line, which did not compile, depends on a name that only the compiler knows
 * (wb_guess), uses its other reading for the next unit. Returns true if it did. */
bool wb_cellgen_doubt(wb_cellgen *gen, const char *code, size_t len, int line);
/* If the other reading does not compile either, returns to the grammar's, whose errors say most.
 * Returns true if that makes another unit. */
bool wb_cellgen_doubt_none(wb_cellgen *gen);
/* Ends the trial: keeps what the compiler accepted for the rest of the notebook, or forgets it. */
void wb_cellgen_settle(wb_cellgen *gen, bool keep);

typedef enum wb_unit_kind {
    WB_UNIT_CELL,    /* a program if it has a main */
    WB_UNIT_PROGRAM, /* a complete program, even without one */
    WB_UNIT_ALONE    /* a program with the definitions that it needs of the notebook (alone.h) */
} wb_unit_kind;

/* Makes the unit of one cell. Returns false if that is impossible: err says what, in which line,
 * and what to do. Free the unit with wb_unit_free in every case. */
bool wb_cellgen_unit(wb_cellgen *gen, const char *code, size_t len, int number, wb_unit_kind kind,
                     wb_unit *unit, wb_error *err);
/* Returns the cell's code as a CUDA file of its own, with the definitions that it needs of the
 * notebook (alone.h); malloc'd, NULL with err as above. */
char *wb_cellgen_alone(wb_cellgen *gen, const char *code, size_t len, int number, wb_error *err);
/* Gets the i-th header of the user's that the unit took in: its path, and its name in messages. The
 * unit owns both. Returns false if there are no more. */
bool wb_cellgen_header(const wb_unit *unit, size_t i, const char **path, const char **name);
/* Returns the warnings for a unit that compiles, one sentence a line, or NULL. */
const char *wb_cellgen_warning(const wb_unit *unit);
/* Sets how the next units are written. The usual way, all zero, also compiles again what was given
 * up (wb_cellgen_give_up). */
typedef struct wb_unit_ways {
    bool bring_all;  /* with all #include lines of earlier cells, not only the needed ones */
    bool qualified;  /* without `using namespace` for what is put aside (ambiguous.h) */
    bool carry_none; /* redefinitions compile no earlier functions and kernels again (carry.h) */
} wb_unit_ways;
void wb_cellgen_ways(wb_cellgen *gen, wb_unit_ways ways);
/* Returns what the notebook, or the unit's own cell, has under that name at file scope or put aside
 * (ambiguous.h). NULL: nothing usable. */
const wb_entity *wb_cellgen_has(const wb_cellgen *gen, const wb_unit *unit, const char *name,
                                size_t len);
/* Finds the bytes of the declaration of a host variable of that name at the top of the cell. */
bool wb_cellgen_variable(const wb_cellgen *gen, const char *code, size_t len, const char *name,
                         size_t name_len, size_t *start, size_t *end);
/* Makes the definitions of a loaded unit live; they replace earlier ones. `library` is the path of
 * its library, which has its variables' types. `inputs` are the compiled files (wb_compile_result),
 * or NULL. The cell's first `finished` items ran to their end (SIZE_MAX: all). Returns the names
 * that it did not come to define, as "x and y", or NULL (unfinished.h). */
char *wb_cellgen_accept(wb_cellgen *gen, wb_unit *unit, const char *library, const char *inputs,
                        size_t finished);
void wb_unit_free(wb_unit *unit);

/* Returns {symbol: version} of what `library`, made from the unit, may share with earlier cells
 * (statics.h); a new reference. `symbols` are its variables, one a line, and after '&' the
 * functions whose address it takes. Call it once for each unit, before it runs. */
json_t *wb_cellgen_statics(wb_cellgen *gen, wb_unit *unit, const char *library,
                           const char *symbols);

/* Returns what the worker may rebind in `library`: {symbol: [chain, item]} for what it defines,
 * {symbol: [chain]} for what it uses (chains.h); a new reference. `defined` and `used` are its
 * symbols, one a line. Call it once for each unit, before it runs. */
json_t *wb_cellgen_binds(wb_cellgen *gen, wb_unit *unit, const char *library, const char *defined,
                         const char *used);

/* Handles an error in the body of a carried function. If the function's process has ended, hides it
 * with the error as the reason; else the unit is written without it. Returns false if the error is
 * in no such body. */
bool wb_cellgen_give_up(wb_cellgen *gen, const wb_unit *unit, int cell, int line, const char *why);
/* Returns the warnings, one a line, about earlier things that keep using what the unit's cell
 * redefines as something else; malloc'd, or NULL. Call it before the unit is accepted. */
char *wb_cellgen_kept(wb_cellgen *gen, wb_unit *unit, const char *library);
/* Forgets all variables, because their process has ended. */
void wb_cellgen_lose(wb_cellgen *gen);

/* Finds advice on an error in the unit. here: its line is one of the cell's. Returns false if there
 * is nothing to add. */
bool wb_cellgen_hint(const wb_cellgen *gen, const wb_unit *unit, const wb_diagnostic *error,
                     bool here, wb_hint *hint);

/* Returns the live names for wb_session_names; a new reference. */
json_t *wb_cellgen_names(const wb_cellgen *gen);
/* Returns the live definitions for wb_session_outline; a new reference. */
json_t *wb_cellgen_outline(const wb_cellgen *gen);
