/* lesson_check.h: checks that a steps.json keeps what lesson.h promises. Private to lesson.c. */
#ifndef WARPBOOK_KERNEL_LESSON_CHECK_H
#define WARPBOOK_KERNEL_LESSON_CHECK_H

#include <jansson.h>

#include "runtime/base/base.h"

/* Returns false for the first mistake, with *err "FILE:LINE: WHERE: what is wrong". */
bool lesson_check(const char *file, const char *text, size_t len, const json_t *root,
                  wb_error *err);

/* Returns true if an entry of "wrong" ({"is": 32} or {"from": 1, "to": 3}) matches the value. */
bool lesson_speaks_of(const json_t *wrong, double value);

#endif
