/* bench.h: one size: buffers, the check of every subject, the interleaved rounds. */
#pragma once

#include "runtime/compare/program/clock.h"
#include "runtime/compare/program/data.h"

enum { MOST_SUBJECTS = 64 };

typedef struct bench_options {
    wbk_type type;
    double alpha, beta;
    size_t rounds;  /* 0: at least 30 on a GPU, 5 on softgpu, and half a second for each kernel */
    double seconds; /* limit for one size, without checks */
    double share;   /* seconds after which a kernel pauses, but at least five runs; 0: no limit */
    size_t offset;  /* elements between an aligned address and inputs and output */
    uint64_t seed;
    bool skewed;     /* histograms: a few bytes are far more frequent */
    bool check_only; /* no timing; every data mode, several alpha and beta */
    bool count;      /* softgpu: report counters */
    bool model;      /* softgpu: also trace one call each for a GPU's time */
} bench_options;

/* The device's properties. */
typedef struct bench_device {
    char name[256];
    int capability; /* 90 for 9.0 */
    bool soft;
    size_t l2_bytes, free_bytes;
    void (*set_options)(unsigned); /* softgpu's, or NULL */
    char *(*report)(int reset);
    void (*recover)(void);
} bench_device;

/* Returns true if a dimension is 0: there is nothing to do, so such a size is only checked. */
bool bench_is_idle(wbk_shape shape, wbk_size size);

/* Emits check, round and result events for the subjects at this size. Returns false if the device
 * is unusable (a fault on a GPU loses the context). *wrong counts failed subjects. */
bool bench_size(const bench_device *device, launch_clock *clock, const bench_options *options,
                const subject *subjects, size_t n_subjects, size_t size_index, wbk_size size,
                size_t *wrong);
