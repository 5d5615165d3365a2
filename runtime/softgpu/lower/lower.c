/* lower.c: translates a ptx_function to an sg_func in one walk over the instructions. The files
 * beside it translate families of instructions. This file adds guards, joins where paths meet, and
 * counting at the start of basic blocks. */
#include "runtime/base/scoped.h"
#include "runtime/softgpu/lower/lower.h"
#include "runtime/softgpu/watch/record/record.h"

/* ---- counting ------------------------------------------------------------------------------- */

/* Returns the floating-point operations of one lane: two for fma, twice as many for a pair of
 * halves. */
static uint32_t flops(const ptx_inst *inst, ptx_type *type) {
    static const char one[] = "add sub mul div sqrt rcp rsqrt sin cos ex2 lg2 tanh min max";
    uint32_t n = lower_among(inst->opcode, "fma mad") ? 2 : lower_among(inst->opcode, one);
    *type = lower_operand_type(inst);
    if (!lower_is_float(*type))
        return 0;
    return *type == PTX_F16X2 || *type == PTX_BF16X2 ? 2 * n : n;
}

static void add_work(sg_op *tally, const ptx_inst *inst) {
    ptx_type type;
    if (lower_among(inst->opcode, "ld ldu st atom red cp wmma ldmatrix tex tld4 suld sust") &&
        !ptx_modified(inst, "param"))
        tally->imm += lower_among(inst->opcode, "ldmatrix") || ptx_modified(inst, "shared")
                          ? 1ull << SG_TALLY_SHARED
                          : 1;
    uint32_t n = flops(inst, &type);
    if (type == PTX_F32)
        tally->a += (int32_t)n;
    else if (type == PTX_F64)
        tally->b += (int32_t)n;
    else
        tally->c += (int32_t)n;
}

static bool ends_block(const ptx_inst *inst) {
    return lower_among(inst->opcode, "bra brx call ret exit trap");
}

/* Returns the counters' index for an instruction: one for each file and line, or 0 without
 * SG_LINES. */
static uint32_t line_of(lowering *l, const ptx_inst *inst) {
    return l->options & SG_LINES ? lower_line(l, inst, &l->code->lines, &l->code->n_lines) : 0;
}

/* Announces `instructions` instructions of the line, or 0 for one of them with a predicate. For
 * values, 0 announces that the lanes leave the function. */
static void record(lowering *l, uint32_t instructions) {
    sg_op *op = lower_emit(l, l->options & SG_KEEPS ? "piece" : "builtin");
    const ptx_inst *first = &l->source->insts[l->index];
    op->aux = l->options & SG_KEEPS ? &sg_record_piece : &sg_record_step;
    op->d = (int32_t)instructions;
    op->mode = instructions == 1 && ptx_op_is(first, "bra") && !first->guard;
}

