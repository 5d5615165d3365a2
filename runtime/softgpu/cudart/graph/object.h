/* object.h: user objects, which graphs keep alive for the program (cudaUserObjectCreate). */
#ifndef SOFTGPU_CUDART_GRAPH_OBJECT_H
#define SOFTGPU_CUDART_GRAPH_OBJECT_H

#include "runtime/softgpu/cudart/rt.h"

struct gr_object_use; /* a list of objects and their numbers of holds */

bool gr_objects_copy(struct gr_object_use **to, const struct gr_object_use *from);
void gr_objects_free(struct gr_object_use **uses);

#endif
