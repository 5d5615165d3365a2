/* module.c: loads a PTX module: places its variables in memory and describes its kernels. */
#include <stdatomic.h>

#include "runtime/base/scoped.h"
#include "runtime/base/words.h"
#include "runtime/softgpu/machine/machine.h"

static bool in_memory(const ptx_var *v) {
    return v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
}

uint32_t sg_function_index(const sg_module *module, const ptx_function *function) {
    for (uint32_t k = 0; k < module->ptx->n_functions; k++)
        if (module->ptx->functions[k] == function)
            return k;
    return UINT32_MAX;
}

/* Returns the definition of a function that is declared where it is used. */
const ptx_function *sg_function_defined(const sg_module *module, const ptx_function *f) {
    if (!f || !f->is_declaration)
        return f;
    for (uint32_t k = 0; k < module->ptx->n_functions; k++) {
        const ptx_function *g = module->ptx->functions[k];
        if (!g->is_declaration && !strcmp(g->name, f->name))
            return g;
    }
    return f;
}

/* Returns the variable of that name that has memory, or NULL. */
static const sg_symbol *named(const sg_module *m, const char *name) {
    for (uint32_t k = 0; k < m->ptx->n_globals; k++)
        if (m->symbols[k].address && !strcmp(m->ptx->globals[k]->name, name))
            return &m->symbols[k];
    return NULL;
}

const sg_symbol *sg_module_global(const sg_module *module, const ptx_var *var) {
    const sg_symbol *own = NULL;
    for (uint32_t k = 0; k < module->ptx->n_globals && !own; k++)
        if (module->ptx->globals[k] == var)
            own = &module->symbols[k];
    if (own && (own->address || !var->is_extern))
        return own;
    const sg_symbol *defined = named(module, var->name); /* for an extern declaration */
    return defined ? defined : own;
}

static bool place_variables(sg_module *m, sg_error *err) {
    for (uint32_t k = 0; k < m->ptx->n_globals; k++) {
        const ptx_var *v = m->ptx->globals[k];
        m->symbols[k].var = v;
        if (!in_memory(v) || (v->is_extern && !v->size))
            continue;
        sg_mem_kind kind = v->space == PTX_SPACE_CONST ? SG_MEM_CONSTANT
                           : v->is_managed             ? SG_MEM_MANAGED
                                                       : SG_MEM_SYMBOL;
        void *p = sg_mem_alloc(v->size, kind, v->name, err);
        if (!p)
            return false;
        memset(p, 0, v->size);
        if (v->init)
            memcpy(p, v->init, v->size);
        m->symbols[k].address = p;
    }
    return true;
}

static bool address_of(const sg_module *m, const char *name, uint64_t *address) {
    const sg_symbol *variable = named(m, name);
    if (variable) {
        *address = (uint64_t)(uintptr_t)variable->address;
        return true;
    }
    for (uint32_t k = 0; k < m->ptx->n_functions; k++)
        if (!m->ptx->functions[k]->is_declaration && !strcmp(m->ptx->functions[k]->name, name)) {
            *address = m->functions + k;
            return true;
        }
    return false;
}

static bool relocate(sg_module *m, sg_error *err) {
    for (uint32_t k = 0; k < m->ptx->n_globals; k++) {
        const ptx_var *v = m->ptx->globals[k];
        for (uint32_t r = 0; m->symbols[k].address && r < v->n_relocs; r++) {
            const struct ptx_reloc *reloc = &v->relocs[r];
            uint64_t address, size = v->size - reloc->offset < 8 ? v->size - reloc->offset : 8;
            if (!address_of(m, reloc->symbol, &address))
                return wb_fail(err, SG_ERR_INVALID_PTX,
                               _("the initial value of %s names %s, which is not defined"), v->name,
                               reloc->symbol);
            address += (uint64_t)reloc->addend;
            if (reloc->mask != ~0ull && reloc->mask) {
                address = (address & reloc->mask) >> __builtin_ctzll(reloc->mask);
                size = 1;
            }
            memcpy((char *)m->symbols[k].address + reloc->offset, &address, size);
        }
    }
    return true;
}

/* Returns new addresses for n functions. No two modules share an address, so a pointer is valid
 * only in its own module. */
static uint64_t place_functions(uint32_t n) {
    static _Atomic uint64_t next;
    return SG_FUNCTION_WINDOW + (atomic_fetch_add(&next, n) & ~SG_WINDOW_MASK);
}

sg_module *sg_module_load(const char *text, size_t len, sg_error *err) {
    ptx_error why = {0};
    ptx_module *ptx = ptx_link(text, len, &why);
    if (!ptx) {
        wb_fail(err, SG_ERR_INVALID_PTX, _("PTX line %u: %s"), why.ptx_line, why.text);
        return NULL;
    }
    sg_module *m = calloc(1, sizeof *m);
    if (m) {
        m->ptx = ptx;
        m->functions = place_functions(ptx->n_functions);
        m->symbols = calloc(ptx->n_globals + 1, sizeof *m->symbols);
        m->kernels = calloc(ptx->n_functions + 1, sizeof *m->kernels);
    }
    if (!m || !m->symbols || !m->kernels) {
        wb_fail(err, SG_ERR_MEMORY, _("no memory for a module"));
    } else if (place_variables(m, err) && relocate(m, err)) {
        for (uint32_t k = 0; k < ptx->n_functions; k++) {
            pthread_mutex_init(&m->kernels[k].lock, NULL);
            m->kernels[k].module = m;
            if (ptx->functions[k]->is_entry && !ptx->functions[k]->is_declaration)
                m->kernels[k].function = ptx->functions[k];
        }
        return m;
    }
    if (m)
        sg_module_unload(m);
    else
        ptx_free(ptx);
    return NULL;
}

