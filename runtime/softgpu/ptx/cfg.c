/* cfg.c: finds where lanes reconverge after a branch: the immediate post-dominators of the
 * control-flow graph. These are the dominators of the reversed graph from a virtual exit.
 *
 * Source: Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", TOPLAS
 * 1(1), 1979, the simple version with path compression: O(edges * log(blocks)), no recursion. A
 * loop without an exit gets an edge from its end to the virtual exit. So branches inside it
 * reconverge inside it, before the next turn.
 *
 * A thread that ends meets no other, so an edge to a block that only ends the thread is left out.
 * After `if (i >= n) return;` the other threads continue together at once, not at the return.
 */
#include "runtime/softgpu/ptx/ptx.h"
#include "runtime/base/base.h"

#define NONE UINT32_MAX
#define ENDLESS 64 /* the most loops without an exit */

typedef struct graph {
    const ptx_function *f;
    uint32_t n_blocks;        /* the virtual exit is block n_blocks */
    uint32_t *block_of;       /* of each instruction; n_blocks for n_insts */
    uint32_t *start;          /* each block's first instruction, then n_insts */
    uint32_t *succ_at, *succ; /* successors of b: succ[succ_at[b] .. succ_at[b + 1]) */
    uint32_t *pred_at, *pred;
    /* Lengauer-Tarjan on the reversed graph, all by depth-first number; 0 is the exit */
    uint32_t *number; /* block -> number (NONE: not reached); owns the arrays that follow */
    uint32_t *vertex; /* number -> block */
    uint32_t *parent, *semi, *dom, *ancestor, *label, *bucket, *bucket_next;
    uint32_t *stack;
    bool *dies; /* blocks with an omitted edge to a thread's end */
    bool *ends; /* blocks with an added edge to the exit */
} graph;

static bool is_return(const ptx_inst *inst) {
    return ptx_op_is(inst, "ret") || ptx_op_is(inst, "exit") || ptx_op_is(inst, "trap");
}

/* Returns true if the thread ends here, not only the function. */
static bool is_end(const graph *g, const ptx_inst *inst) {
    return is_return(inst) && (g->f->is_entry || !ptx_op_is(inst, "ret"));
}

/* Returns true if the block only ends the thread. */
static bool is_dead_end(const graph *g, uint32_t block) {
    const ptx_inst *inst = &g->f->insts[g->start[block]];
    return g->start[block + 1] - g->start[block] == 1 && !inst->guard && is_end(g, inst);
}

static bool ends_block(const ptx_inst *inst) {
    return ptx_op_is(inst, "bra") || ptx_op_is(inst, "brx") || is_return(inst);
}

static bool can_diverge(const ptx_inst *inst) {
    return ptx_op_is(inst, "brx") || (ptx_op_is(inst, "bra") && inst->guard);
}

static bool find_blocks(graph *g) {
    uint32_t n = g->f->n_insts;
    g->block_of = calloc((size_t)n + 1, sizeof *g->block_of);
    if (!g->block_of)
        return false;
    uint32_t *leader = g->block_of; /* first as marks, then as numbers */
    leader[0] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const ptx_inst *inst = &g->f->insts[i];
        if (!ends_block(inst))
            continue;
        leader[i + 1] = 1;
        for (uint32_t k = 0; k < inst->n_targets; k++)
            leader[inst->targets[k]] = 1;
        if (ptx_op_is(inst, "bra"))
            leader[inst->ops[0].target] = 1;
    }
    leader[n] = 1; /* the exit: its number comes out as n_blocks */
    uint32_t count = 0;
    for (uint32_t i = 0; i <= n; i++)
        count += leader[i];
    g->n_blocks = count - 1;
    g->start = calloc(count, sizeof *g->start);
    if (!g->start)
        return false;
    uint32_t block = NONE;
    for (uint32_t i = 0; i <= n; i++) {
        if (leader[i])
            g->start[++block] = i;
        g->block_of[i] = block;
    }
    return true;
}

/* Adds a successor unless it only ends the thread. */
static uint32_t add(const graph *g, uint32_t block, uint32_t *out, uint32_t n, uint32_t successor) {
    if (successor < g->n_blocks && is_dead_end(g, successor)) {
        g->dies[block] = true;
        return n;
    }
    if (out)
        out[n] = successor;
    return n + 1;
}

/* Writes the successors of a block to `out` unless that is NULL. Returns their number. */
static uint32_t successors(const graph *g, uint32_t block, uint32_t *out) {
    const ptx_inst *last = &g->f->insts[g->start[block + 1] - 1];
    uint32_t n = 0;
    if (ptx_op_is(last, "bra"))
        n = add(g, block, out, n, g->block_of[last->ops[0].target]);
    for (uint32_t k = 0; k < last->n_targets; k++)
        n = add(g, block, out, n, g->block_of[last->targets[k]]);
    if (is_return(last) && !is_end(g, last))
        n = add(g, block, out, n, g->n_blocks);
    if (!ends_block(last) || last->guard)
        n = add(g, block, out, n, block + 1);
    return n ? n : add(g, block, out, n, g->n_blocks);
}

