/* options.c: see options.h. */
#include "runtime/compile/direct/prelude/options.h"
#include "runtime/base/words.h"

/* Returns true for nvcc options that have no meaning or always hold here. */
static bool is_idle(const char *a) {
    return wb_word_among(a, strlen(a),
                         "-shared -nodlink --diag-error=940 -static-global-template-stub=false");
}

/* Adds -Xcompiler's argument. */
static void add_host(wb_options *o, const char *list) {
    while (*list) {
        size_t n = strcspn(list, ",");
        wb_strings_own(&o->compile, wb_format("%.*s", (int)n, list));
        if (n == 3 && strncmp(list, "-g1", n) == 0) /* in DWARF 5 addr2line confuses files */
            wb_strings_add(&o->compile, "-gdwarf-4");
        list += n + (list[n] == ',');
    }
    wb_strings_add(&o->nvcc, "-Xcompiler");
}

/* Adds arch=compute_90,code=compute_90, as for `nvcc -ptx`. A GPU's own code needs nvcc. */
static bool add_architecture(wb_options *o, const char *text) {
    const char *arch = strstr(text, "arch="), *code = strstr(text, "code=");
    size_t n = arch ? strcspn(arch + 5, ",") : 0;
    if (!arch || !code || strlen(code + 5) != n || strncmp(arch + 5, code + 5, n) != 0)
        return false;
    wb_strings_own(&o->device, wb_format("-arch=%.*s", (int)n, arch + 5));
    wb_strings_add(&o->nvcc, "-gencode");
    wb_strings_add(&o->nvcc, text);
    return true;
}

/* Warnings like cudafe++'s: any of them sends the unit to nvcc, as does a prelude that g++ refuses.
 * The prelude has the same options, because some define macros (-Wvla). */
static const char warnings[] =
    "-Wall -Wvla -Wtype-limits -Winvalid-pch -Wno-sign-compare -Wno-reorder -Wno-attributes "
    "-Wno-psabi -Wno-maybe-uninitialized -Wno-class-memaccess -Wno-strict-aliasing "
    "-Wno-infinite-recursion -Wno-format-zero-length -Wno-unknown-pragmas";

/* Adds an option that headers depend on, too. */
static void add(wb_options *o, const char *a, bool device, bool compile) {
    if (device)
        wb_strings_add(&o->device, a);
    if (compile)
        wb_strings_add(&o->compile, a);
    wb_strings_add(&o->nvcc, a);
}

static bool take(wb_options *o, const char *a, const char *next, bool *used) {
    *used = false;
    if (is_idle(a)) {
    } else if (strcmp(a, "--device-entity-has-hidden-visibility=false") == 0) {
        o->exports_kernels = true;
    } else if (strcmp(a, "-no-compress") == 0) {
        o->plain_image = true;
    } else if (strcmp(a, "-lineinfo") == 0) {
        add(o, a, true, false);
    } else if (wb_begins(a, "-std=") || (wb_begins(a, "-D") && a[2])) {
        add(o, a, true, true);
    } else if (wb_begins(a, "-O")) {
        add(o, a, false, true);
    } else if (wb_begins(a, "-I") && a[2]) {
        wb_strings_add(&o->folders, a);
    } else if ((wb_begins(a, "-l") && !wb_begins(a, "-link")) || wb_begins(a, "-L") ||
               wb_ends(a, ".o") || wb_ends(a, ".so") || wb_ends(a, ".a")) {
        wb_strings_add(&o->link, a);
    } else if ((*used = next != NULL) == false) {
        return false;
    } else if (strcmp(a, "-Xcompiler") == 0) {
        add_host(o, next);
        wb_strings_add(&o->nvcc, next);
    } else if (strcmp(a, "-Xlinker") == 0) {
        wb_strings_add(&o->link, a);
        wb_strings_add(&o->link, next);
        if (wb_begins(next, "--dynamic-list="))
            wb_strings_add(&o->link,
                           /* an option that gold needs; GNU's linker does so by default */
                           "-Wl,-Bsymbolic");
    } else if (strcmp(a, "-gencode") == 0) {
        return add_architecture(o, next);
    } else if (strcmp(a, "-ccbin") == 0) {
        free(o->compiler);
        o->compiler = wb_format("%s", next);
        add(o, a, true, false);
        add(o, next, true, false);
    } else {
        return strcmp(a, "-cudart") == 0 && strcmp(next, "shared") == 0;
    }
    return true;
}

bool wb_options_read(const char *const *argv, wb_options *o) {
    *o = (wb_options){.compiler = wb_format("g++")};
    wb_strings_add(&o->nvcc, argv[0]);
    bool ok = true, used;
    for (size_t i = 1; ok && argv[i]; i += 1 + used)
        ok = take(o, argv[i], argv[i + 1], &used);
    wb_strings_words(&o->compile, warnings);
    return ok && o->compiler && !o->compile.failed && !o->folders.failed && !o->link.failed &&
           !o->device.failed && !o->nvcc.failed;
}

void wb_options_free(wb_options *o) {
    free(o->compiler);
    WB_CALL_EACH(wb_strings_free, wb_strings, &o->compile, &o->folders, &o->link, &o->device,
                 &o->nvcc);
    *o = (wb_options){.compiler = NULL};
}
