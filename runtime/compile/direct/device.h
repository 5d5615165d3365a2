/* device.h: the part of a unit that nvcc compiles for the device. */
#ifndef WARPBOOK_COMPILE_DIRECT_DEVICE_H
#define WARPBOOK_COMPILE_DIRECT_DEVICE_H

#include "runtime/compile/direct/parts/parts.h"
#include "runtime/compile/direct/parts/word_set.h"

/* Appends the device's text: everything for the device, and of the rest what it names, instances
 * included; nothing where there is nothing for the device. */
wb_unfit wb_device_text(const wb_parts *parts, const wb_word_set *instances, wb_buf *out);

#endif
