/* builtin.h: functions that device code calls and the driver provides. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

typedef struct sg_builtin_call { /* aux of the op; `run` must be first (ctl.c) */
    void (*run)(sg_warp *w, const sg_op *ip, char *r);
    struct sg_call_arg *args, *rets;
    uint32_t n_rets;
} sg_builtin_call;

typedef struct sg_builtin {
    const char *name;
    uint32_t n_args;
    void (*run)(sg_warp *w, const sg_op *ip, char *r);
} sg_builtin;

const sg_builtin *sg_builtin_find(const char *name);

/* Returns the first 8 (or fewer) bytes of a lane's argument k; word n of a structure. */
uint64_t sg_argument(sg_warp *w, const sg_op *ip, const char *r, uint32_t k, int lane);
uint32_t sg_argument_word(sg_warp *w, const sg_op *ip, const char *r, uint32_t k, int lane,
                          uint32_t n);
/* Sets a lane's result, if the call has one. */
void sg_result(sg_warp *w, const sg_op *ip, char *r, int lane, uint64_t value);
