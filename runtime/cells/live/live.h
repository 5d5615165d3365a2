/* live.h: the live definitions of a notebook: which cell made them, what replaces what, and which
 * of them a new cell needs, in an order in which each is declared before its use. */
#pragma once

#include "runtime/cells/split/split.h"

typedef struct wb_live_entity {
    wb_entity e;
    size_t cell; /* the caller's index of the cell with its text */
    size_t home; /* index of the cell whose library has it, which may have carried it */
    /* its process has ended, so no library has it and each user carries its body */
    bool homeless;
    int number;      /* the cell's number */
    bool stays;      /* the unit being written can't compile it again (carry.h) */
    uint64_t origin; /* the cell's origin; 0: unknown */
    size_t order;    /* number of the definition in the notebook, from 1 */
    size_t since;    /* order of the first of the definitions that it replaces in a row */
} wb_live_entity;

/* A name from a header that the compiler classified, by refusing the other reading of some code. */
typedef struct wb_learned {
    char *name;
    bool type, plain; /* the grammar's own reading takes it for a type */
    bool trial;       /* the compiler has not accepted it yet */
} wb_learned;

typedef struct wb_live {
    wb_live_entity *v;
    size_t n; /* ascending by definition */
    wb_learned *learned;
    size_t n_learned;
    uint64_t origin; /* of the new cell */
    size_t orders;   /* number of definitions so far */
} wb_live;

/* Goes through the live entities: for (WB_LIVE(x, live)) ... */
#define WB_LIVE(x, live)                                                                           \
    wb_live_entity *x = (live)->v, *x##_end = x ? x + (live)->n : x;                               \
    x < x##_end;                                                                                   \
    x++

void wb_live_free(wb_live *live);

/* The live entities, and after them the cell's own, as one list. */
static inline size_t wb_live_count(const wb_live *live, const wb_split *own) {
    return live->n + own->n_entities;
}
static inline const wb_entity *wb_live_at(const wb_live *live, const wb_split *own, size_t i) {
    return i < live->n ? &live->v[i].e : &own->entities[i - live->n];
}

/* Takes in what a cell defined, and takes over the entities' strings. A definition replaces the
 * earlier one with its key. A name that changes its kind drops all its earlier definitions. A cell
 * that runs again also replaces its overloads; if its origin is unknown, it counts as run again
 * when it defines exactly the names of an earlier cell. A macro of another cell only hides its
 * name, until its #undef. A prototype leaves the definition as it is. Variables, functions and
 * kernels made with an old type become hidden. */
bool wb_live_accept(wb_live *live, wb_split *split, size_t cell, int number);

/* The fate of a live entity when a cell comes in. Code compiled with a type's old layout becomes
 * stale. Types and templates, which are repeated as text, use the new layout, but linked code that
 * uses them becomes stale too. */
enum { WB_KEPT, WB_REPLACED, WB_STALE };

/* Returns a fate for each entity, malloc'd; NULL if memory runs out. */
char *wb_live_fates(const wb_live *live, const wb_split *split);

/* Forgets all variables, as the process has ended. Functions are compiled again when needed. */
void wb_live_lose(wb_live *live);

/* Returns the indices (malloc'd, *n of them) of what a cell needs, in order. `words` is its text;
 * comments and literals may only add to the result. `split` is what it defines itself and so hides.
 * whole: its text stands alone, so it needs the bodies of kernels and functions. The first *front
 * are needed by more than the bodies marked in `bodies` (NULL: none). */
size_t *wb_live_needed(const wb_live *live, const wb_split *split, const char *words, size_t len,
                       bool whole, const bool *bodies, size_t *front, size_t *n);

/* Returns true if entity i was written without `other`, which came later in its cell, or was only
 * announced there. So two may need each other: struct A; struct B { A *a; }; struct A { B b; }; */
bool wb_live_did_without(const wb_live *live, size_t i, size_t other);

/* Returns true for an #include <file> or "file": its words are no identifiers, so <cublas_v2.h>
 * does not need a variable h. */
bool wb_live_names_file(const wb_entity *e);

/* Returns true if the entity has that name, or introduces it (an enumerator, a tag). */
bool wb_live_answers_to(const wb_entity *e, const char *name, size_t len);

/* Returns the newest entity of that name, or NULL. */
const wb_live_entity *wb_live_find(const wb_live *live, const char *name, size_t len);

/* Returns true if a definition replaces another: both have one key, or are enums with an enumerator
 * of the same name and scope. */
bool wb_live_same_place(const wb_entity *a, const wb_entity *b);

/* Returns true if one of the cell's definitions replaces it in this sense. */
bool wb_live_replaced(const wb_split *own, const wb_entity *e);

/* Returns the hash of a text added to h, with the NUL, so that "ab", "c" and "a", "bc" differ. */
static inline uint64_t wb_hash_text(uint64_t h, const char *text) {
    return wb_hash(h, text, strlen(text) + 1);
}

/* Returns true if the word is an operand's type for the operator, which nobody calls by name. It
 * may be no entity ("float3", "vector"), or a function or variable of that type ("make_float3"). */
bool wb_live_operates_on(const wb_entity *operator_function, const char *word, size_t len);
