/* nvcc.c: wb_compile runs nvcc in a private folder beside the output, reads its messages, and
 * caches the output. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/pending.h"
#include "runtime/base/words.h"
#include "runtime/compile/cache/cache.h"
#include "runtime/compile/compile.h"
#include "runtime/device/toolkit.h"
#include "runtime/compile/diag.h"
#include "runtime/compile/direct/direct.h"
#include "runtime/compile/growth.h"

/* MAX_MADE: bytes of each file that a compiler may write; it stops macros that multiply. BUSY: wall
 * seconds allowed for each second of CPU time, because other work runs beside. */
enum {
    DEFAULT_TIMEOUT_S = 120,
    BUSY = 8,
    MAX_SOURCE = 64 << 20,
    MAX_LOG = 1 << 20,
    MAX_MADE = 1 << 29
};

/* For the environment of compilers: we read their English messages. Their encoding stays. */
#define COMPILER_LANGUAGE "LANGUAGE=en"

/* Increment it when the same command line gives another output. */
#define CACHE_FORMAT "warpbook compile cache 2"

/* Returns true if device code has to be linked. Whole programs skip that slow step. */
static bool separate_device_code(const char *const *flags) {
    static const char *const marks[] = {"-rdc",       "--relocatable-device-code", "-dc", "-dlto",
                                        "--device-c", "--dlink-time-opt"};
    for (size_t i = 0; flags && flags[i]; i++)
        for (size_t m = 0; m < WB_COUNT(marks); m++)
            if (strncmp(flags[i], marks[m], strlen(marks[m])) == 0 &&
                strcmp(flags[i], "-rdc=false") != 0)
                return true;
    return false;
}

static void add_kind(wb_strings *a, const wb_compile_spec *spec) {
    switch (spec->kind) {
    case WB_COMPILE_SHARED:
        wb_strings_words(a, "-shared -Xcompiler -fPIC");
        break;
    case WB_COMPILE_PROGRAM:
        break;
    case WB_COMPILE_PTX:
        wb_strings_words(a, spec->debug ? "-ptx -G" : "-ptx");
        return;
    }
    wb_strings_words(a, "-cudart shared");
    if (!separate_device_code(spec->flags))
        wb_strings_add(a, "-nodlink");
}

static void add_architecture(wb_strings *a, const wb_compile_spec *spec) {
    int cc = spec->device && spec->device->capability ? spec->device->capability : 90;
    bool gpu = spec->device && spec->device->kind == WB_DEVICE_GPU;
    if (spec->kind == WB_COMPILE_PTX) {
        wb_strings_own(a, wb_format("-arch=compute_%d", cc));
        return;
    }
    wb_strings_add(a, "-gencode");
    wb_strings_own(a, gpu ? wb_format("arch=compute_%d,code=[sm_%d,compute_%d]", cc, cc, cc)
                          : wb_format("arch=compute_%d,code=compute_%d", cc, cc));
}

/* Returns true if `text` has a line `#include <name` or "name, with blanks anywhere. */
static bool includes(const char *text, const char *name) {
    size_t n;
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *file = wb_word_included(p, &n);
        if (file && wb_begins(file, name))
            return true;
    }
    return false;
}

static bool makes_host_code(const wb_compile_spec *spec) {
    return spec->kind == WB_COMPILE_SHARED || spec->kind == WB_COMPILE_PROGRAM;
}

#define KERNEL_SET "libwarpbook_kernels.so"

/* Waits for the kernel set if the source needs it. Returns false if it is missing. */
static bool await_set(const wb_compile_spec *spec, const char *text, wb_compile_result *result,
                      wb_error *err) {
    if (!spec->auto_link || !makes_host_code(spec) || !text || !includes(text, "warpbook.h"))
        return true;
    wb_error why = {0};
    if (wb_pending_wait(KERNEL_SET, "the kernel set", spec->say, spec->ctx, spec->stop, &why))
        return true;
    result->stopped = why.code == WB_PENDING_STOPPED; /* as if nvcc had been killed */
    return wb_fail(err, 1, "%s", why.text);
}

