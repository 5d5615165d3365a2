/* builtin.h: functions that device code calls and the driver provides. */
#ifndef SOFTGPU_BUILTIN_H
#define SOFTGPU_BUILTIN_H

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

#endif
