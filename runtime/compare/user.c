/* user.c: compiles a file, reads its symbols, and parses a signature from its mangled name. */
#include "runtime/compare/user.h"

#include <elf.h>
#include <limits.h>

#include "runtime/base/scoped.h"
#include "runtime/base/words.h"
#include "runtime/cells/redefine/overload.h"
#include "runtime/compile/compile.h"

bool user_is(const char *word) {
    const char *colon = strrchr(word, ':');
    return colon && colon[1] && colon - word > 3 && strncmp(colon - 3, ".cu", 3) == 0;
}

void user_free(user_kernel *kernel) {
    WB_FREE(kernel->label, kernel->library, kernel->symbol);
    *kernel = (user_kernel){0};
}

/* ---- the signature ------------------------------------------------------------------------ */

/* The letters of user.h, by parameters as __cxa_demangle writes them. */
static const struct {
    const char *text;
    char kind;
} parameters[] = {{"int", 'i'},
                  {"unsigned int", 'j'},
                  {"long", 'l'},
                  {"unsigned long", 'm'},
                  {"float", 'f'},
                  {"double", 'd'},
                  {"CUstream_st*", 's'},
                  {"int*", 'I'},
                  {"int const*", 'I'},
                  {"unsigned char*", 'H'},
                  {"unsigned char const*", 'H'},
                  {"float*", 'F'},
                  {"float const*", 'F'},
                  {"double*", 'D'},
                  {"double const*", 'D'},
                  {"__half*", 'X'},
                  {"__half const*", 'X'},
                  {"__nv_bfloat16*", 'B'},
                  {"__nv_bfloat16 const*", 'B'}};

const char *user_parameters(const char *symbol, const char *function, char *kinds, size_t size) {
    WB_SCOPED char *text = strncmp(symbol, "_Z", 2) == 0 ? wb_overload_plain(symbol) : NULL;
    size_t name = strlen(function), n = 0;
    kinds[0] = 0;
    if (!text || strncmp(text, function, name) != 0 || text[name] != '(')
        return kinds;
    for (const char *p = text + name + 1; *p && n + 1 < size; p += strspn(p, ", )")) {
        size_t len = strcspn(p, ",)"), i = 0;
        while (i < WB_COUNT(parameters) && !wb_word_is(p, len, parameters[i].text))
            i++;
        if (i == WB_COUNT(parameters)) {
            n = 0;
            break;
        }
        kinds[n++] = parameters[i].kind;
        p += len;
    }
    kinds[n] = 0;
    return kinds;
}

/* Matches a pattern: p a pointer to T, c one to counts, n a number, t a T. */
static bool fits(const char *kinds, const char *pattern, wbk_type type) {
    static const char pointers[WBK_TYPES] = {
        [WBK_F64] = 'D', [WBK_BF16] = 'B', [WBK_F16] = 'X', [WBK_BYTE] = 'H'};
    for (; *pattern; kinds++, pattern++) {
        bool ok = *pattern == 'p'   ? *kinds == (pointers[type] ? pointers[type] : 'F')
                  : *pattern == 'c' ? *kinds == 'I'
                  : *pattern == 't' ? *kinds == (type == WBK_F64 ? 'd' : 'f')
                                    : *kinds && strchr("ijml", *kinds);
        if (!ok)
            return false;
    }
    return strcmp(kinds, "") == 0 || strcmp(kinds, "s") == 0;
}

/* Patterns without and with the optional parameters; other shapes have only "ppnn". */
static const struct {
    const char *plain, *work, *scalars;
} signatures[WBK_SHAPES] = {
    [WBK_UPDATE] = {"pn", NULL, NULL},           [WBK_HISTOGRAM] = {"pcn", NULL, NULL},
    [WBK_REDUCE] = {"ppn", "pppn", NULL},        [WBK_MAXIMUM] = {"ppn", "pppn", NULL},
    [WBK_SCAN] = {"ppn", "pppn", NULL},          [WBK_ROW_SUMS] = {"ppnn", "pppnn", NULL},
    [WBK_COLUMN_SUMS] = {"ppnn", "pppnn", NULL}, [WBK_SOFTMAX] = {"ppnn", "pppnn", NULL},
    [WBK_GEMM] = {"pppnnn", NULL, "pppnnntt"},   [WBK_GEMM_COLUMN] = {"pppnnn", NULL, "pppnnntt"},
};

