/* inspect.c: inspect_request and `name?`. */
#include "jupyter_kernel/help/inspect.h"

#include "jupyter_kernel/execution/execute.h"
#include "jupyter_kernel/help/complete.h"
#include "jupyter_kernel/help/cpp.h"
#include "jupyter_kernel/help/cuda_api.h"
#include "jupyter_kernel/help/kernel_source.h"
#include "jupyter_kernel/help/words.h"
#include "jupyter_kernel/magics/magics.h"
#include "kernels/registry.h"
#include "runtime/base/words.h"

/* code: shown as C++. words: a sentence or two. Either may be "". */
static json_t *bundle(const char *code, const char *words) {
    WB_SCOPED char *plain = wb_format("%s%s%s", code, *code && *words ? "\n\n" : "", words);
    WB_SCOPED char *markdown =
        *code ? wb_format("```cpp\n%s\n```\n\n%s", code, words) : wb_format("%s", words);
    return json_pack("{s:s, s:s}", "text/plain", plain ? plain : "", "text/markdown",
                     markdown ? markdown : "");
}

static json_t *about_magic(const char *name, size_t len) {
    while (len > 0 && *name == '%') {
        name++;
        len--;
    }
    const magic *m = magics_find(name, len);
    WB_SCOPED char *help = m ? magics_help(m) : NULL;
    WB_SCOPED char *markdown = help ? wb_format("```\n%s```", help) : NULL;
    return markdown ? json_pack("{s:s, s:s}", "text/plain", help, "text/markdown", markdown) : NULL;
}

/* Describes a name that the session knows: "float *a", "defined in cell [3]". `comment`: the one
 * above it, or "". */
static json_t *about_own(live *l, const char *name, size_t len, const char *comment) {
    wb_session *session = live_peek(l);
    WB_SCOPED_JSON json_t *names = session ? wb_session_names(session) : NULL;
    json_t *data = NULL;
    WB_JSON_EACH(entry, names) {
        const char *own = wb_field_text(entry, "name"), *type = wb_field_text(entry, "type"),
                   *signature = wb_field_text(entry, "signature");
        if (strlen(own) != len || memcmp(own, name, len) != 0)
            continue;
        WB_SCOPED char *code = *signature ? wb_format("%s", signature)
                                          : wb_format("%s%s%s", type, *type ? " " : "", own);
        WB_SCOPED_BUF wb_buf words = {0};
        wb_buf_printf(&words, "%s%s", comment, *comment ? "\n\n" : "");
        int cell = (int)wb_field_int(entry, "cell");
        if (cell > 0)
            wb_buf_printf(&words, _("A %s, defined in cell [%d]."), wb_field_text(entry, "kind"),
                          cell);
        else
            wb_buf_printf(&words, "A %s.", wb_field_text(entry, "kind"));
        json_decref(data);
        data = bundle(code ? code : own, words.data ? words.data : "");
    }
    return data;
}

/* Writes a file's first comment as Markdown. It escapes all markup except lists. */
static void put_prose(wb_buf *out, const char *head) {
    for (; *head; head++) {
        if (strchr("*_`[]\\", *head))
            wb_buf_putc(out, '\\');
        if (*head == '<')
            wb_buf_puts(out, "&lt;");
        else
            wb_buf_putc(out, *head);
    }
}

/* Shows the file that defines a launcher: its first comment, then its code. NULL: not installed. */
static json_t *source_of(const char *title, const char *symbol) {
    WB_SCOPED char *file = NULL, *text = kernel_source(symbol, &file);
    if (!text)
        return NULL;
    size_t len;
    WB_SCOPED char *head = kernel_source_head(text, &len);
    WB_SCOPED_BUF wb_buf page = {0};
    wb_buf_printf(&page, "**%s**, kernels/%s\n\n", title, file ? file : "");
    put_prose(&page, head ? head : "");
    wb_buf_printf(&page, "\n```cpp\n%s```\n", text + len);
    WB_SCOPED char *plain = wb_format("// %s, kernels/%s\n%s", title, file ? file : "", text);
    return json_pack("{s:s, s:s}", "text/plain", plain ? plain : "", "text/markdown",
                     page.data ? page.data : "");
}

static const char *first_symbol(const wbk_kernel *kernel) {
    for (size_t t = 0; t < WBK_TYPES; t++)
        if (kernel->symbol[t])
            return kernel->symbol[t];
    return "";
}

