/* lesson_tongue.h: steps.json in another language (steps.zh.json). Private to lesson.c. */
#ifndef WARPBOOK_KERNEL_LESSON_TONGUE_H
#define WARPBOOK_KERNEL_LESSON_TONGUE_H

#include <jansson.h>

#include "runtime/base/base.h"

/* Puts the texts of `translation` (valid JSON, `text` of `file`) into `root`, a steps.json that
 * lesson_check has passed, in both of which a text is one string. It is of the same shape, holds
 * the texts, and of the rest only what tells which text is meant ("name", "is", "from", "to",
 * "kernel", "of"), as it is in `root`; a text that it leaves out stays. Of a unit the word of
 * `root` is kept as "unit_too". False with *err "FILE:LINE: WHERE: what does not fit". */
bool lesson_translate(json_t *root, const char *file, const char *text, size_t len,
                      const json_t *translation, wb_error *err);

#endif
