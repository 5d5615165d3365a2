/* compile.h: compiles CUDA C++ with nvcc. It adds the device's architecture flags, uses the compile
 * cache and reads the compiler's diagnostics. */
#pragma once

#include "runtime/base/scoped.h"
#include "runtime/device/device.h"

typedef enum wb_compile_kind {
    WB_COMPILE_SHARED,  /* a shared library with host and device code, linked to libcudart.so.13 */
    WB_COMPILE_PROGRAM, /* an executable */
    WB_COMPILE_PTX
} wb_compile_kind;

typedef struct wb_compile_spec {
    wb_compile_kind kind;
    const char *const *sources; /* paths of .cu files, NULL-terminated */
    const char *const *flags;   /* more flags for nvcc, or NULL */
    const char *output;         /* path to write */
    const char *cwd;            /* nvcc's folder; its temporaries go to a private one */
    const wb_device *device; /* soft: PTX for compute_90; gpu: code for its architecture, and PTX */
    double timeout_s;        /* CPU time, or eight times that in wall time; 0: 120 */
    const char *cgroup;      /* as in wb_proc_spec */
    bool no_cache;           /* always compile */
    bool debug;              /* PTX with debug information (nvcc -G), of a library's source */
    bool line_info;          /* -lineinfo and -g1, so that faults name source lines */
    bool auto_link;          /* adds -I, -L and -l for warpbook.h and the cublas headers */
    /* Gets a line every second while a library that auto_link adds is being built; or NULL. */
    void (*say)(void *ctx, const char *text);
    void *ctx;
    const volatile int *stop;   /* as in wb_proc_spec: non-zero kills nvcc */
    const char *const *wrapper; /* argv put before nvcc's, to run it in a sandbox; or NULL */
    bool direct;                /* allows g++ (direct/), unless $WARPBOOK_NVCC_ONLY is 1 */
} wb_compile_spec;

typedef struct wb_diagnostic {
    enum { WB_DIAG_ERROR, WB_DIAG_WARNING, WB_DIAG_NOTE } severity;
    char *file;
    int line, column; /* 0: unknown */
    bool linker;      /* the linker's warning */
    char *text;
    char *excerpt; /* the quoted line, a newline, blanks and a caret; or NULL */
} wb_diagnostic;

typedef struct wb_compile_result {
    bool ok, timed_out, stopped, from_cache;
    bool direct; /* g++ compiled it, and nvcc only its device code */
    double seconds;
    wb_diagnostic *diagnostics; /* n_diagnostics, in the compiler's order */
    size_t n_diagnostics;
    char *log;    /* the compiler's output without temporary names */
    char *inputs; /* files that it read beside the source, one path a line; NULL: unknown */
} wb_compile_result;

/* Returns false only if the compiler could not run. A source that does not compile gives true with
 * result->ok false. Free the result with wb_compile_result_free either way. */
bool wb_compile(const wb_compile_spec *spec, wb_compile_result *result, wb_error *err);
/* Starts to prepare for sources that begin with the #include lines of `text` and use this spec,
 * without its sources and output. Does not wait. */
void wb_compile_ahead(const wb_compile_spec *spec, const char *text);
void wb_compile_result_free(wb_compile_result *result);
