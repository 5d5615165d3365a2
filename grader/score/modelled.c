/* modelled.c: the modelled time of a traced run on a GPU. */
#include "grader/score/modelled.h"
#include "grader/score/measure.h"
#include "runtime/measure/stats.h"
#include "runtime/model/gpu.h"
#include "runtime/model/reference.h"
#include "runtime/model/time.h"

#include <math.h>

typedef struct model {
    model_gpu gpu;
    model_references *references;
} model;

typedef struct outcome {
    double seconds, low, high, reference_s;
    char reference[120]; /* for a sentence */
    const char *how;     /* how its time is known */
    model_reference known;
    const json_t *longest; /* a launch; NULL: copies take all the time */
    bool impossible;
    char *why; /* why there is no time, or NULL. The caller frees it. */
} outcome;

static bool open_model(model *m, wb_error *err) {
    return model_gpu_load(GR_MODEL_GPU, &m->gpu, err) &&
           (m->references = model_references_load(GR_MODEL_GPU, err)) != NULL;
}

/* ---- the reference --------------------------------------------------------------------------- */

/* Returns true if the model can time this kernel of the set. Otherwise *err says why not. */
static bool check_kernel(const model *m, const gr_job_rival *rival, wb_error *err) {
    enum { SOFTGPU = 80 }; /* softgpu's compute capability for kernels of the set */
    const wbk_kernel *row = gr_job_rival_row(rival);
    char why[300];
    if (!wbk_runs_on(row, "softgpu", SOFTGPU, true, why, sizeof why))
        return wb_fail(err, 1, "%s", why);
    return !(row->clusters && m->gpu.capability >= 90) ||
           wb_fail(err, 1,
                   _("the blocks of %s form clusters on an %s, which softgpu does not have"),
                   row->name, m->gpu.title);
}

static bool check_sizes(const gr_job_rival *rival, wb_error *err) {
    const wbk_kernel *row = gr_job_rival_row(rival);
    char why[300];
    for (int i = 0; i < wbk_dimensions(row->shape); i++)
        if (rival->sizes[i] < 1 || rival->sizes[i] > INT32_MAX)
            return wb_fail(err, 1, _("%s takes no size of %lld"), row->name,
                           (long long)rival->sizes[i]);
    return wbk_takes_size(row, rival->type, gr_job_rival_size(rival), why, sizeof why) ||
           wb_fail(err, 1, "%s", why);
}

/* Looks up the measured time of a copy or a library's call. */
static bool look_up(const model *m, const gr_task *task, outcome *o, wb_error *err) {
    const gr_job_rival *rival = &task->job.rival;
    const wbk_kernel *row = gr_job_rival_row(rival);
    double sizes[GR_RIVAL_SIZES] = {gr_job_copy_bytes(task->minimum_bytes)};
    size_t n = row ? (size_t)wbk_dimensions(row->shape) : 1;
    for (size_t i = 0; row && i < n; i++)
        sizes[i] = (double)rival->sizes[i];
    if (!model_reference_time(m->references, row ? row->name : "cuda.memcpy",
                              row ? wbk_type_name(rival->type) : "float", sizes, n, &o->known, err))
        return false;
    o->reference_s = o->known.seconds;
    o->how = o->known.exact ? _("as measured") : _("drawn between measured sizes");
    return true;
}

/* Finds the reference's time. A kernel of the set and the lab's own source were modelled before. */
static bool find_reference(const model *m, const gr_task *task, outcome *o, wb_error *err) {
    const gr_job_rival *rival = &task->job.rival;
    const wbk_kernel *row = gr_job_rival_row(rival);
    gr_job_rival_words(rival, o->reference, sizeof o->reference);
    if (row && !check_sizes(rival, err))
        return false;
    if (rival->kind == GR_RIVAL_COPY || (row && row->reference))
        return look_up(m, task, o, err);
    o->reference_s = task->rival_s;
    o->how = _("as modelled too");
    return !row || check_kernel(m, rival, err);
}

bool gr_modelled_check(const gr_task *tasks, size_t n, wb_error *err) {
    model m = {.references = NULL};
    bool ok = open_model(&m, err);
    for (size_t i = 0; ok && i < n; i++) {
        outcome o;
        wb_error why;
        char sizes[200];
        ok = find_reference(&m, &tasks[i], &o, &why) ||
             wb_fail(err, 1,
                     _("this lab asks for the speed at %s, where softgpu has nothing to compare "
                       "with: %s"),
                     gr_job_describe(&tasks[i].job, sizes, sizeof sizes), why.text);
    }
    model_references_free(m.references);
    return ok;
}