bool user_matches(const char *kinds, wbk_shape shape, wbk_type type, bool *has_work,
                  bool *has_scalars) {
    const char *plain = signatures[shape].plain, *work = signatures[shape].work,
               *scalars = signatures[shape].scalars;
    *has_work = work && fits(kinds, work, type);
    *has_scalars = scalars && fits(kinds, scalars, type);
    return *has_work || *has_scalars || fits(kinds, plain ? plain : "ppnn", type);
}

/* ---- the library -------------------------------------------------------------------------- */

static bool within(const wb_buf *file, uint64_t offset, uint64_t size) {
    return offset <= file->len && size <= file->len - offset;
}

static char *match_symbol(const char *name, const char *function) {
    char prefix[300];
    snprintf(prefix, sizeof prefix, "_Z%zu%s", strlen(function), function);
    bool plain = strcmp(name, function) == 0;
    return plain || strncmp(name, prefix, strlen(prefix)) == 0 ? strdup(name) : NULL;
}

/* Returns the function of a mangled symbol (no kernel) whose parameters fit the model, or NULL. */
static char *match_parameters(const char *symbol, const wbk_kernel *model, wbk_type type) {
    char kinds[32], *begin = NULL;
    bool work, scalars;
    size_t n = strncmp(symbol, "_Z", 2) == 0 ? strtoul(symbol + 2, &begin, 10) : 0;
    char *function = n && n < strlen(begin) ? strndup(begin, n) : NULL;
    if (function && *user_parameters(symbol, function, kinds, sizeof kinds) &&
        user_matches(kinds, model->shape, type, &work, &scalars))
        return function;
    free(function);
    return NULL;
}

/* Calls use(ctx, name) for each exported function, until it is true. */
static bool each_function(const wb_buf *file, bool (*use)(void *, const char *), void *ctx) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->data;
    if (file->len < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        !within(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file->data + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *symbols = &sections[i];
        if (symbols->sh_type != SHT_DYNSYM || symbols->sh_link >= header->e_shnum)
            continue;
        const Elf64_Shdr *names = &sections[symbols->sh_link];
        if (!within(file, symbols->sh_offset, symbols->sh_size) ||
            !within(file, names->sh_offset, names->sh_size) || names->sh_size == 0)
            continue;
        const Elf64_Sym *list = (const Elf64_Sym *)(file->data + symbols->sh_offset);
        for (size_t s = 0; s < symbols->sh_size / sizeof *list; s++)
            if (list[s].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(list[s].st_info) == STT_FUNC &&
                list[s].st_name < names->sh_size &&
                use(ctx, file->data + names->sh_offset + list[s].st_name))
                return true;
    }
    return false;
}

typedef struct search {
    const char *function;
    const wbk_kernel *model;
    wbk_type type;
    char *symbol;
    wb_buf fitting; /* ":a, :b" */
} search;

/* Finds the symbol of the function: its plain name (extern "C"), or the first overload. */
static bool is_sought(void *ctx, const char *name) {
    search *s = ctx;
    return (s->symbol = match_symbol(name, s->function)) != NULL;
}

static bool note_fitting(void *ctx, const char *name) {
    search *s = ctx;
    char *function = match_parameters(name, s->model, s->type);
    if (function)
        wb_buf_printf(&s->fitting, "%s:%s", s->fitting.len ? ", " : "", function);
    free(function);
    return false;
}

/* Appends the first errors, "file:line: text". A cell's file is in a hidden folder: omits it. */
static void add_errors(const wb_compile_result *result, wb_buf *b) {
    enum { MOST = 5 };
    int told = 0;
    for (size_t i = 0; i < result->n_diagnostics && told < MOST; i++) {
        const wb_diagnostic *d = &result->diagnostics[i];
        if (d->severity != WB_DIAG_ERROR)
            continue;
        if (d->file && d->line > 0)
            wb_buf_printf(b, "\n%s:%d: %s", wb_path_name(d->file), d->line, d->text);
        else
            wb_buf_printf(b, "\n%s", d->text);
        told++;
    }
    if (!told)
        wb_buf_printf(b, "\n%s", result->log ? result->log : "");
}

