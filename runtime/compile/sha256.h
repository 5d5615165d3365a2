/* sha256.h: SHA-256 as hexadecimal digits. */
#ifndef WARPBOOK_COMPILE_SHA256_H
#define WARPBOOK_COMPILE_SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { WB_SHA256_TEXT = 65 }; /* the digits and a NUL */

/* Of the bytes. False when it can't be computed. */
bool wb_sha256(const void *data, size_t len, char key[WB_SHA256_TEXT]);

/* Of the files' contents, one after the other (NULL-terminated). False when one can't be read. */
bool wb_sha256_files(const char *const *paths, char key[WB_SHA256_TEXT]);

#endif