/* Counts the basic block that begins here (with SG_LINES, its part in one line). */
static void tally(lowering *l, const bool *leader) {
    const ptx_function *s = l->source;
    sg_op *op = lower_emit(l, "tally");
    for (uint32_t k = l->index; k < s->n_insts; k++) {
        if (k != l->index && (leader[k] || line_of(l, &s->insts[k]) != l->line))
            break;
        op->d++;
        if (!s->insts[k].guard)
            add_work(op, &s->insts[k]);
    }
    if (l->options & SG_RECORD)
        record(l, (uint32_t)op->d);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void guarded_jump(lowering *l, const char *kind, uint32_t target, uint32_t rpc,
                         bool inverted) {
    const ptx_inst *inst = l->inst;
    bool back = target <= l->index;
    int32_t pred = lower_pred_place(l, inst->guard);
    sg_op *op = lower_emitf(l, "%s%s%s", kind, back ? "_back" : "", l->count ? "_c" : "");
    op->a = pred;
    op->flags |= inst->guard_negated != inverted ? SG_F_NEGATE : 0;
    op->mode = back;
    sg_op *compare = op - 1; /* if it decides this branch, it also branches */
    if (!l->count && l->compare_branch && op == &l->f->ops[l->compare_end] && compare->d == pred) {
        compare->fn[0] = l->compare_branch->masked;
        compare->fn[1] = l->compare_branch->full;
    }
    lower_branch(l, op, target);
    lower_rpc(l, op, rpc);
}

static void branch(lowering *l, uint32_t reconv) {
    const ptx_inst *inst = l->inst;
    uint32_t target = lower_op(l, 0)->target;
    lower_has(l, "uni");
    lower_done(l);
    if (inst->guard) {
        guarded_jump(l, "brc", target, reconv, false);
        return;
    }
    bool back = target <= l->index;
    sg_op *op = lower_emit(l, back ? "bra_back" : l->count ? "bra_c" : "bra");
    lower_branch(l, op, target);
}

static void indexed_branch(lowering *l, uint32_t reconv) {
    const ptx_inst *inst = l->inst;
    int32_t index = lower_src(l, lower_op(l, 0), PTX_U32);
    lower_has(l, "idx");
    lower_has(l, "uni");
    lower_done(l);
    uintptr_t *table = lower_own(l, inst->n_targets * sizeof *table);
    for (uint32_t k = 0; k < inst->n_targets; k++)
        table[k] = inst->targets[k];
    sg_op *op = lower_emit(l, "brx");
    op->a = index;
    op->aux = table;
    op->e = (int32_t)inst->n_targets;
    lower_rpc(l, op, reconv);
}

static void leave(lowering *l) {
    const ptx_inst *inst = l->inst;
    lower_has(l, "uni");
    lower_done(l);
    bool exits = ptx_op_is(inst, "exit") || l->source->is_entry;
    if (l->options & SG_KEEPS)
        record(l, 0);
    if (exits) {
        sg_op *op = lower_emit(l, inst->guard ? "exit_if" : "exit_all");
        if (inst->guard) {
            op->a = lower_pred_place(l, inst->guard);
            op->flags |= inst->guard_negated ? SG_F_NEGATE : 0;
        }
    } else if (inst->guard) {
        guarded_jump(l, "brc", l->source->n_insts, l->source->n_insts, false);
    } else {
        lower_branch(l, lower_emit(l, "bra"), l->source->n_insts);
    }
}

static void body(lowering *l) {
    if (ptx_op_is(l->inst, "call")) {
        lower_call(l);
        return;
    }
    if (lower_affine(l))
        return;
    static bool (*const families[])(lowering *) = {
        lower_move,   lower_arith,  lower_compare, lower_convert, lower_async,
        lower_memory, lower_atomic, lower_warp,    lower_matrix,  lower_texture};
    bool opened = lower_affine_open(l);
    for (size_t k = 0; k < WB_COUNT(families); k++) {
        l->taken = 0;
        if (families[k](l)) {
            lower_finish(l);
            lower_done(l);
            if (opened)
                lower_affine_close(l);
            return;
        }
    }
    lower_unknown(l);
}

static void instruction(lowering *l, uint32_t reconv) {
    const ptx_inst *inst = l->inst;
    l->taken = 0;
    l->used_scratch = l->used_preds = 0;
    if (ptx_op_is(inst, "bra")) {
        branch(l, reconv);
    } else if (ptx_op_is(inst, "ret") || ptx_op_is(inst, "exit")) {
        leave(l);
    } else if (inst->guard && lower_may_switch(inst)) {
        guarded_jump(l, "brc", l->index + 1, l->index + 1, true);
        if (ptx_op_is(inst, "brx"))
            indexed_branch(l, reconv);
        else
            body(l);
    } else if (ptx_op_is(inst, "brx")) {
        indexed_branch(l, reconv);
    } else if (inst->guard) {
        sg_op *guard = lower_emit(l, "guard");
        uint32_t at = (uint32_t)(guard - l->f->ops);
        guard->a = lower_pred_place(l, inst->guard);
        guard->flags |= inst->guard_negated ? SG_F_NEGATE : 0;
        if (l->count || l->options & SG_TALLY)
            add_work(lower_emit(l, "tally"), inst);
        if (l->options & SG_RECORD && !(l->options & SG_KEEPS))
            record(l, 0);
        body(l);
        lower_emit(l, "unguard");
        l->f->ops[at].offset = l->f->n_ops; /* becomes aux when the ops no longer move */
        l->f->ops[at].e = 1;
    } else {
        body(l);
    }
}

static void find_leaders(lowering *l, const uint32_t *reconv, bool *leader, bool *meets) {
    const ptx_function *s = l->source;
    leader[0] = true;
    for (uint32_t k = 0; k < s->n_insts; k++) {
        const ptx_inst *inst = &s->insts[k];
        if (ptx_op_is(inst, "bra") && inst->n_ops)
            leader[inst->ops[0].target] = true;
        for (uint32_t t = 0; t < inst->n_targets; t++)
            leader[inst->targets[t]] = true;
        if (reconv[k] != UINT32_MAX && reconv[k] <= s->n_insts)
            leader[reconv[k]] = meets[reconv[k]] = true;
        if (ends_block(inst))
            leader[k + 1] = true;
        if (inst->guard && lower_may_switch(inst))
            leader[k + 1] = meets[k + 1] = true;
    }
    meets[s->n_insts] = !s->is_entry;
}

/* Emits ops that run once for all blocks, and a halt, before the entry's first op. */
static void walk_once(lowering *l) {
    for (l->index = 0; l->index < l->source->n_insts; l->index++) {
        l->inst = &l->source->insts[l->index];
        l->line = line_of(l, l->inst);
        if (l->once[l->index] == LOWER_ONCE)
            instruction(l, UINT32_MAX);
    }
    l->index = 0;
    lower_emit(l, "halt");
    l->f->first = l->f->n_ops;
}

static void walk(lowering *l, const uint32_t *reconv, bool *leader, bool *meets) {
    const ptx_function *s = l->source;
    sg_func *f = l->f;
    uint32_t line = 0;
    for (l->index = 0; l->index < s->n_insts; l->index++) {
        l->inst = &s->insts[l->index];
        l->line = line_of(l, l->inst);
        l->op_of[l->index] = f->n_ops;
        if (meets[l->index])
            lower_emit(l, "sync");
        if ((l->count || l->options & SG_TALLY) && (leader[l->index] || l->line != line))
            tally(l, leader);
        if (l->options & SG_TRACE && lower_segment_begins(l, leader))
            lower_segment(l, leader);
        line = l->line;
        if (l->once[l->index] != LOWER_EACH)
            continue;
        instruction(l, reconv[l->index]);
        lower_release(l);
    }
    l->op_of[s->n_insts] = f->n_ops;
    if (meets[s->n_insts])
        lower_emit(l, "sync");
    lower_emit(l, s->is_entry ? "exit_all" : "ret");
}

static void resolve(lowering *l) {
    sg_func *f = l->f;
    for (uint32_t k = 0; k < l->n_fixes; k++) {
        sg_op *op = &f->ops[l->fixes[k].op];
        const sg_op *target = &f->ops[l->op_of[l->fixes[k].inst]];
        if (l->fixes[k].rpc)
            op->imm = (uint64_t)(uintptr_t)target;
        else
            op->aux = target;
    }
    const sg_entry *guard = sg_handler_find("guard"), *brx = sg_handler_find("brx");
    for (uint32_t k = 0; k < f->n_ops; k++) {
        sg_op *op = &f->ops[k];
        if (op->fn[0] == guard->masked)
            op->aux = &f->ops[op->offset];
        if (op->fn[0] != brx->masked)
            continue;
        uintptr_t *table = (uintptr_t *)(uintptr_t)op->aux;
        for (int32_t t = 0; t < op->e; t++)
            table[t] = (uintptr_t)&f->ops[l->op_of[table[t]]];
    }
}

/* Places local memory: .local variables, the function's parameters, and those that it passes. */
static void place_locals(lowering *l) {
    const ptx_function *s = l->source;
    for (uint32_t k = 0; k < s->n_locals; k++) {
        const ptx_var *v = s->locals[k];
        l->local_place[k] = -1;
        if (v->space != PTX_SPACE_LOCAL && v->space != PTX_SPACE_PARAM)
            continue;
        uint32_t align = v->align > 4 ? v->align : 4;
        l->local = (l->local + align - 1) / align * align;
        l->local_place[k] = (int32_t)l->local;
        l->local += (uint32_t)v->size;
        if (v->size > (64u << 20) || l->local > (64u << 20))
            lower_refuse(l, _("the function's local variables take more than 64 MiB a thread"));
    }
    if (!s->is_entry) {
        l->f->param_places = lower_own(l, s->n_params * sizeof(uint32_t));
        l->f->return_places = lower_own(l, s->n_returns * sizeof(uint32_t));
        for (uint32_t k = 0; k < s->n_params + s->n_returns; k++) {
            const ptx_var *v = k < s->n_params ? &s->params[k] : &s->returns[k - s->n_params];
            l->local = (l->local + 15) & ~15u;
            *(k < s->n_params ? &l->f->param_places[k] : &l->f->return_places[k - s->n_params]) =
                l->local;
            l->local += (uint32_t)(v->size ? v->size : ptx_type_size(v->type));
        }
    }
    l->f->local_bytes = (l->local + 15) & ~15u;
}

static bool translate(lowering *l) {
    const ptx_function *s = l->source;
    uint32_t *reconv = ptx_reconvergence(s);
    bool *leader = calloc(2 * ((size_t)s->n_insts + 2), sizeof *leader);
    jmp_buf refuse;
    l->op_of = calloc((size_t)s->n_insts + 1, sizeof *l->op_of);
    l->reg_place = malloc(((size_t)s->n_regs + 1) * sizeof *l->reg_place);
    l->local_place = malloc(((size_t)s->n_locals + 1) * sizeof *l->local_place);
    bool ok = reconv && leader && l->op_of && l->reg_place && l->local_place;
    static const ptx_inst nothing = {.opcode = "function"};
    l->inst = s->n_insts ? &s->insts[0] : &nothing;
    l->refuse = &refuse;
    if (ok && !_setjmp(refuse)) {
        for (uint32_t k = 0; k < s->n_regs; k++)
            l->reg_place[k] = -1;
        place_locals(l);
        find_leaders(l, reconv, leader, leader + s->n_insts + 2);
        if (!lower_find_last_uses(l, leader) || !lower_find_affine(l) || !lower_find_once(l))
            lower_refuse(l, _("there is no memory left to translate the kernel"));
        if (s->is_entry)
            walk_once(l);
        walk(l, reconv, leader, leader + s->n_insts + 2);
        if (l->options & SG_TRACE)
            lower_flow(l);
        resolve(l);
        if (l->options & SG_KEEPS) {
            l->f->reg_places = l->reg_place;
            l->f->local_places = l->local_place;
            l->reg_place = l->local_place = NULL;
        }
        l->f->frame_bytes = (l->frame + 63) & ~63u;
    } else {
        ok = false;
    }
    WB_FREE(reconv, leader, l->op_of, l->reg_place, l->last_use, l->once, l->settled, l->affine,
            l->brief, l->bits);
    for (size_t k = 0; k < WB_COUNT(l->spare); k++)
        free(l->spare[k]);
    WB_FREE(l->local_place, l->fixes);
    return ok;
}

/* ---- a kernel and its callees --------------------------------------------------------------- */

static bool lower_one(sg_code *code, const ptx_function *f, uint32_t index, sg_error *err) {
    lowering l = {.code = code,
                  .kernel = code->kernel,
                  .module = code->kernel->module,
                  .source = f,
                  .f = code->funcs[index],
                  .options = code->options,
                  .count = (code->options & ~(SG_RECORDS | SG_TALLY)) != 0,
                  .carry = -1,
                  .err = err};
    return translate(&l);
}

/* Marks the functions that an instruction names. */
static void mark(const sg_module *m, const ptx_operand *op, bool *wanted, bool *indirect) {
    if (op->function) {
        uint32_t index = sg_function_index(m, sg_function_defined(m, op->function));
        if (index != UINT32_MAX && !m->ptx->functions[index]->is_declaration)
            wanted[index] = true;
    }
    *indirect |= op->kind == PTX_OP_CALLEE && op->reg;
    for (uint32_t k = 0; k < op->n_items; k++)
        mark(m, &op->items[k], wanted, indirect);
}

static bool lower_all(sg_code *code, sg_error *err) {
    const sg_module *m = code->kernel->module;
    uint32_t n = m->ptx->n_functions;
    bool *wanted = calloc(3 * (size_t)n, sizeof *wanted), *seen = wanted + n,
         *direct = wanted + 2 * n;
    bool indirect = false, again = true, ok = wanted != NULL;
    if (ok)
        wanted[sg_function_index(m, code->kernel->function)] = true;
    while (ok && again) {
        again = false;
        for (uint32_t k = 0; k < n; k++) {
            const ptx_function *f = m->ptx->functions[k];
            if ((!wanted[k] && !(indirect && !f->is_entry && !f->is_declaration)) || seen[k])
                continue;
            seen[k] = again = true;
            direct[k] = wanted[k];
            for (uint32_t i = 0; i < f->n_insts; i++)
                for (uint32_t o = 0; o < f->insts[i].n_ops; o++)
                    mark(m, &f->insts[i].ops[o], wanted, &indirect);
        }
    }
    for (uint32_t k = 0; ok && k < n; k++)
        if (seen[k]) {
            ok = (code->funcs[k] = calloc(1, sizeof(sg_func))) != NULL;
            if (ok) {
                code->funcs[k]->source = m->ptx->functions[k];
                code->funcs[k]->code = code;
            }
        }
    for (uint32_t k = 0, ordinal = 0; ok && k < n; k++) {
        if (!seen[k])
            continue;
        code->funcs[k]->ordinal = ordinal;
        bool done = lower_one(code, m->ptx->functions[k], k, err);
        ordinal += code->funcs[k]->n_ops;
        if (done)
            continue;
        if (direct[k] || wanted[k])
            ok = false;
        else
            code->funcs[k]->refused = strdup(err->text);
    }
    free(wanted);
    return ok;
}

/* Returns NULL and sets err on failure. */
static sg_code *lower_kernel(sg_kernel *kernel, unsigned options, bool in_turn, sg_error *err) {
    sg_code *code = calloc(1, sizeof *code);
    if (code) {
        code->kernel = kernel;
        code->options = options;
        code->in_turn = in_turn;
        code->funcs = calloc(kernel->module->ptx->n_functions + 1, sizeof *code->funcs);
    }
    if (code && code->funcs && WB_PUSH(code->lines, code->n_lines) &&
        WB_PUSH(code->places, code->n_places) && lower_all(code, err)) {
        code->entry = code->funcs[sg_function_index(kernel->module, kernel->function)];
        return code;
    }
    if (err && !err->code)
        wb_fail(err, SG_ERR_MEMORY, _("no memory to translate kernel %s"), kernel->function->name);
    sg_code_free(code);
    return NULL;
}

const sg_code *sg_lower(sg_kernel *kernel, unsigned options, sg_error *err) {
    WB_LOCKED(&kernel->lock);
    sg_code *code = kernel->codes;
    while (code && code->options != options)
        code = code->next;
    if (!code) {
        code = lower_kernel(kernel, options, false, err);
        if (code && code->loops) { /* only known now: visible accesses must happen in turn */
            sg_code_free(code);
            code = lower_kernel(kernel, options, true, err);
        }
        if (code) {
            code->next = kernel->codes;
            kernel->codes = code;
        }
    }
    return code;
}
