/* mem.c: device memory, a sorted table of ranges. Kernels search a snapshot of it without a lock.
 * Old snapshots and freed memory are released only when no launch runs. So a kernel that uses freed
 * memory gets a report and no crash. */
#include "runtime/base/scoped.h"
#include "runtime/softgpu/machine/arena.h"
#include "runtime/softgpu/machine/machine.h"

#define GUARD 256
#define N_FREED 64
#define QUARANTINE_BYTES                                                                           \
    (64u << 20) /* freed memory that is not reused, to recognise late accesses */

typedef struct range {
    uint64_t lo, hi;
    sg_mem_range info;
    bool registered;
    uint8_t *written; /* SG_INITCHECK: a bit per byte; NULL: all bytes count as written */
} range;

typedef struct table {
    size_t n;
    struct table *retired;
    range ranges[];
} table;

typedef struct freed {
    sg_mem_range info;
    void *memory; /* not released yet, or NULL */
    uint8_t *written;
} freed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static table *_Atomic current;
static table *retired;
static unsigned launches; /* number of running launches */
static uint64_t serial;
static size_t used, heap_used;
static freed graves[N_FREED];
static unsigned n_graves;
static size_t quarantined;

static size_t total_bytes(void) {
    static size_t total;
    if (!total) {
        size_t machine = wb_memory_machine();
        total = wb_setting_number("WARPBOOK_SOFTGPU_MEMORY", 1, machine ? machine / 2 : 1u << 30);
    }
    return total;
}

static _Atomic int initcheck = -1; /* -1: as the environment says */

void sg_set_initcheck(bool on) {
    initcheck = on;
}

static bool wants_initcheck(void) {
    return initcheck < 0 ? wb_setting_on("WARPBOOK_SOFTGPU_INITCHECK", false) : initcheck;
}

/* Returns the index of the last range that begins at or before address, or -1. */
static ptrdiff_t last_before(const table *t, uint64_t address) {
    size_t lo = 0, hi = t ? t->n : 0;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->ranges[mid].lo <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (ptrdiff_t)lo - 1;
}

/* Allocates `bytes`, far from all other addresses if possible, else `GUARD` apart. */
static void *obtain(size_t bytes) {
    size_t size = (bytes + GUARD + 511) & ~(size_t)511;
    if (size <= bytes)
        return NULL;
    void *memory = sg_arena_take(bytes);
    return memory ? memory : aligned_alloc(512, size);
}

static void give_back(void *memory, size_t bytes) {
    if (sg_arena_holds(memory))
        sg_arena_give(memory, bytes);
    else
        free(memory);
}

static void empty_grave(freed *g) {
    if (!g->memory)
        return;
    give_back(g->memory, g->info.bytes);
    free(g->written);
    quarantined -= g->info.bytes;
    g->memory = NULL;
    g->written = NULL;
}

static void reclaim(void) {
    if (launches)
        return;
    while (retired) {
        table *next = retired->retired;
        free(retired);
        retired = next;
    }
    for (unsigned i = 0; i < N_FREED && quarantined > QUARANTINE_BYTES; i++)
        empty_grave(&graves[(n_graves + i) % N_FREED]);
}

static void publish(table *t) {
    table *old = atomic_load(&current);
    atomic_store(&current, t);
    if (old) {
        old->retired = retired;
        retired = old;
    }
    reclaim();
}

/* Inserts r into the table. Returns false without memory, or if it overlaps a live range. */
static bool insert(const range *r) {
    table *old = atomic_load(&current);
    size_t n = old ? old->n : 0;
    ptrdiff_t at = last_before(old, r->lo);
    if (at >= 0 && old->ranges[at].hi > r->lo)
        return false;
    if ((size_t)(at + 1) < n && old->ranges[at + 1].lo < r->hi)
        return false;
    table *t = malloc(sizeof *t + (n + 1) * sizeof(range));
    if (!t)
        return false;
    size_t k = (size_t)(at + 1);
    t->n = n + 1;
    if (k)
        memcpy(t->ranges, old->ranges, k * sizeof(range));
    t->ranges[k] = *r;
    if (n > k)
        memcpy(t->ranges + k + 1, old->ranges + k, (n - k) * sizeof(range));
    publish(t);
    return true;
}

