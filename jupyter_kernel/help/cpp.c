/* cpp.c: see cpp.h. */
#include "jupyter_kernel/help/cpp.h"

#include <ctype.h>

#include "jupyter_kernel/execution/cell.h"
#include "jupyter_kernel/help/clangd.h"
#include "jupyter_kernel/magics/magics.h"
#include "runtime/base/words.h"
#include "runtime/base/scoped.h"
#include "runtime/cells/outline.h"
#include "runtime/json/fields.h"
#include "runtime/json/json.h"

/* ---- the cursor ------------------------------------------------------------------------------ */

/* Returns true if the lines below the magic are C++. */
static bool takes_code(const cell_part *part) {
    const magic *m = magics_find(part->text, wb_word_within(part->text, part->len));
    return m && m->run != magic_bash && m->run != magic_writefile;
}

static void blank(char *from, const char *to) {
    for (; from < to; from++)
        *from = *from == '\n' ? '\n' : ' ';
}

cpp_place cpp_read(live *l, const char *code, size_t len, size_t at) {
    double until = wb_now() + wb_setting_seconds("WARPBOOK_TEST_CLANGD_WAIT", 0.3);
    cpp_place place = {l, wb_format("%.*s", (int)len, code), len, at, true, until};
    SCOPED_PARTS cell_parts parts = {0};
    if (!place.code || strlen(place.code) != len ||
        !cell_split(code, len, magics_is_line, &parts)) {
        place.usable = false;
        return place;
    }
    for (size_t i = 0; i < parts.n; i++) {
        const cell_part *part = &parts.part[i];
        size_t from = (size_t)(part->text - code), to = from + part->len;
        if (part->kind == CELL_CODE)
            continue;
        if (part->kind == CELL_WHOLE)
            to = takes_code(part) ? (size_t)(part->body - code) : len;
        from = wb_line_begin(code, from);
        place.usable &= at < from || at > to || (at == to && part->kind == CELL_WHOLE && to < len);
        blank(place.code + from, place.code + to);
    }
    for (char *p = place.code; (p = strchr(p, '\r')) != NULL;)
        *p = ' ';
    place.usable &= !wb_outline_in_text(place.code, len, at);
    return place;
}

void cpp_free(cpp_place *place) {
    free(place->code);
    place->code = NULL;
}

bool cpp_in_include(const cpp_place *place, size_t *from) {
    size_t line = wb_line_begin(place->code, place->at);
    size_t first = line + strspn(place->code + line, " \t");
    size_t name = first + strcspn(place->code + first, "<\"\n");
    if (!wb_begins(place->code + first, "#include") || name >= place->at)
        return false;
    for (*from = place->at; !strchr("</\"", place->code[*from - 1]);)
        --*from;
    return true;
}

bool cpp_is_qualified(const cpp_place *place, size_t from) {
    const char *p = place->code + from;
    return (from > 0 && p[-1] == '.') ||
           (from > 1 && (memcmp(p - 2, "->", 2) == 0 || memcmp(p - 2, "::", 2) == 0));
}

/* ---- questions ------------------------------------------------------------------------------- */

static json_t *ask(const cpp_place *place, const char *method, bool whole) {
    wb_session *session = live_peek(place->live);
    WB_SCOPED_JSON json_t *outline = session ? wb_session_outline(session) : json_array();
    WB_SCOPED_BUF wb_buf file = {0};
    json_t *answer = NULL;
    size_t at = wb_outline_file(outline, place->code, place->len, place->at, whole, &file);
    if (at != SIZE_MAX && pthread_mutex_trylock(&place->live->opening) == 0) {
        answer = clangd_ask(method, &file, at, place->live->flags.v, place->until);
        pthread_mutex_unlock(&place->live->opening);
    }
    return answer;
}

