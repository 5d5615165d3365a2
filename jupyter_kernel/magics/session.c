/* session.c: magics about the session: %lsmagic %help %device %cd %env %flags %who %reset. */
#include "jupyter_kernel/magics/magics.h"
#include "runtime/base/language.h"
#include "runtime/base/words.h"

#include <unistd.h>

#include "jupyter_kernel/execution/bundle.h"
#include "runtime/model/choose.h"

/* ---- %lsmagic, %help ---------------------------------------------------------------------- */

static void add_row(wb_table *t, const char *a, const char *b, const char *c) {
    wb_table_row(t, false);
    wb_table_texts(t, a, b, c);
}

/* Shows the table and frees it. */
static void show_table(execution *x, wb_table *t) {
    execution_display(x, bundle_table(t, "", ""), NULL, false);
    wb_table_free(t);
}

bool magic_lsmagic(magic_call *c) {
    size_t n;
    const magic *all = magics_all(&n);
    wb_table *t = wb_table_new();
    wb_table_columns(t, "lll", _("magic"), _("takes"), _("what it does"));
    for (int kind = MAGIC_LINE; kind <= MAGIC_CELL; kind++)
        for (size_t i = 0; i < n; i++) {
            if (!(all[i].kinds & kind))
                continue;
            char name[40];
            snprintf(name, sizeof name, "%s%s", kind == MAGIC_CELL ? "%%" : "%", all[i].name);
            add_row(t, name, all[i].usage, wb_tr(all[i].summary));
        }
    add_row(t, "!", "COMMAND", _("runs a shell command"));
    add_row(t, "?", "", _("NAME? describes a name"));
    show_table(c->x, t);
    return true;
}

static const char introduction[] = N_(
    "Cells are CUDA C++17: definitions and variables live on in later cells, a definition that is\n"
    "run again replaces the earlier one, statements at top level run at once, and an expression\n"
    "without a semicolon at the end of a cell is shown. A cell with main() runs as a program.\n"
    "\n"
    "    __global__ void twice(float *a) { a[threadIdx.x] *= 2; }\n"
    "    float *a; cudaMallocManaged(&a, 4 * sizeof *a); a[0] = 21;\n"
    "    twice<<<1, 4>>>(a); cudaDeviceSynchronize();\n"
    "    a[0]\n"
    "\n"
    "After each cell, errors of CUDA calls and kernels that the code did not check are reported.\n"
    "NAME? describes a name, Tab completes, %lsmagic lists the magics, %help MAGIC describes "
    "one.\n");

bool magic_help(magic_call *c) {
    if (c->n_words == 0) {
        execution_page(c->x, bundle_text(wb_tr(introduction)));
        return true;
    }
    const char *name = c->words[0] + strspn(c->words[0], "%");
    const magic *m = magics_find(name, strlen(name));
    if (!m || c->n_words > 1)
        return magics_misuse(c, _("there is no magic '%s'%s"), name, magics_meant(name));
    WB_SCOPED char *text = magics_help(m);
    execution_page(c->x, bundle_text(text ? text : ""));
    return true;
}

/* ---- %device ------------------------------------------------------------------------------ */

static bool show_device(execution *x) {
    wb_error err = {0};
    wb_session *session = live_session(x->live, &err);
    if (!session || !wb_session_prepare(session, &err))
        return execution_fail(x, "DeviceError", "%s", err.text);
    WB_SCOPED_JSON json_t *usage = wb_session_usage(session);
    const char *name = wb_field_text(usage, "device"), *kind = wb_field_text(usage, "kind");
    const char *times = wb_field_text(usage, "times");
    double used = wb_field_number(usage, "memory_used");
    double total = wb_field_number(usage, "memory_total");
    bool soft = !*kind || strcmp(kind, "soft") == 0;
    execution_printf(x, "%s%s%s\n", *name ? name : "softgpu",
                     soft ? _(": kernels run on the CPU; counts are exact") : "",
                     soft && !*times ? _(", times are the CPU's") : "");
    if (soft && *times)
        execution_printf(x,
                         _("%%%%counters and %%%%compare show modelled times of an %s; all other "
                           "times are the CPU's\n"),
                         times);
    if (total > 0)
        execution_printf(x, _("memory: %.1f of %.1f MiB in use\n"), used / 1048576,
                         total / 1048576);
    return true;
}

