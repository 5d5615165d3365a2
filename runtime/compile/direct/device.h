/* device.h: the part of a unit that nvcc compiles for the device. */
#ifndef WARPBOOK_COMPILE_DIRECT_DEVICE_H
#define WARPBOOK_COMPILE_DIRECT_DEVICE_H

#include "runtime/compile/direct/parts/parts.h"
#include "runtime/compile/direct/parts/word_set.h"

/* Appends the device's text: all device code, what it names of the rest, and instances. Appends
 * nothing if the unit has no device code. */
wb_unfit wb_device_text(const wb_parts *parts, const wb_word_set *instances, wb_buf *out);

#endif