static bool find_edges(graph *g) {
    uint32_t nodes = g->n_blocks + 1;
    g->succ_at = calloc((size_t)nodes + 1, sizeof *g->succ_at);
    g->pred_at = calloc((size_t)nodes + 1, sizeof *g->pred_at);
    g->dies = calloc(nodes, sizeof *g->dies);
    g->ends = calloc(nodes, sizeof *g->ends);
    if (!g->succ_at || !g->pred_at || !g->dies || !g->ends)
        return false;
    uint64_t edges = 0;
    for (uint32_t b = 0; b < g->n_blocks; b++) {
        g->succ_at[b] = (uint32_t)edges;
        edges += successors(g, b, NULL);
        if (edges >= NONE)
            return false;
    }
    g->succ_at[g->n_blocks] = g->succ_at[nodes] = (uint32_t)edges;
    g->succ = calloc(edges + 1, sizeof *g->succ);
    g->pred = calloc(edges + 1, sizeof *g->pred);
    if (!g->succ || !g->pred)
        return false;
    for (uint32_t b = 0; b < g->n_blocks; b++)
        successors(g, b, g->succ + g->succ_at[b]);
    for (uint32_t e = 0; e < edges; e++)
        g->pred_at[g->succ[e] + 1]++;
    for (uint32_t b = 0; b < nodes; b++)
        g->pred_at[b + 1] += g->pred_at[b];
    for (uint32_t b = 0; b < g->n_blocks; b++) /* fills from the end, which moves pred_at up */
        for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
            g->pred[g->pred_at[g->succ[e]]++] = b;
    memmove(g->pred_at + 1, g->pred_at, nodes * sizeof *g->pred_at); /* moves pred_at back */
    g->pred_at[0] = 0;
    return true;
}

/* Numbers every block that reaches `root`, depth first, in preorder. */
static uint32_t visit(graph *g, uint32_t root, uint32_t parent, uint32_t count) {
    uint32_t depth = 0, *next = g->bucket; /* by block on the stack: its next edge; zeroed later */
    g->number[root] = count;
    g->vertex[count] = root;
    g->parent[count++] = parent;
    next[root] = g->pred_at[root];
    g->stack[depth++] = root;
    while (depth > 0) {
        uint32_t at = g->stack[depth - 1];
        if (next[at] == g->pred_at[at + 1]) {
            depth--;
            continue;
        }
        uint32_t b = g->pred[next[at]++];
        if (g->number[b] != NONE)
            continue;
        g->number[b] = count;
        g->vertex[count] = b;
        g->parent[count++] = g->number[at];
        next[b] = g->pred_at[b];
        g->stack[depth++] = b;
    }
    return count;
}

/* Returns the end of the outermost loop without an exit: the block that goes back to its beginning,
 * or the beginning if several do. Branches inside reconverge there at the latest. Returns NONE if
 * there is no such loop. Searches depth first from the entry: an edge to a block on the stack goes
 * back. */
static uint32_t endless_loop(const graph *g) {
    uint32_t n = g->n_blocks, depth = 1, seen = 1, first = NONE, back = NONE, ways = 0;
    uint32_t *order = calloc(3 * (size_t)n + 1, sizeof *order), *next = order + n;
    uint32_t *stack = next + n; /* order: 1 and up; UINT32_MAX once left */
    uint32_t *place = calloc(n, sizeof *place);
    if (!order || !place)
        n = 0;
    for (stack[0] = 0; n && depth > 0;) {
        uint32_t at = stack[depth - 1];
        if (!order[at]) {
            order[at] = place[at] = seen++;
            next[at] = g->succ_at[at];
        }
        if (next[at] == g->succ_at[at + 1]) {
            order[at] = NONE;
            depth--;
            continue;
        }
        uint32_t to = g->succ[next[at]++];
        if (to == g->n_blocks)
            continue;
        if (!order[to]) {
            stack[depth++] = to;
        } else if (order[to] != NONE && g->number[at] == NONE && g->number[to] == NONE) {
            ways = first != NONE && first == to ? ways + 1 : ways;
            if (first == NONE || place[to] < place[first]) {
                first = to;
                back = at;
                ways = 1;
            }
        }
    }
    WB_FREE(order, place);
    return ways > 1 ? first : back;
}

static uint32_t number_blocks(graph *g) {
    for (uint32_t b = 0; b <= g->n_blocks; b++)
        g->number[b] = NONE;
    uint32_t count = visit(g, g->n_blocks, 0, 0);
    for (int others = 0; others < 2;
         others++) { /* a loop that seems endless: first from its exits */
        uint32_t b = 0;
        for (int k = 0; others && k < ENDLESS && (b = endless_loop(g)) != NONE; k++) {
            g->ends[b] = true;
            count = visit(g, b, 0, count);
        }
        for (b = g->n_blocks; b-- > 0;)
            if (g->number[b] == NONE && (others || g->dies[b])) {
                g->ends[b] = true;
                count = visit(g, b, 0, count);
            }
    }
    return count;
}

