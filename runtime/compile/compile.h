/* compile.h: CUDA C++ in, something that runs out, by nvcc. Knows the device's architecture
 * flags, the compile cache and how to read the compiler's diagnostics. */
#ifndef WARPBOOK_COMPILE_H
#define WARPBOOK_COMPILE_H

#include "runtime/base/base.h"
#include "runtime/device/device.h"

typedef enum wb_compile_kind {
    WB_COMPILE_SHARED,  /* a shared library with host and device code, against libcudart.so.13 */
    WB_COMPILE_PROGRAM, /* an executable */
    WB_COMPILE_FATBIN,  /* the device code alone, as one fat binary */
    WB_COMPILE_PTX
} wb_compile_kind;

typedef struct wb_compile_spec {
    wb_compile_kind kind;
    const char *const *sources; /* paths of .cu files, NULL-terminated */
    const char *const *flags;   /* more flags for nvcc, or NULL */
    const char *output;         /* path to write */
    const char *cwd;            /* where nvcc runs (its temporaries go to a private folder) */
    const wb_device
        *device;      /* soft: PTX for compute_90 alone; gpu: code for its architecture and PTX */
    double timeout_s; /* of processor time, or eight times as much by the clock; 0: 120 */
    size_t limit_memory; /* of each program; 0: $WARPBOOK_COMPILER_MB, or 1.5 to 3 GB by the
                            machine's; with a wrapper none */
    const char *cgroup;  /* as in wb_proc_spec */
    bool no_cache;       /* always compile */
    bool line_info;      /* -lineinfo and -g1: faults name source lines */
    bool auto_link;      /* adds -I, -L and -l for warpbook.h and the cublas headers */
    /* Gets a line a second while a library that auto_link adds is still being built; or NULL. */
    void (*say)(void *ctx, const char *text);
    void *ctx;
    const volatile int *stop;   /* as in wb_proc_spec: becomes non-zero, and nvcc is killed */
    const char *const *wrapper; /* argv put before nvcc's, to run it in a sandbox; or NULL */
    bool direct;                /* g++ may compile it (direct/), unless $WARPBOOK_NVCC_ONLY is 1 */
} wb_compile_spec;

typedef struct wb_diagnostic {
    enum { WB_DIAG_ERROR, WB_DIAG_WARNING, WB_DIAG_NOTE } severity;
    char *file;
    int line, column; /* 0: unknown */
    bool linker;      /* a warning of the linker's */
    char *text;
    char *excerpt; /* the line the compiler quotes, a newline, blanks and a caret; or NULL */
} wb_diagnostic;

typedef struct wb_compile_result {
    bool ok, timed_out, stopped, from_cache;
    bool direct; /* made by g++, with nvcc for its device code alone */
    double seconds;
    wb_diagnostic *diagnostics; /* n_diagnostics, in the compiler's order */
    size_t n_diagnostics;
    char *log;    /* what the compiler printed, with temporary names taken out */
    char *inputs; /* the files it read beside the source, a path a line; NULL: not known */
} wb_compile_result;

/* False when the compiler could not be run at all; a program that does not compile is true with
 * result->ok false. The result is freed with wb_compile_result_free either way. */
bool wb_compile(const wb_compile_spec *spec, wb_compile_result *result, wb_error *err);
/* Begins what makes sources fast that begin with the #include lines of `text` and are compiled by
 * this spec, whose sources and output are not used. Does not wait for it. */
void wb_compile_ahead(const wb_compile_spec *spec, const char *text);
void wb_compile_result_free(wb_compile_result *result);

#endif
