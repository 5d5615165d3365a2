/* record.h: what the driver that the grader generates calls in the recording libcudart. */
#ifndef WARPBOOK_RECORD_H
#define WARPBOOK_RECORD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A fake device pointer that stands for an argument of solve(); 512-byte aligned. Names need not be
 * different. Ends the process with a sentence on stderr when there are too many. */
void *wb_record_buffer(const char *name, size_t bytes);

/* Around the call of solve(). begin writes a plan with "complete": false, so that a crash leaves
 * one; end writes the whole plan. */
void wb_record_begin(void);
void wb_record_end(void);

#ifdef __cplusplus
}
#endif

#endif
