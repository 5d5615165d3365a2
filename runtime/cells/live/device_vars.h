/* device_vars.h: __device__, __constant__ and __managed__ variables of earlier cells.
 *
 * nvcc gives every library its own copy of such a variable, which the host knows by an otherwise
 * unused object (its shadow). The defining cell exports the shadow's address. A later cell has a
 * reference to the shadow under the variable's name, for cudaMemcpyToSymbol and its like. It also
 * has a device pointer that is set when the cell is loaded, and its device functions use the
 * pointer's target instead of the name.
 *
 * On the host the name is a weak reference that the worker binds to the shadow. nvcc takes it for a
 * device variable and warns of direct uses. The cell does not register it (cell_support.cpp). */
#pragma once

#include "runtime/cells/live/live.h"

/* Writes what the defining cell has after the definition. */
void wb_device_var_export(wb_buf *out, const wb_entity *e, const char *id);

/* Writes what a later cell has; `id` is the defining cell's. */
void wb_device_var_declare(wb_buf *out, const wb_entity *e, const char *id);

/* Returns true if a function's text declares `name`: as a parameter, or after a type's name. */
bool wb_text_declares(const char *text, size_t len, const char *name, size_t name_len);

/* Appends the text, with earlier cells' device variables rewritten in device code unless the text
 * declares the name itself. `own` is what the unit's cell defines. `earlier`: the text is of
 * another cell. Without `device`, only marked functions and lambdas are device code. */
void wb_device_vars_rewrite(wb_buf *out, const wb_live *live, const wb_split *own, bool earlier,
                            bool device, const char *text, size_t len);

/* Appends the text. `with` is asked about each word that no . or -> precedes, with the character
 * before it: it appends what replaces the word, or returns false. */
typedef bool wb_text_word(void *ctx, wb_buf *out, const char *word, size_t len, char before);
void wb_text_rewrite(wb_buf *out, const char *text, size_t len, wb_text_word *with, void *ctx);