/* ---- a run's time ---------------------------------------------------------------------------- */

static const char *kernel_of(const json_t *launch) {
    const char *name = json_string_value(json_object_get(launch, "kernel"));
    return name ? name : "a kernel";
}

/* Adds the time of copies and fills: a launch for each, and the moved bytes. */
static void add_copies(const model *m, const json_t *report, outcome *o) {
    const json_t *copies = json_object_get(report, "copies");
    double uploads = gr_counter(copies, "uploads"), bytes = gr_counter(report, "copied");
    double s = gr_counter(copies, "steps") * MODEL_NEXT_LAUNCH_S +
               bytes / (m->gpu.dram_bytes_per_s * m->gpu.dram_copy_share) +
               uploads * m->gpu.host_copy_s +
               gr_counter(copies, "uploaded") / m->gpu.host_bytes_per_s;
    o->seconds += s;
    o->low += s;
    o->high += s;
}

/* Adds the launches. Each but the first is queued while an earlier one runs, which saves time. */
static void add_launches(const model *m, const json_t *report, outcome *o) {
    const json_t *launches = json_object_get(report, "launches");
    double saved = m->gpu.launch_s - MODEL_NEXT_LAUNCH_S, most = -1;
    for (size_t i = 0; i < json_array_size(launches) && !o->why; i++) {
        const json_t *launch = json_array_get(launches, i);
        const json_t *time = json_object_get(launch, "model");
        const char *why = json_string_value(json_object_get(time, "why"));
        if (why || !json_is_real(json_object_get(time, "seconds"))) {
            o->why =
                wb_format(_("%.*s: %s. Share the work evenly, and let no block wait for another "
                            "(a second launch, or the last block to finish, can join what they "
                            "leave); or have it graded on a GPU."),
                          (int)strcspn(kernel_of(launch), "("), kernel_of(launch),
                          why ? why : _("softgpu ran it without looking closely"));
            return;
        }
        double seconds = gr_counter(time, "seconds"), less = i ? saved : 0;
        if (seconds > most) {
            most = seconds;
            o->longest = launch;
        }
        o->seconds += seconds - less;
        o->low += gr_counter(time, "low") - fmin(less, gr_counter(time, "low"));
        o->high += gr_counter(time, "high") - less;
    }
    if (gr_counter(report, "dropped") > 0)
        o->why = wb_format(_("solve() launches %.0f kernels, of which softgpu looks at %zu. A few "
                             "launches do."),
                           (double)json_array_size(launches) + gr_counter(report, "dropped"),
                           json_array_size(launches));
}

/* Rejects a time that no correct solution can have. All bytes pass L2, and those that exceed its
 * size come from memory. A product needs all its multiplications, on tensor cores two of TF32,
 * because one has too few bits. */
static void check_least(const model *m, const gr_task *task, outcome *o) {
    const model_gpu *g = &m->gpu;
    const gr_job_rival *rival = &task->job.rival;
    double bytes = task->minimum_bytes;
    double least =
        fmax(bytes / g->l2_bytes_per_s, (bytes - (double)g->l2_bytes) / g->dram_bytes_per_s);
    if (rival->kind == GR_RIVAL_CALL && strcmp(rival->name, "cublas.sgemm") == 0)
        least = fmax(least, (double)(rival->sizes[0] * rival->sizes[1] * rival->sizes[2]) /
                                ((double)g->multiprocessors * g->clock_hz *
                                 fmax(g->fp32_lanes, g->tensor_tf32_flops / 4)));
    o->impossible = !o->why && o->seconds < least;
    if (o->impossible)
        o->why = strdup(
            _("The modelled time is below what the bytes and multiplications of this work take at "
              "the GPU's peak: the blocks that the model looked at do not represent the others."));
}

static void add_longest(const gr_task *task, const json_t *launch, json_t *findings) {
    const json_t *time = json_object_get(launch, "model");
    const char *kernel = kernel_of(launch),
               *bound = json_string_value(json_object_get(time, "bound"));
    if (!bound)
        return;
    json_t *finding = wb_finding_add(
        findings, WB_FOUND_LONGEST, _("The longest launch is %.*s, bound by %s: %s"),
        (int)strcspn(kernel, "("), kernel, wb_tr(bound), wb_field_text(time, "sentence"));
    gr_job_add_sizes(&task->job, finding);
    json_object_set(finding, "subject", json_object_get(launch, "kernel"));
    json_object_set(finding, "cause", json_object_get(time, "bound"));
}

