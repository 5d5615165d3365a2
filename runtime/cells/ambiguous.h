/* ambiguous.h: names that a cell's compiler finds twice. After "using namespace std;" a variable
 * count at file scope, where the variables of a notebook stand, is ambiguous with std::count; as a
 * local variable, which is how a cell reads, it would hide it. So the compiler is asked, and where
 * it says so, the notebook's is meant.
 *
 * So it is with "int index = 3;", where the C library has a function index: the compiler refuses
 * the declaration, which is then put into a namespace of our own (WB_ASIDE), that later cells use
 * as a whole; and what it finds ambiguous from there on is the variable. */
#ifndef WARPBOOK_CELLS_AMBIGUOUS_H
#define WARPBOOK_CELLS_AMBIGUOUS_H

#include "runtime/cells/cellgen.h"
#include "runtime/compile/compile.h"

/* What stands at bytes of a cell's text besides what the user wrote, ascending. */
typedef struct wb_insertions {
    struct {
        size_t at;
        const char *text; /* a literal */
    } * v;
    size_t n;
} wb_insertions;

/* The cell again (malloc'd, *own_len bytes), with what the compiler's errors ask for: "::" before
 * the names that it called ambiguous and that the notebook has, declarations put aside. NULL when
 * there is no more to do than was in `in`, whose v is malloc'd and grows. The diagnostics quote the
 * cell `number` as it was written (tidy.h), which is `code`. */
char *wb_ambiguous_resolve(const wb_cellgen *gen, const wb_unit *unit,
                           const wb_compile_result *compiled, int number, const char *code,
                           size_t len, wb_insertions *in, size_t *own_len);

/* Whether a header does not compile because it uses a name that stands aside, too. All uses in
 * the cell are qualified by then, because the compiler reads the cell first. So the unit can do
 * without `using namespace` (wb_cellgen_qualified). */
bool wb_ambiguous_in_header(const wb_compile_result *compiled);

#endif
