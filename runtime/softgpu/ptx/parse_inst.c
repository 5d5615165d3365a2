/* parse_inst.c: one instruction: opcode, modifiers and operands. Operands are collected on a stack,
 * so that lists nest, and move to the arena when they are complete.
 */
#include "runtime/softgpu/ptx/internal.h"

enum { MAX_LIST_NESTING = 8 };

/* Splits "ld.global.nc.f32" into opcode "ld" and modifiers {"global", "nc", "f32"}. */
static const ptx_head *split_head(ptx_parser *p, ptx_symbol *symbol) {
    if (symbol->head)
        return symbol->head;
    ptx_head *head = ptx_alloc(p, sizeof *head);
    const char *text = symbol->text, *end = text + symbol->len;
    for (const char *c = text; c < end; c++)
        head->n_mods += *c == '.';
    const char **mods = ptx_alloc(p, head->n_mods * sizeof *mods);
    size_t len = strcspn(text, ".");
    head->opcode = ptx_intern(p, text, len)->text;
    for (uint32_t i = 0; i < head->n_mods; i++) {
        text += len + 1;
        len = strcspn(text, ".");
        mods[i] = ptx_intern(p, text, len)->text;
    }
    head->mods = mods;
    if (strcmp(head->opcode, "call") == 0)
        head->kind = PTX_HEAD_CALL;
    else if (strcmp(head->opcode, "bra") == 0)
        head->kind = PTX_HEAD_BRANCH;
    else if (strcmp(head->opcode, "brx") == 0)
        head->kind = PTX_HEAD_BRX;
    symbol->head = head;
    return head;
}

static void operand(ptx_parser *p, ptx_operand *out, int nesting);

static void push_operand(ptx_parser *p, const ptx_operand *o) {
    *(ptx_operand *)ptx_push(p, &p->operands, sizeof *o) = *o;
}

static void push_next(ptx_parser *p, int nesting) {
    ptx_operand o;
    operand(p, &o, nesting);
    push_operand(p, &o);
}

/* Parses a, b, ... up to `close`, behind the items that the caller has pushed since `first`. */
static void operand_list(ptx_parser *p, char close, uint32_t first, ptx_operand *out, int nesting) {
    if (nesting > MAX_LIST_NESTING)
        ptx_fail(p, _("operands are nested deeper than %d levels"), MAX_LIST_NESTING);
    if (!ptx_accept(p, close)) {
        do
            push_next(p, nesting + 1);
        while (ptx_accept(p, ','));
        ptx_expect(p, close);
    }
    out->items = ptx_take(p, &p->operands, first, sizeof *out->items, &out->n_items);
}

/* Returns the component of `reg.x`, or of `reg.b2` and `reg.h1` in video instructions. */
static uint8_t component_named(const char *name) {
    static const char *const names[][2] = {{"x", "r"}, {"y", "g"}, {"z", "b"}, {"w", "a"},
                                           {"b0", ""}, {"b1", ""}, {"b2", ""}, {"b3", ""},
                                           {"h0", ""}, {"h1", ""}};
    for (uint8_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0 || strcmp(name, names[i][1]) == 0)
            return i + 1;
    return 0;
}

static void special_operand(ptx_parser *p, ptx_symbol *name, ptx_operand *out) {
    const char *start = p->at - name->len;
    if (*p->at == '.' && (ptx_char_class[(unsigned char)p->at[1]] & PTX_C_START))
        p->at += 2;
    name = ptx_intern(p, start, (size_t)(p->at - start));
    out->special = ptx_special_named(name->text);
    if (out->special == PTX_SPECIAL_NONE)
        ptx_fail(p, _("'%.300s' is not declared"), name->text);
    out->kind = PTX_OP_SPECIAL;
    out->name = name->text;
}

