/* buffers.c: the device buffers of one run. */
#include "grader/replay/program.h"
#include "grader/job/input.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A guard zone is before and after every buffer, and the arena ends at a page. So writes in the
 * arena outside the buffers are detected. */
#define GUARD ((size_t)64 << 10)
#define PAGE ((size_t)2 << 20)
#define ALIGN ((size_t)512)
enum { GUARD_BYTE = 0xa7 };

static size_t round_up(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

static bool place_in_arena(gr_memory *m, wb_error *err) {
    size_t at = GUARD;
    for (size_t i = 0; i < m->plan->n_buffers; i++)
        at += round_up(m->plan->buffers[i].bytes, ALIGN) + GUARD;
    m->arena_bytes = round_up(at, PAGE);
    void *arena = NULL;
    if (!gr_cuda_ok(cuda.cudaMalloc(&arena, m->arena_bytes), "no device memory for the buffers",
                    err))
        return false;
    m->arena = arena;
    at = GUARD;
    for (size_t i = 0; i < m->plan->n_buffers; i++) {
        m->base[i] = m->arena + at;
        at += round_up(m->plan->buffers[i].bytes, ALIGN) + GUARD;
    }
    return gr_cuda_ok(cuda.cudaMemset(arena, GUARD_BYTE, m->arena_bytes),
                      "device memory can't be filled", err);
}

static bool place_apart(gr_memory *m, wb_error *err) {
    for (size_t i = 0; i < m->plan->n_buffers; i++) {
        void *p = NULL;
        if (!gr_cuda_ok(cuda.cudaMalloc(&p, m->plan->buffers[i].bytes),
                        "no device memory for the buffers", err))
            return false;
        m->base[i] = p;
    }
    return true;
}

/* Uploads the pattern once and doubles it on the device, which is much faster. softgpu's call also
 * keeps the memory marked as uninitialised. */
static bool poison(void *to, size_t bytes, uint32_t word, wb_error *err) {
    if (cuda.poison) {
        cuda.poison(to, bytes, word);
        return true;
    }
    enum { CHUNK = 1 << 16 };
    unsigned char chunk[CHUNK], *at = to;
    size_t done = bytes < CHUNK ? bytes : CHUNK;
    gr_poison(chunk, done, word);
    bool ok = gr_upload(to, chunk, done, err);
    while (ok && done < bytes) {
        size_t n = bytes - done < done ? bytes - done : done;
        ok = gr_cuda_ok(cuda.cudaMemcpy(at + done, at, n, cudaMemcpyDeviceToDevice),
                        "device memory can't be filled", err);
        done += n;
    }
    return ok;
}

/* Waits for copies from pageable memory and fills, which may still run when their calls return.
 * solve()'s stream does not wait for other streams. */
static bool settle(wb_error *err) {
    return gr_cuda_ok(cuda.cudaDeviceSynchronize(), "the device can't be used", err);
}

bool gr_memory_reset(gr_memory *m, wb_error *err) {
    for (size_t i = 0; i < m->plan->n_buffers; i++) {
        int arg = m->plan->buffers[i].arg;
        size_t bytes = m->plan->buffers[i].bytes;
        if (arg >= 0 && m->job->args[arg].role == GR_INPUT)
            continue;
        if (arg >= 0 && m->job->args[arg].role == GR_INOUT
                ? !gr_upload(m->base[i], m->host[arg].data, bytes, err)
                : !poison(m->base[i], bytes, arg >= 0 ? GR_POISON : GR_POISON_TEMPORARY, err))
            return false;
    }
    return settle(err);
}

static void free_device(gr_memory *m) {
    for (size_t i = 0; m->plan && !m->arena && i < m->plan->n_buffers; i++)
        cuda.cudaFree(m->base[i]);
    if (m->arena)
        cuda.cudaFree(m->arena);
    m->arena = NULL;
    memset(m->base, 0, sizeof m->base);
}

bool gr_memory_make(const gr_plan *plan, const gr_job *job, uint32_t run, gr_memory *m,
                    wb_error *err) {
    free_device(m);
    m->plan = plan;
    m->job = job;
    if (cuda.report ? !place_apart(m, err) : !place_in_arena(m, err))
        return false;
    for (size_t i = 0; i < plan->n_buffers; i++) {
        int arg = plan->buffers[i].arg;
        size_t bytes = plan->buffers[i].bytes;
        if (arg < 0 || job->args[arg].role == GR_OUTPUT)
            continue;
        if (!gr_pages_make(&m->host[arg], bytes, err))
            return false;
        gr_input_fill(job, arg, run, m->host[arg].data);
        if (!gr_upload(m->base[i], m->host[arg].data, bytes, err))
            return false;
    }
    return gr_memory_reset(m, err);
}

void gr_memory_forget_inputs(gr_memory *m) {
    for (int i = 0; i < GR_MAX_ARGS; i++)
        gr_pages_free(&m->host[i]);
}

void gr_memory_free(gr_memory *m) {
    free_device(m);
    gr_memory_forget_inputs(m);
    *m = (gr_memory){.plan = NULL};
}

/* Writes the result arrays into the file, one after the other. */
static bool download_results(const gr_memory *m, int file, const char *path, wb_error *err) {
    off_t at = 0;
    for (int arg = 0; arg < m->job->n_args; arg++) {
        if (!gr_is_result(m->job->args[arg].role))
            continue;
        size_t bytes = gr_job_arg_bytes(&m->job->args[arg]), i = 0;
        while (i < m->plan->n_buffers && m->plan->buffers[i].arg != arg)
            i++;
        if (i == m->plan->n_buffers)
            return wb_fail(err, 1, _("the plan of solve() lacks its argument %s"),
                           m->job->args[arg].name);
        if (!gr_download(file, path, at, m->base[i], bytes, err))
            return false;
        at += (off_t)bytes;
    }
    return true;
}

bool gr_memory_results(const gr_memory *m, const char *path, wb_error *err) {
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0)
        return wb_fail(err, errno, _("can't write %s: %s"), path, strerror(errno));
    bool ok = download_results(m, file, path, err);
    close(file);
    return ok;
}

