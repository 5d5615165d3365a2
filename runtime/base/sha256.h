/* sha256.h: two functions that add n blocks of 64 bytes to a sum's state, for sha256.c and its
 * test. wb_sha256 (base.h) takes the second if sha256_has_instructions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void sha256_take(uint32_t state[8], const unsigned char *blocks, size_t n);
sha256_take sha256_plainly, sha256_by_instructions;
bool sha256_has_instructions(void);
