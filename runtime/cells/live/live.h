/* live.h: the definitions that are live in a notebook: which cell made them, what replaces what,
 * and which of them a new cell needs, in an order in which each is declared before it is used. */
#ifndef WARPBOOK_CELLS_LIVE_H
#define WARPBOOK_CELLS_LIVE_H

#include "runtime/cells/split/split.h"

typedef struct wb_live_entity {
    wb_entity e;
    size_t cell;     /* the caller's index of the cell whose text it stands in */
    size_t home;     /* of the one whose library has it: another where a later cell carried it */
    bool homeless;   /* no library has it: its process is gone. Who needs it carries its body */
    int number;      /* and its number */
    bool stays;      /* it can't be compiled again in the unit that is written (carry.h) */
    uint64_t origin; /* which of the notebook's cells that is; 0: nobody said */
    size_t order;    /* counts all definitions of the notebook, from 1 */
    size_t since;    /* the order of the first definition in the row that it ends */
} wb_live_entity;

/* A name of a header that the compiler has classified, by refusing the other reading of a piece of
 * code. */
typedef struct wb_learned {
    char *name;
    bool type, plain; /* the grammar's own reading takes it for a type */
    bool trial;       /* the compiler has not accepted it yet */
} wb_learned;

typedef struct wb_live {
    wb_live_entity *v;
    size_t n; /* ascending with definition */
    wb_learned *learned;
    size_t n_learned;
    uint64_t origin; /* of the cell that comes in */
    size_t orders;   /* how many entities were ever taken in */
} wb_live;

void wb_live_free(wb_live *live);

/* Takes in what a cell defined (the entities' strings move over). A definition replaces the earlier
 * one with its key; a name that changes its kind drops all it was before, and a cell that is run
 * again (or, where nobody says which it is, defines just the names an earlier one does) replaces
 * its overloads too. A macro of another cell only hides what has its name, until its #undef. A
 * prototype leaves the definition as it is. Variables, functions and kernels made with a type that
 * is now another become hidden. */
bool wb_live_accept(wb_live *live, wb_split *split, size_t cell, int number);

/* What becomes of each live entity when a cell comes in. What was compiled with the old layout of a
 * type can't be used with the new one, so it goes stale; types and templates that are repeated as
 * text simply take the new one up, but what is linked and uses those is stale as well. */
enum { WB_KEPT, WB_REPLACED, WB_STALE };

/* malloc'd, one for each entity; NULL when memory ran out. */
char *wb_live_fates(const wb_live *live, const wb_split *split);

/* The process is gone, and with it all variables; functions and kernels have to be compiled again,
 * when they are needed. */
void wb_live_lose(wb_live *live);

/* The indices (malloc'd, *n of them) of what a cell needs, in order: `words` is its text (comments
 * and literals only make it ask for more), `split` what it defines itself and so hides; what
 * only the bodies of those marked in `bodies` (NULL: none) need comes behind the first *front. */
size_t *wb_live_needed(const wb_live *live, const wb_split *split, const char *words, size_t len,
                       const bool *bodies, size_t *front, size_t *n);

/* The same for a text that is to stand alone, where kernels and functions come with their bodies
 * and all that those need. */
size_t *wb_live_needed_whole(const wb_live *live, const wb_split *split, const char *words,
                             size_t len, size_t *n);

/* Whether entity i did without `other` where it was written: that stood further down in its cell,
 * or was only announced there. Two may need each other so: struct A; struct B { A *a; }; struct A {
 * B b; }; */
bool wb_live_did_without(const wb_live *live, size_t i, size_t other);

/* Whether the entity is an #include <file> or "file": its words are no identifiers, and a variable
 * h is not what <cublas_v2.h> needs. */
bool wb_live_names_file(const wb_entity *e);

/* Returns true if the entity has that name, or brings it (an enumerator, a tag). */
bool wb_live_answers_to(const wb_entity *e, const char *name, size_t len);

/* The entity of that name made known last, or NULL. */
const wb_live_entity *wb_live_find(const wb_live *live, const char *name, size_t len);

/* Whether a definition takes the place of another: both have one key, or are enums that put an
 * enumerator of one name into the same scope. */
bool wb_live_same_place(const wb_entity *a, const wb_entity *b);

/* Whether the word is an operand's type for the operator: nobody calls that by its name. It may be
 * no entity ("float3", "vector"), or a function or variable that has the type ("make_float3"). */
bool wb_live_operates_on(const wb_entity *operator_function, const char *word, size_t len);

#endif
