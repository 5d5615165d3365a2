/* job.c: makes a job from a case, and converts it to JSON and back. */
#include "grader/job/job.h"
#include "grader/job/random.h"

bool gr_is_array(gr_role role) {
    return role == GR_INPUT || role == GR_OUTPUT || role == GR_INOUT;
}

bool gr_is_result(gr_role role) {
    return role == GR_OUTPUT || role == GR_INOUT;
}

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
        for (int s = 0; s < lab->n_sets && (arg->role == GR_INPUT || arg->role == GR_INOUT); s++)
            if (!gr_lab_fills(lab, s, i, sizes, job->args[i].count, draws->fills[s], where, err)) {
                wb_error why = *err;
                return wb_fail(err, 1, "%s: %s: %.900s", lab->path, where, why.text);
            }
    }
    return true;
}

bool gr_job_make(const gr_lab *lab, const gr_case *at, uint64_t seed, uint32_t stream, gr_job *job,
                 wb_error *err) {
    *job = (gr_job){.values = at->values, .seed = seed, .stream = stream, .n_args = lab->n_args};
    gr_vars vars = {.n = 0};
    for (int i = 0; i < lab->n_args; i++) {
        const gr_arg *arg = &lab->args[i];
        gr_job_arg *out = &job->args[i];
        *out = (gr_job_arg){
            .role = arg->role, .type = arg->type, .scalar = at->scalars[i], .bytes = arg->bytes};
        memcpy(out->name, arg->name, sizeof out->name);
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
    return gr_job_rival_make(lab, &vars, job, err) && make_draws(lab, &vars, job, err);
}

gr_values gr_job_other(const gr_job *job) {
    return (job->values + 1) % job->n_sets;
}

gr_job gr_job_with(const gr_job *job, gr_values values) {
    gr_job with = *job;
    with.values = values;
    return with;
}

static json_t *save_field(const gr_field *f) {
    return json_pack("{s:s, s:s, s:i, s:s, s:f, s:f, s:f}", "name", f->name, "type",
                     gr_type_names[f->type], "offset", (int)f->offset, "by",
                     gr_by_names[f->bound.by], "relative", f->bound.relative, "absolute",
                     f->bound.absolute, "factor", f->bound.factor);
}

/* {"sets": [name...], "arguments": [{"fields": [...], "fills": [[a fill a field] a set]}]} */
static json_t *save_draws(const gr_job *job) {
    json_t *sets = json_array(), *args = json_array();
    for (int s = 0; s < job->n_sets; s++)
        json_array_append_new(sets, json_string(job->sets[s]));
    for (int i = 0; i < job->n_args; i++) {
        const gr_job_draws *d = &job->draws[i];
        json_t *fields = json_array(), *fills = json_array();
        for (int f = 0; f < d->n_fields; f++)
            json_array_append_new(fields, save_field(&d->fields[f]));
        for (int s = 0; s < job->n_sets; s++) {
            json_t *set = json_array();
            for (int f = 0; f < d->n_fields; f++) {
                const gr_fill *fill = &d->fills[s][f];
                json_array_append_new(set, json_pack("[i, i, f, f, f]", (int)fill->draw,
                                                     (int)fill->order, fill->a, fill->b, fill->c));
            }
            json_array_append_new(fills, set);
        }
        json_array_append_new(args, json_pack("{s:o, s:o}", "fields", fields, "fills", fills));
    }
    return json_pack("{s:o, s:o}", "sets", sets, "arguments", args);
}

json_t *gr_job_save(const gr_job *job) {
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)job->seed);
    json_t *args = json_array();
    for (int i = 0; i < job->n_args; i++) {
        const gr_job_arg *arg = &job->args[i];
        json_array_append_new(
            args, json_pack("{s:s, s:s, s:s, s:I, s:f, s:i, s:I}", "name", arg->name, "role",
                            gr_role_names[arg->role], "type", gr_type_names[arg->type], "count",
                            (json_int_t)arg->count, "scalar", arg->scalar, "bytes", (int)arg->bytes,
                            "row", (json_int_t)arg->row));
    }
    json_t *json = json_pack("{s:s, s:s, s:i, s:o, s:o}", "values",
                             gr_job_values_name(job, job->values), "seed", seed, "stream",
                             (int)job->stream, "arguments", args, "draws", save_draws(job));
    json_object_set_new(json, "rival", gr_job_rival_save(&job->rival));
    return json;
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
                        .scalar = json_number_value(json_object_get(json, "scalar")),
                        .bytes = (uint32_t)json_integer_value(json_object_get(json, "bytes")),
                        .row = json_integer_value(json_object_get(json, "row"))};
    strcpy(arg->name, name);
    return true;
}

