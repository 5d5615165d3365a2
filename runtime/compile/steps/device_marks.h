/* device_marks.h: whether a source has anything for the device that cicc would have to compile. */
#ifndef WARPBOOK_COMPILE_DEVICE_MARKS_H
#define WARPBOOK_COMPILE_DEVICE_MARKS_H

#include "runtime/base/base.h"

/* Of a preprocessed unit of a cell, for certain: true where there may be. What stands in front of
 * the unit's own first line is cuda_runtime.h, which is no reason. A kernel that is only declared
 * is none either: its launch calls a function of the host that another cell has. */
bool wb_device_marks(const char *preprocessed);

/* Of a unit as it is written: whether its device's side has to be run, as far as that shows there.
 * That side alone warns of what is never used. */
bool wb_device_expected(const char *unit);

#endif