/* Adds the libraries of headers that have one. */
static void add_libraries(wb_strings *a, const wb_compile_spec *spec, const char *text) {
    static const struct {
        const char *header, *library;
    } known[] = {{"cublas", "-lcublas"},
                 {"cufft", "-lcufft"},
                 {"curand.h", "-lcurand"},
                 {"cusparse", "-lcusparse"},
                 {"cusolver", "-lcusolver"}};
    bool link = makes_host_code(spec);
    for (size_t i = 0; i < WB_COUNT(known); i++)
        if (link && includes(text, known[i].header))
            wb_strings_add(a, known[i].library);
    if (!includes(text, "warpbook"))
        return;
    WB_SCOPED char *headers = wb_path_share("include"), *libraries = wb_path_lib("");
    wb_strings_own(a, headers ? wb_format("-I%s", headers) : NULL);
    if (link && libraries && includes(text, "warpbook.h")) {
        wb_strings_own(a, wb_format("-L%s", libraries));
        wb_strings_words(a, "-lwarpbook_kernels -Xlinker");
        wb_strings_own(a, wb_format("-rpath=%s", libraries));
    }
}

/* Needed for "[=] __device__ (int i) { ... }", as Thrust's users write it. It makes any compilation
 * half as long again, so it is added on demand. */
#define EXTENDED_LAMBDA "--extended-lambda"

/* Returns true if an execution space follows a bracket. A macro may hide it; then nvcc names the
 * flag in its error, and runs again with it. */
static bool has_device_lambda(const char *text) {
    for (const char *p = text; (p = strstr(p, "__")); p += 2) {
        if (strncmp(p, "__device__", 10) != 0 && strncmp(p, "__host__", 8) != 0)
            continue;
        size_t before = wb_trimmed(text, (size_t)(p - text), " \t\r\n");
        if (before > 0 && text[before - 1] == ']')
            return true;
    }
    return false;
}

static bool read_sources(const wb_compile_spec *spec, wb_buf *text, wb_error *err) {
    for (size_t i = 0; spec->sources[i]; i++) {
        const char *name = spec->sources[i];
        WB_SCOPED char *path = wb_cache_path(spec->cwd, name);
        bool ok = path && wb_file_read(path, MAX_SOURCE, text, err);
        if (!ok)
            return false;
        wb_buf_append(text, "\n", 1);
    }
    if (!text->data)
        return wb_fail(err, 1, _("there is no source to compile"));
    return true;
}

