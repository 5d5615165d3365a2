/* print.h: device printf (print.c). */
#pragma once

#include "runtime/softgpu/machine/machine.h"

/* Prints for a lane into its block's buffer. Returns how many arguments it took. */
int sg_print_format(sg_warp *w, const sg_op *ip, int lane, uint64_t format, uint64_t args);
void sg_print_flush(sg_block *b);
