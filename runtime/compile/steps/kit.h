/* kit.h: sources that nobody trusts are compiled in a sandbox, each from the beginning, and for 99
 * lines of 100 what is read is what the same first lines include. A kit has that done before: what
 * the preprocessor makes of these lines, for host and device, with the macros that they leave, what
 * cudafe++ makes of them, precompiled by the host's compiler, and a script that takes nvcc's steps
 * from there on. It is made of those lines alone, outside the sandbox, and only read in it.
 *
 * The script is given a folder, in which it leaves "output", and the source's path; it works in the
 * source's folder, as nvcc would, since lines of the device code are named from there. Whatever
 * differs from what the kit was made for, and every error but cudafe++'s, is left to nvcc.
 */
#ifndef WARPBOOK_COMPILE_KIT_H
#define WARPBOOK_COMPILE_KIT_H

#include "runtime/base/base.h"

/* How the script ends: well; with an error, having printed what nvcc would; in any other way nvcc
 * has to be run. None is what a sandbox that could not be made ends with. */
enum { WB_KIT_WELL = 0, WB_KIT_ERROR = 98, WB_KIT_UNCLEAR = 99 };

/* The folder of the kit for nvcc's command line (all but -o and the source) and the first lines of
 * sources; made where there is none, and checked once a process. NULL where none can be had, which
 * costs time and nothing else. malloc'd. Thread-safe. */
char *wb_kit_take(const char *const *nvcc, const char *head);

#endif
