/* warpbook-check: reads a request as JSON on stdin, and writes a line of JSON for each check.
 *
 *   {"checks": [{"job": {...}, "same": true,
 *      "runs": [{"run": 0, "values": 0, "output": "FILE", "expected": "FILE"}, ...]}]}
 *   {"index": 0, "passed": false, "unrepeatable": false, "wrong": 3, "total": 4096, "worst": 0.2,
 *    "array": "out", "text": "...", "cause": "edges", "guess": true, "hint": "..."}
 *
 * A run may have other values than the job. "output" is the submission's result for its inputs,
 * "expected" the reference's. "same": all outputs come from the same inputs and must be equal to
 * the bit. */
#include "grader/check/check.h"
#include "grader/job/map.h"
#include "runtime/json/json.h"

/* Adds the kind of values to the sentence if it is not the job's. */
static void name_values(const gr_job *job, gr_values values, gr_verdict *verdict) {
    char head[80];
    snprintf(head, sizeof head, _("where the inputs are of the kind \"%s\": "), job->sets[values]);
    size_t n = strlen(head), room = sizeof verdict->text - n - 1;
    size_t length = strnlen(verdict->text, room);
    memmove(verdict->text + n, verdict->text, length);
    memcpy(verdict->text, head, n);
    verdict->text[n + length] = '\0';
}

static bool check_one(const json_t *request, gr_verdict *verdict, wb_error *err) {
    gr_job job;
    const json_t *runs = json_object_get(request, "runs");
    bool same = wb_field_true(request, "same");
    if (!gr_job_load(json_object_get(request, "job"), &job, err))
        return false;
    gr_map first = {NULL, 0};
    bool ok = json_array_size(runs) > 0;
    if (!ok)
        wb_fail(err, 1, _("the request names no outputs"));
    *verdict = (gr_verdict){.passed = true};
    for (size_t i = 0; ok && verdict->passed && i < json_array_size(runs); i++) {
        gr_map data = {NULL, 0}, expected = {NULL, 0};
        const json_t *entry = json_array_get(runs, i);
        gr_values values = (gr_values)wb_field_int(entry, "values");
        uint32_t run = (uint32_t)wb_field_int(entry, "run");
        gr_job with = gr_job_with(&job, values);
        double worst = verdict->worst;
        ok = (gr_job_has(&job, values) || wb_fail(err, 1, _("the request is not the grader's"))) &&
             gr_map_open(wb_field_text(entry, "output"), &data, err) &&
             gr_map_open(wb_field_text(entry, "expected"), &expected, err) &&
             gr_check(&with, run, data.data, data.len, (gr_given){expected.data, expected.len},
                      verdict, err);
        gr_map_close(&expected);
        if (ok && !verdict->passed && values != job.values)
            name_values(&job, values, verdict);
        verdict->worst = worst > verdict->worst ? worst : verdict->worst;
        if (ok && verdict->passed && i > 0 && same &&
            (first.len != data.len || memcmp(first.data, data.data, data.len) != 0)) {
            verdict->passed = false;
            verdict->unrepeatable = true;
            snprintf(verdict->text, sizeof verdict->text,
                     _("the same input gave other bits the second time: threads race, or "
                       "something is read before it was written"));
        }
        if (i == 0)
            first = data;
        else
            gr_map_close(&data);
    }
    gr_map_close(&first);
    return ok;
}

int main(void) {
    WB_SCOPED_JSON json_t *request = json_loadf(stdin, 0, NULL);
    const json_t *checks = json_object_get(request, "checks");
    if (!json_is_array(checks)) {
        fprintf(stderr, "warpbook-check: reads a request of `warpbook grade` on stdin\n");
        return 2;
    }
    for (size_t i = 0; i < json_array_size(checks); i++) {
        gr_verdict verdict = {0};
        wb_error err = {0};
        bool ok = check_one(json_array_get(checks, i), &verdict, &err);
        const gr_cause_words *cause = &gr_causes[verdict.cause];
        json_t *line = wb_json_pack(
            "{s:I, s:b, s:b, s:I, s:I, s:f, s:s, s:s, s:s, s:b, s:s, s:s}", "index", (json_int_t)i,
            "passed", ok && verdict.passed, "unrepeatable", verdict.unrepeatable, "wrong",
            (json_int_t)verdict.wrong, "total", (json_int_t)verdict.total, "worst", verdict.worst,
            "array", verdict.array, "text", verdict.text, "cause", cause->name, "guess",
            cause->guess, "hint", wb_tr(cause->words), "error", ok ? "" : err.text);
        wb_json_say(line, JSON_COMPACT, stdout);
    }
    return 0;
}
