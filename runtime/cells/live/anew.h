/* anew.h: definitions that replace an earlier one of the same type. */
#pragma once

#include "runtime/cells/split/split.h"

/* Returns a function's result type as text: what is before its name, without marks, and after its
 * parameters; malloc'd. */
char *wb_anew_result(const wb_entity *function);

/* Returns true for an announcement of a definition: "struct A;", "__device__ int f(int);". */
bool wb_anew_is_forward(const wb_entity *e);
/* Returns true for the prototype of a function, and for "extern int x;". */
bool wb_anew_is_prototype(const wb_entity *e);
/* Returns true if the entity `e` of `split` is a prototype of `old`, which it leaves as it is. */
bool wb_anew_declares_again(const wb_split *split, const wb_entity *e, const wb_entity *old);
/* Returns the head of `old` without default arguments if `split` declares it again with some, or
 * NULL. The caller frees it. */
char *wb_anew_plain_head(const wb_split *split, const wb_entity *old);

/* Returns the place where the declaration names its entity, or NULL. */
const char *wb_anew_name(const char *declaration, const char *name);

/* Returns the function's text without its default arguments. The caller frees it. */
char *wb_anew_without_defaults(const char *text, const char *name);

/* Returns the part of the function that callers contain: its result type and its default arguments,
 * which a prototype in `own` (or NULL) may have. The caller frees it. */
char *wb_anew_head(const wb_split *own, const wb_entity *function);

/* Returns true if `split` redefines the function, kernel or variable with the same head. Then the
 * old declaration may precede the new definition, for repeated code that uses it. */
bool wb_anew_may_announce(const wb_entity *old, const wb_split *split);
