/* device_vars.h: __device__, __constant__ and __managed__ variables of earlier cells.
 *
 * nvcc gives every library its own copy of such a variable, known to the host by an object of no
 * other use (its shadow). So the cell that defines one exports the shadow's address; a later cell
 * refers to the shadow by the variable's name, which is what cudaMemcpyToSymbol and its
 * like take, and a device pointer that is set when the cell is loaded; in its device functions the
 * name is rewritten to what that pointer points to. On the host the name is a weak reference
 * that the worker binds to the shadow. nvcc takes it for a device variable, so it warns of a direct
 * use. The cell does not register it (cell_support.cpp). */
#ifndef WARPBOOK_CELLS_DEVICE_VARS_H
#define WARPBOOK_CELLS_DEVICE_VARS_H

#include "runtime/cells/live/live.h"

/* In the defining cell, after the definition. */
void wb_device_var_export(wb_buf *out, const wb_entity *e, const char *id);

/* In a later cell; `id` is the defining cell's. */
void wb_device_var_declare(wb_buf *out, const wb_entity *e, const char *id);

/* Whether a function's text declares `name` itself: as a parameter, or after a type's name. */
bool wb_text_declares(const char *text, size_t len, const char *name, size_t name_len);

/* Appends text, in which device code has the names of such variables of earlier cells rewritten, as
 * far as the text does not declare them itself. `own` is what the unit's cell defines. `earlier`
 * says that the text is of another cell. If not `device`, only those functions and lambdas are for
 * the device that are marked so. */
void wb_device_vars_rewrite(wb_buf *out, const wb_live *live, const wb_split *own, bool earlier,
                            bool device, const char *text, size_t len);

/* Returns the length of the comment or literal at p, or 0. */
size_t wb_text_skip(const char *p, size_t left);

#endif
