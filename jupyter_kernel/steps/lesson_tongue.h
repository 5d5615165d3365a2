/* lesson_tongue.h: steps.json in another language (steps.zh.json). Private to lesson.c. */
#pragma once

#include "runtime/json/line.h"

/* Replaces the texts of `root` by those of `translation`. Both are valid, and each text is one
 * string. The translation has the same shape and holds texts. It repeats only the keys that
 * identify an entry ("name", "is", "from", "to", "kernel", "of"). A text that it leaves out is
 * kept. The unit in `root` is kept as "unit_too", and steps get the "words" for their choices.
 * False: the error is "FILE:LINE: WHERE: what is wrong". */
bool lesson_translate(const wb_json_source *source, json_t *root, const json_t *translation);
