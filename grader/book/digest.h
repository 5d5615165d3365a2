/* digest.h: what a result was made by: the lab, as far as points hang on it, and this Warpbook. */
#ifndef GRADER_BOOK_DIGEST_H
#define GRADER_BOOK_DIGEST_H

#include "runtime/base/base.h"

/* The SHA-256 of lab.json without its title and summary, blanks and order of keys, and without what
 * concerns the other kind of device; and of the sources beside it that grading may read (not the
 * starter, the solutions, the README). A change that this does not show touches no result. */
bool gr_lab_digest(const char *lab_json, bool gpu, char digest[WB_SHA256_TEXT], wb_error *err);

/* The first 16 digits of the SHA-256 of the programs that grade. */
void gr_grader_digest(char digest[WB_SHA256_TEXT]);

#endif
