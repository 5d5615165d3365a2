/* digest.h: identifies the lab and the Warpbook that made a result. */
#pragma once

#include "runtime/base/base.h"

/* The SHA-256 of the parts of a lab that affect results: lab.json, without its title, summary,
 * blanks, key order and the other kind of device, and the sources beside it (without the starter,
 * the solutions, the README). */
bool gr_lab_digest(const char *lab_json, bool gpu, char digest[WB_SHA256_TEXT], wb_error *err);

/* Writes the first 16 digits of the SHA-256 of the grading programs. */
void gr_grader_digest(char digest[WB_SHA256_TEXT]);
