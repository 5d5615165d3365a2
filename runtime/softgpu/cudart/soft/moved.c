/* moved.c: see moved.h. Transfers of unified memory are not counted: softgpu has only one copy of
 * it. */
#include "runtime/softgpu/cudart/soft/soft.h"

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/cudart/soft/predict.h"
#include "runtime/softgpu/engine.h"

/* Bytes per second between the device and pageable host memory, which the driver copies twice.
 * Measured for 4 MB to 256 MB beside an H200 and an H100 (tests/gpu/results/micro, cudaMemcpy). The
 * host limits it, so it is the same for all GPUs. The middle value is for 4 to 16 MB. */
#define PAGEABLE_SLOW 5.1e9
#define PAGEABLE 13.5e9
#define PAGEABLE_FAST 17.5e9
/* The driver sends up to this many bytes within the command. A copy to the host takes this factor
 * longer to begin. */
#define PAGEABLE_FREE 16384
#define PAGEABLE_BEGINS 1.3
/* Measured copies of other kinds were within this factor of the model. */
#define SPREAD 1.15

typedef enum way { TO_DEVICE, TO_HOST, ON_DEVICE, FILL, ON_HOST, N_WAYS } way;

typedef struct moved {
    uint64_t times, bytes, beyond; /* beyond: without the first PAGEABLE_FREE bytes of each */
} moved;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static moved all[N_WAYS][2];                             /* [1]: pinned memory */

static void note(way w, bool pinned, uint64_t bytes) {
    WB_LOCKED(&lock);
    moved *m = &all[w][pinned];
    m->times++;
    m->bytes += bytes;
    m->beyond += bytes > PAGEABLE_FREE ? bytes - PAGEABLE_FREE : 0;
}

/* Returns true if the address is on the device. Sets *pinned for pinned host memory. */
static bool on_device(const void *address, bool *pinned) {
    sg_mem_range range;
    if (!sg_mem_find(address, &range))
        return false;
    *pinned |= range.kind == SG_MEM_HOST;
    return range.kind != SG_MEM_HOST;
}

void soft_moved_copy(const rt_copy *c) {
    bool pinned = false;
    bool to = on_device(c->to.at, &pinned), from = on_device(c->from.at, &pinned);
    way w = to && from ? ON_DEVICE : to ? TO_DEVICE : from ? TO_HOST : ON_HOST;
    note(w, pinned && w != ON_HOST, (uint64_t)c->size.width * c->size.height * c->size.depth);
}

void soft_moved_fill(const rt_fill *f) {
    note(FILL, false, (uint64_t)f->size.width * f->size.height * f->size.depth);
}

static json_t *time_json(double seconds, double low, double high) {
    return wb_json_pack("{s:f, s:f, s:f}", "seconds", seconds, "low", low, "high", high);
}

static json_t *time_of(const model_gpu *g, way w, bool pinned, const moved *m) {
    bool host = w == TO_DEVICE || w == TO_HOST;
    double times = (double)m->times, bytes = (double)m->bytes, begin = times * g->host_copy_s;
    double memory = (w == FILL ? 1 : 2) * bytes / (g->dram_bytes_per_s * g->dram_copy_share);
    double seconds = host ? begin + bytes / g->host_bytes_per_s : times * g->launch_s + memory;
    if (!host || pinned)
        return time_json(seconds, seconds / SPREAD, seconds * SPREAD);
    double beyond = (double)m->beyond;
    json_t *time = time_json(begin + beyond / PAGEABLE, begin / SPREAD + beyond / PAGEABLE_FAST,
                             begin * PAGEABLE_BEGINS + beyond / PAGEABLE_SLOW);
    json_object_set_new(time, "if_pinned", json_real(seconds));
    return time;
}

json_t *soft_moved_json(void) {
    static const char *const names[] = {"to the device", "to the host", "on the device", "fill",
                                        "on the host"};
    const model_gpu *gpu = soft_predict_gpu();
    json_t *rows = json_array();
    WB_LOCKED(&lock);
    for (int i = 0; i < N_WAYS * 2; i++) {
        way w = i / 2;
        const moved *m = &all[w][i % 2];
        if (!m->times)
            continue;
        json_t *row = wb_json_pack("{s:s, s:I, s:I}", "way", names[w], "times",
                                   (json_int_t)m->times, "bytes", (json_int_t)m->bytes);
        if (w == TO_DEVICE || w == TO_HOST)
            json_object_set_new(row, "pinned", json_boolean(i % 2));
        if (gpu && w != ON_HOST)
            json_object_set_new(row, "model", time_of(gpu, w, i % 2, m));
        json_array_append_new(rows, row);
    }
    return rows;
}

void soft_moved_clear(void) {
    WB_LOCKED(&lock);
    memset(all, 0, sizeof all);
}
