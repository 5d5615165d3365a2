/* sha256.h: the two ways to take n blocks of 64 bytes into a sum's state; wb_sha256 (base.h) takes
 * the second where sha256_has_instructions. For sha256.c and its test. */
#ifndef WARPBOOK_BASE_SHA256_H
#define WARPBOOK_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void sha256_take(uint32_t state[8], const unsigned char *blocks, size_t n);
sha256_take sha256_plainly, sha256_by_instructions;
bool sha256_has_instructions(void);

#endif
