/* report.c: the result of one submission, as data and as JSON. */
#include "grader/report/report.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

enum { MAX_TEXT = 4000 };

const char *const gr_status_names[] = {"", N_("passed"), N_("partial"), N_("failed"), "error"};

static gr_status status_of(double score, double max) {
    return score >= max - 1e-9 ? GR_PASSED : score > 1e-9 ? GR_PARTIAL : GR_FAILED;
}

/* Decodes the code point at p, which is valid UTF-8, and its length in bytes. */
static uint32_t code_point(const char *p, size_t *bytes) {
    const unsigned char *s = (const unsigned char *)p;
    *bytes = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t c = *bytes == 1 ? s[0] : s[0] & (0x7fu >> *bytes);
    for (size_t i = 1; i < *bytes; i++)
        c = c << 6 | (s[i] & 0x3f);
    return c;
}

/* Returns true for characters that move a terminal's cursor, change its state or the text's
 * direction, or break a line invisibly. These are Unicode's Cc, its line ends, and the
 * bidirectional controls of UAX 9. */
static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200e && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* Appends valid UTF-8 with a picture for each control character, except those in `kept`. */
static void add_visible(wb_buf *out, const char *text, size_t len, const char *kept) {
    for (size_t i = 0, n; i < len; i += n) {
        uint32_t c = code_point(text + i, &n);
        if (c == '\r' && text[i + 1] == '\n' && strchr(kept, '\n'))
            continue;
        if (!is_control(c) || (c && c < 0x20 && strchr(kept, (int)c)))
            wb_buf_append(out, text + i, n);
        else if (c < 0x20 || c == 0x7f) /* their pictures begin at U+2400 */
            wb_buf_append(out, (char[]){'\xe2', '\x90', (char)(c < 0x20 ? 0x80 + c : 0xa1)}, 3);
        else
            wb_buf_puts(out, "\xef\xbf\xbd");
    }
}

static char *make_valid(char *text, size_t max, const char *kept) {
    WB_SCOPED_BUF wb_buf out = {0}, valid = {0};
    char carry[4];
    size_t carry_len = 0, len = text ? strlen(text) : 0;
    wb_utf8_decode(&valid, carry, &carry_len, text ? text : "", len < max ? len : max, true);
    wb_buf_puts(&valid, "");
    add_visible(&out, valid.data ? valid.data : "", valid.len, kept);
    if (len > max)
        wb_buf_printf(&out, _("%s... (%zu bytes more)"), strchr(kept, '\n') ? "\n" : "", len - max);
    free(text);
    return wb_buf_steal(&out);
}

char *gr_valid_text(char *text, size_t max) {
    return make_valid(text, max, "\n\t");
}

char *gr_valid_name(char *name, size_t max) {
    return make_valid(name, max, "");
}

/* Makes the texts of the findings safe for a terminal. Takes the findings over. */
static json_t *make_visible(json_t *findings) {
    json_t *finding;
    size_t i;
    json_array_foreach(findings, i, finding) {
        WB_SCOPED char *text = gr_valid_text(strdup(wb_field_text(finding, "text")), MAX_TEXT);
        json_object_set_new(finding, "text", json_string(text ? text : ""));
    }
    return findings ? findings : json_array();
}

bool gr_report_add(gr_report *r, const char *name, const char *about, double score, double max,
                   json_t *findings, bool hidden, bool performance) {
    gr_item *item = WB_PUSH(r->items, r->n_items);
    if (!item) {
        json_decref(findings);
        return false;
    }
    *item = (gr_item){.name = strdup(name),
                      .about = strdup(about ? about : ""),
                      .score = score,
                      .max = max,
                      .status = status_of(score, max),
                      .findings = make_visible(findings),
                      .hidden = hidden,
                      .performance = performance};
    item->output = gr_valid_text(wb_findings_text(item->findings), MAX_TEXT);
    return true;
}

void gr_report_message(gr_report *r, const json_t *finding) {
    json_t *copy = json_copy((json_t *)finding);
    r->findings = make_visible(copy ? json_pack("[o]", copy) : NULL);
    r->message = strdup(wb_field_text(json_array_get(r->findings, 0), "text"));
}

void gr_report_finish(gr_report *r) {
    r->score = 0;
    for (size_t i = 0; i < r->n_items; i++)
        r->score += r->items[i].score;
    if (!r->status)
        r->status = status_of(r->score, r->max_score);
}

bool gr_report_failed(const gr_report *r) {
    for (size_t i = 0; i < r->n_items; i++)
        if (!r->items[i].performance && r->items[i].status != GR_PASSED)
            return true;
    return *r->message || r->n_items == 0;
}

void gr_report_free(gr_report *r) {
    for (size_t i = 0; i < r->n_items; i++) {
        WB_FREE(r->items[i].name, r->items[i].about, r->items[i].output);
        json_decref(r->items[i].findings);
    }
    WB_FREE(r->items, r->submission, r->lab, r->title, r->message, r->printed);
    WB_JSON_FREE(r->findings, r->measured);
    *r = (gr_report){.submission = NULL};
}

double gr_rounded(double x) {
    return (double)(long long)(x * 1000 + (x < 0 ? -0.5 : 0.5)) / 1000;
}

json_t *gr_report_json(const gr_report *r) {
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)r->seed);
    json_t *tests = json_array();
    for (size_t i = 0; i < r->n_items; i++) {
        const gr_item *item = &r->items[i];
        json_array_append_new(tests, wb_json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:b, s:s, s:O?}",
                                                  "name", item->name, "about", item->about, "score",
                                                  gr_rounded(item->score), "max_score", item->max,
                                                  "status", gr_status_names[item->status], "output",
                                                  item->output, "hidden", item->hidden, "kind",
                                                  item->performance ? "performance" : "test",
                                                  "findings", item->findings));
    }
    return wb_json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:b, s:f, s:f, s:s, s:s, s:s, s:s, s:f, s:O?, s:o, s:O*}",
        "submission", r->submission, "lab", r->lab, "title", r->title, "device", r->device, "gpu",
        r->gpu, "sandboxed", r->sandboxed, "score", gr_rounded(r->score), "max_score", r->max_score,
        "status", gr_status_names[r->status], "seed", seed, "message", r->message, "printed",
        r->printed, "seconds", gr_rounded(r->seconds), "findings", r->findings, "tests", tests,
        "measured", r->measured);
}

void gr_write_json(const gr_report *reports, size_t n, wb_buf *out) {
    json_t *all = n == 1 ? gr_report_json(&reports[0]) : json_array();
    for (size_t i = 0; n != 1 && i < n; i++)
        json_array_append_new(all, gr_report_json(&reports[i]));
    WB_SCOPED char *text = wb_json_dump(all, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    wb_buf_printf(out, "%s\n", text ? text : "null");
}
