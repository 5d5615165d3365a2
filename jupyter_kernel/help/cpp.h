/* cpp.h: what clangd knows of the C++ at the cursor. */
#pragma once

#include "jupyter_kernel/execution/live.h"

/* The place of the cursor in a cell. */
typedef struct cpp_place {
    live *live;
    char *code; /* the cell with blanks in place of magics and shell lines */
    size_t len, at;
    bool usable;  /* C++, and not inside a comment or a literal */
    double until; /* nobody waits for clangd longer */
} cpp_place;

/* Reads the cell code[0..len). Free with cpp_free. */
cpp_place cpp_read(live *l, const char *code, size_t len, size_t at);
void cpp_free(cpp_place *place);

/* Returns true in an #include line. Moves *from back to where the name of the file begins. */
bool cpp_in_include(const cpp_place *place, size_t *from);
/* Returns true if the name at code[from] belongs to something: "a.name", "a->name", "a::name". */
bool cpp_is_qualified(const cpp_place *place, size_t from);

/* Calls offer with what could stand at the cursor. Returns false if clangd did not answer. */
bool cpp_complete(const cpp_place *place,
                  void (*offer)(void *ctx, const char *text, const char *type,
                                const char *signature),
                  void *ctx);
/* Returns the declaration of what is at the cursor, and what its comment says; the caller frees
 * both. NULL: unknown. */
char *cpp_describe(const cpp_place *place, char **words);
/* Returns the signatures of the call whose parentheses hold the cursor, in the same way. */
char *cpp_signature(const cpp_place *place, char **words);
