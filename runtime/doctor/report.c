/* report.c: the list of checks, as a table and as JSON. */
#include "runtime/doctor/report.h"
#include "runtime/base/language.h"
#include "runtime/json/json.h"

static const char *const status_words[] = {"found", "optional", "missing"};

void report_add(report *r, const char *group, const char *name, report_status status,
                const char *fix, const char *detail, ...) {
    report_check *check = WB_PUSH(r->checks, r->count);
    if (!check)
        return;
    char text[2000];
    WB_FORMAT_INTO(text, detail);
    *check = (report_check){group, name, status, strdup(text), fix ? strdup(fix) : NULL};
}

size_t report_missing(const report *r) {
    size_t missing = 0;
    for (size_t i = 0; i < r->count; i++)
        missing += r->checks[i].status == REPORT_MISSING;
    return missing;
}

/* Pads the text to the width that a terminal shows. */
static void put(FILE *out, const char *text, int width) {
    int pad = width - (int)wb_utf8_width(text, strlen(text));
    fprintf(out, "%s%*s ", text, pad > 0 ? pad : 0, "");
}

void report_print(const report *r, FILE *out) {
    static const char *const marks[] = {N_("ok"), "--", N_("MISSING")};
    const char *group = "";
    for (size_t i = 0; i < r->count; i++) {
        const report_check *c = &r->checks[i];
        if (strcmp(group, c->group) != 0)
            fprintf(out, "%s%s\n", i ? "\n" : "", wb_tr(c->group));
        group = c->group;
        fprintf(out, "  ");
        put(out, wb_tr(marks[c->status]), 8);
        put(out, wb_tr(c->name), 14);
        fprintf(out, "%s\n", c->detail ? c->detail : "");
        if (c->fix)
            fprintf(out, _("  %-8s %-14s fix: %s\n"), "", "", c->fix);
    }
    size_t missing = report_missing(r);
    if (missing)
        fprintf(out,
                _("\n%zu thing%s that Warpbook needs %s missing; the commands above fix that.\n"),
                missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
    else
        fprintf(out, _("\nWarpbook has everything it needs here.\n"));
}

json_t *report_json(const report *r) {
    json_t *checks = json_array();
    for (size_t i = 0; i < r->count; i++) {
        const report_check *c = &r->checks[i];
        json_t *entry =
            wb_json_pack("{s:s, s:s, s:s, s:s?, s:s?}", "group", c->group, "name", c->name,
                         "status", status_words[c->status], "detail", c->detail, "fix", c->fix);
        json_array_append_new(checks, entry);
    }
    return wb_json_pack("{s:b, s:o}", "ok", report_missing(r) == 0, "checks", checks);
}

void report_free(report *r) {
    for (size_t i = 0; i < r->count; i++)
        WB_FREE(r->checks[i].detail, r->checks[i].fix);
    free(r->checks);
    memset(r, 0, sizeof *r);
}
