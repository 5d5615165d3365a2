/* points.c: computes the points of tests and criteria, with reasons. */
#include "grader/score/points.h"
#include "grader/score/explain.h"
#include "grader/score/measure.h"
#include "grader/score/modelled.h"
#include "grader/score/speed.h"
#include "runtime/base/scoped.h"

#include <math.h>

/* Returns why a run did not pass, as a new reference. */
static json_t *reason_of(const gr_task *task) {
    return task->found ? json_deep_copy(task->found) : wb_finding_plain(WB_FOUND_NOT_RUN);
}

/* Returns true if no task ran and the submission's message says why. */
static bool told_above(const gr_work *w, const gr_task *tasks, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (tasks[k].passed || tasks[k].found)
            return false;
    return w->found != NULL;
}

/* Returns findings for the failed cases. Equal consecutive failures are one finding, with their
 * sizes, or with their number if sizes are hidden. */
static json_t *reasons_of(const gr_work *w, const gr_test *test, const gr_task *tasks) {
    json_t *findings = json_array(), *last = NULL, *same = NULL;
    for (size_t k = 0; k < test->n_cases && !told_above(w, tasks, test->n_cases); k++) {
        if (tasks[k].passed)
            continue;
        json_t *reason = reason_of(&tasks[k]);
        if (!last || !json_equal(same, reason)) {
            json_array_append_new(findings, last = json_deep_copy(reason));
            json_object_set_new(last, "of", json_integer((json_int_t)test->n_cases));
        }
        json_decref(same);
        same = reason;
        json_object_set_new(last, "runs", json_integer(wb_field_int(last, "runs") + 1));
        if (!test->hidden)
            gr_job_add_sizes(&tasks[k].job, last);
    }
    json_decref(same);
    return findings;
}

/* Returns another test that found a race or an uninitialised read, which may be the cause; or
 * NULL. */
static const char *cause_found(const gr_work *w, const gr_test *but) {
    size_t at = 0;
    const char *found = NULL;
    for (size_t i = 0; i < w->lab->n_tests; at += w->lab->tests[i].n_cases, i++)
        for (size_t k = 0; &w->lab->tests[i] != but && k < w->lab->tests[i].n_cases; k++)
            if (wb_finding_explains(w->tasks[at + k].found) &&
                (!found || w->lab->tests[i].races)) /* prefer the test for races */
                found = w->lab->tests[i].name;
    return found;
}

/* Returns true for a test for races that found none, although its results are wrong. */
static bool wrong_without_race(const gr_test *test, const gr_task *tasks) {
    bool ran = false;
    for (size_t k = 0; k < test->n_cases; k++) {
        if (wb_finding_explains(tasks[k].found))
            return false;
        ran |= tasks[k].ran && !tasks[k].passed;
    }
    return test->races && ran;
}

/* Shares a test's points among its cases and reports every failed one. If results are wrong and
 * another test found a cause, points to that. */
static void score_test(const gr_work *w, const gr_test *test, const gr_task *tasks, gr_report *r) {
    size_t passed = 0, wrong = 0;
    for (size_t k = 0; k < test->n_cases; k++) {
        passed += tasks[k].passed;
        wrong += tasks[k].ran && !tasks[k].passed;
    }
    json_t *findings = reasons_of(w, test, tasks);
    const char *cause = wrong ? cause_found(w, test) : NULL;
    if (cause) {
        json_t *finding =
            wb_finding_add(findings, WB_FOUND_CAUSE_ELSEWHERE,
                           _("The test \"%s\" names a cause: fix that first."), wb_tr(cause));
        json_object_set_new(finding, "subject", json_string(cause));
    } else if (wrong_without_race(test, tasks)) {
        json_array_append_new(findings, wb_finding_plain(WB_FOUND_NO_RACE));
    }
    if (test == w->lab->tests && w->submission->n_cells > 1)
        wb_finding_add(
            findings, WB_FOUND_SEVERAL_CELLS,
            _("The notebook has %zu cells that begin with %%%%grade %s. The last one was "
              "graded."),
            w->submission->n_cells, w->lab->name);
    gr_report_add(r, test->name, test->about, test->points * (double)passed / (double)test->n_cases,
                  test->points, findings, test->hidden, false);
}

static json_t *measured_counts(const gr_counts *c, double work, double minimum_bytes) {
    json_t *measured = json_object();
    for (int m = 0; m < GR_SPEED; m++)
        json_object_set_new(measured, gr_measure_names[m],
                            json_real(gr_measure_value((gr_measure)m, c, work, minimum_bytes)));
    return measured;
}

/* ---- performance ----------------------------------------------------------------------------- */

/* The performance runs. Counts are those of the first. */
typedef struct trial {
    const gr_work *work;
    const gr_performance *performance;
    const gr_task *tasks;
    size_t n;
    double units, minimum_bytes; /* of the first run, by the lab's formulas */
    /* the share of all points that counts, and why */
    double part;
    json_t *held;
} trial;

