/* shrink.c: see shrink.h. What was one mapping becomes several, of a file: a program that gives it
 * back (munmap) does not mind, and glibc copies where it can't be moved as one (mremap). Only parts
 * that were mapped for themselves are looked at, not the heap or the stack. */
#include "runtime/compile/standby/shrink.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PART = 2 << 20, LEAST_PARTS = 4, MAX_REGIONS = 64 };

typedef struct region {
    char *from, *to;
} region;

/* Private anonymous mappings that can be written, of some size. */
static int find_regions(region *all) {
    char line[512];
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && n < MAX_REGIONS && fgets(line, sizeof line, f)) {
        uintptr_t from, to;
        unsigned long long inode;
        int end = 0;
        char rights[5];
        if (sscanf(line, "%lx-%lx %4s %*x %*s %llu%n", &from, &to, rights, &inode, &end) == 4 &&
            strcmp(rights, "rw-p") == 0 && inode == 0 && !strchr(line + end, '[') &&
            to - from >= (uintptr_t)LEAST_PARTS * PART)
            all[n++] = (region){(char *)from, (char *)to};
    }
    if (f)
        fclose(f);
    return n;
}

/* Whether the part is one word over and over, other than 0, which is never written. */
static bool is_uniform(const char *part) {
    uint64_t first, last;
    memcpy(&first, part, sizeof first);
    memcpy(&last, part + PART - sizeof last, sizeof last);
    return first && first == last && memcmp(part, part + sizeof first, PART - sizeof first) == 0;
}

/* A file of one such part. */
static int file_of(const char *part) {
    int fd = memfd_create("standby", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < PART) {
        ssize_t n = write(fd, part + done, PART - done);
        if (n <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)n;
    }
    return fd;
}

bool shrink_memory(void) {
    region all[MAX_REGIONS];
    int n = find_regions(all), fd = -1;
    uint64_t word = 0, own;
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        uintptr_t start = ((uintptr_t)all[i].from + PART - 1) & ~(uintptr_t)(PART - 1);
        for (char *p = (char *)start; ok && p + PART <= all[i].to; p += PART) {
            memcpy(&own, p, sizeof own);
            if (!is_uniform(p) || (fd >= 0 && own != word))
                continue;
            if (fd < 0 && (fd = file_of(p)) < 0)
                return true;
            word = own;
            ok = mmap(p, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == p;
        }
    }
    if (fd >= 0)
        close(fd);
    return ok;
}
