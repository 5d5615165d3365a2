/* nested.c: see nested.h. */
#include "runtime/softgpu/exec/nested.h"
#include "runtime/softgpu/exec/access.h"

/* CUDA C++ Programming Guide, "CUDA Dynamic Parallelism": levels of nesting; cudaStreamTailLaunch.
 * Other streams need no order among launches that start after the grid. */
enum { MOST_LEVELS = 24, TAIL_STREAM = 3, SOME_STREAM = 16 };
enum { MOST_CHILDREN = 1 << 20 };

/* Precedes the parameters in the buffer that a thread fills. */
typedef struct ticket {
    uint64_t magic;
    sg_kernel *kernel;
    uint32_t grid[3], block[3];
    uint64_t shared, param_bytes;
    char unused[8];
} ticket;
#define MAGIC 0x6c61756e63686573u

/* Fails unless the address is that of a kernel in the running kernel's program. */
static sg_kernel *kernel_at(sg_warp *w, const sg_op *ip, int lane, uint64_t address) {
    const sg_module *m = w->block->code->kernel->module;
    uint64_t index = address - m->functions;
    if (address < m->functions || index >= m->ptx->n_functions || !m->kernels[index].function)
        sg_fault_raise(w, ip, lane, SG_FAULT_NESTED_LAUNCH,
                       _("a launch in a kernel names no kernel of this program"));
    return &m->kernels[index];
}

void sg_nested_buffer(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        int lane = (int)i;
        sg_error err = {0};
        sg_kernel_info info;
        ticket t = {.magic = MAGIC,
                    .kernel = kernel_at(w, ip, lane, sg_argument(w, ip, r, 0, lane)),
                    .shared = (uint32_t)sg_argument(w, ip, r, 3, lane)};
        for (uint32_t k = 0; k < 3; k++) {
            t.grid[k] = sg_argument_word(w, ip, r, 1, lane, k);
            t.block[k] = sg_argument_word(w, ip, r, 2, lane, k);
        }
        char *p = NULL;
        if (sg_kernel_describe(t.kernel, &info, &err)) {
            t.param_bytes = info.param_bytes;
            p = sg_mem_alloc(sizeof t + info.param_bytes, SG_MEM_DEVICE,
                             "parameters of a launch in a kernel", NULL);
        }
        if (p)
            memcpy(p, &t, sizeof t);
        sg_result(w, ip, r, lane, p ? (uint64_t)(uintptr_t)(p + sizeof t) : 0);
    }
}

/* Adds a launch or a copy to the run's, and takes over its parameters. */
static void add_child(sg_warp *w, const sg_op *ip, int lane, sg_child child) {
    sg_run *run = w->block->run;
    child.from_block = w->block->id;
    child.from_thread = w->index * SG_LANES + (uint32_t)lane;
    pthread_mutex_lock(&run->lock);
    child.number = run->n_children;
    bool whole = child.params || !child.kernel;
    sg_child *place =
        whole && run->n_children < MOST_CHILDREN ? WB_PUSH(run->children, run->n_children) : NULL;
    if (place)
        *place = child;
    pthread_mutex_unlock(&run->lock);
    if (place)
        return;
    free(child.params);
    sg_fault_raise(w, ip, lane, SG_FAULT_MEMORY,
                   _("a grid launches more than %d kernels, or memory has run out"), MOST_CHILDREN);
}

static void add_launch(sg_warp *w, const sg_op *ip, int lane, const ticket *t, bool tail) {
    if (!tail && w->block->run->launch->depth + 1 >= MOST_LEVELS)
        sg_fault_raise(w, ip, lane, SG_FAULT_NESTED_LAUNCH,
                       _("kernels launch kernels to a depth of more than %d, which CUDA does not "
                         "allow: does the recursion end?"),
                       MOST_LEVELS);
    void *params = malloc(t->param_bytes + 1);
    if (params)
        memcpy(params, t + 1, t->param_bytes);
    add_child(w, ip, lane,
              (sg_child){.kernel = t->kernel,
                         .grid = {t->grid[0], t->grid[1], t->grid[2]},
                         .block = {t->block[0], t->block[1], t->block[2]},
                         .shared = t->shared,
                         .params = params,
                         .tail = tail});
}

void sg_nested_launch(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        int lane = (int)i;
        uint64_t buffer = sg_argument(w, ip, r, 0, lane);
        uint64_t at = buffer - sizeof(ticket), magic = 0;
        sg_lane_load(w, ip, PTX_SPACE_GENERIC, lane, at, sizeof magic, &magic);
        if (magic != MAGIC)
            sg_fault_raise(w, ip, lane, SG_FAULT_NESTED_LAUNCH,
                           _("a launch in a kernel has no parameters: was their memory written "
                             "over?"));
        add_launch(w, ip, lane, (const ticket *)(uintptr_t)at,
                   sg_argument(w, ip, r, 1, lane) == TAIL_STREAM);
        sg_mem_free((void *)(uintptr_t)at);
        sg_result(w, ip, r, lane, 0);
    }
    memset(w->spans, 0, SG_SITES * sizeof *w->spans);
}

void sg_nested_stream(sg_warp *w, const sg_op *ip, char *r) {
    uint64_t stream = SOME_STREAM;
    EACH_LANE {
        sg_lane_store(w, ip, PTX_SPACE_GENERIC, (int)i, sg_argument(w, ip, r, 0, (int)i), 8,
                      &stream);
        sg_result(w, ip, r, (int)i, 0);
    }
}

void sg_nested_success(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        sg_result(w, ip, r, (int)i, 0);
    }
}

void sg_nested_copy(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        int lane = (int)i;
        add_child(w, ip, lane,
                  (sg_child){.to = (void *)(uintptr_t)sg_argument(w, ip, r, 0, lane),
                             .from = (const void *)(uintptr_t)sg_argument(w, ip, r, 1, lane),
                             .bytes = sg_argument(w, ip, r, 2, lane)});
        sg_result(w, ip, r, lane, 0);
    }
}

void sg_nested_fill(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        int lane = (int)i;
        add_child(w, ip, lane,
                  (sg_child){.to = (void *)(uintptr_t)sg_argument(w, ip, r, 0, lane),
                             .value = (int)sg_argument(w, ip, r, 1, lane),
                             .bytes = sg_argument(w, ip, r, 2, lane)});
        sg_result(w, ip, r, lane, 0);
    }
}

/* The only error that code can ask about is none: others are faults. */
void sg_nested_text(sg_warp *w, const sg_op *ip, char *r) {
    static _Atomic(char *) text;
    static const char words[] = "no error";
    char *here = atomic_load(&text);
    if (!here && (here = sg_mem_alloc(sizeof words, SG_MEM_CONSTANT, "an error's text", NULL))) {
        memcpy(here, words, sizeof words);
        atomic_store(&text, here);
    }
    EACH_LANE {
        sg_result(w, ip, r, (int)i, (uint64_t)(uintptr_t)here);
    }
}

static int by_order(const void *a, const void *b) {
    const sg_child *x = a, *y = b;
    if (x->from_block != y->from_block)
        return x->from_block < y->from_block ? -1 : 1;
    if (x->from_thread != y->from_thread)
        return x->from_thread < y->from_thread ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void sg_nested_finish(sg_run *run, sg_launch *launch) {
    if (run->n_children)
        qsort(run->children, run->n_children, sizeof *run->children, by_order);
    launch->children = run->children;
    launch->n_children = run->n_children;
    run->children = NULL;
    run->n_children = 0;
}

void sg_children_free(sg_child *children, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        free(children[k].params);
    free(children);
}
