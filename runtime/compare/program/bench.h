/* bench.h: one size: buffers, the check of every subject, the interleaved rounds. */
#ifndef WARPBOOK_COMPARE_BENCH_H
#define WARPBOOK_COMPARE_BENCH_H

#include "runtime/compare/program/clock.h"
#include "runtime/compare/program/data.h"

enum { MOST_SUBJECTS = 64 };

typedef struct bench_options {
    wbk_type type;
    double alpha, beta;
    size_t rounds;  /* 0: at least 30 on a GPU, 5 on softgpu, and half a second a kernel */
    double seconds; /* the most one size may take, checks aside */
    double share;  /* a kernel that has run for so long in sum sits out, after five runs; 0: none */
    size_t offset; /* elements by which inputs and output lie past an aligned address */
    uint64_t seed;
    bool skewed;     /* histograms: of bytes of which a few are far more frequent than others */
    bool check_only; /* no timing; every data mode, several alpha and beta */
    bool count;      /* softgpu: report the counters */
    bool model;      /* softgpu: and what a GPU would take, of one call each */
} bench_options;

/* What the device is and offers. */
typedef struct bench_device {
    char name[256];
    int capability; /* 90 for 9.0 */
    bool soft;
    size_t l2_bytes, free_bytes;
    void (*set_options)(unsigned); /* softgpu's, or NULL */
    char *(*report)(int reset);
    void (*recover)(void);
} bench_device;

/* With a dimension of 0 there is nothing to do, and the time of a call is no kernel's: such a size
 * is checked alone. */
bool bench_is_idle(wbk_shape shape, wbk_size size);

/* What went wrong, in words: softgpu's, where its report (or NULL) has a fault. */
void bench_describe(cudaError_t status, const char *report, char *text, size_t size);

/* Emits check, round and result events for the subjects at this size. False when the device can't
 * go on (after a fault on a GPU the context is lost); *wrong counts subjects that failed. */
bool bench_size(const bench_device *device, launch_clock *clock, const bench_options *options,
                const subject *subjects, size_t n_subjects, size_t size_index, wbk_size size,
                size_t *wrong);

#endif
