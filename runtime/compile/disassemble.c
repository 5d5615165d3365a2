/* disassemble.c: runs nvcc -ptx, ptxas and nvdisasm, and cuts out one kernel. */
#include "runtime/compile/disassemble.h"
#include "runtime/base/words.h"
#include "runtime/device/toolkit.h"

/* Returns true if the mangled name (Itanium C++ ABI: _Z<length><name>...) is that of `kernel`. */
static bool is_called(const char *mangled, size_t len, const char *kernel) {
    size_t want = strlen(kernel);
    if (len == want && memcmp(mangled, kernel, len) == 0)
        return true;
    char part[300];
    snprintf(part, sizeof part, "%zu%s", want, kernel);
    const char *at = memmem(mangled, len, part, strlen(part));
    return at && at > mangled && (at[-1] < '0' || at[-1] > '9');
}

/* Returns the end of the PTX function at `from`: after the brace that closes its body. */
static const char *function_end(const char *from) {
    int depth = 0;
    for (const char *at = from; *at; at++) {
        if (*at == '{')
            depth++;
        else if (*at == '}' && --depth == 0)
            return at + 1;
    }
    return from + strlen(from);
}

/* Returns a copy of the kernel's text in a PTX module, or NULL. */
static char *cut_ptx(const char *ptx, const char *kernel) {
    const char *found = NULL;
    for (const char *at = ptx; (at = strstr(at, ".entry ")); at++) {
        const char *name = at + strlen(".entry ");
        if (!kernel || is_called(name, strcspn(name, "( \n"), kernel))
            found = at;
    }
    if (!found)
        return NULL;
    const char *start = ptx + wb_line_begin(ptx, (size_t)(found - ptx));
    return strndup(start, (size_t)(function_end(found) - start));
}

/* Cuts out a function: nvdisasm prints ".text.NAME:" before each and a line of dashes after it. */
static char *cut_sass(const char *text, const char *kernel) {
    for (const char *at = text; (at = strstr(at, "\n.text.")); at++) {
        const char *name = at + strlen("\n.text.");
        if (kernel && !is_called(name, strcspn(name, ":\n"), kernel))
            continue;
        const char *end = strstr(name, "\n//-----");
        return strndup(at + 1, end ? (size_t)(end - at - 1) : strlen(at + 1));
    }
    return NULL;
}

static char *compile_text(const char *source, const char *const *flags, const wb_device *device,
                          wb_error *err) {
    WB_SCOPED char *folder = wb_dir_temp("ptx", err),
                   *output = folder ? wb_format("%s/a.ptx", folder) : NULL;
    const char *sources[] = {source, NULL};
    wb_compile_result result = {0};
    wb_buf text = {0};
    bool ok = output && wb_compile(&(wb_compile_spec){.kind = WB_COMPILE_PTX,
                                                      .sources = sources,
                                                      .flags = flags,
                                                      .output = output,
                                                      .device = device,
                                                      .auto_link = true},
                                   &result, err);
    if (ok && !result.ok)
        wb_fail(err, 1, _("the cell no longer compiles: %s"), result.log ? result.log : "");
    else if (ok)
        wb_file_read(output, 256 << 20, &text, err);
    wb_compile_result_free(&result);
    if (folder)
        wb_dir_remove(folder, NULL);
    return text.len ? wb_buf_steal(&text) : NULL;
}

/* Assembles PTX with ptxas and disassembles it with nvdisasm. */
static char *assemble(const char *ptx, const wb_device *device, wb_error *err) {
    WB_SCOPED char *disassembler = wb_path_find("nvdisasm"), *folder = NULL;
    wb_toolkit toolkit;
    if (!disassembler)
        wb_fail(err, 3,
                _("%%sass needs nvdisasm, which this machine does not have; it comes with the CUDA "
                  "toolkit (package cuda-nvdisasm-13-0). %%ptx shows the code one step earlier"));
    if (!disassembler || !wb_toolkit_find(&toolkit, err) || !(folder = wb_dir_temp("sass", err)))
        return NULL;
    WB_SCOPED char *script =
        wb_format("set -e; cd '%s'; cat > a.ptx; \"$(dirname '%s')/ptxas\" -arch=sm_%d a.ptx "
                  "-o a.cubin; '%s' a.cubin",
                  folder, toolkit.nvcc, device->capability, disassembler);
    const char *argv[] = {"sh", "-c", script, NULL};
    wb_proc_result result = {0};
    char *text = NULL;
    bool ran = script && wb_proc_run(&(wb_proc_spec){.argv = argv,
                                                     .input = ptx,
                                                     .input_len = strlen(ptx),
                                                     .timeout_s = 120,
                                                     .max_output = 64 << 20},
                                     &result, err);
    if (ran && result.exit_code == 0)
        text = wb_format("\n%s", result.out.data ? result.out.data : "");
    else if (ran)
        wb_fail(err, 1, _("the kernel can't be disassembled: %s"),
                result.err.data ? result.err.data : _("no reason was given"));
    wb_proc_result_free(&result);
    wb_dir_remove(folder, NULL);
    return text;
}

/* Returns true if a source may define the kernel: it has the name, the name is mangled, or it
 * pastes names. This saves a compilation of a second for each other source. */
static bool may_define(const char *source, const char *kernel) {
    WB_SCOPED_BUF wb_buf text = {0};
    return !kernel || strncmp(kernel, "_Z", 2) == 0 ||
           !wb_file_read(source, 256 << 20, &text, NULL) || !text.data ||
           strstr(text.data, kernel) || strstr(text.data, "##");
}

char *wb_disassemble(const char *const *sources, size_t n_sources, const char *const *flags,
                     const wb_device *device, const char *kernel, bool sass, wb_error *err) {
    wb_error why = {0};
    for (size_t i = n_sources; i-- > 0;) {
        if (!may_define(sources[i], kernel))
            continue;
        WB_SCOPED char *ptx = compile_text(sources[i], flags, device, &why);
        char *text = ptx ? cut_ptx(ptx, kernel) : NULL;
        if (text && sass) {
            WB_SCOPED char *all = assemble(ptx, device, &why);
            free(text);
            text = all ? cut_sass(all, kernel) : NULL;
            if (!text) {
                wb_fail(err, why.code, "%s", why.text);
                return NULL;
            }
        }
        if (text)
            return text;
    }
    if (kernel)
        wb_fail(err, 1,
                _("no cell that ran defines a kernel called '%s'; %%who lists what there is"),
                kernel);
    else
        wb_fail(err, 1, _("no cell that ran defines a kernel"));
    return NULL;
}