/* Parses a register, variable, function or special register by its name. */
static void named_operand(ptx_parser *p, ptx_operand *out) {
    ptx_symbol *name = ptx_ident(p, "an operand");
    const ptx_binding *b = ptx_lookup(p, name);
    if (b && b->var && b->var->space == PTX_SPACE_REG) {
        out->kind = PTX_OP_REG;
        out->reg = b->var;
        if (*p->at == '.') {
            p->at++;
            ptx_symbol *part = ptx_ident(p, "a component such as .x");
            out->component = component_named(part->text);
            if (!out->component)
                ptx_fail(p, _("the component '.%.100s' is not known"), part->text);
        }
        return;
    }
    if (b) {
        out->kind = PTX_OP_SYMBOL;
        out->name = name->text;
        out->var = b->var;
        out->function = b->function;
        return;
    }
    if (strcmp(name->text, "_") == 0)
        return;
    if (strcmp(name->text, "WARP_SZ") == 0) {
        out->kind = PTX_OP_IMM;
        out->imm = 32;
        return;
    }
    if (name->text[0] != '%')
        ptx_fail(p, _("'%.300s' is not declared"), name->text);
    special_operand(p, name, out);
}

static int64_t offset_expr(ptx_parser *p) {
    ptx_value v = ptx_expr(p);
    if (v.is_float)
        ptx_fail(p, _("an address takes whole numbers"));
    return (int64_t)v.bits;
}

/* Parses [base + offset], [base] or [offset]. Coordinates of a tensor or texture become items. */
static void address_operand(ptx_parser *p, ptx_operand *out, int nesting) {
    ptx_expect(p, '[');
    if (ptx_starts_number(p)) {
        out->imm = offset_expr(p);
    } else {
        ptx_operand base = {0};
        named_operand(p, &base);
        if (base.kind != PTX_OP_REG && base.kind != PTX_OP_SYMBOL)
            ptx_fail(p, _("an address has a register, a variable or a number as its base"));
        out->reg = base.reg;
        out->var = base.var;
        out->function = base.function;
        out->name = base.name;
        char sign = ptx_peek(p);
        if (sign == '+')
            p->at++;
        if (sign == '+' || sign == '-')
            out->imm = offset_expr(p);
    }
    out->kind = PTX_OP_ADDR;
    if (ptx_accept(p, ','))
        operand_list(p, ']', p->operands.count, out, nesting);
    else
        ptx_expect(p, ']');
}

static void immediate_operand(ptx_parser *p, ptx_operand *out) {
    ptx_value v = ptx_expr(p);
    out->kind = PTX_OP_IMM;
    out->is_float = v.is_float;
    out->imm = (int64_t)v.bits;
}

/* Parses |p, if it is there. The operand so far is the first of the pair. */
static void pair_operand(ptx_parser *p, ptx_operand *out) {
    uint32_t first = p->operands.count;
    ptx_operand second = {0}, pair = {.kind = PTX_OP_PAIR};
    if (!ptx_accept(p, '|'))
        return;
    named_operand(p, &second);
    push_operand(p, out);
    push_operand(p, &second);
    pair.items = ptx_take(p, &p->operands, first, sizeof *out, &pair.n_items);
    *out = pair;
}

static void operand(ptx_parser *p, ptx_operand *out, int nesting) {
    memset(out, 0, sizeof *out);
    char c = ptx_peek(p);
    if (c == '[') {
        address_operand(p, out, nesting);
        return;
    }
    if (c == '{') {
        p->at++;
        out->kind = PTX_OP_VECTOR;
        operand_list(p, '}', p->operands.count, out, nesting);
        if (out->n_items == 0)
            ptx_fail(p, _("a vector without elements"));
        pair_operand(p, out);
        return;
    }
    if (c == '!' && !(ptx_char_class[(unsigned char)p->at[1]] & PTX_C_DIGIT)) {
        p->at++;
        named_operand(p, out);
        out->negated = true;
        if (out->kind != PTX_OP_REG)
            ptx_fail(p, _("'!' stands before a predicate register"));
        return;
    }
    if (ptx_starts_number(p)) {
        immediate_operand(p, out);
        return;
    }
    named_operand(p, out);
    if (ptx_peek(p) == '|') {
        pair_operand(p, out);
    } else if (out->kind == PTX_OP_SYMBOL && (*p->at == '+' || *p->at == '-')) {
        out->imm = offset_expr(p);
    }
}

