/* explain.c: sentences about missing points. */
#include "grader/score/explain.h"
#include "grader/score/measure.h"
#include "runtime/base/scoped.h"
#include "runtime/softgpu/engine.h"

#include <math.h>

static const char *file_name(const char *path) {
    return path ? wb_path_name(path) : _("the kernel");
}

static void add_worst_line(wb_buf *b, const json_t *report, bool stores) {
    gr_worst_line worst;
    if (!gr_find_worst_line(report, stores, &worst))
        return;
    wb_buf_printf(b, _(" Most are lost in %s line %d: its %s touch "), file_name(worst.file),
                  worst.line, stores ? _("stores") : _("loads"));
    /* a single thread: no fewer sectors would do, but most of each is unused */
    if (worst.sectors < 1.005 * worst.ideal)
        wb_buf_printf(b,
                      _("%.3g bytes of each sector of 32 bytes: too few threads of a warp ask "
                        "together."),
                      worst.bytes);
    else
        wb_buf_printf(b,
                      _("%.3g sectors of 32 bytes per request (a warp's one access) where %.3g "
                        "suffice%s."),
                      worst.sectors, worst.ideal, worst.ideal > 1 ? "" : "s");
}

/* Adds the line with the most atomic operations, in brackets. */
static void add_atomic_line(wb_buf *b, const json_t *report) {
    double most = 0;
    const json_t *worst = NULL, *launches = json_object_get(report, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *lines = json_object_get(json_array_get(launches, i), "lines");
        for (size_t k = 0; k < json_array_size(lines); k++) {
            const json_t *line = json_array_get(lines, k);
            double n = gr_counter(json_object_get(line, "counters"), "global_atomic_operations");
            if (n > most) {
                most = n;
                worst = line;
            }
        }
    }
    if (worst)
        wb_buf_printf(b, _(" (%s line %d)"),
                      file_name(json_string_value(json_object_get(worst, "file"))),
                      (int)json_integer_value(json_object_get(worst, "line")));
}

static void add_contention(wb_buf *b, const json_t *report) {
    gr_counts c = gr_counts_of(report);
    bool warps = c.serial > 1.5 * c.busiest;
    if (warps)
        wb_buf_printf(b, _("Of %.0f atomic operations most"), c.atomics);
    else
        wb_buf_printf(b, _("%.0f atomic operations"), c.busiest);
    add_atomic_line(b, report);
    wb_buf_printf(b, _(" meet %sat one address, and run one after the other there."),
                  warps ? _("others of their own warp ") : "");
}

/* Adds the launch that takes longest in the model, and why. */
static void add_longest_launch(wb_buf *b, const json_t *report) {
    const json_t *launches = json_object_get(report, "launches"), *worst = NULL;
    double most = -1;
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *launch = json_array_get(launches, i);
        double clocks = gr_counted_clocks(json_object_get(launch, "counters"));
        if (clocks > most) {
            most = clocks;
            worst = launch;
        }
    }
    const json_t *counters = json_object_get(worst, "counters");
    const char *name = json_string_value(json_object_get(worst, "kernel"));
    double blocks = gr_counter(counters, "blocks"), longest = gr_counter(counters, "longest_block");
    if (!name || blocks <= 0)
        return;
    double threads = gr_counter(counters, "threads") / blocks;
    wb_buf_printf(b, _(" The longest launch is %.*s, "), (int)strcspn(name, "("), name);
    if (blocks < 2)
        wb_buf_printf(b, _("one block of %.0f thread%s: one multiprocessor works."), threads,
                      threads > 1 ? "s" : "");
    else
        wb_buf_printf(b,
                      _("%.0f blocks of %.0f thread%s, of which the longest takes %.3g %% of the "
                        "time that one multiprocessor would need for all."),
                      blocks, threads, threads > 1 ? "s" : "",
                      100 * longest /
                          fmax(gr_counter(counters, "warp_instructions") / SG_MODEL_ISSUE, 1));
}

/* Adds the share of copies and fills in all moved bytes, if it matters. */
static void add_copies(wb_buf *b, const json_t *report) {
    gr_counts c = gr_counts_of(report);
    double all = 32 * (c.load_sectors + c.store_sectors + 2 * c.atomic_sectors) + c.copied;
    if (c.copied > 0.02 * all)
        wb_buf_printf(
            b,
            _(" Copies and fills that solve() asks for (cudaMemcpyAsync, cudaMemsetAsync) "
              "move %.3g %% of them."),
            100 * c.copied / all);
}

