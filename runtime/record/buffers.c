/* buffers.c: device memory that is only addresses. The ranges are in a part of the address space
 * that neither the kernel nor the sanitizers use. They can't be accessed, and are far enough apart
 * that a pointer slightly outside one still identifies it. */
#include "runtime/record/plan.h"

#include <sys/mman.h>

/* The upper half of these addresses, 0x2A37 to 0x2AB7, is no likely value of an int next to another
 * one in a structure. */
#define FIRST_ADDRESS UINT64_C(0x2A3715000000)
#define LAST_ADDRESS UINT64_C(0x2AB700000000)
enum { ALIGNMENT = 512, GAP = 1 << 20 };

static plan_buffer buffers[PLAN_MAX_BUFFERS];
static int n_buffers;
static uint64_t next_address = FIRST_ADDRESS;

plan_buffer *plan_buffer_at(int number) {
    return &buffers[number];
}

int plan_buffer_count(void) {
    return n_buffers;
}

size_t plan_buffer_bytes(void) {
    size_t sum = 0;
    for (int i = 0; i < n_buffers; i++)
        sum += buffers[i].freed ? 0 : buffers[i].bytes;
    return sum;
}

int plan_buffer_new(const char *name, size_t bytes, bool is_argument) {
    if (n_buffers == PLAN_MAX_BUFFERS || bytes > LAST_ADDRESS - next_address - GAP)
        return -1;
    plan_buffer *b = &buffers[n_buffers];
    *b = (plan_buffer){.base = next_address, .bytes = bytes, .is_argument = is_argument};
    snprintf(b->name, sizeof b->name, "%s", name);
    next_address += (bytes + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    /* Reserves the range if possible. Under a tight address-space limit it stays unmapped, which
     * also can't be accessed. */
    const uint64_t page = 4096;
    mmap((void *)(uintptr_t)(b->base & ~(page - 1)), bytes + page, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return n_buffers++;
}

bool plan_is_device_address(const void *address) {
    uint64_t a = (uint64_t)(uintptr_t)address;
    return a >= FIRST_ADDRESS - GAP && a < LAST_ADDRESS;
}

int plan_buffer_near(uint64_t address, int64_t *offset) {
    for (int i = 0; i < n_buffers; i++) {
        const plan_buffer *b = &buffers[i];
        if (address + GAP / 2 >= b->base && address < b->base + b->bytes + GAP / 2) {
            *offset = (int64_t)(address - b->base);
            return i;
        }
    }
    return -1;
}

cudaError_t plan_buffer_holding(const char *call, const char *role, const void *address,
                                size_t bytes, int *buffer, int64_t *offset) {
    *buffer = plan_buffer_near((uint64_t)(uintptr_t)address, offset);
    const plan_buffer *b = &buffers[*buffer < 0 ? 0 : *buffer];
    if (*buffer < 0)
        return rt_fail(cudaErrorInvalidValue, call, _("%s is not device memory"), role);
    if (b->freed)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("%s points into %zu bytes of device memory that were freed before"), role,
                       b->bytes);
    if (*offset < 0 || (uint64_t)*offset > b->bytes || bytes > b->bytes - (size_t)*offset)
        return rt_fail(cudaErrorInvalidValue, call,
                       _("%s: %zu bytes at offset %lld are not within %s%s%s of %zu bytes"), role,
                       bytes, (long long)*offset,
                       b->is_argument ? _("the argument") : _("an allocation"),
                       b->name[0] != '\0' ? " " : "", b->name, b->bytes);
    return cudaSuccess;
}

/* ---- the engine's calls, which graphs use -------------------------------------------------- */

void *sg_mem_alloc(size_t bytes, sg_mem_kind kind, const char *name, sg_error *err) {
    (void)kind, (void)name;
    RT_LOCKED();
    size_t total = rt_device_get()->prop.totalGlobalMem, used = plan_buffer_bytes();
    bool fits = bytes <= total && used <= total - bytes;
    int i = fits ? plan_buffer_new("", bytes, false) : -1;
    if (i >= 0)
        return (void *)(uintptr_t)plan_buffer_at(i)->base;
    wb_fail(err, cudaErrorMemoryAllocation,
            _("%zu bytes do not fit: %zu of %zu are in use, in %d buffers"), bytes, used, total,
            plan_buffer_count());
    return NULL;
}

bool sg_mem_free(void *base) {
    int64_t offset;
    int i = plan_buffer_near((uint64_t)(uintptr_t)base, &offset);
    if (i >= 0)
        plan_buffer_at(i)->freed = true;
    return i >= 0;
}

bool sg_mem_find(const void *address, sg_mem_range *range) {
    (void)range;
    return plan_is_device_address(address);
}