bool magic_device(magic_call *c) {
    if (c->n_words == 0)
        return show_device(c->x);
    wb_error err = {0};
    wb_device device;
    if (c->n_words > 1)
        return magics_misuse(c, _("'%s' is no device"), c->args);
    if (!wb_word_among(c->words[0], strlen(c->words[0]), "auto gpu") &&
        !model_choose_device(c->words[0], &device, &err))
        return magics_misuse(c, _("'%s' is no device: %s"), c->args, err.text);
    WB_SCOPED_JSON json_t *names = magics_names(c->x);
    size_t lost = json_array_size(names);
    if (!live_set_device(c->x->live, c->words[0], &err))
        return execution_fail(c->x, "DeviceError", "%s", err.text);
    if (lost > 0)
        execution_printf(c->x, _("forgotten with the change: %zu definition%s\n"), lost,
                         lost == 1 ? "" : "s");
    return show_device(c->x);
}

/* ---- %language ---------------------------------------------------------------------------- */

bool magic_language(magic_call *c) {
    wb_language language = wb_language_get();
    if (c->n_words > 1)
        return magics_misuse(c, _("one language at a time"));
    if (c->n_words == 1 && !wb_language_read(c->words[0], &language))
        return magics_misuse(c, _("'%s' is no language here: en or zh"), c->words[0]);
    if (!wb_language_has(language))
        return execution_fail(
            c->x, "UsageError",
            _("This Warpbook was built without Chinese: msgfmt was missing (Debian's "
              "package gettext; `make setup` installs it). Build it again."));
    if (c->n_words == 1)
        wb_language_set(language);
    execution_printf(c->x, _("English (%%language zh: 中文)\n"));
    return true;
}

/* ---- %cd, %env ---------------------------------------------------------------------------- */

/* Returns the folder as the shell reads it: nothing is home, - is the last folder, ~/x is below
 * home. The caller frees it. NULL: there is no last folder. */
static char *folder_asked_for(const magic_call *c, const char *before) {
    const char *home = getenv("HOME"), *word = c->n_words ? c->words[0] : "~";
    if (strcmp(word, "-") == 0)
        return before ? strdup(before) : NULL;
    if (word[0] == '~' && (word[1] == '/' || word[1] == '\0'))
        return wb_format("%s%s", home ? home : "/", word + 1);
    return strdup(word);
}

bool magic_cd(magic_call *c) {
    static char *before;
    if (c->n_words > 1)
        return magics_misuse(c, _("one folder; a name with blanks in it stands in quotes"));
    WB_SCOPED char *folder = folder_asked_for(c, before), *left = getcwd(NULL, 0);
    if (!folder)
        return magics_misuse(c, _("there is no folder before this one"));
    wb_error err = {0};
    if (!wb_session_enter(folder, &err))
        return execution_fail(c->x, "FileError", "%s", err.text);
    free(before);
    before = left;
    left = NULL;
    WB_SCOPED char *now = getcwd(NULL, 0);
    execution_printf(c->x, "%s\n", now ? now : "");
    return true;
}