static void flush_graves(void) {
    for (unsigned i = 0; i < N_FREED && !launches; i++)
        empty_grave(&graves[i]);
}

static bool is_device(sg_mem_kind kind) {
    return kind == SG_MEM_DEVICE || kind == SG_MEM_HEAP;
}

void *sg_mem_heap_alloc(size_t bytes, size_t most) {
    pthread_mutex_lock(&lock);
    bool fits = bytes <= most && heap_used <= most - bytes;
    heap_used += fits ? bytes : 0;
    pthread_mutex_unlock(&lock);
    void *memory =
        fits ? sg_mem_alloc(bytes, SG_MEM_HEAP, "made by malloc in a kernel", NULL) : NULL;
    if (fits && !memory) {
        pthread_mutex_lock(&lock);
        heap_used -= bytes;
        pthread_mutex_unlock(&lock);
    }
    return memory;
}

void *sg_mem_alloc(size_t bytes, sg_mem_kind kind, const char *name, sg_error *err) {
    WB_LOCKED(&lock);
    char *memory = NULL;
    if (bytes <= total_bytes() && used <= total_bytes() - bytes) {
        memory = obtain(bytes);
        if (!memory) {
            flush_graves();
            memory = obtain(bytes);
        }
    }
    range r = {0};
    if (memory) {
        r.lo = (uint64_t)(uintptr_t)memory;
        r.hi = r.lo + bytes;
        r.info = (sg_mem_range){.base = memory, .bytes = bytes, .kind = kind, .serial = ++serial};
        if (name)
            strncpy(r.info.name, name, sizeof r.info.name - 1);
        if (is_device(kind) && wants_initcheck())
            r.written = calloc(bytes / 8 + 1, 1);
        if (!insert(&r)) {
            give_back(memory, bytes);
            free(r.written);
            memory = NULL;
        }
    }
    if (memory)
        used += bytes;
    else
        wb_fail(err, SG_ERR_MEMORY,
                _("%zu bytes do not fit into the device's memory: %zu of %zu bytes are in use "
                  "(WARPBOOK_SOFTGPU_MEMORY sets its size)"),
                bytes, used, total_bytes());
    return memory;
}

bool sg_mem_register(void *base, size_t bytes, sg_mem_kind kind) {
    range r = {.lo = (uint64_t)(uintptr_t)base, .registered = true};
    r.hi = r.lo + bytes;
    if (!base || r.hi < r.lo)
        return false;
    WB_LOCKED(&lock);
    r.info = (sg_mem_range){.base = base, .bytes = bytes, .kind = kind, .serial = ++serial};
    if (kind == SG_MEM_DEVICE && wants_initcheck())
        r.written = calloc(bytes / 8 + 1, 1);
    bool ok = insert(&r);
    if (!ok)
        free(r.written);
    else if (kind == SG_MEM_DEVICE)
        used += bytes;
    return ok;
}

void sg_mem_name(const void *base, const char *name) {
    uint64_t address = (uint64_t)(uintptr_t)base;
    WB_LOCKED(&lock);
    table *t = atomic_load(&current);
    ptrdiff_t at = last_before(t, address);
    if (at >= 0 && t->ranges[at].lo == address)
        strncpy(t->ranges[at].info.name, name, sizeof t->ranges[at].info.name - 1);
}

