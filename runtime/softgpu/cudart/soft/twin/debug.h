/* debug.h: launches under the debugger (softgpu_debug): finds the kernel's twin and its debug
 * information. */
#pragma once

#include "runtime/softgpu/debug/debug.h"
#include "runtime/softgpu/engine.h"

/* Replaces the launch's kernel by its twin, and its options and wish by the debugger's. Returns
 * NULL, and leaves it as it is, if the debugger is off or the kernel has no twin. */
dbg_session *soft_debug_open(sg_launch *launch, const char *symbol);

/* Unloads the twins. Call it before a module of which one is a twin goes. */
void soft_debug_forget(void);
