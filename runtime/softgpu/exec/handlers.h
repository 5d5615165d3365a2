/* handlers.h: finds handlers for the machine's best instruction set by name. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

typedef struct sg_entry {
    const char *name;
    sg_handler *masked, *full;
} sg_entry;
const sg_entry *sg_handler_find(const char *name); /* NULL: no such handler */