/* Shows a kernel's row of the registry: its title, what it teaches, its launchers. */
static json_t *about_kernel(const char *name, size_t len, bool source) {
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)len, name);
    const wbk_kernel *found = wbk_find(copy);
    if (!found)
        return NULL;
    json_t *whole = source ? source_of(found->name, first_symbol(found)) : NULL;
    if (whole)
        return whole;
    WB_SCOPED_BUF wb_buf launchers = {0};
    for (wbk_type t = 0; t < WBK_TYPES; t++)
        if (found->symbol[t])
            wb_buf_printf(&launchers, "%s`%s` (%s)", launchers.len ? ", " : "", found->symbol[t],
                          wbk_type_name(t));
    WB_SCOPED char *file = NULL, *text = kernel_source(first_symbol(found), &file);
    WB_SCOPED char *more = text ? wb_format(_(", `%s??` shows its source"), found->name) : NULL;
    WB_SCOPED char *words =
        wb_format(_("%s\n\nLab: %s. `%%compare %s` times it%s. In C++: %s."), found->teaches,
                  found->lab, found->name, more ? more : "", launchers.data ? launchers.data : "");
    WB_SCOPED char *title = wb_format("// %s: %s", found->name, found->title);
    return bundle(title ? title : "", words ? words : "");
}

/* Shows the declaration of a kernel's launcher (wbk_sgemm_tiles) and what the kernel is. */
static json_t *about_launcher(const char *name, size_t len, bool source) {
    char copy[80];
    const wbk_kernel *found = NULL;
    snprintf(copy, sizeof copy, "%.*s", (int)len, name);
    WBK_EACH(kernel)
    for (size_t t = 0; !found && t < WBK_TYPES; t++)
        if (kernel->symbol[t] && strcmp(kernel->symbol[t], copy) == 0)
            found = kernel;
    if (!found)
        return NULL;
    json_t *whole = source ? source_of(copy, copy) : NULL;
    if (whole)
        return whole;
    WB_SCOPED char *file = NULL, *text = kernel_source(copy, &file);
    WB_SCOPED char *declared = text ? kernel_source_declaration(text, copy) : NULL;
    WB_SCOPED char *code =
        wb_format("// %s: %s\n%s", found->name, found->title, declared ? declared : copy);
    WB_SCOPED char *more = text ? wb_format(_(" `%s??` shows its source."), copy) : NULL;
    WB_SCOPED char *words =
        wb_format(_("%s\n\n`#include <warpbook.h>` declares it; it launches on `stream` and "
                    "does not wait.%s"),
                  found->teaches, more ? more : "");
    return bundle(code ? code : "", words ? words : "");
}

json_t *inspect_name(live *l, const char *name, size_t len, bool source) {
    if (len == 0)
        return json_pack(
            "{s:s}", "text/plain",
            _("NAME? describes a name, %help shows how to begin, %lsmagic lists the magics."));
    if (*name == '%')
        return about_magic(name, len);
    json_t *own = about_own(l, name, len, "");
    if (own)
        return own;
    const word *w = words_find(name, len);
    if (w && *w->usage)
        return bundle(w->usage, *w->brief ? wb_tr(w->brief) : "");
    const cuda_name *c = cuda_api_find(name, len);
    if (c)
        return bundle(*c->signature ? c->signature : c->name, c->brief);
    if (w || wb_word_among(name, len, words_keywords)) {
        char keyword[20];
        snprintf(keyword, sizeof keyword, "%.*s", (int)len, name);
        return bundle(keyword, _("A keyword of C++."));
    }
    json_t *kernel_of_set = about_launcher(name, len, source);
    if (!kernel_of_set)
        kernel_of_set = about_kernel(name, len, source);
    return kernel_of_set ? kernel_of_set : about_magic(name, len);
}

/* ---- the request -------------------------------------------------------------------------- */

/* Returns true if the ( at `at` is still open at `cursor`. */
static bool still_open(const char *code, size_t at, size_t cursor) {
    int depth = 0;
    for (size_t i = at; i < cursor; i++)
        depth += (code[i] == '(') - (code[i] == ')');
    return depth > 0;
}

/* Steps back over "<<<grid, block>>>" and "<float>", which may come between a name and its "(". */
static size_t before_arguments(const char *code, size_t to) {
    to = wb_trimmed(code, to, " ");
    int depth = 0;
    if (to > 2 && memcmp(code + to - 3, ">>>", 3) == 0) {
        for (to -= 3; to > 2 && memcmp(code + to - 3, "<<<", 3) != 0;)
            to--;
        to -= to > 2 ? 3 : to;
    }
    if (to > 0 && code[to - 1] == '>')
        do {
            to--;
            depth += (code[to] == '>') - (code[to] == '<');
        } while (to > 0 && depth > 0);
    return to;
}