/* Returns the word for a kind of the protocol (CompletionItemKind); NULL: no completion. */
static const char *kind_name(json_int_t kind) {
    static const char *const names[] = {
        NULL,       NULL,    "function", "function", "function", "variable", "variable",
        "class",    "class", "module",   "property", NULL,       NULL,       "enum",
        "keyword",  NULL,    NULL,       "file",     "macro",    "folder",   "enumerator",
        "constant", "class", NULL,       "function", "type"};
    return kind > 0 && kind < (json_int_t)WB_COUNT(names) ? names[kind] : NULL;
}

bool cpp_complete(const cpp_place *place,
                  void (*offer)(void *ctx, const char *text, const char *type,
                                const char *signature),
                  void *ctx) {
    WB_SCOPED_JSON json_t *answer = ask(place, "textDocument/completion", false);
    const json_t *items = json_is_object(answer) ? json_object_get(answer, "items") : answer;
    bool known = json_is_array(items), any = json_array_size(items) == 0;
    WB_JSON_EACH(item, items) {
        const char *text = wb_field_text(item, "insertText"),
                   *detail = wb_field_text(item, "detail");
        const char *kind = kind_name(wb_field_int(item, "kind"));
        const char *label = wb_field_text(item, "label");
        any |= kind != NULL;
        WB_SCOPED char *signature =
            wb_format("%s%s%s", detail, *detail ? " " : "", label + strspn(label, " \u2022"));
        if (kind && *text && *text != '~' && !wb_begins(text, "operator"))
            offer(ctx, text, kind, signature ? signature : "");
    }
    return known && any; /* before it has read the headers it offers words, without a kind */
}

/* Returns clangd's text without what the declaration says, too: its kind, parameters, result. */
static char *tidy(const char *text, size_t len) {
    static const char *const said[] = {"### ",        "---", "\u2192 ",
                                       "Parameters:", "- `", "provided by "};
    wb_buf out = {0};
    for (const char *line = text, *end; line < text + len; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + len - line));
        end = end ? end : text + len;
        bool drop = end == line && (!out.len || wb_ends(out.data, "\n\n"));
        for (size_t i = 0; i < WB_COUNT(said); i++)
            drop |= wb_begins(line, said[i]);
        for (const char *p = line; !drop && p <= end; p++)
            if (*p != '\\' || !ispunct((unsigned char)p[1]))
                wb_buf_putc(&out, p < end ? *p : '\n');
    }
    while (out.len && isspace((unsigned char)out.data[out.len - 1]))
        out.data[--out.len] = '\0';
    return wb_buf_steal(&out);
}

char *cpp_describe(const cpp_place *place, char **words) {
    static const char fence[] = "```cpp\n", ours[] = "// In __wb_";
    WB_SCOPED_JSON json_t *answer = ask(place, "textDocument/hover", true);
    const char *text = wb_field_text(json_object_get(answer, "contents"), "value"), *code = NULL;
    for (const char *p = text; (p = strstr(p, fence)) != NULL; p += sizeof fence - 1)
        code = p + sizeof fence - 1;
    const char *end = code ? strstr(code, "\n```") : NULL;
    if (!end)
        return NULL;
    *words = tidy(text, (size_t)(code - text) - sizeof fence + 1);
    code = wb_begins(code, ours) ? strchr(code, '\n') + 1 : code;
    return wb_format("%.*s", (int)(end - code), code);
}

static const char *documentation(const json_t *signature) {
    const json_t *text = json_object_get(signature, "documentation");
    return json_is_string(text) ? json_string_value(text) : wb_field_text(text, "value");
}

char *cpp_signature(const cpp_place *place, char **words) {
    WB_SCOPED_JSON json_t *answer = ask(place, "textDocument/signatureHelp", false);
    WB_SCOPED_BUF wb_buf code = {0}, text = {0};
    WB_JSON_EACH(signature, json_object_get(answer, "signatures")) {
        wb_buf_printf(&code, "%s%s", code.len ? "\n" : "", wb_field_text(signature, "label"));
        if (!text.len)
            wb_buf_puts(&text, documentation(signature));
    }
    if (code.len == 0)
        return NULL;
    *words = wb_buf_steal(&text);
    return wb_buf_steal(&code);
}
