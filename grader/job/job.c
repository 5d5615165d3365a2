/* job.c: a case with everything chosen, and its way through JSON. */
#include "grader/job/job.h"
#include "grader/job/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gr_is_array(gr_role role) {
    return role == GR_INPUT || role == GR_OUTPUT || role == GR_INOUT;
}

bool gr_is_result(gr_role role) {
    return role == GR_OUTPUT || role == GR_INOUT;
}

size_t gr_job_arg_bytes(const gr_job_arg *arg) {
    return gr_is_array(arg->role) ? (size_t)arg->count * gr_type_size(arg->type) : 0;
}

bool gr_job_make(const gr_lab *lab, const gr_case *at, uint64_t seed, uint32_t stream, gr_job *job,
                 wb_error *err) {
    *job = (gr_job){.column_major = lab->column_major,
                    .values = at->values,
                    .scale = at->scale,
                    .offset = at->offset,
                    .seed = seed,
                    .stream = stream,
                    .n_args = lab->n_args};
    snprintf(job->reference, sizeof job->reference, "%s", lab->reference->name);
    gr_vars vars = {.n = 0};
    for (int i = 0; i < lab->n_args; i++) {
        const gr_arg *arg = &lab->args[i];
        gr_job_arg *out = &job->args[i];
        *out = (gr_job_arg){.role = arg->role, .type = arg->type, .scalar = at->scalars[i]};
        memcpy(out->name, arg->name, sizeof out->name);
        if (arg->role != GR_SIZE) {
            job->element = arg->type;
            continue;
        }
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
            !gr_expr(lab->args[i].count, &vars, &job->args[i].count, err))
            return false;
    return true;
}

gr_values gr_job_other(const gr_job *job) {
    gr_values other = job->values == GR_EXACT ? GR_REAL : GR_EXACT;
    const gr_reference *reference = gr_reference_find(job->reference);
    if (other == GR_EXACT && gr_job_size(job, "k") > GR_EXACT_TERMS)
        return job->values;
    return job->values != GR_BITS && reference->values >> other & 1 ? other : job->values;
}

gr_job gr_job_with(const gr_job *job, gr_values values) {
    gr_job with = *job;
    if (values != job->values) {
        with.values = values;
        with.scale = 1;
        with.offset = strcmp(job->reference, "gemm") == 0 ? 0 : 0.5;
    }
    return with;
}

json_t *gr_job_save(const gr_job *job) {
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)job->seed);
    json_t *args = json_array();
    for (int i = 0; i < job->n_args; i++) {
        const gr_job_arg *arg = &job->args[i];
        json_array_append_new(args,
                              json_pack("{s:s, s:s, s:s, s:I, s:f}", "name", arg->name, "role",
                                        gr_role_names[arg->role], "type", gr_type_names[arg->type],
                                        "count", (json_int_t)arg->count, "scalar", arg->scalar));
    }
    return json_pack("{s:s, s:b, s:s, s:s, s:f, s:f, s:s, s:i, s:o}", "reference", job->reference,
                     "column_major", job->column_major, "element", gr_type_names[job->element],
                     "values", gr_values_names[job->values], "scale", job->scale, "offset",
                     job->offset, "seed", seed, "stream", (int)job->stream, "arguments", args);
}

static int choice(const char *text, const char *const *names, int n) {
    for (int i = 0; text && i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

static bool load_arg(const json_t *json, gr_job_arg *arg) {
    const char *name = json_string_value(json_object_get(json, "name"));
    int role = choice(json_string_value(json_object_get(json, "role")), gr_role_names, GR_ROLES);
    int type = choice(json_string_value(json_object_get(json, "type")), gr_type_names, GR_TYPES);
    int64_t count = json_integer_value(json_object_get(json, "count"));
    if (!name || strlen(name) >= sizeof arg->name || role < 0 || type < 0 || count < 0 ||
        count > (int64_t)1 << 40)
        return false;
    *arg = (gr_job_arg){.role = (gr_role)role,
                        .type = (gr_type)type,
                        .count = count,
                        .scalar = json_number_value(json_object_get(json, "scalar"))};
    strcpy(arg->name, name);
    return true;
}

gr_values gr_values_named(const char *name) {
    int found = choice(name, gr_values_names, GR_VALUES);
    return found < 0 ? GR_VALUES : (gr_values)found;
}

bool gr_job_load(const json_t *json, gr_job *job, wb_error *err) {
    const char *reference = json_string_value(json_object_get(json, "reference"));
    const char *seed = json_string_value(json_object_get(json, "seed"));
    const json_t *args = json_object_get(json, "arguments");
    int element =
        choice(json_string_value(json_object_get(json, "element")), gr_type_names, GR_TYPES);
    int values =
        choice(json_string_value(json_object_get(json, "values")), gr_values_names, GR_VALUES);
    if (!reference || !gr_reference_find(reference) || !seed || element < 0 || values < 0 ||
        json_array_size(args) > GR_MAX_ARGS)
        return wb_fail(err, 1, "the job is not one this grader wrote");
    *job = (gr_job){.column_major = json_is_true(json_object_get(json, "column_major")),
                    .element = (gr_type)element,
                    .values = (gr_values)values,
                    .scale = json_number_value(json_object_get(json, "scale")),
                    .offset = json_number_value(json_object_get(json, "offset")),
                    .seed = strtoull(seed, NULL, 0),
                    .stream = (uint32_t)json_integer_value(json_object_get(json, "stream")),
                    .n_args = (int)json_array_size(args)};
    snprintf(job->reference, sizeof job->reference, "%s", reference);
    for (int i = 0; i < job->n_args; i++)
        if (!load_arg(json_array_get(args, (size_t)i), &job->args[i]))
            return wb_fail(err, 1, "argument %d of the job is not one this grader wrote", i);
    return true;
}

const gr_job_arg *gr_job_find(const gr_job *job, const char *name) {
    for (int i = 0; i < job->n_args; i++)
        if (strcmp(job->args[i].name, name) == 0)
            return &job->args[i];
    return NULL;
}

int64_t gr_job_size(const gr_job *job, const char *name) {
    const gr_job_arg *arg = gr_job_find(job, name);
    return arg ? arg->count : 0;
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