sg_module *sg_module_twin(const char *text, size_t len, const sg_kernel *kernel, sg_error *err) {
    sg_module *m = sg_module_load(text, len, err);
    for (uint32_t k = 0; m && k < m->ptx->n_globals; k++) {
        sg_symbol *own = &m->symbols[k];
        const ptx_var *v = own->var;
        size_t bytes;
        /* strings of the source are numbered, and the numbers may differ */
        bool text_of_source = *v->name == '$' || strncmp(v->name, "__unnamed", 9) == 0;
        void *other = own->address && !text_of_source
                          ? sg_module_symbol(kernel->module, v->name, &bytes)
                          : NULL;
        if (!other || bytes != v->size)
            continue;
        sg_mem_free(own->address);
        own->address = other;
        own->borrowed = true;
    }
    return m;
}

static void func_free(sg_func *f) {
    if (!f)
        return;
    for (uint32_t k = 0; k < f->n_owned; k++)
        free(f->owned[k]);
    WB_FREE(f->reg_places, f->local_places, f->owned, f->ops, f->insts, f->consts, f->specials,
            f->refused, f);
}

uint32_t sg_code_ops(const sg_code *code) {
    const sg_module *m = code->kernel->module;
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->ptx->n_functions; k++)
        if (code->funcs[k] && code->funcs[k]->ordinal + code->funcs[k]->n_ops > n)
            n = code->funcs[k]->ordinal + code->funcs[k]->n_ops;
    return n;
}

void sg_code_free(sg_code *code) {
    if (!code)
        return;
    for (uint32_t k = 0; code->funcs && k < code->kernel->module->ptx->n_functions; k++)
        func_free(code->funcs[k]);
    WB_FREE(code->funcs, code->lines, code->places, code);
}

void sg_module_unload(sg_module *m) {
    if (!m)
        return;
    for (uint32_t k = 0; m->symbols && k < m->ptx->n_globals; k++)
        if (m->symbols[k].address && !m->symbols[k].borrowed)
            sg_mem_free(m->symbols[k].address);
    for (uint32_t k = 0; m->kernels && k < m->ptx->n_functions; k++) {
        sg_kernel *kernel = &m->kernels[k];
        while (kernel->codes) {
            sg_code *next = kernel->codes->next;
            sg_code_free(kernel->codes);
            kernel->codes = next;
        }
        WB_FREE(kernel->shared_vars, kernel->shared_offsets);
        free((void *)kernel->info.param_sizes);
    }
    WB_FREE(m->symbols, m->kernels);
    ptx_free(m->ptx);
    free(m);
}

sg_kernel *sg_module_kernel(sg_module *m, const char *name, sg_error *err) {
    for (uint32_t k = 0; k < m->ptx->n_functions; k++)
        if (m->kernels[k].function && !strcmp(m->kernels[k].function->name, name))
            return &m->kernels[k];
    wb_fail(err, SG_ERR_NOT_FOUND, _("the module has no kernel %s"), name);
    return NULL;
}

void *sg_module_symbol(sg_module *m, const char *name, size_t *bytes) {
    const sg_symbol *found = named(m, name);
    if (found && bytes)
        *bytes = found->var->size;
    return found ? found->address : NULL;
}

/* ---- what a kernel uses --------------------------------------------------------------------- */

typedef struct reach {
    sg_kernel *kernel;
    bool *seen; /* functions */
    bool all;   /* there is an indirect call, so every function counts */
    bool launches;
    size_t constant;
    size_t local;
} reach;

static bool add_shared(sg_kernel *k, const ptx_var *v) {
    for (uint32_t i = 0; i < k->n_shared; i++)
        if (k->shared_vars[i] == v)
            return true;
    const ptx_var **added = WB_PUSH(k->shared_vars, k->n_shared);
    if (added)
        *added = v;
    return added;
}

static bool visit(reach *r, const ptx_function *f);

static bool visit_operand(reach *r, const ptx_operand *op) {
    if (op->var && op->var->space == PTX_SPACE_SHARED && !add_shared(r->kernel, op->var))
        return false;
    if (op->function && !visit(r, op->function))
        return false;
    if (op->kind == PTX_OP_CALLEE && op->reg)
        r->all = true;
    r->launches |= op->kind == PTX_OP_CALLEE && op->name && strstr(op->name, "cudaCDP2Launch");
    for (uint32_t k = 0; k < op->n_items; k++)
        if (!visit_operand(r, &op->items[k]))
            return false;
    return true;
}

