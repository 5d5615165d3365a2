/* transfer.c: see transfer.h. */
#include "grader/replay/transfer.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

/* Smaller arrays are not worth locked memory, or a second thread. */
enum { LARGE = 4 << 20 };

static bool is_gpu(void) {
    return !cuda.report;
}

bool gr_pages_make(gr_pages *pages, size_t bytes, wb_error *err) {
    if (pages->data && pages->bytes == bytes)
        return true;
    gr_pages_free(pages);
    *pages = (gr_pages){.bytes = bytes};
    if (is_gpu() && bytes >= LARGE) {
        pages->locked = cuda.cudaMallocHost(&pages->data, bytes) == cudaSuccess;
        if (!pages->locked)
            cuda.cudaGetLastError(); /* ordinary memory will do */
    }
    if (!pages->locked)
        pages->data = malloc(bytes + 1);
    return pages->data || wb_fail(err, 1, _("out of memory"));
}

void gr_pages_free(gr_pages *pages) {
    if (pages->locked)
        cuda.cudaFreeHost(pages->data);
    else
        free(pages->data);
    *pages = (gr_pages){.data = NULL};
}

bool gr_upload(void *to, const void *from, size_t bytes, wb_error *err) {
    return bytes == 0 || gr_cuda_ok(cuda.cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice),
                                    "inputs can't be copied to the device", err);
}

/* ---- from the device, in chunks -------------------------------------------------------------- */

/* Says what to do with a chunk that has arrived. */
typedef struct arrival {
    const unsigned char *data;
    int file; /* written there, from `offset` on; 0: compared */
    off_t offset;
    const unsigned char *these; /* compared with; NULL: with `all` */
    unsigned char all;
    atomic_int differs; /* or what kept it from being written: errno */
} arrival;

/* Returns 0 or errno. Writes, because a new file's pages cost three times as much in a mapping. */
static int write_at(int file, const unsigned char *data, size_t n, off_t at) {
    while (n > 0) {
        ssize_t done = pwrite(file, data, n, at);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0)
            data += done, n -= (size_t)done, at += done;
    }
    return 0;
}

static void take_part(void *ctx, int64_t from, int64_t to) {
    arrival *a = ctx;
    size_t at = (size_t)from, n = (size_t)(to - from);
    int differs = 0;
    if (a->file)
        differs = write_at(a->file, a->data + at, n, a->offset + from);
    else if (a->these)
        differs = memcmp(a->data + at, a->these + at, n) != 0;
    else
        for (size_t i = 0; i < n; i++)
            differs |= a->data[at + i] != a->all;
    if (differs)
        atomic_store(&a->differs, differs);
}

/* Chunks are small enough to stay in a cache, where fresh host memory would cost more than the
 * copy. Locked ones are larger, for all cores. */
static bool receive(const void *from, size_t bytes, arrival *a, wb_error *err) {
    static gr_pages chunk;
    bool large = is_gpu() && bytes >= LARGE;
    size_t room = large ? (size_t)32 << 20 : (size_t)1 << 20;
    if (chunk.bytes < room && !gr_pages_make(&chunk, room, err))
        return false;
    a->data = chunk.data;
    for (size_t at = 0; at < bytes && !atomic_load(&a->differs); at += room) {
        size_t n = bytes - at < room ? bytes - at : room;
        if (!gr_cuda_ok(
                cuda.cudaMemcpy(chunk.data, (const char *)from + at, n, cudaMemcpyDeviceToHost),
                "results can't be copied from the device", err))
            return false;
        if (n >= LARGE)
            wb_parallel((int64_t)n, take_part, a);
        else
            take_part(a, 0, (int64_t)n);
        a->offset += (off_t)n;
        a->these += a->these ? n : 0;
    }
    return true;
}

bool gr_download(int file, const char *path, off_t at, const void *from, size_t bytes,
                 wb_error *err) {
    arrival a = {.file = file, .offset = at};
    if (!receive(from, bytes, &a, err))
        return false;
    int failed = atomic_load(&a.differs);
    return !failed || wb_fail(err, failed, _("can't write %s: %s"), path, strerror(failed));
}

bool gr_download_same(const void *from, size_t bytes, const void *these, unsigned char all,
                      bool *same, wb_error *err) {
    arrival a = {.these = these, .all = all};
    bool ok = receive(from, bytes, &a, err);
    *same = !atomic_load(&a.differs);
    return ok;
}
