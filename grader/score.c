/* score.c: counts and times become points and words. */
#include "grader/score.h"
#include "runtime/measure/stats.h"
#include "runtime/softgpu/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const json_t *counters, const char *key) {
    return json_number_value(json_object_get(counters, key));
}

/* What of the sectors moved was wanted. Lanes that read one word together ask for more bytes than
 * are moved; more than all of a sector can't be used. */
static double useful(const json_t *counters, const char *bytes, const char *sectors) {
    return fmin(number(counters, bytes), 32 * number(counters, sectors));
}

static double clocks_of(const json_t *counters) {
    return sg_model_clocks(number(counters, "warp_instructions"),
                           number(counters, "longest_block"));
}

/* Atomic operations at one address wait for each other; an eighth of those of a warp that meet,
 * wherever they do: on an H200 they have been 2 to 7 times as fast as all on one address. */
static double serial_of(const json_t *counters) {
    return fmax(number(counters, "busiest_address"), number(counters, "global_atomic_passes") / 8);
}

gr_counts gr_counts_of(const json_t *report) {
    gr_counts c = {.copied = number(report, "copied")};
    const json_t *launches = json_object_get(report, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *launch = json_array_get(launches, i);
        const json_t *all = json_object_get(launch, "counters");
        const json_t *lines = json_object_get(launch, "lines");
        c.launches++;
        c.load_sectors += number(all, "global_load_sectors");
        c.store_sectors += number(all, "global_store_sectors");
        c.atomic_sectors += number(all, "global_atomic_sectors");
        c.wavefronts += number(all, "shared_load_wavefronts") +
                        number(all, "shared_store_wavefronts") +
                        number(all, "shared_atomic_wavefronts");
        c.instructions += number(all, "lane_instructions");
        c.atomics += number(all, "global_atomic_operations");
        c.busiest = fmax(c.busiest, number(all, "busiest_address"));
        c.serial += serial_of(all);
        c.warp_instructions += number(all, "warp_instructions");
        c.clocks += clocks_of(all);
        if (json_array_size(lines) == 0) {
            c.load_useful += useful(all, "global_load_bytes", "global_load_sectors");
            c.store_useful += useful(all, "global_store_bytes", "global_store_sectors");
        }
        for (size_t k = 0; k < json_array_size(lines); k++) {
            const json_t *line = json_object_get(json_array_get(lines, k), "counters");
            c.load_useful += useful(line, "global_load_bytes", "global_load_sectors");
            c.store_useful += useful(line, "global_store_bytes", "global_store_sectors");
        }
    }
    return c;
}

double gr_measure_value(gr_measure measure, const gr_counts *c, double work, double minimum_bytes) {
    switch (measure) {
    case GR_LOAD_EFFICIENCY:
        return c->load_sectors > 0 ? c->load_useful / (32 * c->load_sectors) : 1;
    case GR_STORE_EFFICIENCY:
        return c->store_sectors > 0 ? c->store_useful / (32 * c->store_sectors) : 1;
    case GR_TRAFFIC:
        /* an atomic operation reads its sector and writes it */
        return (32 * (c->load_sectors + c->store_sectors + 2 * c->atomic_sectors) + c->copied) /
               fmax(minimum_bytes, 1);
    case GR_WAVEFRONTS:
        return 32 * c->wavefronts / fmax(work, 1);
    case GR_INSTRUCTIONS:
        return c->instructions / fmax(work, 1);
    case GR_CONTENTION:
        return c->serial / fmax(work, 1);
    case GR_PARALLELISM:
        return c->clocks > 0 ? c->warp_instructions / c->clocks : 0;
    case GR_SPEED:
    case GR_MEASURES:
        break;
    }
    return NAN;
}

double gr_fraction(const gr_criterion *criterion, double value) {
    bool more = criterion->full > criterion->none;
    if (!(value > 0))
        return more || isnan(value) ? 0 : 1;
    if (more ? value >= criterion->full : value <= criterion->full)
        return 1;
    if (more ? value <= criterion->none : value >= criterion->none)
        return 0;
    return log(value / criterion->none) / log(criterion->full / criterion->none);
}

bool gr_find_worst_line(const json_t *report, bool stores, gr_worst_line *worst) {
    const char *requests_key = stores ? "global_store_requests" : "global_load_requests";
    const char *sectors_key = stores ? "global_store_sectors" : "global_load_sectors";
    const char *bytes_key = stores ? "global_store_bytes" : "global_load_bytes";
    double most = 0;
    const json_t *launches = json_object_get(report, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *lines = json_object_get(json_array_get(launches, i), "lines");
        for (size_t k = 0; k < json_array_size(lines); k++) {
            const json_t *line = json_array_get(lines, k);
            const json_t *counters = json_object_get(line, "counters");
            double requests = number(counters, requests_key);
            double sectors = number(counters, sectors_key);
            double needless = 32 * sectors - useful(counters, bytes_key, sectors_key);
            if (requests <= 0 || needless <= most)
                continue;
            most = needless;
            *worst = (gr_worst_line){.file = json_string_value(json_object_get(line, "file")),
                                     .line = (int)json_integer_value(json_object_get(line, "line")),
                                     .sectors = sectors / requests,
                                     .bytes = useful(counters, bytes_key, sectors_key) / sectors,
                                     .ideal = fmax(1, number(counters, bytes_key) / 32 / requests)};
        }
    }
    return most > 0;
}

