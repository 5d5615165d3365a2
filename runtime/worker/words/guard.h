/* guard.h: reads libstdc++'s message about a container's failed check (-D_GLIBCXX_ASSERTIONS). */
#pragma once

#include "runtime/base/base.h"

typedef enum wb_guard {
    WB_GUARD_INDEX, /* an index past the end */
    WB_GUARD_EMPTY, /* an element of an empty container */
    WB_GUARD_VALUE, /* the value of an empty optional */
    WB_GUARD_NULL,  /* a null smart pointer */
    WB_GUARD_OTHER,
} wb_guard;

/* Reads the __PRETTY_FUNCTION__ with the check. Writes the type as people do, such as
 * "std::vector<int>". For WB_GUARD_OTHER writes the function's name. */
wb_guard wb_guard_read(const char *function, char *type, size_t size);
