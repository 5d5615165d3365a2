/* exec.h: instances of graphs. */
#ifndef SOFTGPU_CUDART_GRAPH_EXEC_H
#define SOFTGPU_CUDART_GRAPH_EXEC_H

#include "runtime/softgpu/cudart/graph/graph.h"

struct CUgraphExec_st {
    cudaGraph_t graph; /* its own sorted copy; origins are the program's nodes */
    unsigned long long flags;
};

bool gr_exec_live(cudaGraphExec_t exec);
/* Runs a sorted graph's nodes in order, up to the first failure. *in_a_row is set after a kernel of
 * this launch has run. */
cudaError_t gr_graph_run(const char *call, cudaGraph_t graph, bool *in_a_row);

#define GR_EXEC(exec)                                                                              \
    do {                                                                                           \
        if (!gr_exec_live(exec))                                                                   \
            return gr_no_instance(__func__);                                                       \
    } while (0)

#endif
