/* ambiguous.h: names that the compiler finds twice in a cell. After "using namespace std;" a
 * variable count at file scope, where the notebook's variables are, is ambiguous with std::count. A
 * cell reads like a function body, where a local count would hide std::count. So if the compiler
 * reports an ambiguous name, the notebook's is meant.
 *
 * The compiler also refuses "int index = 3;", because the C library has a function index. The
 * declaration then goes into a namespace of ours (WB_ASIDE), which later cells use. If the name is
 * ambiguous from there on, the variable is meant. */
#pragma once

#include "runtime/cells/cellgen.h"
#include "runtime/compile/compile.h"

/* Texts inserted into a cell's text, ascending by byte. */
typedef struct wb_insertions {
    struct {
        size_t at;
        const char *text; /* a literal */
    } * v;
    size_t n;
} wb_insertions;

/* Returns the cell's text (malloc'd, *own_len bytes) with what the compiler's errors ask for: "::"
 * before ambiguous names of the notebook, and declarations put aside. Returns NULL if nothing is to
 * be added to `in`, whose v is malloc'd and grows. The diagnostics quote cell `number` as written
 * (tidy.h), that is `code`. */
char *wb_ambiguous_resolve(const wb_cellgen *gen, const wb_unit *unit,
                           const wb_compile_result *compiled, int number, const char *code,
                           size_t len, wb_insertions *in, size_t *own_len);

/* Returns true if a header uses a name that is also put aside, and so does not compile. All uses in
 * the cell are qualified by then, so the unit can do without `using namespace`
 * (wb_unit_ways). */
bool wb_ambiguous_in_header(const wb_compile_result *compiled);
