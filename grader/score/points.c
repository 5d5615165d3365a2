/* points.c: tests and criteria become points, each with its reasons. */
#include "grader/score/points.h"
#include "runtime/base/language.h"
#include "grader/score/explain.h"
#include "grader/score/measure.h"
#include "grader/score/modelled.h"
#include "grader/score/speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *reason_of(const gr_work *w, const gr_task *task) {
    return task->text ? task->text : w->message ? wb_tr("not run") : "failed";
}

/* Nothing of it ran, and the submission's message says why: not to be said again for each test. */
static bool told_above(const gr_work *w, const gr_task *tasks, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (tasks[k].passed || tasks[k].text)
            return false;
    return w->message != NULL;
}

/* Why the failed cases did; those that failed as the one before them did are told with it, by their
 * sizes or, where these are hidden, by how many they are. */
static char *reasons_of(const gr_work *w, const gr_test *test, const gr_task *tasks) {
    wb_buf why = {0};
    size_t k = 0, n = test->n_cases;
    if (told_above(w, tasks, n))
        return strdup("");
    while (k < n) {
        char sizes[200];
        size_t alike = 0;
        const char *reason = reason_of(w, &tasks[k]);
        if (tasks[k].passed) {
            k++;
            continue;
        }
        wb_buf_puts(&why, why.len ? "\n" : "");
        for (; k < n && (tasks[k].passed || strcmp(reason_of(w, &tasks[k]), reason) == 0); k++) {
            alike += !tasks[k].passed;
            if (!tasks[k].passed && !test->hidden)
                wb_buf_printf(&why, "%s%s", alike > 1 ? "; " : "",
                              gr_job_describe(&tasks[k].job, sizes, sizeof sizes));
        }
        if (test->hidden)
            wb_buf_printf(&why, "%zu of %zu hidden sizes", alike, n);
        wb_buf_printf(&why, ": %s", reason);
    }
    return wb_buf_steal(&why);
}

/* softgpu's words for a fault begin with its kind and go on with the place. */
static bool is_of_kind(const char *text, const char *kind) {
    size_t n = strlen(kind);
    const char *place = wb_tr(" at %s:%u");
    return strncmp(text, kind, n) == 0 && strncmp(text + n, place, strcspn(place, "%")) == 0;
}

static bool is_cause(const char *text) {
    return is_of_kind(text, wb_tr("race")) || is_of_kind(text, wb_tr("uninitialised read"));
}

/* The test, when it is another one, that found a race or a read of what nobody had written, as a
 * missing barrier makes them; NULL: none did. */
static const char *cause_found(const gr_work *w, const gr_test *but) {
    size_t at = 0;
    const char *found = NULL;
    for (size_t i = 0; i < w->lab->n_tests; at += w->lab->tests[i].n_cases, i++)
        for (size_t k = 0; &w->lab->tests[i] != but && k < w->lab->tests[i].n_cases; k++) {
            const char *text = w->tasks[at + k].text;
            if (text && is_cause(text) &&
                (!found || w->lab->tests[i].races)) /* best the test that is for it */
                found = w->lab->tests[i].name;
        }
    return found;
}

/* A test for races whose cases ran to their end, and whose results are wrong for another reason. */
static bool wrong_without_race(const gr_test *test, const gr_task *tasks) {
    bool ran = false;
    for (size_t k = 0; k < test->n_cases; k++) {
        if (tasks[k].text && is_cause(tasks[k].text))
            return false;
        ran |= tasks[k].ran && !tasks[k].passed;
    }
    return test->races && ran;
}

/* The reasons, and more. Frees them; malloc'd. */
static char *with_more(char *why, const char *more) {
    char *all = wb_format("%s%s%s", why, *why ? "\n" : "", more);
    free(why);
    return all;
}

/* A test's points are shared by its cases; every failed one is told, and of wrong results that
 * there is a race, which may be why. */
