/* lower_matrix.c: mma, wmma and ldmatrix. */
#include "runtime/softgpu/lower.h"

bool lower_matrix(lowering *l) {
    (void)l;
    return false;
}