/* Returns true if atomic operations cause most passes over shared memory. */
static bool shared_atomics(const json_t *report) {
    const json_t *launches = json_object_get(report, "launches");
    double atomics = 0;
    for (size_t i = 0; i < json_array_size(launches); i++)
        atomics += gr_counter(json_object_get(json_array_get(launches, i), "counters"),
                              "shared_atomic_wavefronts");
    return 2 * atomics > gr_counts_of(report).wavefronts;
}

char *gr_explain(const gr_criterion *criterion, double value, const json_t *report) {
    wb_buf b = {0};
    if (gr_fraction(criterion, value) >= 1)
        return strdup("");
    switch (criterion->measure) {
    case GR_LOAD_EFFICIENCY:
    case GR_STORE_EFFICIENCY: {
        bool stores = criterion->measure == GR_STORE_EFFICIENCY;
        wb_buf_printf(&b,
                      _("Of the bytes that %s move, %.3g %% are used; full marks need %.3g %%."),
                      stores ? _("stores") : _("loads"), 100 * value, 100 * criterion->full);
        add_worst_line(&b, report, stores);
        break;
    }
    case GR_TRAFFIC:
        wb_buf_printf(&b,
                      _("Global memory moves %.3g times the bytes the task needs; full marks need "
                        "at most %.3g times."),
                      value, criterion->full);
        add_copies(&b, report);
        break;
    case GR_WAVEFRONTS:
        wb_buf_printf(&b,
                      _("Shared memory needs %.3g passes for 32 elements; full marks need at "
                        "most %.3g. Where threads of a warp use different words of one bank, "
                        "they wait for each other%s."),
                      value, criterion->full,
                      shared_atomics(report) ? _(", and for an atomic operation on one word too")
                                             : "");
        break;
    case GR_INSTRUCTIONS:
        wb_buf_printf(&b,
                      _("Threads execute %.3g instructions for each unit of work; full marks need "
                        "at most %.3g."),
                      value, criterion->full);
        break;
    case GR_CONTENTION:
        add_contention(&b, report);
        break;
    case GR_PARALLELISM:
        wb_buf_printf(&b,
                      _("On a GPU of %d multiprocessors, which can serve %d warps in a clock, "
                        "%.3g would be active on average; full marks need %.3g."),
                      SG_MODEL_SMS, SG_MODEL_WARPS, value, criterion->full);
        add_longest_launch(&b, report);
        break;
    default:
        break;
    }
    wb_buf_printf(&b, " %s", wb_tr(criterion->advice));
    return wb_buf_steal(&b);
}

void gr_find_count(const gr_criterion *criterion, double value, const json_t *report,
                   const char *name, json_t *findings) {
    WB_SCOPED char *text = gr_explain(criterion, value, report);
    json_t *finding = text && *text ? wb_finding_add(findings, WB_FOUND_COUNT, "%s", text) : NULL;
    json_object_set_new(finding, "subject", json_string(gr_measure_names[criterion->measure]));
    json_object_set_new(finding, "name", json_string(name));
}

double gr_held_to(const gr_performance *performance, const json_t *report, double work,
                  double minimum_bytes, json_t *findings) {
    gr_counts counts = gr_counts_of(report);
    WB_SCOPED_JSON json_t *unmet = json_array();
    double least = 1, dropped = gr_counter(report, "dropped");
    if (dropped > 0) {
        wb_finding_add(
            findings, WB_FOUND_HELD,
            _("solve() launches %.0f kernels, of which softgpu counts %.0f; what can't be "
              "counted earns no points of performance. A few launches do."),
            counts.launches + dropped, counts.launches);
        return 0;
    }
    for (size_t i = 0; i < performance->n_conditions; i++) {
        const gr_criterion *condition = &performance->conditions[i];
        double value = gr_measure_value(condition->measure, &counts, work, minimum_bytes);
        double part = gr_fraction(condition, value);
        gr_find_count(condition, value, report, condition->name, unmet);
        least = fmin(least, part);
    }
    if (least < 1)
        wb_finding_add(findings, WB_FOUND_HELD,
                       _("All performance points count %.3g %%, because the lab asks for more:"),
                       100 * least);
    json_array_extend(findings, unmet);
    return least;
}
