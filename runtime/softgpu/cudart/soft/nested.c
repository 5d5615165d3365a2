/* nested.c: see nested.h. */
#include "runtime/softgpu/cudart/soft/soft.h"

typedef struct family {
    rt_module *module;
    soft_run_fn *run;
    sg_error *err;
    bool fault; /* nothing more starts */
} family;

/* Tail launches that wait. They keep their order; those of a tail launch come first. */
typedef struct tails {
    sg_child *list;
    uint32_t n;
} tails;

/* Returns the runtime's kernel for the engine's, or NULL with an error. */
static rt_kernel *kernel_of(const family *f, const sg_child *child) {
    sg_kernel_info info;
    if (!sg_kernel_describe(child->kernel, &info, f->err))
        return NULL;
    RT_LOCKED();
    rt_kernel *kernel = rt_kernel_named(f->module, info.name);
    if (kernel != NULL)
        return rt_kernel_find(kernel, f->err);
    wb_fail(f->err, cudaErrorMemoryAllocation, _("no memory for a launch"));
    return NULL;
}

static bool push_first(tails *t, const sg_child *child) {
    if (WB_PUSH(t->list, t->n) == NULL)
        return false;
    memmove(t->list + 1, t->list, (t->n - 1) * sizeof *t->list);
    t->list[0] = *child;
    return true;
}

static cudaError_t run_child(family *f, sg_child *child, uint32_t depth, tails *t);

/* Runs a grid and its launches. Its tail launches join *t. */
static cudaError_t run_one(family *f, rt_launch *l, uint32_t depth, tails *t) {
    soft_ended e = {NULL, 0, false};
    cudaError_t code = f->run(l, depth, &e, f->err);
    f->fault |= e.fault;
    for (uint32_t k = 0; k < e.n && code == cudaSuccess && !f->fault; k++)
        if (!e.children[k].tail) {
            tails own = {NULL, 0};
            code = run_child(f, &e.children[k], depth + 1, &own);
        }
    for (uint32_t k = e.n; k-- > 0 && code == cudaSuccess;) {
        if (!e.children[k].tail)
            continue;
        if (push_first(t, &e.children[k])) {
            e.children[k].params = NULL; /* the list's */
        } else {
            wb_fail(f->err, cudaErrorMemoryAllocation, _("no memory for a launch"));
            code = cudaErrorMemoryAllocation;
        }
    }
    sg_children_free(e.children, e.n);
    return code;
}

/* Runs the tail launches, and frees the list. */
static cudaError_t run_tails(family *f, uint32_t depth, tails *t, cudaError_t code) {
    while (t->n > 0 && code == cudaSuccess && !f->fault) {
        sg_child first = t->list[0];
        memmove(t->list, t->list + 1, --t->n * sizeof *t->list);
        code = run_child(f, &first, depth, t);
        free(first.params);
    }
    sg_children_free(t->list, t->n);
    *t = (tails){NULL, 0};
    return code;
}

/* Copies or fills memory. A kernel gave the addresses, so they may be wrong. */
static cudaError_t run_copy(const family *f, const sg_child *c) {
    char text[1000];
    if (!soft_any_side("to", c->to, c->bytes, text) ||
        (c->from != NULL && !soft_any_side("from", c->from, c->bytes, text))) {
        wb_fail(f->err, cudaErrorInvalidValue, "%s", text);
        return cudaErrorInvalidValue;
    }
    soft_guard_open();
    if (c->from != NULL)
        memmove(c->to, c->from, c->bytes);
    else
        memset(c->to, c->value, c->bytes);
    soft_guard_close();
    return cudaSuccess;
}

/* Runs a launch of a kernel. The tail launches of a tail launch join the caller's. */
static cudaError_t run_child(family *f, sg_child *child, uint32_t depth, tails *t) {
    rt_kernel *kernel = child->kernel != NULL ? kernel_of(f, child) : NULL;
    if (child->kernel == NULL)
        return run_copy(f, child);
    if (kernel == NULL)
        return (cudaError_t)f->err->code;
    rt_launch l = {.kernel = kernel,
                   .grid = {child->grid[0], child->grid[1], child->grid[2]},
                   .block = {child->block[0], child->block[1], child->block[2]},
                   .cluster = {1, 1, 1},
                   .shared = child->shared,
                   .in_a_row = true, /* no host takes part */
                   .params = child->params};
    cudaError_t code = run_one(f, &l, depth, t);
    return child->tail ? code : run_tails(f, depth, t, code);
}

cudaError_t soft_nested_run(rt_launch *l, soft_run_fn *run, sg_error *err) {
    family f = {l->kernel->module, run, err, false};
    tails t = {NULL, 0};
    cudaError_t code = run_one(&f, l, 0, &t);
    return run_tails(&f, 0, &t, code);
}
