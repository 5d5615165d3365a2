/* parse_head.c: the directives of a function's head, and prototypes. */
#include "runtime/softgpu/ptx/internal.h"

static void parse_three(ptx_parser *p, uint32_t out[3]) {
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        out[i] = (uint32_t)ptx_integer(p, UINT32_MAX, "a number of threads");
        if (!ptx_accept(p, ','))
            break;
    }
}

void ptx_pragma(ptx_parser *p) {
    do
        p->nounroll |= !strcmp(ptx_string(p), "nounroll");
    while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

/* Parses .maxntid 256 and similar directives between the parameters and the body. */
void ptx_function_directive(ptx_parser *p, ptx_function *f) {
    uint32_t ignored[3];
    bool is_managed;
    ptx_symbol *name = ptx_directive(p);
    if (ptx_is(name, "maxntid"))
        parse_three(p, f->maxntid);
    else if (ptx_is(name, "reqntid"))
        parse_three(p, f->reqntid);
    else if (ptx_is(name, "maxnreg"))
        f->maxnreg = (uint32_t)ptx_integer(p, UINT32_MAX, "a number of registers");
    else if (ptx_is(name, "minnctapersm"))
        f->min_blocks = (uint32_t)ptx_integer(p, UINT32_MAX, "a number of blocks");
    else if (ptx_is(name, "reqnctapercluster") || ptx_is(name, "maxclusterrank") ||
             ptx_is(name, "maxnctapersm") || ptx_is(name, "abi_preserve") ||
             ptx_is(name, "abi_preserve_control"))
        parse_three(p, ignored);
    else if (ptx_is(name, "pragma"))
        ptx_pragma(p);
    else if (ptx_is(name, "attribute"))
        ptx_attribute(p, &is_managed);
    else if (ptx_is(name, "loc"))
        ptx_loc_directive(p);
    else if (!ptx_is(name, "noreturn") && !ptx_is(name, "explicitcluster") &&
             !ptx_is(name, "blocksareclusters"))
        ptx_fail(p, _("the directive '.%.100s' on a function is not known"), name->text);
}

/* Parses `_ (.param .b32 _) _ (.param .b64 _) .noreturn;` after `name: .callprototype`. */
void ptx_prototype(ptx_parser *p) {
    uint32_t count;
    ptx_function ignored = {0};
    if (ptx_peek(p) == '(')
        ptx_parameters(p, &count);
    ptx_ident(p, "'_'");
    if (ptx_peek(p) == '(')
        ptx_parameters(p, &count);
    while (ptx_peek(p) == '.')
        ptx_function_directive(p, &ignored);
    ptx_expect(p, ';');
}