static void plain_operands(ptx_parser *p) {
    if (ptx_peek(p) == ';')
        return;
    do
        push_next(p, 0);
    while (ptx_accept(p, ','));
}

/* Parses (ret), callee, (args), prototype. Only the list of arguments is always present. */
static void call_operands(ptx_parser *p) {
    ptx_operand o = {.kind = PTX_OP_LIST};
    if (ptx_accept(p, '(')) {
        operand_list(p, ')', p->operands.count, &o, 0);
        push_operand(p, &o);
        ptx_expect(p, ',');
    }
    ptx_operand callee = {0};
    named_operand(p, &callee);
    if (callee.kind != PTX_OP_REG && !callee.function)
        ptx_fail(p, _("'%.300s' is not a function"), callee.name ? callee.name : "this");
    callee.kind = PTX_OP_CALLEE;
    push_operand(p, &callee);
    o = (ptx_operand){.kind = PTX_OP_LIST};
    bool more = ptx_accept(p, ',');
    if (more && ptx_accept(p, '(')) {
        operand_list(p, ')', p->operands.count, &o, 0);
        more = ptx_accept(p, ',');
    }
    push_operand(p, &o);
    if (more) {
        ptx_symbol *name = ptx_ident(p, "a prototype's name");
        push_operand(p, &(ptx_operand){.kind = PTX_OP_SYMBOL, .name = name->text});
    }
}

static void brx_operands(ptx_parser *p) {
    push_next(p, 0);
    ptx_expect(p, ',');
    ptx_symbol *name = ptx_ident(p, "the name of .branchtargets");
    push_operand(p, &(ptx_operand){.kind = PTX_OP_SYMBOL, .name = name->text});
    ptx_label_ref *ref = ptx_push(p, &p->label_refs, sizeof *ref);
    *ref = (ptx_label_ref){name, PTX_LABEL_TARGETS, NULL, p->insts.count - 1, p->line};
}

void ptx_instruction(ptx_parser *p, ptx_symbol *symbol, const ptx_var *guard, bool negated) {
    const ptx_head *head = split_head(p, symbol);
    uint32_t first = p->operands.count, at = p->insts.count, n_ops;
    ptx_inst *inst = ptx_push(p, &p->insts, sizeof *inst);
    inst->opcode = head->opcode;
    inst->mods = head->mods;
    inst->n_mods = head->n_mods;
    inst->guard = guard;
    inst->guard_negated = negated;
    inst->nounroll = p->nounroll;
    p->nounroll = false;
    inst->loc.line = p->place;
    inst->ptx_line = p->line;
    ptx_symbol *target = NULL;
    switch (head->kind) {
    case PTX_HEAD_PLAIN:
        plain_operands(p);
        break;
    case PTX_HEAD_CALL:
        call_operands(p);
        break;
    case PTX_HEAD_BRX:
        brx_operands(p);
        break;
    case PTX_HEAD_BRANCH:
        target = ptx_ident(p, "a label");
        push_operand(p, &(ptx_operand){.kind = PTX_OP_LABEL, .name = target->text});
        break;
    }
    ptx_expect(p, ';');
    ptx_operand *ops = ptx_take(p, &p->operands, first, sizeof *ops, &n_ops);
    inst = (ptx_inst *)p->insts.data + at; /* valid even if something was pushed */
    inst->ops = ops;
    inst->n_ops = n_ops;
    if (target)
        ptx_label_use(p, target, &ops[0].target);
}
