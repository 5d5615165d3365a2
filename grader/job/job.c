/* job.c: makes a job from a case, and passes it to other processes as text. */
#include "grader/job/job.h"
#include "grader/job/random.h"
#include "runtime/base/scoped.h"

#include <math.h>

size_t gr_job_element_bytes(const gr_job_arg *arg) {
    return arg->bytes ? arg->bytes : gr_type_size(arg->type);
}

size_t gr_job_arg_bytes(const gr_job_arg *arg) {
    return gr_is_array(arg->role) ? (size_t)arg->count * gr_job_element_bytes(arg) : 0;
}

bool gr_job_has_magnitude(const gr_job *job, int arg) {
    return gr_is_result(job->args[arg].role) &&
           job->draws[arg].fields[0].bound.by == GR_BY_CONDITION;
}

/* Sets the fields and fills of every argument. */
static bool make_draws(const gr_lab *lab, const gr_vars *sizes, gr_job *job, wb_error *err) {
    job->n_sets = lab->n_sets;
    for (int s = 0; s < lab->n_sets; s++)
        memcpy(job->sets[s], lab->sets[s].name, sizeof job->sets[s]);
    for (int i = 0; i < lab->n_args; i++) {
        gr_job_draws *draws = &job->draws[i];
        const gr_arg *arg = &lab->args[i];
        char where[120];
        draws->n_fields = arg->n_fields;
        memcpy(draws->fields, arg->fields, sizeof draws->fields);
        for (int s = 0; s < lab->n_sets && gr_is_input(arg->role); s++)
            if (!gr_lab_fills(lab, s, i, sizes, job->args[i].count, draws->fills[s], where, err)) {
                wb_error why = *err;
                return wb_fail(err, 1, "%s: %s: %.900s", lab->path, where, why.text);
            }
    }
    return true;
}

static double scalar_of(const gr_job *job, const char *name, double otherwise) {
    const gr_job_arg *arg = *name ? gr_job_find(job, name) : NULL;
    return arg ? arg->scalar : otherwise;
}

static bool make_rival(const gr_lab *lab, const gr_vars *sizes, gr_job *job, wb_error *err) {
    const gr_rival_spec *spec = &lab->rival;
    job->rival = (gr_job_rival){.kind = spec->kind,
                                .type = spec->type,
                                .alpha = scalar_of(job, spec->scalars[0], 1),
                                .beta = scalar_of(job, spec->scalars[1], 0)};
    memcpy(job->rival.name, spec->name, sizeof job->rival.name);
    for (int i = 0; i < spec->n_sizes; i++)
        if (!gr_expr(spec->sizes[i], sizes, &job->rival.sizes[i], err))
            return false;
    return true;
}

bool gr_job_make(const gr_lab *lab, const gr_case *at, uint64_t seed, uint32_t stream, gr_job *job,
                 wb_error *err) {
    gr_vars vars = {.n = 0};
    memset(job, 0, sizeof *job); /* also between its members: equal jobs have equal bytes */
    job->values = at->values;
    job->seed = seed;
    job->stream = stream;
    job->n_args = lab->n_args;
    for (int i = 0; i < lab->n_args; i++) {
        const gr_arg *arg = &lab->args[i];
        gr_job_arg *out = &job->args[i];
        memcpy(out->name, arg->name, sizeof out->name);
        out->role = arg->role;
        out->type = arg->type;
        out->scalar = at->scalars[i];
        out->bytes = arg->bytes;
        if (arg->role != GR_SIZE)
            continue;
        const gr_range *range = &at->sizes[i];
        int64_t step = range->step > 0 ? range->step : 1;
        uint64_t choices = (uint64_t)((range->to - range->from) / step) + 1;
        uint64_t chosen = gr_random_word(seed, stream, (uint32_t)i) % choices;
        out->count = range->from + step * (int64_t)chosen;
        vars.names[vars.n] = arg->name;
        vars.values[vars.n++] = out->count;
    }
    for (int i = 0; i < lab->n_args; i++)
        if (gr_is_array(lab->args[i].role) &&
            (!gr_expr(lab->args[i].count, &vars, &job->args[i].count, err) ||
             (lab->args[i].row && !gr_expr(lab->args[i].row, &vars, &job->args[i].row, err))))
            return false;
    return make_rival(lab, &vars, job, err) && make_draws(lab, &vars, job, err);
}

gr_values gr_job_other(const gr_job *job) {
    return (job->values + 1) % job->n_sets;
}

