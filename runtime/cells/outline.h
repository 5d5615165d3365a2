/* outline.h: the notebook as one CUDA file, for a program that reads C++ but compiles nothing
 * (clangd): what earlier cells defined, and the cell that is being written. */
#pragma once

#include <jansson.h>
#include "runtime/cells/live/live.h"

/* Returns the live definitions in an order in which each is declared before its use:
 * [{"key", "name", "means": wb_split_ask's answer, "head": true for #include lines, "text"}]. A new
 * reference. */
json_t *wb_outline(const wb_live *live);

/* Returns true if code[at] is inside a comment or a literal, where nothing is to be offered. */
bool wb_outline_in_text(const char *code, size_t len, size_t at);

/* Writes the file with the cell code[0..len) behind the outline, without what the cell redefines.
 * Statements stand in functions. If `whole` is false, the cell is being typed at code[at]: only the
 * text before decides what is a statement. Returns the place of code[at] in the file, or SIZE_MAX
 * if memory runs out. */
size_t wb_outline_file(const json_t *outline, const char *code, size_t len, size_t at, bool whole,
                       wb_buf *file);