static const char *file_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "the kernel";
}

static void add_worst_line(wb_buf *b, const json_t *report, bool stores) {
    gr_worst_line worst;
    if (!gr_find_worst_line(report, stores, &worst))
        return;
    wb_buf_printf(b, " Most are lost in %s line %d: its %s touch ", file_name(worst.file),
                  worst.line, stores ? "stores" : "loads");
    /* one thread alone: no fewer sectors would do, but most of a sector is not asked for */
    if (worst.sectors < 1.005 * worst.ideal)
        wb_buf_printf(b,
                      "%.3g bytes of each sector of 32 bytes: too few threads of a warp ask "
                      "together.",
                      worst.bytes);
    else
        wb_buf_printf(b,
                      "%.3g sectors of 32 bytes per request (a warp's one access) where %.3g "
                      "suffice%s.",
                      worst.sectors, worst.ideal, worst.ideal > 1 ? "" : "s");
}

/* The line with the most atomic operations, in brackets. */
static void add_atomic_line(wb_buf *b, const json_t *report) {
    double most = 0;
    const json_t *worst = NULL, *launches = json_object_get(report, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *lines = json_object_get(json_array_get(launches, i), "lines");
        for (size_t k = 0; k < json_array_size(lines); k++) {
            const json_t *line = json_array_get(lines, k);
            double n = number(json_object_get(line, "counters"), "global_atomic_operations");
            if (n > most) {
                most = n;
                worst = line;
            }
        }
    }
    if (worst)
        wb_buf_printf(b, " (%s line %d)",
                      file_name(json_string_value(json_object_get(worst, "file"))),
                      (int)json_integer_value(json_object_get(worst, "line")));
}

static void add_contention(wb_buf *b, const json_t *report) {
    gr_counts c = gr_counts_of(report);
    bool warps = c.serial > 1.5 * c.busiest;
    if (warps)
        wb_buf_printf(b, "Of %.0f atomic operations most", c.atomics);
    else
        wb_buf_printf(b, "%.0f atomic operations", c.busiest);
    add_atomic_line(b, report);
    wb_buf_printf(b, " meet %sat one address, and run one after the other there.",
                  warps ? "others of their own warp " : "");
}

/* The launch that takes the model the longest, and why. */
static void add_longest_launch(wb_buf *b, const json_t *report) {
    const json_t *launches = json_object_get(report, "launches"), *worst = NULL;
    double most = -1;
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *launch = json_array_get(launches, i);
        double clocks = clocks_of(json_object_get(launch, "counters"));
        if (clocks > most) {
            most = clocks;
            worst = launch;
        }
    }
    const json_t *counters = json_object_get(worst, "counters");
    const char *name = json_string_value(json_object_get(worst, "kernel"));
    double blocks = number(counters, "blocks"), longest = number(counters, "longest_block");
    if (!name || blocks <= 0)
        return;
    double threads = number(counters, "threads") / blocks;
    wb_buf_printf(b, " The longest launch is %.*s, ", (int)strcspn(name, "("), name);
    if (blocks < 2)
        wb_buf_printf(b, "one block of %.0f thread%s: one multiprocessor works.", threads,
                      threads > 1 ? "s" : "");
    else
        wb_buf_printf(b,
                      "%.0f blocks of %.0f thread%s, of which the longest takes %.3g %% of the "
                      "time that one multiprocessor would need for all.",
                      blocks, threads, threads > 1 ? "s" : "",
                      100 * longest /
                          fmax(number(counters, "warp_instructions") / SG_MODEL_ISSUE, 1));
}

/* What copies and fills move of all, where it is worth a word. */
static void add_copies(wb_buf *b, const json_t *report) {
    gr_counts c = gr_counts_of(report);
    double all = 32 * (c.load_sectors + c.store_sectors + 2 * c.atomic_sectors) + c.copied;
    if (c.copied > 0.02 * all)
        wb_buf_printf(b,
                      " Copies and fills that solve() asks for (cudaMemcpyAsync, cudaMemsetAsync) "
                      "move %.3g %% of them.",
                      100 * c.copied / all);
}

