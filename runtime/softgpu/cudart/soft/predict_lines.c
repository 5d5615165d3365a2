/* predict_lines.c: each source line's share of a launch's time. The model compares the line's
 * traits with the launch's (model_share_of()). */
#include "runtime/json/json.h"
#include "runtime/softgpu/cudart/soft/predict.h"

enum { MOST_LINES = 64 };
#define LEAST_SHARE 0.0005 /* smaller shares get no row */

static int by_share(const void *a, const void *b) {
    const soft_line *x = a, *y = b;
    if (x->share.all != y->share.all)
        return x->share.all < y->share.all ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static soft_line line_of(const soft_prediction *p, const model_traits *whole,
                         const sg_line_traits *of) {
    model_traits part = soft_predict_traits(&of->part, soft_predict_queue(&p->traits));
    if (whole->chain > 0) /* waiting for others takes the same share as the blocks' own time */
        part.last_end = whole->last_end * part.chain / whole->chain;
    model_gpu gpu = soft_predict_gpu_for(p);
    soft_line line = {.file = of->file,
                      .line = of->line,
                      .elsewhere = of->elsewhere,
                      .share = model_share_of(&gpu, whole, &part, &p->occupancy)};
    for (int k = 1; k < SG_WAITS; k++)
        if (of->waits[k] > of->waits[line.waits])
            line.waits = (enum sg_wait)k;
    return line;
}

void soft_predict_divide(soft_prediction *p, const sg_line_traits *lines, size_t n) {
    p->n_lines = 0;
    p->lines = p->wanted && n > 0 ? malloc(n * sizeof *p->lines) : NULL;
    if (p->lines == NULL)
        return;
    model_traits whole = soft_predict_whole(p);
    for (size_t k = 0; k < n; k++)
        p->lines[k] = line_of(p, &whole, &lines[k]);
    qsort(p->lines, n, sizeof *p->lines, by_share);
    while (p->n_lines < n && p->n_lines < MOST_LINES &&
           p->lines[p->n_lines].share.all >= LEAST_SHARE)
        p->n_lines++;
}

static const char *const waits[] = {[SG_WAIT_TURN] = "their turn",
                                    [SG_WAIT_ARITHMETIC] = "arithmetic",
                                    [SG_WAIT_LOAD] = "loads",
                                    [SG_WAIT_SHARED] = "shared memory",
                                    [SG_WAIT_ATOMIC] = "atomic operations",
                                    [SG_WAIT_BARRIER] = "the barrier",
                                    [SG_WAIT_SLEEP] = "nanosleep",
                                    [SG_WAIT_BLOCK] = "another block"};

static json_t *line_json(const soft_line *line) {
    json_t *limits = json_object();
    for (int k = 0; k < MODEL_BOUNDS; k++)
        if (line->share.limits[k] >= LEAST_SHARE)
            json_object_set_new(limits, model_bound_name((model_bound)k),
                                json_real(line->share.limits[k]));
    json_t *o = wb_json_pack("{s:s?, s:I, s:b, s:f, s:o}", "file", line->file, "line",
                             (json_int_t)line->line, "header", (int)line->elsewhere, "share",
                             line->share.all, "limits", limits);
    if (line->share.limits[MODEL_LATENCY] + line->share.limits[MODEL_BLOCKS] >= LEAST_SHARE)
        json_object_set_new(o, "waits_for", json_string(waits[line->waits]));
    return o;
}

json_t *soft_predict_lines_json(const soft_prediction *p) {
    json_t *lines = json_array();
    for (size_t k = 0; k < p->n_lines; k++)
        json_array_append_new(lines, line_json(&p->lines[k]));
    return lines;
}