static bool compile(const char *file, const wb_device *device, const char *library,
                    const volatile int *stop, wb_error *err) {
    char *header = wb_path_share("include"), *include = wb_format("-I%s", header ? header : ".");
    char *beside = wb_format("-I%.*s", (int)(strrchr(file, '/') - file), file);
    const char *sources[] = {file, NULL}, *flags[] = {"-O3", include, beside, NULL};
    wb_compile_spec spec = {.kind = WB_COMPILE_SHARED,
                            .sources = sources,
                            .flags = flags,
                            .output = library,
                            .device = device,
                            .line_info = true,
                            .direct = true,
                            .stop = stop};
    wb_compile_result result = {0};
    bool ok = include && beside && wb_compile(&spec, &result, err);
    if (ok && result.stopped)
        ok = wb_fail(err, 1, _("interrupted"));
    if (ok && !result.ok) {
        wb_buf errors = {0};
        add_errors(&result, &errors);
        ok = wb_fail(err, 1, _("%s does not compile:%s"), wb_path_name(file),
                     errors.data ? errors.data : "");
        wb_buf_free(&errors);
    }
    wb_compile_result_free(&result);
    WB_FREE(beside, include, header);
    return ok;
}

/* Sets the kernel's symbol from the library, and compares its parameters with the model's. */
static bool understand(const char *function, const wbk_kernel *model, wbk_type type,
                       user_kernel *kernel, wb_error *err) {
    wb_buf file = {0};
    if (!wb_file_read(kernel->library, (size_t)1 << 30, &file, err))
        return false;
    search sought = {.function = function, .model = model, .type = type};
    if (!each_function(&file, is_sought, &sought))
        each_function(&file, note_fitting, &sought);
    kernel->symbol = sought.symbol;
    wb_buf_free(&file);
    if (sought.fitting.len)
        wb_fail(err, 1, _("%s: there is no host function named %s; write one that fits: %s"),
                kernel->label, function, sought.fitting.data);
    else if (!kernel->symbol)
        wb_fail(err, 1, _("%s: there is no host function named %s in it (it must not be static)"),
                kernel->label, function);
    wb_buf_free(&sought.fitting);
    if (!kernel->symbol)
        return false;
    char kinds[32];
    if (model->shape == WBK_GEMM_TURNED || model->shape == WBK_GEMM_BATCH)
        return wb_fail(err, 1, _("%s: functions of one's own are not compared with %s (%s)"),
                       kernel->label, model->name, wbk_shape_name(model->shape));
    if (strcmp(kernel->symbol, function) == 0) { /* extern "C": can't be checked */
        kernel->has_work = kernel->has_scalars = true;
        return true;
    }
    user_parameters(kernel->symbol, function, kinds, sizeof kinds);
    if (!user_matches(kinds, model->shape, type, &kernel->has_work, &kernel->has_scalars))
        return wb_fail(
            err, 1,
            _("%s does not have the parameters of %s: it should be void %s%s with T = %s "
              "(a cudaStream_t may follow); use --type or --like if another is meant"),
            kernel->label, model->name, function, wbk_shape_signature(model->shape),
            type == WBK_BF16   ? "__nv_bfloat16 (alpha and beta: float)"
            : type == WBK_F16  ? "__half (alpha and beta: float)"
            : type == WBK_TF32 ? "float"
                               : wbk_type_name(type));
    return true;
}

const char *user_function(const char *word) {
    return strrchr(word, ':') + 1;
}

bool user_build(const char *word, const char *label, const wbk_kernel *model, wbk_type type,
                const wb_device *device, const char *folder, const volatile int *stop,
                user_kernel *kernel, wb_error *err) {
    const char *colon = strrchr(word, ':'), *slash = strrchr(word, '/');
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%.*s", (int)(colon - word), word);
    if (!wb_file_exists(file))
        return wb_fail(err, 2, _("%s: there is no such file"), file);
    static int number;
    *kernel = (user_kernel){.label = strdup(label   ? label
                                            : slash ? slash + 1
                                                    : word),
                            .library = wb_format("%s/user%d.so", folder, number++)};
    char full[PATH_MAX];
    if (!kernel->label || !kernel->library || !realpath(file, full))
        return wb_fail(err, 1, _("%s can't be read"), file);
    return compile(full, device, kernel->library, stop, err) &&
           understand(colon + 1, model, type, kernel, err);
}
