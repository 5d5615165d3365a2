/* prelude.c: see prelude.h. */
#include "runtime/compile/direct/prelude.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/compile/cache/cache.h"
#include "runtime/compile/direct/apart.h"

/* Each takes 20 to 80 MB. */
enum { MAX_KEPT = 8, AGAIN_SECONDS = 120, BEHIND_OTHERS = 4, LEAST_CACHE_MB = 256 };

/* Raised when what is made of the same headers changes. */
#define FORMAT "warpbook prelude 8"

/* A prelude leaves these files out. In each unit g++ would instantiate all templates that the
 * special functions of <cmath> use, which takes as long as the rest of a small cell. nvcc compiles
 * a cell that calls std::beta. */
#define UNREAD "\\/(bits\\/specfun[.]h|tr1\\/[a-z_]*[.]tcc)\"$"

/* Behind the headers: marks of CUDA's mean nothing to g++, and what stands for a launch. */
static const char support[] =
    "#undef __global__\n#undef __device__\n#undef __host__\n#undef __constant__\n"
    "#undef __shared__\n#undef __managed__\n#undef __grid_constant__\n#undef __launch_bounds__\n"
    "#undef __cluster_dims__\n#undef __maxnreg__\n#undef __CUDA_ARCH__\n"
    "#define __global__\n#define __device__\n#define __host__\n#define __constant__\n"
    "#define __shared__\n#define __managed__\n#define __grid_constant__\n"
    "#define __launch_bounds__(...)\n#define __cluster_dims__(...)\n#define __maxnreg__(...)\n"
    "struct __wb_direct_variable { const void *shadow; const char *name; size_t size; int "
    "is_constant; };\n"
    "struct __wb_direct_kernel { const void *stub; const char *name; };\n"
    "extern \"C\" {\n"
    "__attribute__((visibility(\"hidden\"))) extern const __wb_direct_kernel "
    "__wb_direct_kernels[];\n"
    "__attribute__((visibility(\"hidden\"))) extern const char __wb_direct_image[];\n"
    "void **__cudaRegisterFatBinary(void *);\nvoid __cudaRegisterFatBinaryEnd(void **);\n"
    "void __cudaUnregisterFatBinary(void **);\n"
    "void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 "
    "*, dim3 *, dim3 *, int *);\n"
    "void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);\n"
    "cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);\n"
    "cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);\n"
    "cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);\n"
    "}\n"
    "static inline void __wb_direct_launch(const void *stub, void **arguments) {\n"
    "dim3 grid, block; size_t shared; cudaStream_t stream;\n"
    "cudaKernel_t kernel;\n"
    "if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess &&\n"
    "__cudaGetKernel(&kernel, stub) == cudaSuccess)\n"
    "(void)__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);\n}\n"
    "#define WB_DIRECT_REGISTER \\\n"
    "static void **__wb_direct_handle; \\\n"
    "static void __wb_direct_unregister(void) { __cudaUnregisterFatBinary(__wb_direct_handle); } "
    "\\\n"
    "__attribute__((constructor)) static void __wb_direct_register(void) { \\\n"
    "static const struct { int magic, version; const void *data; void *more; } image = \\\n"
    "{0x466243b1, 1, __wb_direct_image, 0}; \\\n"
    "void **handle = __wb_direct_handle = __cudaRegisterFatBinary((void *)&image); \\\n"
    "for (const __wb_direct_kernel *k = __wb_direct_kernels; k->name; k++) \\\n"
    "__cudaRegisterFunction(handle, (const char *)k->stub, (char *)k->name, k->name, -1, 0, 0, 0, "
    "0, "
    "0); \\\n"
    "for (const __wb_direct_variable *v = __wb_direct_variables; v && v->name; v++) \\\n"
    "__cudaRegisterVar(handle, (char *)v->shadow, (char *)v->name, v->name, 0, v->size, "
    "v->is_constant, 0); \\\n"
    "__cudaRegisterFatBinaryEnd(handle); \\\n"
    "atexit(__wb_direct_unregister); }\n";

static void put_list(wb_buf *b, const wb_strings *list) {
    for (size_t i = 0; i < list->n; i++)
        wb_buf_printf(b, " '%s'", list->v[i]);
}

/* The folders of headers that have one which the head names: a notebook's own is another one for
 * each notebook, and preludes are for all of a user's. */
static void put_folders(wb_buf *b, const wb_options *o, const char *head) {
    for (size_t i = 0; i < o->folders.n; i++) {
        bool has = false;
        for (const char *p = head; *p && !has; p += strcspn(p, "\n"), p += *p == '\n') {
            const char *open = p + strcspn(p, "<\"\n");
            if (*open == '\n' || !*open)
                continue;
            char *path = wb_format("%s/%.*s", o->folders.v[i] + 2, (int)strcspn(open + 1, ">\"\n"),
                                   open + 1);
            has = path && wb_file_exists(path);
            free(path);
        }
        if (has)
            wb_buf_printf(b, " '%s'", o->folders.v[i]);
    }
}