/* Returns the first run that did not pass, or NULL. */
static const gr_task *failed_run(const trial *t) {
    for (size_t i = 0; i < t->n; i++)
        if (!t->tasks[i].passed)
            return &t->tasks[i];
    return NULL;
}

static bool is_right(const gr_task *task) {
    return task->passed || wb_finding_explains(task->found); /* another test judges races */
}

/* Returns true if all cases of a kind of values failed, or all of a test with several sizes. */
static bool fails_a_kind(const trial *t) {
    const gr_task *tasks = t->work->tasks, *first = tasks;
    for (const gr_test *test = t->work->lab->tests; first < t->tasks; first += test++->n_cases) {
        bool passed = test->n_cases == 1;
        for (size_t k = 0; k < test->n_cases; k++) {
            bool kind = false;
            for (const gr_task *one = tasks; one < t->tasks; one++)
                kind |= is_right(one) && one->job.values == first[k].job.values;
            passed |= is_right(&first[k]);
            if (!kind)
                return true;
        }
        if (!passed)
            return true;
    }
    return false;
}

/* Scores a criterion by counts. Only the first criterion explains reduced points in full. */
static double counted(const trial *t, const gr_criterion *criterion, bool first, json_t *findings) {
    gr_counts counts = gr_counts_of(t->tasks[0].report);
    double value = gr_measure_value(criterion->measure, &counts, t->units, t->minimum_bytes);
    gr_find_count(criterion, value, t->tasks[0].report, "", findings);
    if (first)
        json_array_extend(findings, t->held);
    else if (t->part < 1)
        wb_finding_add(findings, WB_FOUND_HELD, _("This counts %.3g %%, as said above."),
                       100 * t->part);
    return gr_fraction(criterion, value) * t->part;
}

/* Scores the GPU's times of all runs. One impossible time loses all points. */
static double timed(const trial *t, const gr_criterion *criterion, json_t *findings) {
    double sum = 0;
    bool all = true;
    for (size_t i = 0; i < t->n; i++) {
        double value;
        bool rejected;
        const gr_task *task = &t->tasks[i];
        WB_SCOPED char *text =
            gr_explain_speed(criterion, task->time, task->minimum_bytes, &value, &rejected);
        json_t *finding = wb_finding_add(
            findings, rejected ? WB_FOUND_IMPOSSIBLE_TIME : WB_FOUND_TIME, "%s", text);
        if (t->n > 1)
            gr_job_add_sizes(&task->job, finding);
        all &= !rejected;
        sum += log(value);
    }
    return all ? gr_fraction(criterion, exp(sum / (double)t->n)) : 0;
}

/* Returns a measure that a reason is about, of these counts. */
static double value_of(const trial *t, const gr_criterion *reason, const gr_counts *counts) {
    return gr_measure_value(reason->measure, counts, t->units, t->minimum_bytes);
}

/* Returns true if some launch is held up by its instructions at least half as much as by anything
 * else. */
static bool issue_matters(const json_t *report) {
    const json_t *launch, *limit;
    const char *name;
    size_t i;
    json_array_foreach(json_object_get(report, "launches"), i, launch) {
        json_t *limits = json_object_get(json_object_get(launch, "model"), "limits");
        double most = 0;
        json_object_foreach(limits, name, limit) most = fmax(most, json_number_value(limit));
        if (2 * wb_field_number(limits, "issue") >= most)
            return true;
    }
    return false;
}

/* Returns true if a measure is about accesses that cost more than they have to. */
static bool is_waste(gr_measure measure) {
    return measure == GR_LOAD_EFFICIENCY || measure == GR_STORE_EFFICIENCY ||
           measure == GR_WAVEFRONTS || measure == GR_CONTENTION;
}

/* Adds the lab's reasons that fall short. Where accesses waste time, that is the cause: bytes that
 * would suffice without waste, and instructions that cost little, are not named too. */
static void add_reasons(const trial *t, json_t *findings) {
    const gr_counts counts = gr_counts_of(t->tasks[0].report);
    gr_counts full = counts; /* as if all bytes of all sectors were used */
    full.load_sectors = counts.load_useful / 32;
    full.store_sectors = counts.store_useful / 32;
    bool wasted = false;
    for (size_t i = 0; i < t->performance->n_reasons; i++) {
        const gr_criterion *reason = &t->performance->reasons[i];
        double value = value_of(t, reason, &counts);
        wasted |= is_waste(reason->measure) && gr_fraction(reason, value) < 1;
    }
    for (size_t i = 0; i < t->performance->n_reasons; i++) {
        const gr_criterion *reason = &t->performance->reasons[i];
        double value = value_of(t, reason, &counts);
        if (wasted && reason->measure == GR_TRAFFIC &&
            gr_fraction(reason, value_of(t, reason, &full)) >= 1)
            continue;
        if (wasted && reason->measure == GR_INSTRUCTIONS && !issue_matters(t->tasks[0].report))
            continue;
        gr_find_count(reason, value, t->tasks[0].report, reason->name, findings);
    }
}