/* Adds the size and time of an object file among the arguments, a part of the output. */
static void add_object(wb_buf *all, const char *cwd, const char *argument) {
    size_t n = strlen(argument);
    struct stat st;
    if (n < 3 || (strcmp(argument + n - 2, ".o") != 0 && strcmp(argument + n - 2, ".a") != 0))
        return;
    WB_SCOPED char *path = wb_cache_path(cwd, argument);
    if (path && stat(path, &st) == 0)
        wb_buf_printf(all, " %lld %lld.%09ld\n", (long long)st.st_size,
                      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Computes the key from everything that decides the output. The cache itself checks the headers. */
static bool make_key(const wb_compile_spec *spec, const wb_toolkit *toolkit, const wb_strings *a,
                     const wb_buf *text, char key[WB_SHA256_TEXT]) {
    static const char *const more[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    WB_SCOPED_BUF wb_buf all = {0};
    struct stat st = {0};
    stat(toolkit->nvcc, &st);
    wb_buf_printf(&all, "%s\n%s %lld %lld\n", CACHE_FORMAT, toolkit->nvcc, (long long)st.st_size,
                  (long long)st.st_mtim.tv_sec);
    for (size_t i = 0; i < a->n; i++) {
        wb_buf_printf(&all, "%s\n", a->v[i]);
        add_object(&all, spec->cwd, a->v[i]);
    }
    for (size_t i = 0; i < WB_COUNT(more); i++) /* nvcc reads these too */
        wb_buf_printf(&all, "%s\n", getenv(more[i]) ? getenv(more[i]) : "");
    for (size_t i = 0; spec->sources[i]; i++)
        wb_buf_printf(&all, "%s\n", spec->sources[i]);
    wb_buf_append(&all, text->data, text->len);
    bool ok = !all.failed;
    wb_sha256(all.data, all.len, key);
    return ok;
}

/* Returns the absolute path of the output, because nvcc runs elsewhere. */
static char *absolute(const char *path) {
    if (path[0] == '/')
        return wb_format("%s", path);
    char here[PATH_MAX];
    return getcwd(here, sizeof here) ? wb_format("%s/%s", here, path) : NULL;
}

/* Returns the memory limit of each compiler program: $WARPBOOK_COMPILER_MB, or 1.5 to 3 GB by the
 * machine's size; 0, none, with a wrapper. All of Thrust and CUB takes 0.9 GB in cicc. At the limit
 * a template without end gets an error with its line, in seconds. */
static size_t memory_limit(const wb_compile_spec *spec) {
    size_t quarter = wb_memory_machine() / 4, least = (size_t)3 << 29, most = (size_t)3 << 30;
    if (spec->wrapper)
        return 0;
    size_t usual = quarter < least ? least : quarter < most ? quarter : most;
    return wb_setting_number("WARPBOOK_COMPILER_MB", 1, usual >> 20) << 20;
}

static bool run_argv(const wb_compile_spec *spec, const char *const *argv, const char *folder,
                     wb_compile_result *result, wb_error *err) {
    WB_SCOPED char *temporary = wb_format("TMPDIR=%s", folder);
    /* cudafe++ fills a table of 128 MB first; the user's own setting stays */
    const char *tunables = getenv("GLIBC_TUNABLES") ? NULL : WB_PROC_LARGE_PAGES;
    double limit = spec->timeout_s > 0 ? spec->timeout_s : DEFAULT_TIMEOUT_S;
    wb_proc_spec proc = {.argv = argv,
                         .env = (const char *const[]){temporary, COMPILER_LANGUAGE, tunables, NULL},
                         .cwd = spec->cwd,
                         .timeout_cpu_s = limit,
                         .timeout_s = BUSY * limit,
                         .limit_memory = memory_limit(spec),
                         .limit_file = MAX_MADE,
                         .cgroup = spec->cgroup,
                         .max_output = MAX_LOG,
                         .merge_stderr = true,
                         .stop = spec->stop};
    wb_proc_result run;
    bool ok = wb_proc_run(&proc, &run, err);
    if (ok) {
        result->ok = run.exit_code == 0;
        result->timed_out = run.timed_out;
        result->stopped = run.stopped;
        const char *text = run.out.data ? run.out.data : "";
        result->log = wb_diag_clean(text, folder);
        if (!result->ok && !run.out.len && !run.timed_out && !run.stopped) {
            char how[200];
            free(result->log);
            result->log = wb_format("nvcc error   : the compiler %s without a word\n",
                                    wb_proc_describe(&run, how, sizeof how));
        }
    }
    wb_proc_result_free(&run);
    return ok;
}

static bool run_nvcc(const wb_compile_spec *spec, wb_strings *a, const char *folder, bool keyed,
                     wb_compile_result *result, wb_error *err) {
    WB_SCOPED char *depfile = wb_format("%s/inputs.d", folder);
    size_t n = a->n;
    if (keyed) {
        wb_strings_words(a, "-MD -MF");
        wb_strings_add(a, depfile ? depfile : "");
    }
    bool ok = (!a->failed || wb_fail(err, 1, _("out of memory"))) &&
              run_argv(spec, (const char *const *)a->v, folder, result, err);
    while (a->n > n) {
        free(a->v[--a->n]);
        a->v[a->n] = NULL;
    }
    return ok;
}

/* Returns true if a flag of the caller begins so, with one hyphen or two. */
static bool names(const char *const *flags, const char *option) {
    for (size_t i = 0; flags && flags[i]; i++)
        if (strncmp(flags[i] + (strncmp(flags[i], "--", 2) == 0), option, strlen(option)) == 0)
            return true;
    return false;
}

/* Builds the command line: wrapper, nvcc, what to make, the caller's flags. Sources and output are
 * added later, because the cache's key leaves them out. */
static void build_args(wb_strings *a, const wb_compile_spec *spec, const wb_toolkit *toolkit,
                       const char *text) {
    wb_strings_add(a, toolkit->nvcc);
    if (*toolkit->host_compiler) {
        wb_strings_add(a, "-ccbin");
        wb_strings_add(a, toolkit->host_compiler);
    }
    if (*toolkit->link_dir && makes_host_code(spec)) {
        wb_strings_own(a, wb_format("-L%s", toolkit->link_dir));
        wb_strings_own(a, wb_format("-L%s", toolkit->library_dir));
    }
    if (!names(spec->flags, "-std"))
        wb_strings_add(a, "-std=c++17");
    if (!names(spec->flags, "-O"))
        wb_strings_add(a, "-O2");
    if (has_device_lambda(text))
        wb_strings_add(a, EXTENDED_LAMBDA);
    add_kind(a, spec);
    add_architecture(a, spec);
    if (spec->line_info)
        wb_strings_words(a, "-lineinfo -Xcompiler -g1");
    for (size_t i = 0; spec->flags && spec->flags[i]; i++)
        wb_strings_add(a, spec->flags[i]);
    if (spec->auto_link)
        add_libraries(a, spec, text);
}

/* Returns the error for macros that multiply, on which nvcc would work for minutes; NULL: none. */
static char *growth_error(const wb_compile_spec *spec, const wb_strings *a,
                          const wb_toolkit *toolkit, const char *text) {
    WB_SCOPED_STRINGS wb_strings command = {0};
    wb_strings_add(&command, *toolkit->host_compiler ? toolkit->host_compiler : "g++");
    for (size_t i = 0; i < a->n; i++)
        if (strncmp(a->v[i], "-I", 2) == 0 || strncmp(a->v[i], "-D", 2) == 0)
            wb_strings_add(&command, a->v[i]);
    wb_strings_own(&command, wb_format("-I%s", toolkit->include_dir));
    wb_strings_words(&command, "-w -P -E -x c++ -");
    return command.failed ? NULL
                          : wb_growth_error(&(wb_growth){.preprocess = (const char **)command.v,
                                                         .text = text,
                                                         .cwd = spec->cwd,
                                                         .stop = spec->stop});
}

static bool nvcc_alone(const wb_compile_spec *spec) {
    return !spec->direct || wb_setting_on("WARPBOOK_NVCC_ONLY", false) ||
           (spec->kind != WB_COMPILE_SHARED && !spec->debug) || spec->wrapper;
}

/* Compiles with g++. Returns false if nvcc has to run. */
static bool run_direct(const wb_compile_spec *spec, const wb_strings *a, const wb_toolkit *toolkit,
                       const char *folder, const char *text, wb_compile_result *result) {
    if (nvcc_alone(spec) || a->failed || strpbrk(spec->sources[0], "\"\\\n"))
        return false;
    wb_compile_spec library = *spec; /* its prelude has what the debug information needs */
    WB_SCOPED_STRINGS wb_strings own = {0};
    if (spec->debug) {
        library.kind = WB_COMPILE_SHARED;
        library.line_info = true;
        build_args(&own, &library, toolkit, text);
        a = &own;
    }
    WB_SCOPED char *named = wb_format("#line 1 \"%s\"\n%s", spec->sources[0], text);
    if (!named)
        return false;
    wb_unfit unfit = wb_direct_compile(&(wb_direct_job){.argv = (const char *const *)a->v,
                                                        .toolkit = toolkit,
                                                        .text = named,
                                                        .debug = spec->debug,
                                                        .folder = folder,
                                                        .cwd = spec->cwd,
                                                        .limit_memory = memory_limit(spec),
                                                        .stop = spec->stop});
    result->ok = result->direct = unfit == WB_FITS;
    if (result->ok)
        result->log = wb_format("%s", "");
    return result->ok;
}

/* Compiles into `folder`, moves the output into place and caches a copy under key. */
static bool compile(const wb_compile_spec *spec, wb_strings *a, const wb_toolkit *toolkit,
                    const char *output, const char *folder, const char *key, const char *text,
                    wb_compile_result *result, wb_error *err) {
    WB_SCOPED char *made = wb_format("%s/output", folder),
                   *depfile = wb_format("%s/inputs.d", folder);
    bool one_source = spec->sources[0] && !spec->sources[1];
    if (!one_source)
        key = NULL;
    bool direct = one_source && run_direct(spec, a, toolkit, folder, text, result);
    wb_strings_add(a, "-o");
    wb_strings_add(a, made ? made : "");
    for (size_t i = 0; spec->sources[i]; i++)
        wb_strings_add(a, spec->sources[i]);
    bool ok = !a->failed || wb_fail(err, 1, _("out of memory"));
    char *grows = !direct && spec->direct ? growth_error(spec, a, toolkit, text) : NULL;
    if (grows)
        result->log = grows;
    else if (!direct)
        ok = ok && run_nvcc(spec, a, folder, key != NULL, result, err);
    if (ok && !result->ok && result->log && strstr(result->log, "requires " EXTENDED_LAMBDA)) {
        free(result->log);
        result->log = NULL;
        wb_strings_add(a, EXTENDED_LAMBDA);
        ok = run_nvcc(spec, a, folder, key != NULL, result, err);
    }
    if (ok && result->ok && rename(made, output) < 0)
        ok = wb_fail(err, 1, _("%s can't be written"), output);
    if (ok && result->ok && key && result->log)
        wb_cache_put(key, spec->cwd, output, result->log, depfile, spec->sources, &result->inputs);
    return ok;
}

bool wb_compile(const wb_compile_spec *spec, wb_compile_result *result, wb_error *err) {
    *result = (wb_compile_result){.ok = false};
    double start = wb_now();
    wb_toolkit toolkit;
    WB_SCOPED_BUF wb_buf text = {0};
    WB_SCOPED_STRINGS wb_strings a = {0};
    char key[WB_SHA256_TEXT];
    WB_SCOPED char *output = absolute(spec->output),
                   *beside = output
                                 ? wb_format("%.*s", (int)(strrchr(output, '/') - output), output)
                                 : NULL;
    WB_SCOPED char *folder = beside ? wb_format("%s/.nvcc-XXXXXX", beside) : NULL;
    bool ok = wb_toolkit_find(&toolkit, err) && read_sources(spec, &text, err) &&
              await_set(spec, text.data, result, err);
    if (ok) {
        for (size_t i = 0; spec->wrapper && spec->wrapper[i]; i++)
            wb_strings_add(&a, spec->wrapper[i]);
        build_args(&a, spec, &toolkit, text.data);
        ok = (!a.failed && folder) || wb_fail(err, 1, _("out of memory"));
    }
    bool keyed = ok && !spec->no_cache && make_key(spec, &toolkit, &a, &text, key);
    WB_SCOPED_BUF wb_buf log = {0};
    if (keyed && wb_cache_get(key, spec->cwd, output, &log, &result->inputs)) {
        result->ok = result->from_cache = true;
        result->log = wb_buf_steal(&log);
    } else if (ok) {
        ok = mkdtemp(folder) || wb_fail(err, 1, _("%s: can't make a folder there"), beside);
        /* a sandbox may run nvcc with another user id; the folder above protects this one */
        if (ok && spec->wrapper)
            chmod(folder, 0777);
        if (ok) {
            ok = compile(spec, &a, &toolkit, output, folder, keyed ? key : NULL, text.data, result,
                         err);
            wb_dir_remove(folder, NULL);
        }
    }
    if (ok && result->log && !wb_diag_parse(result))
        ok = wb_fail(err, 1, _("out of memory"));
    result->seconds = wb_now() - start;
    return ok || result->stopped;
}

void wb_compile_ahead(const wb_compile_spec *spec, const char *text) {
    wb_toolkit toolkit;
    wb_error err;
    WB_SCOPED_STRINGS wb_strings a = {0};
    if (nvcc_alone(spec) || !wb_toolkit_find(&toolkit, &err))
        return;
    build_args(&a, spec, &toolkit, text);
    if (!a.failed)
        wb_direct_ahead(
            &(wb_direct_job){.argv = (const char *const *)a.v, .toolkit = &toolkit, .text = text});
}

void wb_compile_result_free(wb_compile_result *result) {
    for (size_t i = 0; i < result->n_diagnostics; i++)
        WB_FREE(result->diagnostics[i].file, result->diagnostics[i].text,
                result->diagnostics[i].excerpt);
    WB_FREE(result->diagnostics, result->log, result->inputs);
    *result = (wb_compile_result){.ok = false};
}
