/* cell_api.h: functions that the worker exports to cells, and symbols that it looks up in a cell's
 * library. C linkage on both sides. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by the worker: */
/* Sets one representation of the cell's value. The next value of the same cell replaces it. */
void wb_cell_value(const char *mime, const char *data, size_t len);
/* Sends display_data or update_display_data. JSON texts; metadata and display_id may be NULL. */
void wb_cell_display(const char *bundle_json, const char *metadata_json, const char *display_id,
                     int update);
void wb_cell_clear(int wait);
/* Says that the variables of the cell's first `item` items exist, so that earlier code uses them.
 * 0: the cell's code begins. */
void wb_cell_defined(int item);
/* Names the exception that wb_cell_call is about to report. */
void wb_cell_threw(const void *object);

/* Looked up in the library: */
/* Calls f. Returns 0, 2 for an early return, or 1 with "type: what()" of an exception. */
int wb_cell_call(void (*f)(void), char *text, size_t size);
/* Restores the initial buffers of C++'s eight standard streams and clears their errors. The caller
 * keeps `buffers`, which is all NULL before the first call. */
enum { WB_CELL_STREAMS = 8 };
void wb_cell_streams(void *buffers[]);
/* volatile int wb_cell_finished: the number of finished items of the cell (split.h). Items without
 * variables are not counted by themselves. */
/* A program's main is looked up too, because a shared library exports it like any symbol. */

#ifdef __cplusplus
}
#endif
