/* dot.c: writes a graph as text for Graphviz (cudaGraphDebugDotPrint). NVIDIA specifies no
 * format. */
#include <inttypes.h>

#include "runtime/softgpu/cudart/graph/graph.h"

static void describe(FILE *file, const rt_work *work) {
    static const char *const plain[] = {[cudaGraphNodeTypeHost] = "host function",
                                        [cudaGraphNodeTypeGraph] = "graph",
                                        [cudaGraphNodeTypeEmpty] = "empty",
                                        [cudaGraphNodeTypeWaitEvent] = "wait for event",
                                        [cudaGraphNodeTypeEventRecord] = "record event"};
    const rt_launch *l = &work->launch;
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        fprintf(file, "%s\\n%u x %u x %u blocks of %u x %u x %u", l->kernel->name, l->grid.x,
                l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z);
        return;
    case cudaGraphNodeTypeMemcpy:
        fprintf(file, "copy\\n%zu x %zu x %zu bytes", work->copy.size.width, work->copy.size.height,
                work->copy.size.depth);
        return;
    case cudaGraphNodeTypeMemset:
        fprintf(file, "fill\\n%zu x %zu bytes", work->fill.size.width, work->fill.size.height);
        return;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        fprintf(file, "%s %zu bytes", work->type == cudaGraphNodeTypeMemFree ? "free" : "allocate",
                work->memory->bytes);
        return;
    default:
        fputs(plain[work->type], file);
    }
}

/* Writes nodes and edges, with child graphs as clusters. Names are the nodes' ids. */
static void draw(FILE *file, cudaGraph_t graph) {
    for (size_t i = 0; i < graph->nodes.n; i++) {
        const struct CUgraphNode_st *node = graph->nodes.at[i];
        fprintf(file, "n%" PRIu64 " [label=\"", node->id);
        describe(file, &node->work);
        fputs("\"];\n", file);
        for (size_t k = 0; k < node->after.n; k++)
            fprintf(file, "n%" PRIu64 " -> n%" PRIu64 ";\n", node->id, node->after.at[k]->id);
        if (node->work.type == cudaGraphNodeTypeGraph) {
            fprintf(file, "subgraph cluster_%" PRIu64 " {\n", node->id);
            draw(file, node->work.graph);
            fputs("}\n", file);
        }
    }
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
    (void)flags; /* the level of detail; all of it is short */
    RT_ENTER();
    GR_GRAPH(graph);
    FILE *file = path != NULL ? fopen(path, "we") : NULL;
    if (file == NULL)
        return RT_FAIL(cudaErrorOperatingSystem, _("%s can't be written"),
                       path != NULL ? path : "NULL");
    fputs("digraph graph_1 {\nnode [shape=box];\n", file);
    draw(file, graph);
    fputs("}\n", file);
    if (fclose(file) != 0)
        return RT_FAIL(cudaErrorOperatingSystem, _("%s can't be written"), path);
    return cudaSuccess;
}
