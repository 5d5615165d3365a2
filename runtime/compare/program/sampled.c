/* sampled.c: see sampled.h. The inputs are not filled: a sample holds only if a kernel's work does
 * not depend on values, and untouched memory costs nothing. */
#include "runtime/compare/program/sampled.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/compare/program/emit.h"

/* softgpu_set_options (runtime/softgpu/engine.h) */
enum { SOFTGPU_TRACE = 16, SOFTGPU_SAMPLE = 32 };

/* A larger call takes over a second, traced, on one core, and then runs five more times for the
 * CPU's own time. */
static const double LONG_BYTES = 0x1p28, LONG_FLOPS = 0x1p32;
static const size_t LONG_COUNT = (size_t)1 << 25; /* elements, if counted one by one */

bool sampled_wanted(const bench_device *device, const bench_options *o, const subject *subjects,
                    size_t n, wbk_size size) {
    double bytes = 0, flops = 0;
    if (!device->soft || !o->model || o->check_only || o->rounds)
        return false;
    if (subjects[0].kernel.shape == WBK_HISTOGRAM)
        return size.n > LONG_COUNT;
    for (size_t i = 0; i < n; i++) {
        bytes = fmax(bytes, wbk_bytes(&subjects[i].kernel, size, o->type, o->beta != 0));
        flops = fmax(flops, wbk_flops(&subjects[i].kernel, size));
    }
    return flops > 0 ? flops > LONG_FLOPS : bytes > LONG_BYTES;
}

typedef struct buffers {
    char *a, *b, *c, *work;
} buffers;

static bool allocate(const bench_options *o, const subject *subjects, size_t n, wbk_size size,
                     buffers *all) {
    size_t width = wbk_type_size(o->type), shift = o->offset * width;
    wbk_elements most = {0};
    for (size_t i = 0; i < n; i++) {
        wbk_elements e = wbk_buffer_elements(&subjects[i].kernel, size);
        most.a = e.a > most.a ? e.a : most.a;
        most.b = e.b > most.b ? e.b : most.b;
        most.c = e.c > most.c ? e.c : most.c;
        most.work = e.work > most.work ? e.work : most.work;
    }
    return cudaMalloc((void **)&all->a, shift + most.a * width) == cudaSuccess &&
           cudaMalloc((void **)&all->b, shift + most.b * width) == cudaSuccess &&
           cudaMalloc((void **)&all->c, 4 * shift + most.c * width) == cudaSuccess &&
           cudaMalloc((void **)&all->work, most.work * width) == cudaSuccess;
}

/* Traces one call of the subject. Does not run a library's reference, whose time is known. */
static bool run_subject(const bench_device *device, const bench_options *o, const subject *s,
                        wbk_size size, const buffers *all, char **report) {
    size_t shift = o->offset * wbk_type_size(o->type);
    arguments g = {.type = o->type,
                   .size = size,
                   .alpha = o->alpha,
                   .beta = o->beta,
                   .a = all->a + shift,
                   .b = all->b + shift,
                   .c = all->c + (s->kernel.shape == WBK_HISTOGRAM ? 4
                                  : o->type == WBK_FP8             ? 2
                                                                   : 1) *
                                     shift,
                   .work = all->work};
    if (s->kernel.reference || s->kernel.waits)
        return true;
    free(device->report(1));
    device->set_options(SOFTGPU_TRACE | SOFTGPU_SAMPLE);
    cudaError_t launched = subject_call(s, &g, NULL), ended = cudaDeviceSynchronize();
    device->set_options(0);
    *report = device->report(1);
    return launched == cudaSuccess && ended == cudaSuccess;
}

static void tell_failure(const bench_device *device, size_t size_index, size_t i,
                         const char *report) {
    char text[1500];
    subject_error(cudaGetLastError(), report, text, sizeof text);
    emit("check", "size:z kernel:z ok:b refused:b text:s", size_index, i, false, false, text);
    if (device->recover)
        device->recover();
}

bool sampled_size(const bench_device *device, const bench_options *o, const subject *subjects,
                  size_t n, size_t size_index, wbk_size size, size_t *wrong) {
    buffers all = {0};
    bool ok = allocate(o, subjects, n, size, &all);
    if (!ok) {
        cudaGetLastError();
        emit("skip", "size:z text:s", size_index, "the device's memory is too small for this size");
        ++*wrong;
    }
    for (size_t i = 0; i < n && ok; i++) {
        char *report = NULL, why[300];
        if (!subjects[i].function ||
            !wbk_takes_size(&subjects[i].kernel, o->type, size, why, sizeof why))
            continue;
        if (run_subject(device, o, &subjects[i], size, &all, &report)) {
            emit("sampled", "size:z kernel:z report:j?", size_index, i, report);
        } else {
            tell_failure(device, size_index, i, report);
            ++*wrong;
        }
        free(report);
        emit("round", "size:z done:f", size_index, (double)(i + 1) / (double)n);
    }
    cudaFree(all.a);
    cudaFree(all.b);
    cudaFree(all.c);
    cudaFree(all.work);
    return true;
}
