/* points.c: tests and criteria become points, each with its reasons. */
#include "grader/score/points.h"
#include "grader/score/explain.h"
#include "grader/score/measure.h"
#include "grader/score/speed.h"

#include <stdlib.h>
#include <string.h>

static const char *reason_of(const gr_work *w, const gr_task *task) {
    return task->text ? task->text : w->message ? "not run" : "failed";
}

/* Nothing of it ran, and the submission's message says why: not to be said again for each test. */
static bool told_above(const gr_work *w, const gr_task *tasks, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (tasks[k].passed || tasks[k].text)
            return false;
    return w->message != NULL;
}

/* Why the failed cases did; one that failed as the one before it did is told with it. */
static char *reasons_of(const gr_work *w, const gr_task *tasks, size_t n) {
    wb_buf why = {0};
    const char *last = NULL;
    if (told_above(w, tasks, n))
        return strdup("");
    for (size_t k = 0; k < n; k++) {
        char sizes[200];
        if (tasks[k].passed)
            continue;
        const char *reason = reason_of(w, &tasks[k]);
        bool same = last && strcmp(last, reason) == 0;
        if (last && !same)
            wb_buf_printf(&why, ": %s\n", last);
        wb_buf_printf(&why, "%s%s", same ? "; " : "",
                      gr_job_describe(&tasks[k].job, sizes, sizeof sizes));
        last = reason;
    }
    if (last)
        wb_buf_printf(&why, ": %s", last);
    return wb_buf_steal(&why);
}

/* The test, when it is another one, that found a race or a read of what nobody had written, as a
 * missing barrier makes them; NULL: none did. */
static const char *cause_found(const gr_work *w, const gr_test *but) {
    size_t at = 0;
    for (size_t i = 0; i < w->lab->n_tests; at += w->lab->tests[i].n_cases, i++)
        for (size_t k = 0; &w->lab->tests[i] != but && k < w->lab->tests[i].n_cases; k++) {
            const char *text = w->tasks[at + k].text;
            if (text && (strncmp(text, "race at ", 8) == 0 ||
                         strncmp(text, "uninitialised read ", 19) == 0))
                return w->lab->tests[i].name;
        }
    return NULL;
}

/* A test's points are shared by its cases; every failed one is told, and of wrong results that
 * there is a race, which may be why. */
static void score_test(const gr_work *w, const gr_test *test, const gr_task *tasks, gr_report *r) {
    size_t passed = 0, wrong = 0;
    for (size_t k = 0; k < test->n_cases; k++) {
        passed += tasks[k].passed;
        wrong += tasks[k].ran && !tasks[k].passed;
    }
    char *why = reasons_of(w, tasks, test->n_cases);
    const char *cause = wrong ? cause_found(w, test) : NULL;
    if (cause && why) {
        char *more = wb_format("%s\nThe test \"%s\" names a cause: mend that first.", why, cause);
        free(why);
        why = more;
    }
    gr_report_add(r, test->name, test->about, test->points * (double)passed / (double)test->n_cases,
                  test->points, why, test->hidden, false);
}

static json_t *measured_counts(const gr_counts *c, double work, double minimum_bytes) {
    json_t *measured = json_object();
    for (int m = 0; m < GR_SPEED; m++)
        json_object_set_new(measured, gr_measure_names[m],
                            json_real(gr_measure_value((gr_measure)m, c, work, minimum_bytes)));
    return measured;
}

/* What holds the points of performance back, whatever was counted: part, and why (text). */
typedef struct held {
    double part;
    char *why;
} held;

/* A criterion's own reason, and what holds all of them back: in full with the first one. */
static char *with_reason(char *own, const held *h, bool first) {
    if (h->part >= 1)
        return own;
    char *all = first ? wb_format("%s%s%s", own, *own ? "\n" : "", h->why)
                      : wb_format("%s%sThis counts %.3g %%, as said above.", own, *own ? "\n" : "",
                                  100 * h->part);
    free(own);
    return all;
}

static void score_criterion(const gr_work *w, const gr_criterion *criterion, const gr_task *task,
                            gr_report *r, double work, double minimum_bytes, const held *h,
                            bool first) {
    double value, fraction = 0;
    bool rejected = false;
    char *why;
    if (told_above(w, task, 1)) {
        why = strdup("");
    } else if (!task->passed) {
        char sizes[200];
        why = first ? wb_format("Performance counts for right results only. %s: %s",
                                gr_job_describe(&task->job, sizes, sizeof sizes),
                                task->text ? task->text : "not run")
                    : strdup("Performance counts for right results only.");
    } else if (criterion->measure == GR_SPEED) {
        why = gr_explain_speed(criterion, task->time, minimum_bytes, &value, &rejected);
        fraction = rejected ? 0 : gr_fraction(criterion, value);
    } else {
        gr_counts counts = gr_counts_of(task->report);
        value = gr_measure_value(criterion->measure, &counts, work, minimum_bytes);
        why = with_reason(gr_explain(criterion, value, task->report), h, first);
        fraction = gr_fraction(criterion, value) * h->part;
    }
    gr_report_add(r, criterion->name, criterion->advice, criterion->points * fraction,
                  criterion->points, why, false, true);
}

void gr_points(const gr_work *w, gr_report *r) {
    const gr_lab *lab = w->lab;
    size_t at = 0;
    for (size_t i = 0; i < lab->n_tests; at += lab->tests[i].n_cases, i++)
        score_test(w, &lab->tests[i], &w->tasks[at], r);
    const gr_task *task = &w->tasks[at];
    const gr_performance *performance = r->gpu ? &lab->gpu : &lab->soft;
    double work = gr_job_formula(&task->job, lab->work),
           least = gr_job_formula(&task->job, lab->minimum_bytes);
    held h = {.part = 1, .why = NULL};
    if (task->passed && !r->gpu)
        h.part = gr_held_to(performance, task->report, work, least, &h.why);
    for (size_t i = 0; i < performance->n_criteria; i++)
        score_criterion(w, &performance->criteria[i], task, r, work, least, &h, i == 0);
    free(h.why);
    if (task->passed && json_is_object(task->time))
        r->measured = json_incref(task->time);
    else if (task->passed && json_is_object(task->report)) {
        gr_counts counts = gr_counts_of(task->report);
        r->measured = measured_counts(&counts, work, least);
    }
}