/* Sets NAME=VALUE or NAME VALUE; the value is the rest of the line. NAME alone shows the value. */
bool magic_env(magic_call *c) {
    size_t n = strcspn(c->args, "= \t");
    if (n == 0)
        return magics_misuse(c, _("which variable? !env lists them all"));
    WB_SCOPED char *name = strndup(c->args, n);
    const char *value = c->args + n;
    value += strspn(value, " \t");
    value += *value == '=';
    value += strspn(value, " \t");
    const char *known = name && !c->args[n] ? getenv(name) : NULL;
    wb_error err = {.text = "out of memory"};
    bool asks = !c->args[n];
    if (asks && !known)
        return execution_fail(c->x, "UsageError", _("there is no environment variable '%s'"),
                              c->args);
    if (!name || (!asks && !wb_session_set_variable(name, value, &err)))
        return execution_fail(c->x, "UsageError", "%s", err.text);
    if (asks)
        execution_printf(c->x, "%s\n", known);
    else
        execution_printf(c->x, "env: %s=%s\n", name, value);
    return true;
}

/* ---- %flags ------------------------------------------------------------------------------- */

static bool show_flags(execution *x) {
    WB_SCOPED char *flags = wb_strings_joined(&x->live->flags, " ");
    if (flags && *flags)
        execution_printf(x, "%s\n", flags);
    else
        execution_printf(x, _("no extra flags\n"));
    return true;
}

const wb_option flags_options[] = {{.name = "--clear", .help = N_("remove the earlier flags")},
                                   {0}};

bool magic_flags(magic_call *c) {
    bool clear = false;
    if (c->n_words == 0)
        return show_flags(c->x);
    if (!magics_read(c, &clear))
        return false;
    if (c->n_plain > 0 && c->plain[0][0] != '-')
        return magics_misuse(c, _("a flag begins with -, '%s' does not"), c->plain[0]);
    WB_SCOPED_STRINGS wb_strings flags = {0};
    for (int i = 0; i < c->n_plain; i++)
        wb_strings_add(&flags, c->plain[i]);
    wb_error err = {.text = "out of memory"};
    if (flags.failed || !live_set_flags(c->x->live, &flags, &err))
        return execution_fail(c->x, "UsageError", "%s", err.text);
    return show_flags(c->x);
}

/* ---- %who, %reset ------------------------------------------------------------------------- */

bool magic_who(magic_call *c) {
    static const char *const kinds[] = {"variable", "function", "kernel",
                                        "type",     "macro",    "template"};
    const char *wanted = c->n_words ? c->words[0] : NULL;
    bool known = !wanted;
    for (size_t i = 0; i < WB_COUNT(kinds) && !known; i++)
        known = strcmp(wanted, kinds[i]) == 0;
    if (!known || c->n_words > 1)
        return magics_misuse(c, _("'%s' is no kind of name%s"), c->args,
                             c->n_words == 1 ? wb_text_meant(wanted, kinds, WB_COUNT(kinds)) : "");
    WB_SCOPED_JSON json_t *names = magics_names(c->x);
    wb_table *t = wb_table_new();
    size_t shown = 0;
    wb_table_columns(t, "lllr", _("name"), _("kind"), _("type"), _("cell"));
    WB_JSON_EACH(entry, names) {
        const char *kind = wb_field_text(entry, "kind"), *type = wb_field_text(entry, "signature");
        if (wanted && strcmp(kind, wanted) != 0)
            continue;
        add_row(t, wb_field_text(entry, "name"), kind, *type ? type : wb_field_text(entry, "type"));
        wb_table_cell(t, wb_field_int(entry, "cell") > 0 ? "[%d]" : "%.0d",
                      (int)wb_field_int(entry, "cell"));
        shown++;
    }
    if (shown > 0) {
        show_table(c->x, t);
        return true;
    }
    wb_table_free(t);
    if (wanted)
        execution_printf(c->x, _("no %s is defined\n"), wanted);
    else
        execution_printf(c->x, _("nothing is defined\n"));
    return true;
}

/* -f does nothing. In IPython it suppresses the question before a reset. */
const wb_option reset_options[] = {{.name = "-f"}, {0}};

bool magic_reset(magic_call *c) {
    if (!magics_read_alone(c, NULL))
        return false;
    wb_error err = {0};
    if (!live_reset(c->x->live, &err))
        return execution_fail(c->x, "SessionError", "%s", err.text);
    return true;
}
