/* rival.c: runs the rival that a submission's time is compared with. */
#include "grader/replay/timing.h"
#include "kernels/call.h"

#include <dlfcn.h>

/* A run number that no submission uses, for the rival's inputs. */
enum { RUN = 0x40000000 };

struct gr_rival {
    const gr_job *job;
    char name[120];
    void *buffers[4]; /* a, b, c and work memory; for a copy, source and target */
    size_t bytes;     /* of the copy */
    /* a library's call or a kernel of the set */
    const wbk_kernel *row;
    void *function;
    wbk_arguments args;
    /* the lab's own source: code and plan, like a submission's */
    wb_buf code;
    gr_plan *plan;
    gr_module module;
    gr_memory memory;
    gr_program *program;
};

/* ---- the device's copy ----------------------------------------------------------------------- */

static bool make_copy(gr_rival *r, double minimum_bytes, wb_error *err) {
    r->bytes = (size_t)gr_job_copy_bytes(minimum_bytes);
    for (int i = 0; i < 2; i++)
        if (!gr_cuda_ok(cuda.cudaMalloc(&r->buffers[i], r->bytes), "no device memory", err))
            return false;
    return gr_cuda_ok(cuda.cudaMemset(r->buffers[0], 1, r->bytes), "no device memory", err);
}

/* ---- a library's call, a kernel of the set --------------------------------------------------- */

static bool find_function(gr_rival *r, wb_error *err) {
    const char *symbol = r->row->symbol[r->args.type];
    char *path = symbol ? wb_path_lib(wbk_library_of(symbol)) : NULL;
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    r->function = library ? dlsym(library, symbol) : NULL;
    free(path);
    return r->function || wb_fail(err, 1, _("%s can't be loaded: %.600s"), r->row->name, dlerror());
}

/* Fills with numbers in [-1, 1). A bfloat16 is the upper half of a float. Bytes are arbitrary. */
static void fill(void *data, wbk_type type, size_t n) {
    uint64_t x = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(int64_t)x * 0x1p-63;
        float small = (float)value;
        uint32_t bits;
        memcpy(&bits, &small, sizeof bits);
        if (type == WBK_F64)
            ((double *)data)[i] = value;
        else if (type == WBK_BF16)
            ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
        else if (type == WBK_F16) /* in [-1, 1), with one of eight exponents */
            ((uint16_t *)data)[i] = (uint16_t)((bits >> 16 & 0x8000) | (bits & 0x1fff) | 0x2000);
        else if (type == WBK_BYTE)
            ((unsigned char *)data)[i] = (unsigned char)((uint64_t)x >> 56);
        else
            ((float *)data)[i] = small;
    }
}

static bool make_buffer(wbk_type type, size_t n, void **buffer, wb_error *err) {
    size_t bytes = n * wbk_type_size(type);
    void *host = malloc(bytes + 1);
    bool ok = (host || wb_fail(err, 1, _("out of memory"))) &&
              gr_cuda_ok(cuda.cudaMalloc(buffer, bytes + 1), "no device memory", err);
    if (ok) {
        fill(host, type, n);
        ok = gr_cuda_ok(cuda.cudaMemcpy(*buffer, host, bytes, cudaMemcpyHostToDevice),
                        "the reference's inputs can't be copied", err);
    }
    free(host);
    return ok;
}

static bool make_call(gr_rival *r, wb_error *err) {
    const gr_job_rival *rival = &r->job->rival;
    r->row = gr_job_rival_row(rival);
    r->args = (wbk_arguments){.type = rival->type,
                              .size = gr_job_rival_size(rival),
                              .alpha = rival->alpha,
                              .beta = rival->beta};
    wbk_elements n = wbk_buffer_elements(r->row, r->args.size);
    const size_t elements[] = {n.a, n.b, n.c, n.work};
    for (size_t i = 0; i < WB_COUNT(elements); i++)
        if (elements[i] && !make_buffer(rival->type, elements[i], &r->buffers[i], err))
            return false;
    r->args.a = r->buffers[0];
    r->args.b = r->buffers[1];
    r->args.c = r->buffers[2];
    r->args.work = r->buffers[3];
    return find_function(r, err);
}

static bool start_call(gr_rival *r, wb_error *err) {
    cudaError_t status =
        wbk_call(r->row, wbk_takes_work(r->row), r->function, &r->args, cuda.stream);
    char what[160];
    snprintf(what, sizeof what, _("%s does not take this call"), r->name);
    return gr_cuda_ok(status, what, err);
}

/* ---- the lab's own source -------------------------------------------------------------------- */

static bool make_program(gr_rival *r, const gr_rival_files *files, wb_error *err) {
    if (!files || !files->code || !files->plan)
        return wb_fail(err, 1, _("the lab's rival was not prepared"));
    return wb_file_read(files->code, 0, &r->code, err) &&
           (r->plan = gr_plan_read(files->plan, r->job, err)) != NULL &&
           gr_memory_make(r->plan, r->job, RUN, &r->memory, err);
}

static void unload(gr_rival *r) {
    gr_program_free(r->program);
    r->program = NULL;
    gr_module_unload(&r->module);
}

/* ---- all kinds ------------------------------------------------------------------------------ */

gr_rival *gr_rival_make(const gr_job *job, double minimum_bytes, const gr_rival_files *files,
                        wb_error *err) {
    gr_rival *r = calloc(1, sizeof *r);
    if (!r) {
        wb_fail(err, 1, _("out of memory"));
        return NULL;
    }
    r->job = job;
    gr_job_rival_words(&job->rival, r->name, sizeof r->name);
    bool ok = job->rival.kind == GR_RIVAL_COPY   ? make_copy(r, minimum_bytes, err)
              : job->rival.kind == GR_RIVAL_CALL ? make_call(r, err)
                                                 : make_program(r, files, err);
    if (ok && gr_cuda_ok(cuda.cudaDeviceSynchronize(), "the reference can't be set up", err))
        return r;
    gr_rival_free(r);
    return NULL;
}

const char *gr_rival_name(const gr_rival *rival) {
    return rival->name;
}

/* Prepares a program like a submission: freshly loaded code, and memory without earlier results. */
static bool prepare(gr_rival *r, wb_error *err) {
    if (!r->plan)
        return true;
    unload(r);
    return gr_module_load(r->code.data, &r->module, err) && gr_memory_reset(&r->memory, err) &&
           (r->program = gr_program_make(&r->module, &r->memory, err)) != NULL;
}

bool gr_rival_start(gr_rival *r, wb_error *err) {
    if (r->plan)
        return gr_program_start(r->program, err);
    if (r->row)
        return start_call(r, err);
    return gr_cuda_ok(cuda.cudaMemcpyAsync(r->buffers[1], r->buffers[0], r->bytes,
                                           cudaMemcpyDeviceToDevice, cuda.stream),
                      "the reference's copy failed", err);
}

bool gr_rival_time(const gr_clock *clock, gr_rival *r, double *seconds, wb_error *err) {
    return prepare(r, err) && gr_clock_start(clock, err) && gr_rival_start(r, err) &&
           gr_clock_stop(clock, seconds, err) && (!r->plan || gr_memory_guarded(&r->memory, err));
}

void gr_rival_free(gr_rival *r) {
    if (!r)
        return;
    for (size_t i = 0; i < WB_COUNT(r->buffers); i++)
        cuda.cudaFree(r->buffers[i]);
    unload(r);
    if (r->plan)
        gr_memory_free(&r->memory);
    gr_plan_free(r->plan);
    wb_buf_free(&r->code);
    free(r);
}
