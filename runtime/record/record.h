/* record.h: functions of the recording libcudart for the driver that the grader generates. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a fake device pointer for an argument of solve(), 512-byte aligned. Names may repeat. If
 * there are too many, ends the process with a message on stderr. */
void *wb_record_buffer(const char *name, size_t bytes);

/* Call these around solve(). begin writes a plan with "complete": false, which remains after a
 * crash; end writes the whole plan. */
void wb_record_begin(void);
void wb_record_end(void);

#ifdef __cplusplus
}
#endif
