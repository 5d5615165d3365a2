/* direct.c: see direct.h. Host and device are compiled at the same time and meet in the linker. The
 * device's object file holds the fat binary and a table of kernels by symbol. Their stubs in the
 * host's object have the same symbols. */
#include "runtime/compile/direct/direct.h"

#include <pthread.h>

#include "runtime/base/words.h"
#include "runtime/compile/direct/prelude/headers.h"
#include "runtime/compile/direct/prelude/options.h"
#include "runtime/compile/direct/prelude/prelude.h"
#include "runtime/compile/direct/texts.h"

enum { LIMIT_S = 10 };

typedef struct work {
    const wb_direct_job *job;
    wb_options options;
    wb_texts texts;
    wb_prelude prelude;
    bool host_ok, device_ok;
} work;

static char *beside(const work *w, const char *name) {
    return wb_format("%s/%s", w->job->folder, name);
}

static bool put_file(const work *w, const char *name, const char *text, size_t len) {
    WB_SCOPED char *path = beside(w, name);
    return path && wb_file_write_unsynced(path, text, len, NULL);
}

/* Runs a program. Returns true if it succeeds and prints nothing. */
static bool run_quietly(const work *w, wb_strings *argv, const char *cwd) {
    WB_SCOPED char *temporary = wb_format("TMPDIR=%s", w->job->folder);
    wb_proc_result run = {0};
    wb_error err;
    bool ok = !argv->failed && temporary &&
              wb_proc_run(&(wb_proc_spec){.argv = (const char *const *)argv->v,
                                          .env = (const char *const[]){temporary, NULL},
                                          .cwd = cwd,
                                          .timeout_cpu_s = LIMIT_S,
                                          .timeout_s = 8 * LIMIT_S,
                                          .limit_memory = w->job->limit_memory,
                                          .max_output = 1 << 16,
                                          .merge_stderr = true,
                                          .stop = w->job->stop},
                          &run, &err) &&
              run.exit_code == 0 && run.out.len == 0;
    wb_proc_result_free(&run);
    wb_strings_free(argv);
    return ok;
}

static void add_all(wb_strings *list, const wb_strings *more) {
    for (size_t i = 0; i < more->n; i++)
        wb_strings_add(list, more->v[i]);
}

/* ---- the host's object ----------------------------------------------------------------------- */

static void *compile_host(void *ctx) {
    work *w = ctx;
    wb_strings argv = {.v = NULL};
    WB_SCOPED_BUF wb_buf text = {0};
    wb_strings_add(&argv, w->options.compiler);
    add_all(&argv, &w->options.compile);
    add_all(&argv, &w->options.folders);
    wb_strings_own(&argv, wb_format("-I%s", w->job->toolkit->include_dir));
    wb_strings_add(&argv, "-isystem");
    wb_strings_own(&argv, wb_format("%s/cccl", w->job->toolkit->include_dir));
    wb_strings_add(&argv, "-include");
    wb_strings_own(&argv, wb_format("%s/d.h", w->prelude.folder));
    wb_strings_words(&argv, "-MD -MF");
    wb_strings_own(&argv, beside(w, "host.d"));
    wb_strings_words(&argv, "-c -o");
    wb_strings_own(&argv, beside(w, "host.o"));
    wb_strings_own(&argv, beside(w, "host.cpp"));
    /* cudafe++ turns this warning off for the headers */
    wb_buf_puts(&text, "#pragma GCC diagnostic warning \"-Wunused-variable\"\n");
    wb_buf_puts(&text, w->prelude.rest);
    wb_buf_puts(&text, w->texts.host);
    w->host_ok = !text.failed && put_file(w, "host.cpp", text.data, text.len) &&
                 run_quietly(w, &argv, w->job->cwd);
    return NULL;
}

/* ---- the device's object --------------------------------------------------------------------- */

