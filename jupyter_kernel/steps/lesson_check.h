/* lesson_check.h: checks that a steps.json keeps what lesson.h promises. Private to lesson.c. */
#pragma once

#include "runtime/json/line.h"

/* Returns false for the first mistake, with the error "FILE:LINE: WHERE: what is wrong". */
bool lesson_check(const wb_json_source *source, const json_t *root);

/* Returns true if an entry of "wrong" ({"is": 32} or {"from": 1, "to": 3}) matches the value. */
bool lesson_speaks_of(const json_t *wrong, double value);
