/* arena.c: pieces of a reserved address range. The range has no access rights, and costs no memory
 * until a piece is taken. A piece's size is a power of two. Returned pieces wait in a queue, so an
 * address is reused as late as possible. */
#include "runtime/base/scoped.h"
#include "runtime/softgpu/machine/arena.h"

#include <sys/mman.h>

enum {
    PAGE = 4096,
    HUGE = 2 << 20,  /* one page fault instead of 512 */
    MIN_BITS = 27,   /* the smallest piece: 128 MiB */
    MAX_BITS = 43,   /* the range: 8 TiB of the process's 128 */
    LEAST_BITS = 36, /* a smaller range is useless */
    MAX_LIVE = 8192, /* each takes two of the 65,530 entries in the kernel's map */
    MAX_STRETCHES = 1 << (MAX_BITS - MIN_BITS)
};
static const size_t least_room = (size_t)64 << 20;

typedef struct line { /* returned pieces of one size, the oldest first */
    uint32_t first, last;
} line;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static char *range;
static size_t range_bytes, begun; /* begun: the part that was ever used */
static bool tried;
static unsigned live;
static line lines[MAX_BITS + 1];     /* by the bits of the size; piece number + 1 */
static uint32_t next[MAX_STRETCHES]; /* the piece after the one at this unit, + 1 */

static void reserve(void) {
    tried = true;
    for (int bits = MAX_BITS; bits >= LEAST_BITS && !range; bits--) {
        void *at = mmap(NULL, (size_t)1 << bits, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            continue; /* an address limit (ulimit -v): try a smaller range */
        size_t past = (uintptr_t)at % HUGE;
        range = past ? (char *)at + HUGE - past : at;
        range_bytes = past ? ((size_t)1 << bits) - ((size_t)1 << MIN_BITS) : (size_t)1 << bits;
    }
}

static size_t pages_of(size_t bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Returns the bits of the size of a piece for `bytes`, or 0 if that is too much. */
static int bits_of(size_t bytes) {
    size_t room = bytes > least_room ? bytes : least_room;
    int bits = MIN_BITS;
    if (bytes > (size_t)1 << (MAX_BITS - 1))
        return 0;
    while (((size_t)1 << bits) < bytes + room)
        bits++;
    return bits;
}

static char *place(uint32_t stretch) {
    return range + ((size_t)stretch << MIN_BITS);
}

/* Takes a piece from the unused end of the range, else from the queue of its size. */
static char *find(int bits) {
    size_t size = (size_t)1 << bits;
    if (range_bytes - begun >= size) {
        begun += size;
        return range + begun - size;
    }
    line *l = &lines[bits];
    if (!l->first)
        return NULL;
    uint32_t stretch = l->first - 1;
    l->first = next[stretch];
    if (!l->first)
        l->last = 0;
    return place(stretch);
}

static void stand_in_line(char *base, int bits) {
    uint32_t stretch = (uint32_t)((size_t)(base - range) >> MIN_BITS);
    line *l = &lines[bits];
    next[stretch] = 0;
    if (l->last)
        next[l->last - 1] = stretch + 1;
    else
        l->first = stretch + 1;
    l->last = stretch + 1;
}

void *sg_arena_take(size_t bytes) {
    char *base = NULL;
    size_t pages = pages_of(bytes ? bytes : 1);
    int bits = pages < bytes ? 0 : bits_of(pages);
    WB_LOCKED(&lock);
    if (!tried)
        reserve();
    if (range && bits && live < MAX_LIVE)
        base = find(bits);
    if (base && mprotect(base, pages, PROT_READ | PROT_WRITE) != 0) {
        stand_in_line(base, bits);
        base = NULL;
    }
    live += base != NULL;
    if (base && pages >= HUGE) /* if the kernel declines, it uses small pages */
        madvise(base, pages / HUGE * HUGE, MADV_HUGEPAGE);
    return base;
}

void sg_arena_give(void *base, size_t bytes) {
    size_t pages = pages_of(bytes ? bytes : 1);
    WB_LOCKED(&lock);
    /* new pages in their place free the memory and its entries in the kernel's map */
    if (mmap(base, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == base)
        stand_in_line(base, bits_of(pages));
    live--;
}

bool sg_arena_holds(const void *address) {
    uintptr_t a = (uintptr_t)address, from = (uintptr_t)range;
    return range && a >= from && a - from < range_bytes;
}