static void score_test(const gr_work *w, const gr_test *test, const gr_task *tasks, gr_report *r) {
    size_t passed = 0, wrong = 0;
    for (size_t k = 0; k < test->n_cases; k++) {
        passed += tasks[k].passed;
        wrong += tasks[k].ran && !tasks[k].passed;
    }
    char *why = reasons_of(w, test, tasks);
    const char *cause = wrong ? cause_found(w, test) : NULL;
    if (cause && why) {
        char *first = wb_format("The test \"%s\" names a cause: mend that first.", wb_tr(cause));
        why = with_more(why, first);
        free(first);
    } else if (why && wrong_without_race(test, tasks)) {
        why = with_more(why, wb_tr("No race was found: these points need a right result as well."));
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

/* ---- performance ----------------------------------------------------------------------------- */

/* The runs of performance; counts are those of the first. */
typedef struct trial {
    const gr_work *work;
    const gr_performance *performance;
    const gr_task *tasks;
    size_t n;
    double units, minimum_bytes; /* of the first: the lab's formulas */
    /* what holds all points back, whatever was counted: the part that is left, and why */
    double part;
    char *why;
} trial;

/* The first run that is not right, or NULL. */
static const gr_task *failed_run(const trial *t) {
    for (size_t i = 0; i < t->n; i++)
        if (!t->tasks[i].passed)
            return &t->tasks[i];
    return NULL;
}

/* A criterion's own reason, and what holds all of them back: in full with the first one. */
static char *with_reason(char *own, const trial *t, bool first) {
    if (t->part >= 1)
        return own;
    char *all = first ? wb_format("%s%s%s", own, *own ? "\n" : "", t->why)
                      : wb_format("%s%sThis counts %.3g %%, as said above.", own, *own ? "\n" : "",
                                  100 * t->part);
    free(own);
    return all;
}

static double counted(const trial *t, const gr_criterion *criterion, bool first, char **why) {
    gr_counts counts = gr_counts_of(t->tasks[0].report);
    double value = gr_measure_value(criterion->measure, &counts, t->units, t->minimum_bytes);
    *why = with_reason(gr_explain(criterion, value, t->tasks[0].report), t, first);
    return gr_fraction(criterion, value) * t->part;
}

/* A GPU's times of all runs; one that can't be true earns nothing for any. */
static double timed(const trial *t, const gr_criterion *criterion, char **why) {
    wb_buf b = {0};
    double sum = 0;
    bool all = true;
    for (size_t i = 0; i < t->n; i++) {
        char sizes[200];
        double value;
        bool rejected;
        const gr_task *task = &t->tasks[i];
        char *text =
            gr_explain_speed(criterion, task->time, task->minimum_bytes, &value, &rejected);
        wb_buf_printf(&b, "%s%s%s%s", i ? "\n" : "",
                      t->n > 1 ? gr_job_describe(&task->job, sizes, sizeof sizes) : "",
                      t->n > 1 ? ": " : "", text);
        all &= !rejected;
        sum += log(value);
        free(text);
    }
    *why = wb_buf_steal(&b);
    return all ? gr_fraction(criterion, exp(sum / (double)t->n)) : 0;
}

static void add_reasons(const trial *t, wb_buf *b) {
    gr_counts counts = gr_counts_of(t->tasks[0].report);
    for (size_t i = 0; i < t->performance->n_reasons; i++) {
        const gr_criterion *reason = &t->performance->reasons[i];
        double value = gr_measure_value(reason->measure, &counts, t->units, t->minimum_bytes);
        char *text = gr_explain(reason, value, t->tasks[0].report);
        if (*text)
            wb_buf_printf(b, "\n%s: %s", wb_tr(reason->name), text);
        free(text);
    }
}

/* The model's time; what was counted tells why. Nothing at full marks. */
static double modelled(const trial *t, const gr_criterion *criterion, char **why) {
    json_t *cases = NULL;
    char *lines = NULL;
    wb_buf b = {0};
    double value = gr_modelled_speed(t->tasks, t->n, &lines, &cases);
    double fraction = gr_fraction(criterion, value);
    json_decref(cases);
    if (fraction < 1) {
        wb_buf_puts(&b, lines);
        if (!isnan(value))
            wb_buf_printf(&b, "\nThat is %.3g of the reference's speed%s; full marks need %.3g.",
                          value, t->n > 1 ? wb_tr(" (geometric mean)") : "", criterion->full);
        if (t->performance->n_reasons == 0) /* else they say what is not done yet */
            wb_buf_printf(&b, " %s", wb_tr(criterion->advice));
        add_reasons(t, &b);
    }
    free(lines);
    *why = b.data ? wb_buf_steal(&b) : strdup("");
    return fraction;
}

static void score_criterion(const trial *t, const gr_criterion *criterion, gr_report *r,
                            bool first) {
    double fraction = 0;
    char *why;
    const gr_task *wrong = failed_run(t);
    if (told_above(t->work, t->tasks, t->n)) {
        why = strdup("");
    } else if (wrong) {
        char sizes[200];
        why = first ? wb_format("Performance counts for right results only. %s: %s",
                                gr_job_describe(&wrong->job, sizes, sizeof sizes),
                                wrong->text ? wrong->text : wb_tr("not run"))
                    : strdup(wb_tr("Performance counts for right results only."));
    } else if (criterion->measure == GR_SPEED) {
        fraction = r->gpu ? timed(t, criterion, &why) : modelled(t, criterion, &why);
    } else {
        fraction = counted(t, criterion, first, &why);
    }
    gr_report_add(r, criterion->name, criterion->advice, criterion->points * fraction,
                  criterion->points, why, false, true);
}

/* Of the first run, and "cases" with what is told of each. */
static json_t *measured(const trial *t, bool gpu) {
    const gr_task *task = &t->tasks[0];
    json_t *all = NULL, *cases = NULL;
    if (gpu && json_is_object(task->time)) {
        all = json_copy(task->time);
        cases = json_array();
        for (size_t i = 0; i < t->n; i++)
            json_array_append(cases, t->tasks[i].time);
    } else if (json_is_object(task->report)) {
        gr_counts counts = gr_counts_of(task->report);
        char *lines = NULL;
        all = measured_counts(&counts, t->units, t->minimum_bytes);
        if (task->modelled) {
            double speed = gr_modelled_speed(t->tasks, t->n, &lines, &cases);
            json_object_set_new(all, "speed", isnan(speed) ? json_null() : json_real(speed));
        }
        free(lines);
    }
    if (cases && (t->n > 1 || !gpu))
        json_object_set(all, "cases", cases);
    json_decref(cases);
    return all;
}

void gr_points(const gr_work *w, gr_report *r) {
    const gr_lab *lab = w->lab;
    size_t at = 0;
    for (size_t i = 0; i < lab->n_tests; at += lab->tests[i].n_cases, i++)
        score_test(w, &lab->tests[i], &w->tasks[at], r);
    const gr_performance *performance = r->gpu ? &lab->gpu : &lab->soft;
    trial t = {.work = w,
               .performance = performance,
               .tasks = &w->tasks[at],
               .n = performance->n_cases,
               .units = gr_job_formula(&w->tasks[at].job, lab->work),
               .minimum_bytes = w->tasks[at].minimum_bytes,
               .part = 1};
    bool right = !failed_run(&t);
    if (right && !r->gpu)
        t.part = gr_held_to(performance, t.tasks[0].report, t.units, t.minimum_bytes, &t.why);
    for (size_t i = 0; i < performance->n_criteria; i++)
        score_criterion(&t, &performance->criteria[i], r, i == 0);
    free(t.why);
    if (right)
        r->measured = measured(&t, r->gpu);
}