bool sg_mem_free(void *base) {
    uint64_t address = (uint64_t)(uintptr_t)base;
    WB_LOCKED(&lock);
    table *old = atomic_load(&current), *t = NULL;
    ptrdiff_t at = last_before(old, address);
    if (at >= 0 && old->ranges[at].lo == address)
        t = malloc(sizeof *t + old->n * sizeof(range));
    if (!t)
        return false;
    range gone = old->ranges[at];
    heap_used -= gone.info.kind == SG_MEM_HEAP ? gone.info.bytes : 0;
    size_t k = (size_t)at;
    t->n = old->n - 1;
    memcpy(t->ranges, old->ranges, k * sizeof(range));
    memcpy(t->ranges + k, old->ranges + k + 1, (old->n - k - 1) * sizeof(range));
    freed *g = &graves[n_graves++ % N_FREED];
    quarantined -= g->memory ? g->info.bytes : 0;
    if (!launches) { /* a running launch may still use the oldest one, which leaks then */
        if (g->memory)
            give_back(g->memory, g->info.bytes);
        free(g->written);
    }
    *g = (freed){gone.info, gone.registered ? NULL : gone.info.base, gone.written};
    quarantined += gone.registered ? 0 : gone.info.bytes;
    if (!gone.registered || gone.info.kind == SG_MEM_DEVICE)
        used -= gone.info.bytes;
    publish(t);
    return true;
}

bool sg_mem_find(const void *address, sg_mem_range *found) {
    uint64_t a = (uint64_t)(uintptr_t)address;
    WB_LOCKED(&lock);
    const table *t = atomic_load(&current);
    ptrdiff_t at = last_before(t, a);
    bool ok = at >= 0 && (a < t->ranges[at].hi || a == t->ranges[at].lo);
    if (ok && found)
        *found = t->ranges[at].info;
    return ok;
}

bool sg_mem_find_freed(const void *address, sg_mem_range *found) {
    uint64_t a = (uint64_t)(uintptr_t)address;
    WB_LOCKED(&lock);
    for (unsigned i = 0; i < N_FREED; i++) {
        const freed *g = &graves[(n_graves + N_FREED - 1 - i) % N_FREED];
        if (g->info.base && a - (uint64_t)(uintptr_t)g->info.base < g->info.bytes) {
            *found = g->info;
            return true;
        }
    }
    return false;
}

bool sg_mem_nearest(uint64_t address, sg_mem_range *below, sg_mem_range *above) {
    WB_LOCKED(&lock);
    const table *t = atomic_load(&current);
    ptrdiff_t at = last_before(t, address);
    below->base = above->base = NULL;
    if (at >= 0)
        *below = t->ranges[at].info;
    if (t && (size_t)(at + 1) < t->n)
        *above = t->ranges[at + 1].info;
    return below->base || above->base;
}

void sg_mem_usage(size_t *in_use, size_t *total) {
    WB_LOCKED(&lock);
    if (in_use)
        *in_use = used;
    if (total)
        *total = total_bytes();
}

static const range *range_of(uint64_t address) {
    const table *t = atomic_load_explicit(&current, memory_order_acquire);
    ptrdiff_t at = last_before(t, address);
    return at >= 0 && address < t->ranges[at].hi ? &t->ranges[at] : NULL;
}

bool sg_mem_span(uint64_t address, uint64_t *lo, uint64_t *hi, sg_mem_kind *kind) {
    const range *r = range_of(address);
    if (!r)
        return false;
    *lo = r->lo;
    *hi = r->hi;
    *kind = r->info.kind;
    return true;
}

void sg_mem_enter(void) {
    WB_LOCKED(&lock);
    launches++;
}

void sg_mem_leave(void) {
    WB_LOCKED(&lock);
    launches--;
    reclaim();
}

/* ---- which bytes were written (SG_INITCHECK) ----------------------------------------------- */

void sg_mem_wrote(uint64_t address, uint64_t bytes) {
    const range *r = range_of(address);
    if (!r || !r->written)
        return;
    for (uint64_t k = address - r->lo; bytes && k < r->hi - r->lo; k++, bytes--)
        __atomic_fetch_or(&r->written[k / 8], (uint8_t)(1u << (k & 7)), __ATOMIC_RELAXED);
}

void sg_mem_written(const void *address, size_t bytes) {
    sg_mem_enter();
    sg_mem_wrote((uint64_t)(uintptr_t)address, bytes);
    sg_mem_leave();
}

bool sg_mem_initialised(uint64_t address, uint64_t bytes) {
    const range *r = range_of(address);
    if (!r || !r->written)
        return true;
    for (uint64_t k = address - r->lo; bytes && k < r->hi - r->lo; k++, bytes--)
        if (!(r->written[k / 8] >> (k & 7) & 1))
            return false;
    return true;
}
