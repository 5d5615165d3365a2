/* finding.c: the table of findings, and their lines for people. */
#include "runtime/json/finding.h"

static const struct {
    const char *name, *words;
} kinds[WB_FOUND_KINDS] = {
#define WB_KIND(constant, name, words) {name, words},
#include "runtime/json/kinds.inc"
};

json_t *wb_finding(wb_finding_kind kind, const char *text) {
    return wb_json_pack("{s:s, s:s}", "kind", kinds[kind].name, "text", text);
}

json_t *wb_finding_plain(wb_finding_kind kind) {
    return wb_finding(kind, wb_finding_words(kind));
}

json_t *wb_finding_add(json_t *findings, wb_finding_kind kind, const char *format, ...) {
    char *text = WB_FORMATTED(format);
    json_array_append_new(findings, wb_finding(kind, text ? text : ""));
    free(text);
    return json_array_get(findings, json_array_size(findings) - 1);
}

void wb_finding_locate(json_t *finding, const json_t *fault) {
    const char *file = wb_path_name(wb_field_text(fault, "file"));
    if (!json_is_object(fault))
        return;
    json_object_set(finding, "subject", json_object_get(fault, "kind"));
    json_object_set_new(finding, "file", wb_json_text(file, strlen(file)));
    json_object_set(finding, "line", json_object_get(fault, "line"));
}

wb_finding_kind wb_finding_of(const json_t *finding) {
    const char *name = wb_field_text(finding, "kind");
    for (int i = 0; i < WB_FOUND_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return (wb_finding_kind)i;
    return WB_FOUND_OTHER;
}

const char *wb_finding_words(wb_finding_kind kind) {
    return wb_tr(kinds[kind].words);
}

bool wb_finding_explains(const json_t *finding) {
    wb_finding_kind kind = wb_finding_of(finding);
    return kind == WB_FOUND_RACE || kind == WB_FOUND_UNINITIALISED;
}

bool wb_finding_alike(const json_t *a, const json_t *b, bool places) {
    static const char *const keys[] = {"kind", "subject", "cause", "name", "file"};
    for (size_t i = 0; i < WB_COUNT(keys) - !places; i++)
        if (strcmp(wb_field_text(a, keys[i]), wb_field_text(b, keys[i])) != 0)
            return false;
    return !places || wb_field_int(a, "line") == wb_field_int(b, "line");
}

/* Appends "n=3; n=5: ", "2 of 5 hidden sizes: " or a criterion's name. */
static void add_head(wb_buf *out, const json_t *finding) {
    const json_t *sizes = json_object_get(finding, "sizes");
    const char *name = wb_field_text(finding, "name");
    WB_JSON_EACH(size, sizes) {
        wb_buf_printf(out, "%s%s", size_at ? "; " : "", json_string_value(size));
    }
    if (!sizes && wb_field_int(finding, "of"))
        wb_buf_printf(out, _("%zu of %zu hidden sizes"), (size_t)wb_field_int(finding, "runs"),
                      (size_t)wb_field_int(finding, "of"));
    else if (*name)
        wb_buf_puts(out, wb_tr(name));
    else if (!sizes)
        return;
    wb_buf_puts(out, ": ");
}

char *wb_findings_text(const json_t *findings) {
    wb_buf out = {0};
    wb_finding_kind before = WB_FOUND_OTHER;
    WB_JSON_EACH(finding, findings) {
        wb_finding_kind kind = wb_finding_of(finding);
        bool longest = kind == WB_FOUND_LONGEST; /* belongs to the run whose time precedes it */
        const char *between = longest || before == WB_FOUND_RIGHT_FIRST ? " " : "\n";
        wb_buf_puts(&out, finding_at ? between : "");
        if (!longest)
            add_head(&out, finding);
        wb_buf_puts(&out, wb_field_text(finding, "text"));
        before = kind;
    }
    return wb_buf_steal(&out);
}