/* Returns true if the instruction reads what other threads may change meanwhile. */
static bool may_poll(const ptx_inst *inst) {
    static const char watching[] = "volatile relaxed acquire mmio test_wait try_wait";
    if (!strcmp(inst->opcode, "atom") || !strcmp(inst->opcode, "nanosleep"))
        return true;
    if (strcmp(inst->opcode, "ld") && strcmp(inst->opcode, "mbarrier"))
        return false;
    bool found = false;
    for (uint32_t k = 0; k < inst->n_mods; k++)
        found |= wb_word_among(inst->mods[k], strlen(inst->mods[k]), watching);
    return found;
}

static bool visit(reach *r, const ptx_function *f) {
    f = sg_function_defined(r->kernel->module, f);
    uint32_t index = sg_function_index(r->kernel->module, f);
    if (index == UINT32_MAX || r->seen[index])
        return true;
    r->seen[index] = true;
    for (uint32_t k = 0; k < f->n_locals; k++)
        if (f->locals[k]->space == PTX_SPACE_LOCAL)
            r->local += f->locals[k]->size;
    for (uint32_t k = 0; k < f->n_insts; k++) {
        r->kernel->polls |= may_poll(&f->insts[k]);
        for (uint32_t o = 0; o < f->insts[k].n_ops; o++)
            if (!visit_operand(r, &f->insts[k].ops[o]))
                return false;
    }
    return true;
}

static bool place_shared(sg_kernel *k) {
    k->shared_offsets = calloc(k->n_shared + 1, sizeof *k->shared_offsets);
    if (!k->shared_offsets)
        return false;
    uint64_t at = 0;
    for (uint32_t pass = 0; pass < 2; pass++) /* extern arrays come last, all at one place */
        for (uint32_t i = 0; i < k->n_shared; i++) {
            const ptx_var *v = k->shared_vars[i];
            if ((v->is_extern || !v->size) != (pass == 1))
                continue;
            uint32_t align = v->align ? v->align : 1;
            if (pass == 1 && align < 16)
                align = 16;
            at = (at + align - 1) / align * align;
            k->shared_offsets[i] = (uint32_t)at;
            if (pass == 0)
                at += v->size;
        }
    if (at > UINT32_MAX / 2)
        return false;
    k->dynamic_offset = (uint32_t)at;
    return true;
}

static bool describe(sg_kernel *k, sg_error *err) {
    const ptx_function *f = k->function;
    const ptx_module *ptx = k->module->ptx;
    reach r = {.kernel = k, .seen = calloc(ptx->n_functions + 1, sizeof(bool))};
    uint32_t *sizes = calloc(f->n_params + 1, sizeof *sizes);
    bool ok = r.seen && sizes && visit(&r, f);
    for (uint32_t i = 0; ok && r.all && i < ptx->n_functions; i++)
        if (!ptx->functions[i]->is_entry)
            ok = visit(&r, ptx->functions[i]);
    free(r.seen);
    if (!ok || !place_shared(k)) {
        free(sizes);
        return wb_fail(err, SG_ERR_MEMORY, _("no memory to describe kernel %s"), f->name);
    }
    for (uint32_t i = 0; i < f->n_params; i++)
        sizes[i] = (uint32_t)f->params[i].size;
    uint32_t threads = 1024, given = f->maxntid[0] ? f->maxntid[0] : f->reqntid[0];
    const uint32_t *bound = f->maxntid[0] ? f->maxntid : f->reqntid;
    if (given)
        threads = bound[0] * (bound[1] ? bound[1] : 1) * (bound[2] ? bound[2] : 1);
    threads = threads < 1 || threads > 1024 ? 1024 : threads;
    for (uint32_t i = 0; i < ptx->n_globals; i++)
        if (ptx->globals[i]->space == PTX_SPACE_CONST)
            r.constant += ptx->globals[i]->size;
    k->info = (sg_kernel_info){.name = f->name,
                               .n_params = f->n_params,
                               .param_offsets = f->param_offsets,
                               .param_sizes = sizes,
                               .param_bytes = (uint32_t)f->param_bytes,
                               .static_shared = k->dynamic_offset,
                               .constant_bytes = r.constant,
                               .local_bytes = r.local,
                               .registers = ptx_registers(f, threads),
                               .launches = r.launches,
                               .max_threads = threads,
                               .ptx_target = ptx->target};
    k->described = true;
    return true;
}

bool sg_kernel_describe(sg_kernel *k, sg_kernel_info *info, sg_error *err) {
    if (!k || !k->function)
        return wb_fail(err, SG_ERR_INVALID_FUNCTION, _("no kernel"));
    WB_LOCKED(&k->lock);
    bool ok = k->described || describe(k, err);
    if (ok)
        *info = k->info;
    return ok;
}

bool sg_kernel_shared(const sg_kernel *k, const ptx_var *var, uint32_t *offset) {
    for (uint32_t i = 0; i < k->n_shared; i++)
        if (k->shared_vars[i] == var) {
            *offset = k->shared_offsets[i];
            return true;
        }
    return false;
}
