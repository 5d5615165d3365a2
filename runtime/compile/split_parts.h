/* split_parts.h: what split.c and declare.c share; nobody else includes it. */
#ifndef WARPBOOK_COMPILE_SPLIT_PARTS_H
#define WARPBOOK_COMPILE_SPLIT_PARTS_H

#include <tree_sitter/api.h>
#include "runtime/compile/split.h"

typedef struct splitter {
    const char *code;
    size_t len;
    TSParser *parser;
    wb_split *out;
    wb_split_ask ask;
    void *ctx;
    bool failed; /* memory ran out */
} splitter;

/* Where a declaration stands: inside which namespaces and linkage blocks. */
typedef struct place {
    const char *open, *close, *scope;
} place;

/* A node that is not there (a null node) is of no type, has no field and an empty text. */
bool node_is(TSNode node, const char *type);
const char *node_text(const splitter *s, TSNode node, size_t *len);
char *node_copy(const splitter *s, TSNode node);
TSNode node_field(TSNode node, const char *name);
void split_edit(splitter *s, size_t at, size_t len, const char *with);

/* Notes what the declaration `node` makes known. True when it was one; false for a statement. */
bool declare(splitter *s, TSNode node, place where);

#endif
