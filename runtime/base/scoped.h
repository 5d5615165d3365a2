/* scoped.h: variables that are freed where their block ends, also by an early return. Each needs an
 * initial value, and must not be freed or handed over. */
#ifndef WARPBOOK_SCOPED_H
#define WARPBOOK_SCOPED_H

#include "runtime/base/base.h"

/* WB_SCOPED char *path = wb_format(...); */
#define WB_SCOPED __attribute__((cleanup(wb_scoped_free)))
#define WB_SCOPED_BUF __attribute__((cleanup(wb_buf_free)))
#define WB_SCOPED_STRINGS __attribute__((cleanup(wb_strings_free)))

static inline void wb_scoped_free(void *variable) {
    void *memory;
    memcpy(&memory, variable, sizeof memory); /* the variable may point to any type */
    free(memory);
}

#endif
