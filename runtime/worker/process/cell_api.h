/* cell_api.h: what the code of a cell may call in the worker that loaded it, and what the worker
 * looks up in the library of a cell. C linkage on both sides. */
#ifndef WARPBOOK_CELL_API_H
#define WARPBOOK_CELL_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by the worker. */
/* One representation of the value the cell displays; the next value of the same cell replaces it.
 */
void wb_cell_value(const char *mime, const char *data, size_t len);
/* display_data, or update_display_data: JSON texts; metadata and display_id may be NULL. */
void wb_cell_display(const char *bundle_json, const char *metadata_json, const char *display_id,
                     int update);
void wb_cell_clear(int wait);
/* The variables that the cell's first `item` items define are made: earlier code uses them, too. 0:
 * its code begins. */
void wb_cell_defined(int item);
/* The exception that wb_cell_call is about to report. */
void wb_cell_threw(const void *object);

/* Looked up in the library. */
/* Calls f; 0, 2 when the cell returned early, or 1 with "type: what()" of the exception it let out.
 */
int wb_cell_call(void (*f)(void), char *text, size_t size);
/* Gives C++'s eight standard streams back the buffers that they had at first, and takes their
 * errors away. buffers: all NULL before the first call, and the caller's to keep. */
enum { WB_CELL_STREAMS = 8 };
void wb_cell_streams(void *buffers[]);
/* volatile int wb_cell_finished: how many of the cell's items (split.h) ran to their end, as far as
 * that matters: items without variables are not counted by themselves. */
/* And of a program its main, which is a symbol like any other in a shared library. */

#ifdef __cplusplus
}
#endif

#endif
