/* output.c: shows a comparison on a terminal, as one document, or as events while it runs. */
#include "runtime/compare/comparison.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"
#include "runtime/measure/chart.h"

void comparison_print(json_t *event) {
    wb_json_say(event, JSON_COMPACT, stdout);
}

/* Sends the picture for --stage, with its text. */
void comparison_send_stage(comparison *c, const char *words) {
    view_label names[MOST_NAMES];
    for (size_t i = 0; i < c->n_words; i++) {
        bool own = user_is(c->words[i]);
        const char *name = own ? comparison_user_label(c, c->words[i]) : c->words[i];
        names[i] = (view_label){own ? NULL : name, c->labels[i] ? c->labels[i] : name};
    }
    free(c->said);
    c->said = words ? strdup(words) : stage_words(&c->view);
    comparison_print(json_pack("{s:s, s:s, s:b, s:o}", "event", "chart", "id", "stage", "update",
                               c->chart_sent, "data",
                               stage_bundle(&c->view, names, c->n_words, c->said, c->before)));
    c->chart_sent = true;
}

static void send_chart(comparison *c, view_what what) {
    wb_chart chart;
    char subtitle[300];
    if (!view_chart(&c->view, what, subtitle, &chart))
        return;
    comparison_print(json_pack(
        "{s:s, s:s, s:b, s:o}", "event", "chart", "id", what == VIEW_TIMES ? "times" : "traffic",
        "update", what == VIEW_TIMES && c->chart_sent, "data", wb_chart_bundle(&chart)));
    c->chart_sent |= what == VIEW_TIMES;
    free((void *)chart.rows);
}

void comparison_progress(comparison *c) {
    double now = wb_now();
    if (c->stage && c->form == FORM_STREAM) {
        char *words = stage_words(&c->view);
        if (!c->view.ended && words && (!c->said || strcmp(words, c->said) != 0))
            comparison_send_stage(c, NULL);
        free(words);
        return;
    }
    if (now - c->shown < 0.25 || c->view.n_sizes == 0)
        return;
    c->shown = now;
    const char *size = c->view.sizes[c->view.n_sizes - 1].text;
    if (c->form == FORM_STREAM) {
        comparison_print(json_pack("{s:s, s:f, s:s}", "event", "progress", "done", c->view.done,
                                   "text", size ? size : ""));
        if (!c->check)
            send_chart(c, VIEW_TIMES);
    } else if (c->on_terminal) {
        fprintf(stderr, "\r\033[K%s: %.0f %%", size ? size : "", 100 * c->view.done);
    }
}

static void print_chart(const comparison *c, view_what what) {
    wb_chart chart;
    char subtitle[300];
    if (!view_chart(&c->view, what, subtitle, &chart))
        return;
    char *text = wb_chart_text(&chart, 100);
    printf("\n%s", text ? text : "");
    WB_FREE(text, (void *)chart.rows);
}

bool comparison_write_svg(const comparison *c, wb_error *err) {
    wb_chart chart;
    char subtitle[300];
    if (c->stage) {
        char *picture = stage_picture(&c->view, c->before);
        bool done = picture && wb_file_write(c->svg, picture, strlen(picture), err);
        free(picture);
        return done;
    }
    if (!view_chart(&c->view, VIEW_TIMES, subtitle, &chart))
        return wb_fail(err, 1, _("out of memory"));
    char *svg = wb_chart_svg(&chart);
    bool ok = svg && wb_file_write(c->svg, svg, strlen(svg), err);
    WB_FREE(svg, (void *)chart.rows);
    return ok;
}

/* Sends the table, if it is wanted, and the document. */
static void send_result(const comparison *c, bool table) {
    if (table) {
        WB_SCOPED char *text = view_table_text(&c->view), *html = view_table_html(&c->view);
        comparison_print(json_pack("{s:s, s:{s:s, s:s}}", "event", "table", "data", "text/html",
                                   html ? html : "", "text/plain", text ? text : ""));
    }
    comparison_print(
        json_pack("{s:s, s:o}", "event", "result", "document", view_document(&c->view)));
}

/* Sends the picture, the state for the next run, and the table if something failed. */
static void show_stage(comparison *c) {
    WB_SCOPED char *state = stage_state(&c->view, c->before);
    comparison_send_stage(c, NULL);
    comparison_print(json_pack("{s:s, s:s?}", "event", "stage", "state", state));
    send_result(c, stage_went_wrong(&c->view));
}

void comparison_show(comparison *c) {
    if (c->stage && c->form == FORM_STREAM) {
        show_stage(c);
        return;
    }
    if (c->on_terminal && c->form == FORM_TABLE)
        fprintf(stderr, "\r\033[K");
    if (c->form == FORM_JSON) {
        wb_json_say(view_document(&c->view), JSON_INDENT(1), stdout);
        return;
    }
    if (c->form == FORM_STREAM) {
        if (!c->check) {
            send_chart(c, VIEW_TIMES);
            send_chart(c, VIEW_TRAFFIC);
        }
        send_result(c, true);
    } else {
        WB_SCOPED char *text = view_table_text(&c->view);
        printf("%s", text ? text : "");
        for (int what = VIEW_TIMES; what <= VIEW_TRAFFIC && !c->check; what++)
            print_chart(c, (view_what)what);
    }
}
