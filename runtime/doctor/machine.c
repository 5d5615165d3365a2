/* machine.c: the device, the compilers and the sandbox. */
#include "runtime/cli/cli.h"
#include "runtime/base/scoped.h"
#include "runtime/compile/compile.h"
#include "runtime/device/toolkit.h"
#include "runtime/device/device.h"
#include "runtime/doctor/checks.h"
#include "runtime/sandbox/sandbox.h"

#include <unistd.h>

bool checks_in_tree(void) {
    WB_SCOPED char *setup = wb_format("%s/../runtime/setup/setup.sh", wb_path_prefix());
    return setup && wb_file_exists(setup);
}

const char *checks_fix(char *text, size_t size, const char *debian_packages) {
    if (checks_in_tree())
        snprintf(text, size, "make setup");
    else
        snprintf(text, size, "%sapt-get install --no-install-recommends %s",
                 getuid() == 0 ? "" : "sudo ", debian_packages);
    return text;
}

/* Runs a short program. Returns true if it started and ended with 0. out gets its stdout and
 * stderr, NUL-terminated. */
static bool try_program(const char *const *argv, char *out, size_t size) {
    wb_proc_spec spec = {.argv = argv,
                         .max_output = 65536,
                         .timeout_s = 60,
                         .merge_stderr = true,
                         .stop = &wb_cli_interrupted};
    wb_proc_result result = {0};
    wb_error err = {0};
    bool ran = wb_proc_run(&spec, &result, &err);
    snprintf(out, size, "%s", !ran ? err.text : result.out.data ? result.out.data : "");
    bool good = ran && result.exit_code == 0;
    wb_proc_result_free(&result);
    return good;
}

/* Cuts the text after its first line. */
static char *first_line(char *text) {
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void check_cpu(report *r) {
    const char *simd = "baseline x86-64";
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        simd = "AVX-512";
    else if (__builtin_cpu_supports("avx2"))
        simd = "AVX2";
    report_add(r, N_("device"), "softgpu", REPORT_FOUND, NULL,
               _("%ld cores with %s, %.1f GiB of memory"), sysconf(_SC_NPROCESSORS_ONLN), simd,
               (double)wb_memory_machine() / (1 << 30));
}

static void check_gpu(report *r) {
    wb_device gpu;
    wb_error err = {0};
    bool driver = wb_file_exists("/dev/nvidiactl") || wb_file_exists("/proc/driver/nvidia/version");
    bool usable = wb_device_select("gpu", &gpu, &err);
    if (usable)
        report_add(r, N_("device"), "gpu", REPORT_FOUND, NULL,
                   _("%s, compute capability %d.%d, %.1f GiB, driver for CUDA %s"), gpu.name,
                   gpu.capability / 10, gpu.capability % 10, (double)gpu.memory / (1 << 30),
                   gpu.driver);
    else if (driver)
        report_add(r, N_("device"), "gpu", REPORT_OPTIONAL, "nvidia-smi",
                   _("an NVIDIA driver is here, but no usable GPU: %s"), err.text);
    else
        report_add(r, N_("device"), "gpu", REPORT_OPTIONAL, NULL,
                   _("no NVIDIA GPU here: everything runs on softgpu"));
    if (usable && !wb_device_has_code(&gpu, &err))
        report_add(r, N_("device"), N_("kernel set"), REPORT_OPTIONAL, "make KERNEL_ARCHS=all",
                   "%s", err.text);
}

void checks_device(report *r) {
    check_cpu(r);
    check_gpu(r);
}

/* Compiles a small program with nvcc and the host compiler, as a cell needs it. */
static void try_compile(report *r) {
    static const char text[] = "__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n";
    wb_error err = {0};
    wb_compile_result result = {0};
    wb_cli_catch_interrupts();
    char *folder = wb_dir_temp("doctor", &err), *output = NULL, *source = NULL;
    bool ok = folder && (output = wb_format("%s/probe.so", folder)) &&
              (source = wb_format("%s/probe.cu", folder)) &&
              wb_file_write_unsynced(source, text, sizeof text - 1, &err) &&
              wb_compile(&(wb_compile_spec){.kind = WB_COMPILE_SHARED,
                                            .sources = (const char *const[]){source, NULL},
                                            .output = output,
                                            .cwd = folder,
                                            .no_cache = true,
                                            .stop = &wb_cli_interrupted},
                         &result, &err);
    if (ok && result.ok)
        report_add(r, N_("compiler"), N_("a program"), REPORT_FOUND, NULL, _("compiles and links"));
    else
        report_add(r, N_("compiler"), N_("a program"), REPORT_MISSING, NULL,
                   _("does not compile: %s"), ok && result.log ? result.log : err.text);
    wb_compile_result_free(&result);
    if (folder)
        wb_dir_remove(folder, NULL);
    WB_FREE(folder, output, source);
}

void checks_compiler(report *r) {
    char out[2000], fix[300];
    wb_toolkit toolkit = {.version = 0};
    wb_error err = {0};
    bool found = wb_toolkit_find(&toolkit, &err);
    const char *named = getenv("NVCC_CCBIN");
    const char *gxx = *toolkit.host_compiler ? toolkit.host_compiler
                      : named && *named      ? named
                                             : "g++";
    bool host = try_program((const char *const[]){gxx, "-dumpfullversion", NULL}, out, sizeof out);
    if (host)
        report_add(r, N_("compiler"), "g++", REPORT_FOUND, NULL, "%s%s%s", first_line(out),
                   strchr(gxx, '/') ? ", " : "", strchr(gxx, '/') ? gxx : "");
    else
        report_add(r, N_("compiler"), "g++", REPORT_MISSING, checks_fix(fix, sizeof fix, "g++"),
                   _("cells can't be compiled without it"));
    if (!found) {
        report_add(r, N_("compiler"), "nvcc", REPORT_MISSING,
                   checks_fix(fix, sizeof fix, "nvidia-cuda-toolkit"), "%s", err.text);
        return;
    }
    report_add(r, N_("compiler"), "nvcc", REPORT_FOUND, NULL, "CUDA %d.%d, %s",
               toolkit.version / 100, toolkit.version % 100 / 10, toolkit.nvcc);
    if (host)
        try_compile(r);
}

void checks_sandbox(report *r) {
    char fix[300];
    wb_error err = {0};
    WB_SCOPED char *bwrap = wb_sandbox_program();
    if (!bwrap)
        report_add(r, N_("sandbox"), "bubblewrap", REPORT_MISSING,
                   checks_fix(fix, sizeof fix, "bubblewrap"),
                   _("warpbook grade does not run submissions without it"));
    else if (wb_sandbox_check(&err))
        report_add(r, N_("sandbox"), "bubblewrap", REPORT_FOUND, NULL,
                   _("%s can make a sandbox, and a test program could not break out of it"), bwrap);
    else
        report_add(r, N_("sandbox"), "bubblewrap", REPORT_MISSING, wb_sandbox_fix(err.text), "%s",
                   err.text);
}
