/* load.c: reads a report from its JSON in a gradebook. */
#include "grader/report/report.h"
#include "runtime/json/fields.h"

/* Returns GR_ERROR for an unknown status. */
static gr_status status_of(const json_t *object) {
    gr_status status = GR_PASSED;
    while (status < GR_ERROR &&
           strcmp(wb_field_text(object, "status"), gr_status_names[status]) != 0)
        status++;
    return status;
}

/* Returns the findings of an object. Reports of earlier versions have only their text. */
static json_t *findings_of(const json_t *object, const char *text) {
    json_t *findings = json_incref(json_object_get(object, "findings"));
    if (!json_is_array(findings)) {
        json_decref(findings);
        const char *said = wb_field_text(object, text);
        findings = *said ? json_pack("[o]", wb_finding(WB_FOUND_OTHER, said)) : json_array();
    }
    return findings;
}

bool gr_report_load(const char *text, gr_report *r, wb_error *err) {
    json_error_t why;
    WB_SCOPED_JSON json_t *json = json_loads(text, 0, &why);
    *r = (gr_report){.status = GR_UNKNOWN};
    if (!json_is_object(json))
        return wb_fail(err, 1, _("a result that is kept is no JSON: %s"), why.text);
    *r = (gr_report){.submission = strdup(wb_field_text(json, "submission")),
                     .lab = strdup(wb_field_text(json, "lab")),
                     .title = strdup(wb_field_text(json, "title")),
                     .gpu = json_is_true(json_object_get(json, "gpu")),
                     .sandboxed = json_is_true(json_object_get(json, "sandboxed")),
                     .seed = strtoull(wb_field_text(json, "seed"), NULL, 0),
                     .status = status_of(json),
                     .findings = findings_of(json, "message"),
                     .message = strdup(wb_field_text(json, "message")),
                     .printed = strdup(wb_field_text(json, "printed")),
                     .max_score = wb_field_number(json, "max_score"),
                     .seconds = wb_field_number(json, "seconds"),
                     .measured = json_incref(json_object_get(json, "measured"))};
    snprintf(r->device, sizeof r->device, "%s", wb_field_text(json, "device"));
    bool ok = r->submission && r->lab && r->title && r->message && r->printed;
    json_t *test;
    size_t i;
    json_array_foreach(json_object_get(json, "tests"), i, test) {
        bool performance = strcmp(wb_field_text(test, "kind"), "performance") == 0;
        ok = ok && gr_report_add(r, wb_field_text(test, "name"), wb_field_text(test, "about"),
                                 wb_field_number(test, "score"), wb_field_number(test, "max_score"),
                                 NULL, json_is_true(json_object_get(test, "hidden")), performance);
        if (!ok)
            break;
        gr_item *item = &r->items[r->n_items - 1];
        free(item->output); /* it was cut and made visible before it was stored */
        json_decref(item->findings);
        item->findings = findings_of(test, "output");
        item->output = strdup(wb_field_text(test, "output"));
        ok = item->output && item->name && item->about;
    }
    gr_report_finish(r);
    return ok || wb_fail(err, 1, _("out of memory"));
}