/* Scores the modelled times, with the counts that explain them. All points need no explanation. */
static double modelled(const trial *t, const gr_criterion *criterion, json_t *findings) {
    WB_SCOPED_JSON json_t *cases = NULL, *times = json_array();
    double value = gr_modelled_speed(t->tasks, t->n, times, &cases);
    double fraction = gr_fraction(criterion, value);
    if (fraction < 1) {
        WB_SCOPED_BUF wb_buf b = {0};
        json_array_extend(findings, times);
        if (!isnan(value))
            wb_buf_printf(&b, _("That is %.3g of the reference's speed%s; full marks need %.3g."),
                          value, t->n > 1 ? _(" (geometric mean)") : "", criterion->full);
        if (t->performance->n_reasons == 0) /* otherwise the reasons give the advice */
            wb_buf_printf(&b, "%s%s", b.len ? " " : "", wb_tr(criterion->advice));
        if (b.len)
            wb_finding_add(findings, WB_FOUND_SPEED, "%s", b.data);
        add_reasons(t, findings);
    }
    return fraction;
}

/* Names memory that kernels allocated and never freed. It costs no points. */
static void add_leak(const json_t *report, json_t *findings) {
    const json_t *leak = json_object_get(report, "leak");
    const char *kernel = wb_field_text(leak, "kernel");
    if (!json_is_object(leak))
        return;
    json_t *finding = wb_finding_add(
        findings, WB_FOUND_LEAK,
        _("%s:%d: %.*s allocates memory that no kernel frees: %d blocks, %.4g kB in all. Kernels "
          "share 8 MB; then malloc() gives nullptr."),
        wb_path_name(wb_field_text(leak, "file")), (int)wb_field_int(leak, "line"),
        (int)strcspn(kernel, "("), kernel, (int)wb_field_int(leak, "blocks"),
        wb_field_number(leak, "bytes") / 1e3);
    wb_finding_locate(finding, leak);
    json_object_set_new(finding, "subject", json_string(kernel));
}

static void score_criterion(const trial *t, const gr_criterion *criterion, gr_report *r,
                            bool first) {
    double fraction = 0;
    json_t *findings = json_array();
    const gr_task *wrong = failed_run(t);
    if (wrong && !told_above(t->work, t->tasks, t->n)) {
        json_array_append_new(findings, wb_finding_plain(WB_FOUND_RIGHT_FIRST));
        json_t *reason = first ? reason_of(wrong) : NULL;
        gr_job_add_sizes(&wrong->job, reason);
        json_array_append_new(findings, reason);
    } else if (!wrong && criterion->measure == GR_SPEED && fails_a_kind(t)) {
        json_array_append_new(findings, wb_finding_plain(WB_FOUND_RIGHT_FIRST));
    } else if (!wrong && criterion->measure == GR_SPEED) {
        fraction = (r->gpu ? timed : modelled)(t, criterion, findings);
    } else if (!wrong) {
        fraction = counted(t, criterion, first, findings);
    }
    if (first && !wrong)
        add_leak(t->tasks[0].report, findings);
    gr_report_add(r, criterion->name, criterion->advice, criterion->points * fraction,
                  criterion->points, findings, false, true);
}

/* Returns the first run's measures, and "cases" with the times of each run. */
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
        all = measured_counts(&counts, t->units, t->minimum_bytes);
        if (task->modelled) {
            double speed = gr_modelled_speed(t->tasks, t->n, NULL, &cases);
            json_object_set_new(all, "speed", isnan(speed) ? json_null() : json_real(speed));
        }
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
    if (at == w->n_tasks) /* only tests are graded */
        return;
    const gr_performance *performance = r->gpu ? &lab->gpu : &lab->soft;
    trial t = {.work = w,
               .performance = performance,
               .tasks = &w->tasks[at],
               .n = performance->n_cases,
               .units = gr_job_formula(&w->tasks[at].job, lab->work),
               .minimum_bytes = w->tasks[at].minimum_bytes,
               .part = 1,
               .held = json_array()};
    bool right = !failed_run(&t);
    if (right && !r->gpu)
        t.part = gr_held_to(performance, t.tasks[0].report, t.units, t.minimum_bytes, t.held);
    for (size_t i = 0; i < performance->n_criteria; i++)
        score_criterion(&t, &performance->criteria[i], r, i == 0);
    json_decref(t.held);
    if (right)
        r->measured = measured(&t, r->gpu);
}