/* Writes the table of kernels from the PTX's entries. */
static bool put_table(const work *w, const char *ptx) {
    static const char entry[] = ".entry ";
    WB_SCOPED_BUF wb_buf b = {0};
    wb_buf_printf(&b,
                  ".section .nv_fatbin, \"a\"\n.balign 8\n.globl __wb_direct_image\n"
                  ".hidden __wb_direct_image\n__wb_direct_image: .incbin \"%s/image\"\n"
                  ".section .data.rel.ro, \"aw\"\n.balign 8\n.globl __wb_direct_kernels\n"
                  ".hidden __wb_direct_kernels\n__wb_direct_kernels:\n",
                  w->job->folder);
    int count = 0;
    for (const char *p = ptx; (p = strstr(p, entry)); count++) {
        p += sizeof entry - 1;
        int n = (int)strcspn(p, "( \n");
        if (!w->options.exports_kernels) /* as nvcc does */
            wb_buf_printf(&b, ".hidden %.*s\n", n, p);
        wb_buf_printf(&b,
                      ".quad %.*s, 1f\n.pushsection .rodata.str1.1, \"aMS\", @progbits, 1\n"
                      "1: .string \"%.*s\"\n.popsection\n",
                      n, p, n, p);
    }
    wb_buf_puts(&b, ".quad 0, 0\n.section .note.GNU-stack, \"\", @progbits\n");
    return !b.failed && put_file(w, "table.s", b.data, b.len);
}

/* Makes an object file with the fat binary of the PTX, by nvcc's own tool. */
static bool make_object(const work *w) {
    wb_strings image = {.v = NULL}, object = {.v = NULL};
    const char *nvcc = w->job->toolkit->nvcc, *slash = strrchr(nvcc, '/');
    const char *arch = "90";
    for (size_t i = 0; i < w->options.device.n; i++)
        if (strncmp(w->options.device.v[i], "-arch=compute_", 14) == 0)
            arch = w->options.device.v[i] + 14;
    wb_strings_own(&image, wb_format("%.*s/fatbinary", (int)(slash - nvcc), nvcc));
    wb_strings_add(&image, "-64");
    wb_strings_own(&image, wb_format("--image3=kind=ptx,sm=%s,file=%s/ptx", arch, w->job->folder));
    wb_strings_own(&image, wb_format("--create=%s/image", w->job->folder));
    if (w->options.plain_image)
        wb_strings_add(&image, "--compress=false");
    wb_strings_words(&object, "as -o");
    wb_strings_own(&object, beside(w, "device.o"));
    wb_strings_own(&object, beside(w, "table.s"));
    bool made = run_quietly(w, &image, NULL);
    return run_quietly(w, &object, NULL) && made;
}

/* Runs one of the prelude's scripts for this unit's folder. */
static bool run_script(const work *w, const char *name) {
    static const char edit[] = "sed 's/ -generate-line-info / --debug_mode -g -O0 /; /ptxas/d' "
                               "\"$0\" | sh -s \"$@\"";
    wb_strings argv = {.v = NULL};
    wb_strings_add(&argv, "sh");
    if (w->job->debug) {
        wb_strings_add(&argv, "-c");
        wb_strings_add(&argv, edit);
    }
    wb_strings_own(&argv, wb_format("%s/%s", w->prelude.folder, name));
    wb_strings_add(&argv, w->job->folder);
    add_all(&argv, &w->options.folders);
    return run_quietly(w, &argv, w->job->cwd);
}

/* Makes PTX, by nvcc's own steps, from the device's text and the declarations that it needs. */
static bool make_ptx(const work *w, wb_buf *ptx) {
    WB_SCOPED_BUF wb_buf text = {0}, unit = {0}, all = {0};
    WB_SCOPED char *preprocessed = beside(w, "device.cpp1.ii"), *path = beside(w, "ptx");
    wb_buf_puts(&text, w->prelude.rest);
    wb_buf_puts(&text, w->texts.device);
    for (size_t i = 0; i < w->texts.instances.n; i++) /* taking the address instantiates it */
        wb_buf_printf(&text, "\nvoid *__wb_instance_%zu() { return (void *)%s; }\n", i,
                      w->texts.instances.v[i]);
    return !text.failed && preprocessed && path && put_file(w, "device.cu", text.data, text.len) &&
           run_script(w, "pre.sh") && wb_file_read(preprocessed, 0, &unit, NULL) &&
           wb_headers_choose(w->prelude.folder, &unit, &all) &&
           wb_buf_append(&all, unit.data, unit.len) &&
           put_file(w, "device.cpp1.ii", all.data, all.len) && run_script(w, "ptx.sh") &&
           wb_file_read(path, 0, ptx, NULL) && ptx->data;
}

/* ---- the library ----------------------------------------------------------------------------- */