static bool load_field(const json_t *json, gr_field *f) {
    const char *name = json_string_value(json_object_get(json, "name"));
    int type = choice(json_string_value(json_object_get(json, "type")), gr_type_names, GR_TYPES);
    int by = choice(json_string_value(json_object_get(json, "by")), gr_by_names, GR_BYS);
    if (!name || strlen(name) >= sizeof f->name || type < 0 || by < 0)
        return false;
    *f = (gr_field){.type = (gr_type)type,
                    .offset = (uint32_t)json_integer_value(json_object_get(json, "offset")),
                    .bound = {.by = (gr_by)by,
                              .relative = json_number_value(json_object_get(json, "relative")),
                              .absolute = json_number_value(json_object_get(json, "absolute")),
                              .factor = json_number_value(json_object_get(json, "factor"))}};
    strcpy(f->name, name);
    return true;
}

static bool load_fill(const json_t *json, gr_fill *fill) {
    json_int_t draw = json_integer_value(json_array_get(json, 0));
    json_int_t order = json_integer_value(json_array_get(json, 1));
    if (json_array_size(json) != 5 || draw < 0 || draw >= GR_DRAWS || order < 0 ||
        order >= GR_ORDERS)
        return false;
    *fill = (gr_fill){.draw = (gr_draw)draw,
                      .order = (gr_order)order,
                      .a = json_number_value(json_array_get(json, 2)),
                      .b = json_number_value(json_array_get(json, 3)),
                      .c = json_number_value(json_array_get(json, 4))};
    return true;
}

/* Loads an argument's draws. A field of a struct must be inside the element. */
static bool load_argument_draws(const json_t *json, const gr_job *job, const gr_job_arg *arg,
                                gr_job_draws *d) {
    const json_t *fields = json_object_get(json, "fields"), *fills = json_object_get(json, "fills");
    d->n_fields = (int)json_array_size(fields);
    if (d->n_fields < 1 || d->n_fields > GR_MAX_FIELDS ||
        json_array_size(fills) != (size_t)job->n_sets)
        return false;
    for (int f = 0; f < d->n_fields; f++) {
        gr_field *field = &d->fields[f];
        if (!load_field(json_array_get(fields, (size_t)f), field) ||
            field->offset + gr_type_size(field->type) > gr_job_element_bytes(arg))
            return false;
        for (int s = 0; s < job->n_sets; s++)
            if (!load_fill(json_array_get(json_array_get(fills, (size_t)s), (size_t)f),
                           &d->fills[s][f]))
                return false;
    }
    return true;
}

static bool load_draws(const json_t *json, gr_job *job) {
    const json_t *sets = json_object_get(json, "sets"), *args = json_object_get(json, "arguments");
    job->n_sets = (int)json_array_size(sets);
    if (job->n_sets < 1 || job->n_sets > GR_MAX_SETS ||
        json_array_size(args) != (size_t)job->n_args)
        return false;
    for (int s = 0; s < job->n_sets; s++) {
        const char *name = json_string_value(json_array_get(sets, (size_t)s));
        if (!name || strlen(name) >= sizeof job->sets[s])
            return false;
        strcpy(job->sets[s], name);
    }
    for (int i = 0; i < job->n_args; i++)
        if (!load_argument_draws(json_array_get(args, (size_t)i), job, &job->args[i],
                                 &job->draws[i]))
            return false;
    return true;
}

const char *gr_job_values_name(const gr_job *job, gr_values values) {
    return job->sets[values];
}

bool gr_job_values_named(const gr_job *job, const char *name, gr_values *values) {
    int found = -1;
    for (int s = 0; name && s < job->n_sets; s++)
        if (strcmp(job->sets[s], name) == 0)
            found = s;
    *values = found;
    return found >= 0;
}

bool gr_job_load(const json_t *json, gr_job *job, wb_error *err) {
    const char *seed = json_string_value(json_object_get(json, "seed"));
    const json_t *args = json_object_get(json, "arguments");
    if (!seed || json_array_size(args) > GR_MAX_ARGS)
        return wb_fail(err, 1, _("the job is not one this grader wrote"));
    *job = (gr_job){.seed = strtoull(seed, NULL, 0),
                    .stream = (uint32_t)json_integer_value(json_object_get(json, "stream")),
                    .n_args = (int)json_array_size(args)};
    for (int i = 0; i < job->n_args; i++)
        if (!load_arg(json_array_get(args, (size_t)i), &job->args[i]))
            return wb_fail(err, 1, _("argument %d of the job is not one this grader wrote"), i);
    if (!gr_job_rival_load(json_object_get(json, "rival"), &job->rival))
        return wb_fail(err, 1, _("the rival of the job is not what this grader wrote"));
    if (!load_draws(json_object_get(json, "draws"), job))
        return wb_fail(err, 1, _("the draws of the job are not what this grader wrote"));
    if (!gr_job_values_named(job, json_string_value(json_object_get(json, "values")), &job->values))
        return wb_fail(err, 1, _("the values of the job are not of a kind that this grader knows"));
    return true;
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
