/* prelude.h: precompiles the headers that a unit begins with: cudafe++'s output for them, and their
 * macros, as a precompiled header of g++. The code after them compiles as if behind the headers,
 * but without the preprocessor's and cudafe++'s work.
 *
 * A prelude is a folder under wb_path_cache("prelude"), named by a hash of all that it depends on:
 *
 *     d.h        for g++'s -include     in.d             what it was made from, in make's syntax
 *     device.ii  the device's headers   sys.h own.h      their macros, those of the system apart
 *     pre.sh ptx.sh                     nvcc's own commands for the device, up to what cicc reads
 *                                       and from there to the PTX; $1 is the folder of device.cu,
 *                                       device.cpp1.ii and ptx */
#pragma once

#include "runtime/compile/direct/prelude/options.h"

typedef struct wb_prelude {
    char *folder;
    const char *rest; /* in head: the lines that the prelude does not cover */
} wb_prelude;

/* Finds the prelude that covers most lines of `head`. Returns false if there is none yet, or a
 * header has changed. Free it with wb_prelude_free either way. */
bool wb_prelude_find(const wb_options *options, const char *head, wb_prelude *prelude);
void wb_prelude_free(wb_prelude *prelude);
/* Starts to make the prelude for all of `head`, in a process that outlives this one: now, or at the
 * second request. Does nothing while one is being made, or shortly after a failure. */
void wb_prelude_begin(const wb_options *options, const char *head, bool now);

/* Returns true if the folder has a header that one of these #include lines names. */
bool wb_prelude_has(const char *folder, const char *head);
