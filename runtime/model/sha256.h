/* sha256.h: SHA-256 without a library. What names the kept figures is computed inside programs
 * that run on the software GPU, and those shall load no libcrypto for it. */
#ifndef WARPBOOK_MODEL_SHA256_H
#define WARPBOOK_MODEL_SHA256_H

#include <stddef.h>

enum { MODEL_SHA256_TEXT = 65 }; /* the hexadecimal digits and a NUL */

void model_sha256(const void *data, size_t len, char out[MODEL_SHA256_TEXT]);

#endif
