/* exec.h: instances of graphs, and running them. */
#ifndef SOFTGPU_CUDART_GRAPH_EXEC_H
#define SOFTGPU_CUDART_GRAPH_EXEC_H

#include "runtime/softgpu/cudart/graph/graph.h"

struct CUgraphExec_st {
    cudaGraph_t graph; /* a copy of its own, sorted; nodes' origin are the program's nodes */
    unsigned long long flags;
};

bool gr_exec_live(cudaGraphExec_t exec);
/* Runs a sorted graph's nodes in turn; the first failure ends it. *in_a_row: whether a kernel of
 * this launch ran before. */
cudaError_t gr_graph_run(const char *call, cudaGraph_t graph, bool *in_a_row);

#define GR_EXEC(exec)                                                                              \
    do {                                                                                           \
        if (!gr_exec_live(exec))                                                                   \
            return gr_no_instance(__func__);                                                       \
    } while (0)

#endif