static const char *buffer_name(const gr_memory *m, size_t i) {
    return m->plan->buffers[i].arg < 0 ? "a temporary" : m->job->args[m->plan->buffers[i].arg].name;
}

bool gr_memory_guarded(const gr_memory *m, wb_error *err) {
    size_t from = 0;
    if (!m->arena)
        return true;
    for (size_t i = 0; i <= m->plan->n_buffers; i++) {
        size_t to = i < m->plan->n_buffers ? (size_t)(m->base[i] - m->arena) : m->arena_bytes;
        bool same;
        if (!gr_download_same(m->arena + from, to - from, NULL, GUARD_BYTE, &same, err))
            return false;
        if (!same)
            return wb_fail(err, 1, _("a kernel wrote outside its arrays: %s %s"),
                           i > 0 ? _("behind the end of") : _("before the start of"),
                           buffer_name(m, i > 0 ? i - 1 : 0));
        if (i < m->plan->n_buffers)
            from = to + m->plan->buffers[i].bytes;
    }
    return true;
}

bool gr_memory_unchanged(const gr_memory *m, wb_error *err) {
    for (size_t i = 0; m->plan && i < m->plan->n_buffers; i++) {
        int arg = m->plan->buffers[i].arg;
        size_t bytes = m->plan->buffers[i].bytes;
        if (arg < 0 || m->job->args[arg].role != GR_INPUT)
            continue;
        bool same;
        if (!gr_download_same(m->base[i], bytes, m->host[arg].data, 0, &same, err))
            return false;
        if (!same)
            return wb_fail(err, 1, _("a kernel changed its input %s, which is const"),
                           m->job->args[arg].name);
    }
    return true;
}
