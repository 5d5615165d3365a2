/* sha256.c: see sha256.h. */
#include "runtime/compile/sha256.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 1 << 18 };

static void in_hexadecimal(const unsigned char *digest, char key[WB_SHA256_TEXT]) {
    for (int i = 0; i < 32; i++)
        snprintf(key + 2 * i, 3, "%02x", digest[i]);
}

bool wb_sha256(const void *data, size_t len, char key[WB_SHA256_TEXT]) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (!EVP_Digest(data, len, digest, &n, EVP_sha256(), NULL) || n != 32)
        return false;
    in_hexadecimal(digest, key);
    return true;
}

bool wb_sha256_files(const char *const *paths, char key[WB_SHA256_TEXT]) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    char *chunk = malloc(CHUNK);
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    bool ok = chunk && sum && EVP_DigestInit_ex(sum, EVP_sha256(), NULL);
    for (size_t i = 0; ok && paths[i]; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        ssize_t n = -1;
        while (fd >= 0 && (n = read(fd, chunk, CHUNK)) > 0)
            EVP_DigestUpdate(sum, chunk, (size_t)n);
        ok = n == 0;
        if (fd >= 0)
            close(fd);
    }
    ok = ok && EVP_DigestFinal_ex(sum, digest, NULL);
    if (ok)
        in_hexadecimal(digest, key);
    EVP_MD_CTX_free(sum);
    free(chunk);
    return ok;
}