static bool link_library(const work *w) {
    wb_strings argv = {.v = NULL};
    wb_strings_add(&argv, w->options.compiler);
    wb_strings_words(&argv, "-shared -fuse-ld=gold -fno-use-linker-plugin -o");
    wb_strings_own(&argv, beside(w, "output"));
    wb_strings_own(&argv, beside(w, "host.o"));
    if (w->texts.device)
        wb_strings_own(&argv, beside(w, "device.o"));
    add_all(&argv, &w->options.link);
    wb_strings_own(&argv, wb_format("-L%s/stubs", w->job->toolkit->library_dir));
    wb_strings_own(&argv, wb_format("-L%s", w->job->toolkit->library_dir));
    wb_strings_add(&argv, "-lcudart");
    return run_quietly(w, &argv, w->job->cwd);
}

/* Appends the absolute names of a make rule, except files made here. */
static bool put_inputs(const work *w, const char *path, wb_buf *out) {
    WB_SCOPED_BUF wb_buf rule = {0};
    bool ok = wb_file_read(path, 0, &rule, NULL) && rule.data;
    for (char *p = rule.data; ok && p && *p;) {
        size_t n = strcspn(p, " \n");
        if (*p == '/' && strncmp(p, w->job->folder, strlen(w->job->folder)) != 0 &&
            strncmp(p, w->prelude.folder, strlen(w->prelude.folder)) != 0)
            wb_buf_printf(out, " %.*s", (int)n, p);
        p += n;
        p += strspn(p, " \n\\");
    }
    return ok;
}

static bool list_inputs(const work *w) {
    WB_SCOPED_BUF wb_buf all = {0};
    WB_SCOPED char *host = beside(w, "host.d"), *headers = wb_format("%s/in.d", w->prelude.folder);
    wb_buf_puts(&all, "output :");
    return host && headers && put_inputs(w, headers, &all) &&
           (w->job->debug || put_inputs(w, host, &all)) && wb_buf_putc(&all, '\n') &&
           put_file(w, "inputs.d", all.data, all.len);
}

static bool compile_debug(const work *w) {
    WB_SCOPED_BUF wb_buf ptx = {0};
    bool ok = w->texts.device ? make_ptx(w, &ptx) && strstr(ptx.data, ".debug_info")
                              : wb_buf_puts(&ptx, "// no device code\n");
    return ok && put_file(w, "output", ptx.data, ptx.len) && list_inputs(w);
}

static wb_unfit compile(work *w) {
    pthread_t thread;
    WB_SCOPED_BUF wb_buf ptx = {0};
    if (w->job->debug)
        return compile_debug(w) ? WB_FITS : WB_UNFIT_WORDS;
    /* a header that the prelude lacks: later cells get a prelude with all */
    if (*w->prelude.rest) {
        /* g++ would read one of CUDA's headers itself, with device code in it */
        bool cuda = wb_prelude_has(w->job->toolkit->include_dir, w->prelude.rest);
        wb_prelude_begin(&w->options, w->texts.head, cuda);
        if (cuda)
            return WB_UNFIT_MACHINE;
    }
    bool beside_host = w->texts.device && pthread_create(&thread, NULL, compile_host, w) == 0;
    w->device_ok = !w->texts.device ||
                   (beside_host && make_ptx(w, &ptx) && put_table(w, ptx.data) && make_object(w));
    if (beside_host)
        pthread_join(thread, NULL);
    else if (!w->texts.device)
        compile_host(w);
    if (!w->host_ok || !w->device_ok)
        return WB_UNFIT_WORDS;
    return link_library(w) && list_inputs(w) ? WB_FITS : WB_UNFIT_WORDS;
}

/* Makes what the compilers need. Starts to make a missing prelude. */
static wb_unfit prepare(work *w) {
    bool known = wb_options_read(w->job->argv, &w->options);
    wb_unfit unfit = known ? wb_texts_make(w->job->text, &w->texts) : WB_UNFIT_OPTION;
    if (unfit != WB_FITS || wb_prelude_find(&w->options, w->texts.head, &w->prelude))
        return unfit;
    wb_prelude_begin(&w->options, w->texts.head, true);
    return WB_UNFIT_MACHINE;
}

static void finish(work *w) {
    wb_prelude_free(&w->prelude);
    wb_texts_free(&w->texts);
    wb_options_free(&w->options);
}

wb_unfit wb_direct_compile(const wb_direct_job *job) {
    work w = {.job = job};
    wb_unfit unfit = prepare(&w);
    if (unfit == WB_FITS)
        unfit = compile(&w);
    finish(&w);
    return unfit;
}

void wb_direct_ahead(const wb_direct_job *job) {
    work w = {.job = job};
    prepare(&w);
    finish(&w);
}