static void add_findings(const model *m, const gr_task *task, const outcome *o, json_t *findings) {
    char own[40], low[40], high[40], other[40];
    if (o->why) {
        gr_job_add_sizes(
            &task->job,
            wb_finding_add(findings, o->impossible ? WB_FOUND_IMPOSSIBLE_TIME : WB_FOUND_NO_TIME,
                           _("there is no modelled time on an %s, and so no points are given. %s"),
                           m->gpu.title, o->why));
        return;
    }
    double times = o->seconds / o->reference_s;
    wb_buf b = {0};
    wb_buf_printf(&b, _("on an %s this would take %s (as modelled; %s to %s), "), m->gpu.title,
                  wb_stats_seconds(o->seconds, own, sizeof own),
                  wb_stats_seconds(o->low, low, sizeof low),
                  wb_stats_seconds(o->high, high, sizeof high));
    wb_buf_printf(&b,
                  times < 100 ? _("%.3g times as long as %s (%s, %s).")
                              : _("%.0f times as long as %s (%s, %s)."),
                  times, o->reference, wb_stats_seconds(o->reference_s, other, sizeof other),
                  o->how);
    gr_job_add_sizes(&task->job,
                     wb_finding_add(findings, WB_FOUND_TIME, "%s", b.data ? b.data : ""));
    wb_buf_free(&b);
    add_longest(task, o->longest, findings);
}

static json_t *as_json(const gr_task *task, const outcome *o) {
    char sizes[200];
    json_t *json =
        json_pack("{s:s, s:s, s:f}", "sizes", gr_job_describe(&task->job, sizes, sizeof sizes),
                  "reference", o->reference, "reference_seconds", o->reference_s);
    if (o->why) {
        json_object_set_new(json, "why", json_string(o->why));
        return json;
    }
    const json_t *time = json_object_get(o->longest, "model");
    const char *bound = json_string_value(json_object_get(time, "bound"));
    WB_SCOPED_JSON json_t *more = json_pack("{s:s, s:f, s:f, s:f, s:f, s:s*}", "gpu", GR_MODEL_GPU,
                                            "seconds", o->seconds, "low", o->low, "high", o->high,
                                            "ratio", o->reference_s / o->seconds, "bound", bound);
    json_object_update(json, more);
    return json;
}

bool gr_modelled_seconds(const json_t *report, double *seconds, char **why, wb_error *err) {
    model m = {.references = NULL};
    outcome o = {.longest = NULL};
    if (!model_gpu_load(GR_MODEL_GPU, &m.gpu, err))
        return false;
    add_copies(&m, report, &o);
    add_launches(&m, report, &o);
    *seconds = o.seconds;
    *why = o.why;
    if (!o.why && !(o.seconds > 0))
        *why = strdup(_("it launches nothing"));
    return true;
}

/* Rounds to three digits, because the rest depends on where arrays happen to be. */
static double told(double x) {
    double unit = pow(10, floor(log10(x)) - 2);
    return rint(x / unit) * unit;
}

double gr_modelled_speed(const gr_task *tasks, size_t n, json_t *findings, json_t **cases) {
    model m = {.references = NULL};
    wb_error err = {0};
    double sum = 0;
    bool ok = open_model(&m, &err);
    *cases = json_array();
    for (size_t i = 0; ok && i < n; i++) {
        outcome o = {.longest = NULL};
        ok = find_reference(&m, &tasks[i], &o, &err);
        if (!ok)
            break;
        add_copies(&m, tasks[i].report, &o);
        add_launches(&m, tasks[i].report, &o);
        check_least(&m, &tasks[i], &o);
        sum += o.why || o.seconds <= 0 ? NAN : log(o.reference_s / o.seconds);
        add_findings(&m, &tasks[i], &o, findings);
        json_array_append_new(*cases, as_json(&tasks[i], &o));
        free(o.why);
    }
    if (!ok)
        wb_finding_add(findings, WB_FOUND_NO_TIME, _("there is no modelled time: %s"), err.text);
    model_references_free(m.references);
    return ok ? told(exp(sum / (double)n)) : NAN;
}
