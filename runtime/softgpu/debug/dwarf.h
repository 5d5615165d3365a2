/* dwarf.h: the variables of kernels, from the debug information in PTX of nvcc -G. */
#pragma once

#include "runtime/base/base.h"
#include "runtime/softgpu/ptx/ptx.h"
#include "runtime/softgpu/recorded.h"

typedef struct dbg_info dbg_info;

/* Reads the debug sections of a module, which must outlive the result. Returns NULL if there are
 * none, or no memory. Any module is safe. */
dbg_info *dbg_open(const ptx_module *module);
void dbg_close(dbg_info *info); /* info may be NULL */
const ptx_module *dbg_module(const dbg_info *info);

/* A list of variables to record. All-zero is the empty list. */
typedef struct dbg_list {
    sg_watched *v;
    uint32_t n;
} dbg_list;

/* Adds the numbers that a name means in the function: a variable, a member (p.x) or an element
 * (acc[2]). A structure and a small array mean all of their numbers. Returns false if the function
 * knows no such name. */
bool dbg_watch(const dbg_info *info, const ptx_function *function, const char *name,
               dbg_list *list);
void dbg_list_free(dbg_list *list);

/* Adds the names of a kernel's parameters, in order. */
void dbg_parameters(const dbg_info *info, const ptx_function *kernel, wb_strings *names);

/* Adds the names of the function's variables, and of those that all functions share. */
void dbg_names(const dbg_info *info, const ptx_function *function, wb_strings *names);

/* Finds the functions that are inlined where an instruction is, innermost first. Returns their
 * number, at most `most`. */
typedef struct dbg_inlined {
    const char *name;
    uint32_t line; /* of the call */
} dbg_inlined;
uint32_t dbg_inlined_at(const dbg_info *info, const ptx_function *function, uint32_t at,
                        dbg_inlined *list, uint32_t most);
