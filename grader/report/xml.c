/* xml.c: JUnit XML, CSV, results.json for Gradescope, and notices for GitHub Classroom. */
#include "grader/report/report.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

static void add_case(wb_buf *out, const gr_report *r, const gr_item *item) {
    wb_buf_markupf(out, "    <testcase classname=\"%s\" name=\"%s\"", r->lab, item->name);
    if (item->status == GR_PASSED) {
        wb_buf_puts(out, "/>\n");
        return;
    }
    wb_buf_markupf(out,
                   ">\n      <failure message=\"%.4g of %.4g points\">%s</failure>\n"
                   "    </testcase>\n",
                   item->score, item->max, *item->output ? item->output : r->message);
}

void gr_write_junit(const gr_report *reports, size_t n, wb_buf *out) {
    wb_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < n; i++) {
        const gr_report *r = &reports[i];
        size_t failures = 0;
        bool error = r->status == GR_ERROR || r->n_items == 0;
        for (size_t k = 0; k < r->n_items; k++)
            failures += r->items[k].status != GR_PASSED;
        wb_buf_markupf(out,
                       "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" "
                       "time=\"%.3f\">\n",
                       r->submission, r->n_items + error, failures, error, r->seconds);
        for (size_t k = 0; k < r->n_items; k++)
            add_case(out, r, &r->items[k]);
        if (error)
            wb_buf_markupf(out,
                           "    <testcase classname=\"%s\" name=\"grading\"><error>%s</error>"
                           "</testcase>\n",
                           r->lab, r->message);
        wb_buf_puts(out, "  </testsuite>\n");
    }
    wb_buf_puts(out, "</testsuites>\n");
}

/* Puts a quote before a leading =, +, -, @, tab or line end: a spreadsheet must see no formula. */
void gr_csv_field(wb_buf *out, const char *text) {
    wb_buf_putc(out, '"');
    if (*text && strchr("=+-@\t\r\n", *text))
        wb_buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '"')
            wb_buf_putc(out, '"');
        wb_buf_putc(out, *text);
    }
    wb_buf_putc(out, '"');
}

void gr_write_csv(const gr_report *reports, size_t n, wb_buf *out) {
    wb_buf_puts(out, "submission,lab,device,score,max_score,status,seed,reasons\r\n");
    for (size_t i = 0; i < n; i++) {
        const gr_report *r = &reports[i];
        WB_SCOPED_BUF wb_buf reasons = {0};
        wb_buf_puts(&reasons, r->message);
        for (size_t k = 0; k < r->n_items; k++)
            if (*r->items[k].output)
                wb_buf_printf(&reasons, "%s%s: %s", reasons.len ? "\n" : "", r->items[k].name,
                              r->items[k].output);
        gr_csv_field(out, r->submission);
        wb_buf_putc(out, ',');
        gr_csv_field(out, r->lab);
        wb_buf_putc(out, ',');
        gr_csv_field(out, r->device);
        wb_buf_printf(out, ",%.10g,%.10g,%s,0x%016llx,", gr_rounded(r->score), r->max_score,
                      gr_status_names[r->status], (unsigned long long)r->seed);
        gr_csv_field(out, reasons.data ? reasons.data : "");
        wb_buf_puts(out, "\r\n");
    }
}

void gr_write_gradescope(const gr_report *reports, size_t n, wb_buf *out) {
    json_t *tests = json_array(), *board = json_array();
    const gr_report *r = &reports[0];
    if (n == 0)
        return;
    for (size_t k = 0; k < r->n_items; k++) {
        const gr_item *item = &r->items[k];
        char number[32];
        snprintf(number, sizeof number, "%zu", k + 1);
        json_array_append_new(
            tests,
            wb_json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:[s], s:s}", "name", item->name,
                         "number", number, "score", item->score, "max_score", item->max, "status",
                         item->status == GR_PASSED ? "passed" : "failed", "output", item->output,
                         "output_format", "text", "tags",
                         item->performance ? "performance" : "correctness", "visibility",
                         item->hidden ? "after_due_date" : "visible"));
    }
    json_array_append_new(board, wb_json_pack("{s:s, s:f, s:s}", "name", "score", "value", r->score,
                                              "order", "desc"));
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)r->seed);
    json_t *all = wb_json_pack(
        "{s:f, s:f, s:s, s:s, s:s, s:s, s:{s:s, s:s, s:s, s:b}, s:o, s:o}", "score", r->score,
        "execution_time", r->seconds, "output", r->message, "output_format", "text", "visibility",
        "visible", "stdout_visibility", "hidden", "extra_data", "lab", r->lab, "device", r->device,
        "seed", seed, "sandboxed", r->sandboxed, "tests", tests, "leaderboard", board);
    WB_SCOPED char *text = wb_json_dump(all, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    wb_buf_printf(out, "%s\n", text ? text : "null");
}

/* Breaks workflow commands ("::notice", "##[error]") in the submission's text. */
static void add_harmless(wb_buf *out, const char *text) {
    for (; *text; text++) {
        if (text[0] == ':' && text[1] == ':')
            wb_buf_puts(out, ": ");
        else if (text[0] == '#' && text[1] == '[')
            wb_buf_puts(out, "# ");
        else
            wb_buf_putc(out, *text);
    }
}

void gr_write_classroom(const gr_report *reports, size_t n, wb_buf *out) {
    WB_SCOPED_BUF wb_buf table = {0};
    gr_write_table(reports, n, &table);
    add_harmless(out, table.data ? table.data : "");
    if (n == 0 || reports[0].status == GR_ERROR)
        return; /* a failure of the machine must not count as 0 points */
    double score = gr_rounded(reports[0].score), max = reports[0].max_score;
    wb_buf_printf(out, "::notice title=Autograding complete::Points %.10g/%.10g\n", score, max);
    wb_buf_printf(
        out, "::notice title=Autograding report::{\"totalPoints\":%.10g,\"maxPoints\":%.10g}\n",
        score, max);
}
