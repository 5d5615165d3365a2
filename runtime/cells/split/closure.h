/* closure.h: names for lambdas that a top-level variable of a cell holds. "auto add = [k](int x) {
 * ... };" is compiled as an inline function __wb_lambda_add_0123abcd that returns the lambda. Later
 * cells repeat the function, and get the type from it. */
#pragma once

#include "runtime/cells/split/split.h"

#define WB_CLOSURE "__wb_lambda_"

/* The name that the type of "struct { ... } s;" gets: __wb_of_s_0123abcd. */
#define WB_UNNAMED "__wb_of_"

/* The number of the marker (types.h) with the type of capture `k` of entity `i`. */
enum { WB_CLOSURE_CAPTURES = 200, WB_CLOSURE_MARK = 1000000 };
#define WB_CLOSURE_MARKER(i, k) (WB_CLOSURE_MARK + (i) * (size_t)WB_CLOSURE_CAPTURES + (k))

/* The number of the marker of a variable in an #if, which only one branch compiles. */
#define WB_BRANCH_MARKER(e) (500000000 + (e)->branch)

/* Returns the marker (types.h) with the type of the variable. The caller frees it. */
char *wb_closure_marker(const wb_entity *variable, size_t number);

/* In such an entity's text, this and two characters stand for the type of capture k. */
#define WB_CLOSURE_HOLE '\1'

bool wb_closure_is(const wb_entity *e);
bool wb_unnamed_is(const wb_entity *e);
/* Returns gcc's "__wb_lambda_add_0123abcd()::<lambda(int)>" as "decltype(...)"; malloc'd. */
char *wb_closure_type(const char *type);
/* Rewrites `text`, malloc'd, for people: "decltype(add)" and "add" for names of such types,
 * "decltype(s)" for unnamed types. */
char *wb_closure_plain(char *text);
/* Replaces every hole in the text (malloc'd, taken over) by its type. */
char *wb_closure_fill(char *text, char *const *types, size_t n);
