/* parse_body.c: the statements of a function: blocks, labels, declarations, instructions. */
#include "runtime/softgpu/ptx/internal.h"

/* Parses ts: .branchtargets $L1, $L2; */
static void parse_branch_targets(ptx_parser *p, ptx_label *label) {
    uint32_t first = p->targets.count;
    label->kind = PTX_LABEL_TARGETS;
    do
        *(ptx_symbol **)ptx_push(p, &p->targets, sizeof(ptx_symbol *)) = ptx_ident(p, "a label");
    while (ptx_accept(p, ','));
    ptx_expect(p, ';');
    ptx_symbol **names = ptx_take(p, &p->targets, first, sizeof *names, &label->n_targets);
    label->targets = ptx_alloc(p, label->n_targets * sizeof *label->targets);
    for (uint32_t i = 0; i < label->n_targets; i++)
        ptx_label_use(p, names[i], &label->targets[i]);
}

/* Skips fns: .calltargets f, g; which only lists the targets of an indirect call. */
static void skip_call_targets(ptx_parser *p, ptx_label *label) {
    label->kind = PTX_LABEL_PROTOTYPE;
    do
        ptx_ident(p, "a function's name");
    while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

static void parse_label(ptx_parser *p, ptx_symbol *name) {
    ptx_label *label = ptx_label_here(p, name);
    ptx_expect(p, ':');
    if (ptx_peek(p) != '.')
        return;
    const char *before = p->at;
    ptx_symbol *directive = ptx_directive(p);
    if (ptx_is(directive, "branchtargets")) {
        parse_branch_targets(p, label);
    } else if (ptx_is(directive, "calltargets")) {
        skip_call_targets(p, label);
    } else if (ptx_is(directive, "callprototype")) {
        label->kind = PTX_LABEL_PROTOTYPE;
        ptx_prototype(p);
    } else {
        p->at = before; /* an ordinary label before a directive */
    }
}

static void parse_directive(ptx_parser *p) {
    ptx_symbol *name = ptx_directive(p);
    if (ptx_is(name, "loc")) {
        ptx_loc_directive(p);
        return;
    }
    int space = ptx_space_named(name->text);
    if (space >= 0) {
        ptx_variables(p, (ptx_space)space, (ptx_linkage){0});
    } else if (ptx_is(name, "pragma")) {
        ptx_pragma(p);
    } else if (ptx_is(name, "file")) {
        ptx_file_directive(p);
    } else if (ptx_is(name, "section")) {
        ptx_section_directive(p);
    } else {
        ptx_fail(p, _("the directive '.%.100s' in a function is not known"), name->text);
    }
}

/* Parses @%p1 or @!%p1 and its instruction. */
static void parse_guarded(ptx_parser *p) {
    ptx_expect(p, '@');
    bool negated = ptx_accept(p, '!');
    ptx_symbol *name = ptx_ident(p, "a predicate");
    const ptx_binding *b = ptx_lookup(p, name);
    if (!b || !b->var || b->var->space != PTX_SPACE_REG || b->var->type != PTX_PRED)
        ptx_fail(p, _("'%.300s' is not a predicate register"), name->text);
    ptx_instruction(p, ptx_head_or_label(p), b->var, negated);
}

void ptx_body(ptx_parser *p) {
    uint32_t outermost = p->depth;
    ptx_expect(p, '{');
    for (;;) {
        switch (ptx_peek(p)) {
        case '{':
            p->at++;
            ptx_scope_open(p);
            break;
        case '}':
            p->at++;
            ptx_scope_close(p);
            if (p->depth < outermost)
                return;
            break;
        case '.':
            parse_directive(p);
            break;
        case '@':
            parse_guarded(p);
            break;
        case ';': /* an empty statement */
            p->at++;
            break;
        default: {
            ptx_symbol *name = ptx_head_or_label(p);
            if (ptx_peek(p) == ':')
                parse_label(p, name);
            else
                ptx_instruction(p, name, NULL, false);
        }
        }
    }
}