/* Returns the name of the function or kernel whose parentheses hold the cursor. */
static wire_span call_at(const char *code, size_t len, size_t at) {
    size_t cursor = at < len ? at : len;
    for (size_t i = cursor; i > 0; i--)
        if (code[i - 1] == '(' && still_open(code, i - 1, cursor)) {
            size_t to = before_arguments(code, i - 1), from = wb_word_begin(code, to);
            return (wire_span){code + from, to - from};
        }
    return (wire_span){code + cursor, 0};
}

/* Returns the name around byte `at` of the code, percent signs included. */
static wire_span word_at(const char *code, size_t len, size_t at) {
    size_t from = at < len ? at : len, to = from, line = wb_line_begin(code, from);
    bool magic =
        line < len && code[line] == '%'; /* in a magic, a kernel's name has a dot: gemm.naive */
    while (from > 0 && (wb_word_part(code[from - 1]) || (magic && code[from - 1] == '.')))
        from--;
    while (to < len && (wb_word_part(code[to]) || (magic && code[to] == '.')))
        to++;
    while (from > 0 && code[from - 1] == '%' && (to > from))
        from--;
    return (wire_span){code + from, to - from};
}

/* Describes the object in "blockIdx.x", if it is one of CUDA's. */
static json_t *about_object(const cpp_place *place, const char *text, const char *member) {
    size_t end = (size_t)(member - 1 - text), len = end - wb_word_begin(text, end);
    const char *object = text + end - len;
    return words_find(object, len) ? inspect_name(place->live, object, len, false) : NULL;
}

/* Describes the name at the cursor, by clangd's answer or by our own lists. */
static json_t *about_word(const cpp_place *place, wire_span name, const char *text, bool source) {
    bool part = cpp_is_qualified(place, (size_t)(name.data - text));
    if (!part && words_find(name.data, name.len))
        return inspect_name(place->live, name.data, name.len, source);
    WB_SCOPED char *comment = NULL, *code = cpp_describe(place, &comment);
    const cuda_name *cuda = part ? NULL : cuda_api_find(name.data, name.len);
    WB_SCOPED char *call = wb_format(" %.*s(", (int)name.len, name.data);
    /* A variable of the user's may have the name of one of CUDA's functions. */
    bool theirs = cuda && code && strcmp(cuda->type, "function") == 0 && !strstr(code, call);
    bool inner = code && wb_begins(code, "// In "); /* of a function: not the notebook's */
    json_t *data =
        part || inner ? NULL : about_own(place->live, name.data, name.len, comment ? comment : "");
    if (!data && code && (!cuda || theirs))
        data = bundle(code, comment);
    return data   ? data
           : part ? about_object(place, text, name.data)
                  : inspect_name(place->live, name.data, name.len, source);
}

/* Describes the call whose parentheses hold the cursor. */
static json_t *about_call(const cpp_place *place, const char *text, bool source) {
    wire_span name = call_at(text, place->len, place->at);
    bool part = name.len && cpp_is_qualified(place, (size_t)(name.data - text));
    bool cuda = !part && name.len &&
                (words_find(name.data, name.len) || cuda_api_find(name.data, name.len));
    WB_SCOPED char *comment = NULL, *code = cuda ? NULL : cpp_signature(place, &comment);
    if (code)
        return bundle(code, comment ? comment : "");
    return name.len && !part ? inspect_name(place->live, name.data, name.len, source) : NULL;
}

void handle_inspect(request *r) {
    const char *text;
    size_t len, at;
    if (!code_asked_about(r, &text, &len, &at))
        return;
    cpp_place place = cpp_read(&cells_of(r->kernel)->live, text, len, at);
    bool source = wb_field_int(r->message->content, "detail_level") >= 1;
    wire_span name = word_at(text, len, at);
    json_t *data = NULL;
    if (place.usable && name.len && *name.data != '%')
        data = about_word(&place, name, text, source);
    else if (name.len)
        data = inspect_name(place.live, name.data, name.len, source);
    /* In `a %name` the percent sign is an operator. */
    if (!data && name.len > 1 && *name.data == '%')
        data = inspect_name(place.live, name.data + 1, name.len - 1, source);
    /* In "cudaMemcpy(a" describe the call: a is unknown. */
    if (!data && place.usable)
        data = about_call(&place, text, source);
    cpp_free(&place);
    bool found = data != NULL;
    reply(r,
          json_pack("{s:s, s:b, s:o, s:{}}", "status", "ok", "found", found, "data",
                    found ? data : json_object(), "metadata"),
          NULL);
}