gr_job gr_job_with(const gr_job *job, gr_values values) {
    gr_job with = *job;
    with.values = values;
    return with;
}

json_t *gr_job_save(const gr_job *job) {
    const unsigned char *bytes = (const unsigned char *)job;
    WB_SCOPED_BUF wb_buf digits = {0};
    for (size_t i = 0; i < sizeof *job; i++)
        wb_buf_append(
            &digits, (char[]){"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15]},
            2);
    return digits.failed ? NULL : json_stringn(digits.data, digits.len);
}

bool gr_job_load(const json_t *json, gr_job *job, wb_error *err) {
    const char *text = json_string_value(json);
    unsigned char *bytes = (unsigned char *)job;
    bool ok = text && strspn(text, "0123456789abcdef") == 2 * sizeof *job &&
              json_string_length(json) == 2 * sizeof *job;
    for (size_t i = 0; ok && i < 2 * sizeof *job; i++)
        bytes[i / 2] = (unsigned char)(bytes[i / 2] << 4 |
                                       (text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10));
    return (ok && job->n_args >= 0 && job->n_args <= GR_MAX_ARGS && gr_job_has(job, job->values)) ||
           wb_fail(err, 1, _("the job is not one this grader wrote"));
}

bool gr_job_has(const gr_job *job, gr_values values) {
    return job->n_sets <= GR_MAX_SETS && values >= 0 && values < job->n_sets;
}

double gr_job_formula(const gr_job *job, const char *text) {
    gr_vars vars = {.n = 0};
    int64_t value = 0;
    for (int i = 0; i < job->n_args; i++)
        if (job->args[i].role == GR_SIZE) {
            vars.names[vars.n] = job->args[i].name;
            vars.values[vars.n++] = job->args[i].count;
        }
    gr_expr(text, &vars, &value, NULL);
    return (double)value;
}

const char *gr_job_describe(const gr_job *job, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < job->n_args && used < size; i++) {
        const gr_job_arg *arg = &job->args[i];
        const char *comma = used ? ", " : "";
        if (arg->role == GR_SIZE)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%lld", comma, arg->name,
                                     (long long)arg->count);
        else if (arg->role == GR_SCALAR)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%g", comma, arg->name,
                                     arg->scalar);
    }
    return text;
}

void gr_job_add_sizes(const gr_job *job, json_t *finding) {
    char sizes[200];
    if (!json_object_get(finding, "sizes"))
        json_object_set_new(finding, "sizes", json_array());
    json_array_append_new(json_object_get(finding, "sizes"),
                          json_string(gr_job_describe(job, sizes, sizeof sizes)));
}

/* ---- the rival that a job's time is compared with ---- */

const wbk_kernel *gr_job_rival_row(const gr_job_rival *rival) {
    return rival->kind == GR_RIVAL_CALL ? wbk_find(rival->name) : NULL;
}

wbk_size gr_job_rival_size(const gr_job_rival *rival) {
    const wbk_kernel *row = gr_job_rival_row(rival);
    size_t s[GR_RIVAL_SIZES];
    for (int i = 0; i < GR_RIVAL_SIZES; i++)
        s[i] = (size_t)rival->sizes[i];
    return row && wbk_dimensions(row->shape) == 1 ? (wbk_size){.n = s[0]}
                                                  : (wbk_size){.m = s[0], .n = s[1], .k = s[2]};
}

/* An H100 copies 4 to 42 MB 3 us faster if they are whole pages of 4,096 bytes. */
double gr_job_copy_bytes(double minimum_bytes) {
    enum { PAGE = 4096 };
    return ceil(minimum_bytes / 2 / PAGE) * PAGE;
}

const char *gr_job_rival_words(const gr_job_rival *rival, char *text, size_t size) {
    const wbk_kernel *row = gr_job_rival_row(rival);
    if (rival->kind == GR_RIVAL_COPY)
        snprintf(text, size, _("the device's copy of as many bytes"));
    else if (rival->kind == GR_RIVAL_SOURCE)
        snprintf(text, size, _("the lab's %s"), rival->name);
    else if (row && row->reference)
        snprintf(text, size, "%s's %s", strncmp(row->name, "cub.", 4) == 0 ? "CUB" : "cuBLAS",
                 strchr(row->name, '.') + 1);
    else
        snprintf(text, size, _("%s of the kernel set"), rival->name);
    return text;
}
