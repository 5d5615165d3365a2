/* sha256.c: SHA-256 (FIPS 180-4), with the CPU's own instructions if it has them. */
#include "runtime/base/sha256.h"

#include <cpuid.h>
#include <fcntl.h>
#include <immintrin.h>
#include <unistd.h>

#include "runtime/base/base.h"

enum { BLOCK = 64, CHUNK = 1 << 18 };

typedef struct sum {
    uint32_t state[8];
    unsigned char rest[BLOCK]; /* bytes that do not fill a block yet */
    uint64_t len;              /* bytes so far */
} sum;

static const sum begun = {.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                    0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned by) {
    return x >> by | x << (32 - by);
}

void sha256_plainly(uint32_t state[8], const unsigned char *p, size_t n) {
    uint32_t w[64], s[8];
    for (; n > 0; n--) {
        for (int i = 0; i < 16; i++, p += 4)
            w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
                   w[i - 7] + (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(s, state, sizeof s);
        for (int i = 0; i < 64; i++) {
            uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                           ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
            uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                           ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof *s);
            s[4] += one;
            s[0] = one + two;
        }
        for (int i = 0; i < 8; i++)
            state[i] += s[i];
    }
}

/* A speed-up of 15 over plain C: a cell's precompiled headers are some 60 MB. The instructions
 * keep the state as a, b, e, f and c, d, g, h, from the highest word down. */
__attribute__((target("sha,sse4.1"))) void
sha256_by_instructions(uint32_t state[8], const unsigned char *p, size_t n) {
    const uint32_t *h = state;
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    __m128i abef = _mm_setr_epi32((int)h[5], (int)h[4], (int)h[1], (int)h[0]);
    __m128i cdgh = _mm_setr_epi32((int)h[7], (int)h[6], (int)h[3], (int)h[2]);
    for (; n > 0; n--, p += BLOCK) {
        __m128i w[4], first = abef, second = cdgh;
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) { /* four rounds each */
            __m128i *now = &w[i & 3], last = w[(i + 3) & 3];
            if (i < 4)
                *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p + i), swap);
            else
                *now =
                    _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) & 3]),
                                                       _mm_alignr_epi8(last, w[(i + 2) & 3], 4)),
                                         last);
            __m128i k = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)constants + i));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));
        }
        abef = _mm_add_epi32(abef, first);
        cdgh = _mm_add_epi32(cdgh, second);
    }
    _mm_storeu_si128((__m128i *)state, _mm_shuffle_epi32(_mm_unpackhi_epi64(cdgh, abef), 0x1b));
    _mm_storeu_si128((__m128i *)(state + 4),
                     _mm_shuffle_epi32(_mm_unpacklo_epi64(cdgh, abef), 0x1b));
}

/* Caches the answer, because CPUID is slow in a virtual machine. */
bool sha256_has_instructions(void) {
    static _Atomic signed char known; /* 1: yes, -1: no */
    if (known == 0) {
        unsigned a, b, c, d, sse = 0;
        __get_cpuid(1, &a, &b, &sse, &d);
        known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA && sse & bit_SSE4_1 ? 1 : -1;
    }
    return known > 0;
}

static void take(uint32_t state[8], const unsigned char *p, size_t n) {
    (sha256_has_instructions() ? sha256_by_instructions : sha256_plainly)(state, p, n);
}

static void add(sum *s, const void *data, size_t len) {
    const unsigned char *p = data;
    if (len == 0)
        return;
    size_t kept = s->len % BLOCK, some = len < BLOCK - kept ? len : BLOCK - kept;
    s->len += len;
    if (kept > 0 || len < BLOCK) {
        memcpy(s->rest + kept, p, some);
        if (kept + some < BLOCK)
            return;
        take(s->state, s->rest, 1);
        p += some;
        len -= some;
    }
    take(s->state, p, len / BLOCK);
    memcpy(s->rest, p + len / BLOCK * BLOCK, len % BLOCK);
}

static void end(sum *s, char text[WB_SHA256_TEXT]) {
    static const unsigned char padding[BLOCK] = {0x80};
    unsigned char bits[8];
    for (int i = 0; i < 8; i++)
        bits[7 - i] = (unsigned char)(s->len * 8 >> 8 * i);
    add(s, padding, BLOCK - (s->len + sizeof bits) % BLOCK);
    add(s, bits, sizeof bits);
    for (int i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", s->state[i]);
}

void wb_sha256(const void *data, size_t len, char text[WB_SHA256_TEXT]) {
    sum s = begun;
    add(&s, data, len);
    end(&s, text);
}

bool wb_sha256_files(const char *const *paths, char text[WB_SHA256_TEXT]) {
    sum s = begun;
    char *chunk = malloc(CHUNK);
    bool ok = chunk != NULL;
    for (size_t i = 0; ok && paths[i]; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        ssize_t n = -1;
        while (fd >= 0 && (n = read(fd, chunk, CHUNK)) > 0)
            add(&s, chunk, (size_t)n);
        ok = n == 0;
        if (fd >= 0)
            close(fd);
    }
    free(chunk);
    if (ok)
        end(&s, text);
    return ok;
}