/* The text that the prelude's name is a sum of. */
static bool key_text(wb_buf *b, const wb_options *o, const char *head) {
    char *compiler = wb_path_find(o->compiler);
    const char *const tools[] = {o->nvcc.v[0], compiler};
    wb_buf_puts(b, FORMAT);
    for (size_t i = 0; i < WB_COUNT(tools); i++) {
        struct stat st = {0};
        if (!tools[i] || stat(tools[i], &st) != 0)
            continue;
        wb_buf_printf(b, "%lld %lld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec);
    }
    put_list(b, &o->nvcc);
    put_list(b, &o->compile);
    put_folders(b, o, head);
    free(compiler);
    return wb_buf_puts(b, "\n");
}

static bool name_of(const wb_buf *options, const char *head, size_t len, char key[WB_SHA256_TEXT]) {
    wb_buf all = {0};
    bool ok = wb_buf_append(&all, options->data, options->len) && wb_buf_append(&all, head, len);
    if (ok)
        wb_sha256(all.data, all.len, key);
    wb_buf_free(&all);
    return ok;
}

/* Whether every header is as it was, and so is what was made of them. */
static bool is_current(const char *folder) {
    char *path = wb_format("%s/stamps", folder);
    bool ok = path && wb_cache_stamps_hold(path);
    free(path);
    return ok;
}

bool wb_prelude_find(const wb_options *o, const char *head, wb_prelude *prelude) {
    char key[WB_SHA256_TEXT], *root = wb_path_cache("prelude");
    wb_buf options = {0};
    *prelude = (wb_prelude){.folder = NULL};
    bool ok = root && key_text(&options, o, head);
    for (size_t len = strlen(head); ok && len > 0 && !prelude->folder; len--) {
        if (head[len - 1] != '\n' || !name_of(&options, head, len, key))
            continue;
        char *folder = wb_format("%s/%s", root, key);
        if (folder && utimensat(AT_FDCWD, folder, NULL, 0) == 0 && is_current(folder)) {
            prelude->folder = folder;
            prelude->rest = head + len;
        } else {
            free(folder);
        }
    }
    wb_buf_free(&options);
    free(root);
    return prelude->folder != NULL;
}

void wb_prelude_free(wb_prelude *prelude) {
    free(prelude->folder);
    *prelude = (wb_prelude){.folder = NULL};
}

/* ---- making one ------------------------------------------------------------------------------ */

/* The steps of `nvcc -ptx`, as it lists them itself. device.cu is the list of headers meanwhile. */
static const char device_steps[] =
    "nvcc -ptx --keep --dryrun -o ptx device.cu 2>&1 | sed -n 's/^#\\$ //p' | sed "
    "'s,\"\\(device[^\"]*\\|ptx\\)\",\"$f/\\1\",g' >steps\n"
    "{ echo 'f=$1; shift'; grep ' -E ' steps | sed 's/$/ \"$@\"/'; } >all.sh\n"
    "{ echo 'set -e; f=$1; export NVVMIR_LIBRARY_DIR'\n"
    "grep -e '^CICC_PATH=' -e '^NVVMIR_LIBRARY_DIR=' -e '^\"$CICC_PATH' -e ^ptxas steps | "
    "sed \"s,^ptxas,'${tool%/*}/ptxas',\"; } >ptx.sh\n"
    "sed \"s|-include \\\"cuda_runtime.h\\\"|-imacros '$kept/sys.h' -imacros '$kept/own.h'|\" "
    "all.sh >pre.sh\n"
    "grep -q -e -imacros pre.sh; grep -q cicc ptx.sh\n"
    "cp head.cu device.cu; sed 's/ -E / -E -dD /' all.sh >one.sh; folders sh one.sh .\n"
    "awk '/^# [0-9]/{s = 0; for (i = 4; i <= NF; i++) s += $i == 3; own = $3 ~ /^\"[^<]/}\n"
    "/^#(define|undef) /{n = $2; sub(/\\(.*/, \"\", n); delete d[n]\n"
    "if (own && $1 == \"#define\") {d[n] = $0; sys[n] = s}; $0 = \"\"}\n"
    "{print >\"device.ii\"}\n"
    "END{print \"#pragma GCC system_header\" >\"sys.h\"; printf \"\" >\"own.h\"\n"
    "for (n in d) print d[n] >(sys[n] ? \"sys.h\" : \"own.h\")}' device.cpp1.ii\n"
    "rm -f device.cu device.cpp1.ii steps all.sh one.sh\n";

static char *make_script(const wb_options *o, const char *made, const char *kept) {
    wb_buf b = {0}, nvcc = {0}, host = {0}, device = {0}, folders = {0};
    put_list(&nvcc, &o->nvcc);
    put_list(&nvcc, &o->folders);
    wb_buf_printf(&host, "'%s'", o->compiler);
    put_list(&host, &o->compile);
    put_list(&device, &o->device);
    put_list(&folders, &o->folders);
    wb_buf_printf(&b, "tool='%s'; kept='%s'\n", o->nvcc.v[0], kept);
    wb_buf_puts(&b, "nvcc() { \"$tool\"");
    wb_buf_puts(&b, device.data ? device.data : "");
    wb_buf_puts(&b, " \"$@\"; }\n");
    wb_buf_printf(&b,
                  "cd '%s' || exit 1\n(\nset -e\n"
                  "LC_ALL=C; TMPDIR=$PWD; export LC_ALL TMPDIR\n"
                  "unset NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS\n"
                  "%s -cuda -MD -MF in.d -o p.ii head.cu\n"
                  "awk '/^# 1 \"kit\"$/{exit}\n/^# [0-9]/{skip = $3 ~ /" UNREAD "/}\n"
                  "NR > 1 && !skip && !/__nv_inited_managed_rt/' p.ii >d.h\n"
                  "%s -E -Xcompiler -dM,-U__CUDA_ARCH__,-UCUDA_DOUBLE_MATH_FUNCTIONS head.cu | "
                  "sort >all\n"
                  ": >empty.h; %s -E -dM -x c++ empty.h | sort >pre\n"
                  "comm -23 all pre >>d.h; cat support.h >>d.h\n"
                  "%s -w -x c++-header d.h -o d.h.gch\n"
                  "[ -s d.h.gch ]\n"
                  "folders() { \"$@\"%s; }\n%s"
                  "tr -d '\\\\' <in.d | tr -s ' ' '\\n' | grep '^/' | sort -u | xargs stat -L -c "
                  "'%%s %%Y %%n' >stamps\n[ -s stamps ]\n"
                  "for f in d.h d.h.gch; do stat -c \"%%s %%Y %s/$f\" $f >>stamps; done\n"
                  "rm -f p.ii all pre empty.h support.h head.cu make.sh\n) >words 2>&1\n"
                  "[ $? = 0 ] && [ ! -s words ] && mv -T '%s' '%s' || rm -rf '%s'\n",
                  made, nvcc.data, nvcc.data, host.data, host.data,
                  folders.data ? folders.data : "", device_steps, kept, made, kept, made);
    bool ok = !nvcc.failed && !host.failed && !device.failed && !folders.failed;
    wb_buf_free(&nvcc);
    wb_buf_free(&host);
    wb_buf_free(&device);
    wb_buf_free(&folders);
    if (!ok)
        wb_buf_free(&b);
    return wb_buf_steal(&b);
}

static bool write_beside(const char *folder, const char *name, const char *text) {
    char *path = wb_format("%s/%s", folder, name);
    bool ok = path && text && wb_file_write(path, text, strlen(text), NULL);
    free(path);
    return ok;
}

/* Whether to make it: not while it is being made or was tried a short time ago and, unless it is
 * wanted now, not the first time. A file .turn-KEY, which does not count as one that is kept, notes
 * that it was met, and then that it was begun. */
static bool take_turn(const char *root, const char *key, bool now) {
    char *path = wb_format("%s/.turn-%s", root, key);
    struct stat st;
    bool met = path && stat(path, &st) == 0;
    bool begun = met && st.st_size > 0 && st.st_mtim.tv_sec + AGAIN_SECONDS >= time(NULL);
    bool due = path && !begun && (met || now);
    if (path && !begun)
        due &= wb_file_write(path, "begun", due ? 5 : 0, NULL);
    free(path);
    return due;
}

/* Not where the cache is to be small. */
static bool may_keep(void) {
    return wb_setting_number("WARPBOOK_CACHE_MB", 0, LEAST_CACHE_MB) >= LEAST_CACHE_MB;
}

void wb_prelude_begin(const wb_options *o, const char *head, bool now) {
    char key[WB_SHA256_TEXT], *root = wb_path_cache("prelude"), *kept = NULL, *made = NULL;
    wb_buf options = {0};
    if (root && may_keep() && wb_dir_make(root, NULL) && !strpbrk(root, "'\n") &&
        key_text(&options, o, head) && name_of(&options, head, strlen(head), key))
        kept = wb_format("%s/%s", root, key);
    if (kept && take_turn(root, key, now)) {
        wb_cache_room(root, MAX_KEPT);
        wb_cache_drop(kept);
        made = wb_format("%s/new-XXXXXX", root);
    }
    char *unit = wb_format("%s#line 1 \"kit\"\nextern \"C\" int warpbook_kit;\n", head);
    if (made && mkdtemp(made)) {
        char *script = make_script(o, made, kept), *path = wb_format("%s/make.sh", made);
        if (write_beside(made, "head.cu", unit) && write_beside(made, "support.h", support) &&
            write_beside(made, "make.sh", script) && path)
            wb_run_apart((const char *const[]){"sh", path, NULL}, BEHIND_OTHERS);
        WB_FREE(script, path);
    }
    wb_buf_free(&options);
    WB_FREE(unit, made, kept, root);
}
