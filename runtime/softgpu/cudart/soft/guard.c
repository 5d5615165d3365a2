/* guard.c: protects device memory from host code. On a GPU, host code that dereferences a device
 * pointer crashes. Here it would work unnoticed. So memory of cudaMalloc has its own pages,
 * accessible only during calls of the runtime. A crash on them reports its cause.
 *
 * Opening and closing costs about 20 ns a page and call, so the limit is 32 MB and 256 allocations.
 * WARPBOOK_SOFTGPU_GUARD=1 and --memcheck (SG_INITCHECK) remove the limit, =0 turns the guard
 * off. */
#include "runtime/base/scoped.h"
#include "runtime/softgpu/machine/arena.h"
#include "runtime/softgpu/cudart/soft/soft.h"

#include <signal.h>
#include <sys/mman.h>

enum { PAGE = 4096, MAX_GUARDED = 256 };
#define MAX_GUARDED_BYTES ((size_t)32 << 20)

typedef struct guarded {
    char *base;
    size_t bytes, pages; /* requested; mapped */
} guarded;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static guarded *list;
static size_t n, guarded_bytes;
static unsigned users; /* running calls */
static bool is_open;
static struct sigaction before;
static bool watching;

bool soft_guard_wanted(size_t bytes) {
    if (wb_setting("WARPBOOK_SOFTGPU_GUARD"))
        return wb_setting_on("WARPBOOK_SOFTGPU_GUARD", true);
    if (soft_options() & SG_INITCHECK)
        return true;
    WB_LOCKED(&lock);
    return n < MAX_GUARDED && bytes <= MAX_GUARDED_BYTES &&
           guarded_bytes <= MAX_GUARDED_BYTES - bytes;
}

static void protect(int access) {
    for (size_t i = 0; i < n; i++)
        mprotect(list[i].base, list[i].pages, access);
    is_open = access != PROT_NONE;
}

void soft_guard_open(void) {
    WB_LOCKED(&lock);
    if (n > 0 && !is_open)
        protect(PROT_READ | PROT_WRITE);
    users++;
}

void soft_guard_close(void) {
    WB_LOCKED(&lock);
    if (--users == 0 && n > 0 && is_open)
        protect(PROT_NONE);
}

/* free() and delete read the C library's header right before the memory. */
enum { HEAP_NOTES = 16 };

/* Needs no lock: the crashed thread holds none, and no other thread matters. */
static const guarded *holder(const void *address) {
    for (size_t i = 0; i < n; i++) {
        if ((const char *)address >= list[i].base - HEAP_NOTES &&
            (const char *)address < list[i].base + list[i].pages)
            return &list[i];
    }
    return NULL;
}

/* Reports the cause, then lets the crash proceed. */
static void crashed(int number, siginfo_t *info, void *context) {
    (void)context;
    static volatile sig_atomic_t told;
    const guarded *g = told ? NULL : holder(info->si_addr);
    if (g != NULL && (char *)info->si_addr < g->base) {
        told = 1;
        rt_fail(cudaErrorIllegalAddress, rt_host_code,
                _("host code passes an allocation of %zu bytes of cudaMalloc to free() or delete; "
                  "use cudaFree"),
                g->bytes);
    } else if (g != NULL) {
        told = 1;
        rt_fail(
            cudaErrorIllegalAddress, rt_host_code,
            _("host code follows a device pointer: byte %zu of an allocation of %zu bytes of "
              "cudaMalloc. Only kernels can; copy the data with cudaMemcpy, or allocate it with "
              "cudaMallocManaged"),
            (size_t)((char *)info->si_addr - g->base), g->bytes);
        const char *report = wb_setting("WARPBOOK_SOFTGPU_REPORT");
        if (before.sa_handler == SIG_DFL && (report == NULL || strcmp(report, "-") == 0))
            fprintf(stderr,
                    _("host code follows a device pointer (memory of cudaMalloc); only kernels "
                      "can: copy the data with cudaMemcpy, or use cudaMallocManaged\n"));
    }
    sigaction(number, &before, NULL); /* the instruction runs again and crashes */
}

static void watch(void) {
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (!watching)
        watching = sigaction(SIGSEGV, &action, &before) == 0;
}

static bool remember(char *base, size_t bytes, size_t pages) {
    guarded *one = WB_PUSH(list, n);
    if (!one)
        return false;
    *one = (guarded){base, bytes, pages};
    guarded_bytes += bytes;
    return true;
}

void *soft_guard_alloc(size_t bytes, const char *name) {
    size_t used, total, pages = (bytes + PAGE - 1) / PAGE * PAGE;
    sg_mem_usage(&used, &total);
    if (pages < bytes || used > total || bytes > total - used)
        return NULL;
    WB_LOCKED(&lock);
    watch();
    char *base = sg_arena_take(pages);
    if (base == NULL)
        return NULL;
    bool known = sg_mem_register(base, bytes, SG_MEM_DEVICE);
    if (!known || !remember(base, bytes, pages)) {
        if (known)
            sg_mem_free(base);
        sg_arena_give(base, pages);
        return NULL;
    }
    sg_mem_name(base, name);
    if (!is_open)
        mprotect(base, pages, PROT_NONE);
    return base;
}

bool soft_guard_free(void *base) {
    WB_LOCKED(&lock);
    size_t i = 0;
    while (i < n && list[i].base != base)
        i++;
    if (i == n)
        return false;
    sg_mem_free(base);
    sg_arena_give(base, list[i].pages); /* its addresses are not reused for a long time */
    guarded_bytes -= list[i].bytes;
    list[i] = list[--n];
    return true;
}