/* Returns the ancestor of v with the least semidominator. Compresses the path to it. */
static uint32_t evaluate(graph *g, uint32_t v) {
    uint32_t depth = 0;
    if (g->ancestor[v] == NONE)
        return v;
    for (uint32_t u = v; g->ancestor[g->ancestor[u]] != NONE; u = g->ancestor[u])
        g->stack[depth++] = u;
    while (depth > 0) {
        uint32_t u = g->stack[--depth], a = g->ancestor[u];
        if (g->semi[g->label[a]] < g->semi[g->label[u]])
            g->label[u] = g->label[a];
        g->ancestor[u] = g->ancestor[a];
    }
    return g->label[v];
}

static void consider(graph *g, uint32_t w, uint32_t successor) {
    uint32_t u = g->semi[evaluate(g, g->number[successor])];
    if (u < g->semi[w])
        g->semi[w] = u;
}

static void find_dominators(graph *g, uint32_t count) {
    for (uint32_t v = 0; v < count; v++) {
        g->semi[v] = g->label[v] = v;
        g->ancestor[v] = g->bucket[v] = NONE;
    }
    for (uint32_t w = count; w-- > 1;) {
        uint32_t block = g->vertex[w];
        for (uint32_t e = g->succ_at[block]; e < g->succ_at[block + 1]; e++)
            consider(g, w, g->succ[e]);
        if (g->ends[block])
            consider(g, w, g->n_blocks);
        g->bucket_next[w] = g->bucket[g->semi[w]];
        g->bucket[g->semi[w]] = w;
        g->ancestor[w] = g->parent[w];
        for (uint32_t v = g->bucket[g->parent[w]]; v != NONE; v = g->bucket_next[v]) {
            uint32_t u = evaluate(g, v);
            g->dom[v] = g->semi[u] < g->semi[v] ? u : g->parent[w];
        }
        g->bucket[g->parent[w]] = NONE;
    }
    g->dom[0] = 0;
    for (uint32_t w = 1; w < count; w++)
        if (g->dom[w] != g->semi[w])
            g->dom[w] = g->dom[g->dom[w]];
}

static bool analyse(graph *g) {
    if (!find_blocks(g) || !find_edges(g))
        return false;
    uint32_t **arrays[] = {&g->number,   &g->vertex, &g->parent, &g->semi,        &g->dom,
                           &g->ancestor, &g->label,  &g->bucket, &g->bucket_next, &g->stack};
    size_t nodes = (size_t)g->n_blocks + 1;
    uint32_t *all = calloc(WB_COUNT(arrays) * nodes, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < WB_COUNT(arrays); i++)
        *arrays[i] = all + i * nodes;
    find_dominators(g, number_blocks(g));
    return true;
}

static void free_graph(graph *g) {
    WB_FREE(g->block_of, g->start, g->succ_at, g->succ, g->pred_at, g->pred, g->number, g->dies,
            g->ends);
}

uint32_t *ptx_reconvergence(const ptx_function *function) {
    uint32_t n = function->n_insts;
    uint32_t *reconv = malloc(((size_t)n + 1) * sizeof *reconv);
    if (!reconv)
        return NULL;
    for (uint32_t i = 0; i <= n; i++)
        reconv[i] = NONE;
    if (n == 0)
        return reconv;
    graph g = {.f = function};
    if (!analyse(&g)) {
        free(reconv);
        reconv = NULL;
    }
    for (uint32_t b = 0; reconv && b < g.n_blocks; b++) {
        uint32_t last = g.start[b + 1] - 1;
        if (can_diverge(&function->insts[last]))
            reconv[last] = g.start[g.vertex[g.dom[g.number[b]]]];
    }
    free_graph(&g);
    return reconv;
}

bool ptx_repeats(const ptx_function *function, uint32_t index) {
    graph g = {.f = function};
    bool *seen = NULL, repeats = true;
    uint32_t *open = NULL, n = 0;
    if (find_blocks(&g) && find_edges(&g) &&
        (seen = calloc((size_t)g.n_blocks + 1, sizeof *seen)) &&
        (open = calloc((size_t)g.n_blocks + 1, sizeof *open))) {
        uint32_t home = g.block_of[index];
        open[n++] = home;
        while (n && !seen[home]) {
            uint32_t block = open[--n];
            for (uint32_t e = g.succ_at[block]; e < g.succ_at[block + 1]; e++) {
                uint32_t next = g.succ[e];
                if (!seen[next] && next != home)
                    open[n++] = next;
                seen[next] = true;
            }
        }
        repeats = seen[home];
    }
    WB_FREE(seen, open);
    free_graph(&g);
    return repeats;
}
