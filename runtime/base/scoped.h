/* scoped.h: variables that are freed, and locks that are released, where their block ends, also by
 * an early return. A variable needs an initial value, and must not be freed or handed over. */
#pragma once

#include <pthread.h>

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

/* WB_LOCKED(&lock); */
#define WB_LOCKED(mutex)                                                                           \
    __attribute__((cleanup(wb_scoped_unlock), unused)) pthread_mutex_t *locked_ =                  \
        wb_scoped_lock(mutex)

static inline pthread_mutex_t *wb_scoped_lock(pthread_mutex_t *mutex) {
    pthread_mutex_lock(mutex);
    return mutex;
}

static inline void wb_scoped_unlock(pthread_mutex_t **mutex) {
    pthread_mutex_unlock(*mutex);
}