/* Whether most passes over shared memory are those of atomic operations. */
static bool shared_atomics(const json_t *report) {
    const json_t *launches = json_object_get(report, "launches");
    double atomics = 0;
    for (size_t i = 0; i < json_array_size(launches); i++)
        atomics += number(json_object_get(json_array_get(launches, i), "counters"),
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
        wb_buf_printf(&b, "Of the bytes that %s move, %.3g %% are used; full marks need %.3g %%.",
                      stores ? "stores" : "loads", 100 * value, 100 * criterion->full);
        add_worst_line(&b, report, stores);
        break;
    }
    case GR_TRAFFIC:
        wb_buf_printf(&b,
                      "Global memory moves %.3g times the bytes the task needs; full marks need "
                      "at most %.3g times.",
                      value, criterion->full);
        add_copies(&b, report);
        break;
    case GR_WAVEFRONTS:
        wb_buf_printf(&b,
                      "Shared memory needs %.3g passes for 32 elements; full marks need at "
                      "most %.3g. Where threads of a warp use different words of one bank, "
                      "they wait for each other%s.",
                      value, criterion->full,
                      shared_atomics(report) ? ", and for an atomic operation on one word too"
                                             : "");
        break;
    case GR_INSTRUCTIONS:
        wb_buf_printf(&b,
                      "Threads execute %.3g instructions for each unit of work; full marks need "
                      "at most %.3g.",
                      value, criterion->full);
        break;
    case GR_CONTENTION:
        add_contention(&b, report);
        break;
    case GR_PARALLELISM:
        wb_buf_printf(&b,
                      "On a GPU of %d multiprocessors, which can serve %d warps in a clock, "
                      "%.3g would be at work on the average; full marks need %.3g.",
                      SG_MODEL_SMS, SG_MODEL_WARPS, value, criterion->full);
        add_longest_launch(&b, report);
        break;
    default:
        break;
    }
    wb_buf_printf(&b, " %s", criterion->advice);
    return wb_buf_steal(&b);
}

double gr_held_to(const gr_performance *performance, const json_t *report, double work,
                  double minimum_bytes, char **why) {
    gr_counts counts = gr_counts_of(report);
    wb_buf b = {0};
    double least = 1, dropped = number(report, "dropped");
    if (dropped > 0) {
        *why = wb_format("solve() launches %.0f kernels, of which softgpu counts %.0f; what can't "
                         "be counted earns no points of performance. A few launches do.",
                         counts.launches + dropped, counts.launches);
        return 0;
    }
    for (size_t i = 0; i < performance->n_conditions; i++) {
        const gr_criterion *condition = &performance->conditions[i];
        double value = gr_measure_value(condition->measure, &counts, work, minimum_bytes);
        double part = gr_fraction(condition, value);
        char *text = part < 1 ? gr_explain(condition, value, report) : NULL;
        if (text)
            wb_buf_printf(&b, "\n%s: %s", condition->name, text);
        least = fmin(least, part);
        free(text);
    }
    *why = least < 1 ? wb_format("All performance points count %.3g %%, because the lab asks for "
                                 "more:%s",
                                 100 * least, b.data ? b.data : "")
                     : strdup("");
    wb_buf_free(&b);
    return least;
}

/* ---- times ---------------------------------------------------------------------------------- */

static double *values_of(const json_t *list, size_t *n) {
    *n = json_array_size(list);
    double *values = calloc(*n + 1, sizeof *values);
    for (size_t i = 0; values && i < *n; i++)
        values[i] = json_number_value(json_array_get(list, i));
    return values;
}

/* Faster than the device's own copy by more than this, moving the same bytes from beyond the L2,
 * is no kernel but a hole in the measurement. */
static const double impossible = 1.5, remarkable = 1.1;

char *gr_explain_speed(const gr_criterion *criterion, const json_t *time, double minimum_bytes,
                       double *value, bool *rejected) {
    size_t n, m;
    double *mine = values_of(json_object_get(time, "times"), &n);
    double *theirs = values_of(json_object_get(time, "reference_times"), &m);
    const char *name = json_string_value(json_object_get(time, "reference"));
    bool copy = name && strcmp(name, "cudaMemcpyAsync") == 0;
    wb_buf b = {0};
    *value = NAN;
    *rejected = false;
    if (mine && theirs && n && m) {
        wb_interval ratio = wb_stats_speedup(mine, n, theirs, m, 1);
        wb_summary own = wb_stats_summary(mine, n), other = wb_stats_summary(theirs, m);
        char a[40], c[40];
        *value = ratio.value;
        wb_buf_printf(&b,
                      "median %s (quartiles %.3g to %.3g ms, %zu runs); %s %s; ratio %.3g "
                      "(95 %% interval %.3g to %.3g).",
                      wb_stats_seconds(own.median, a, sizeof a), own.q1 * 1e3, own.q3 * 1e3, n,
                      copy   ? "the device's copy of as many bytes"
                      : name ? name
                             : "reference",
                      wb_stats_seconds(other.median, c, sizeof c), ratio.value, ratio.low,
                      ratio.high);
        if (copy)
            wb_buf_printf(&b, " That is %.4g GB/s.", minimum_bytes / own.median / 1e9);
        *rejected = copy && ratio.value > impossible;
        if (*rejected)
            wb_buf_puts(&b,
                        " Faster than memory allows: this time can't be true and earns nothing.");
        else if (ratio.value > remarkable)
            wb_buf_puts(&b, " It beats the reference: look at it before believing it.");
        else if (gr_fraction(criterion, ratio.value) < 1)
            wb_buf_printf(&b, " Full marks need %.3g. %s", criterion->full, criterion->advice);
    }
    free(mine);
    free(theirs);
    return wb_buf_steal(&b);
}
