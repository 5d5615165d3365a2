/* plan.c: reads and checks a plan. */
#include "grader/replay/plan.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

enum { MAX_FILE = 64 << 20 };
#define MAX_BYTES ((int64_t)1 << 40)

static bool bad(wb_error *err, const char *what) {
    return wb_fail(err, 1,
                   _("the plan of solve() is damaged (%s): host code must not write to the "
                     "grader's files"),
                   what);
}

/* Reads an integer member within min..max. A missing one counts as `otherwise`. */
static bool get(const json_t *object, const char *key, int64_t min, int64_t max, int64_t otherwise,
                int64_t *value) {
    const json_t *member = json_object_get(object, key);
    *value = json_is_integer(member) ? json_integer_value(member) : otherwise;
    return (!member || json_is_integer(member)) && *value >= min && *value <= max;
}

static bool get_three(const json_t *object, const char *key, uint32_t out[3]) {
    const json_t *list = json_object_get(object, key);
    for (size_t i = 0; i < 3; i++) {
        const json_t *entry = json_array_get(list, i);
        int64_t v = list ? json_integer_value(entry) : 1;
        if (v < 1 || v > 0x7fffffff || (list && !json_is_integer(entry)))
            return false;
        out[i] = (uint32_t)v;
    }
    return true;
}

static bool get_hex(const json_t *object, const char *key, size_t max, gr_plan_step *step) {
    const char *text = wb_field_string(object, key);
    size_t n = text ? strlen(text) : 1;
    if (n % 2 || n / 2 > max)
        return false;
    step->data = malloc(n / 2 + 1);
    for (size_t i = 0; step->data && i < n; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = strchr(digits, text[i]);
        if (!digit)
            return false;
        unsigned char nibble = (unsigned char)(digit - digits);
        step->data[i / 2] =
            i % 2 ? (unsigned char)(step->data[i / 2] | nibble) : (unsigned char)(nibble << 4);
    }
    step->data_len = n / 2;
    return step->data != NULL;
}

static bool read_pointers(const json_t *list, const gr_plan *plan, gr_plan_step *step) {
    size_t n = json_array_size(list);
    if (n > step->data_len / 8)
        return false;
    step->pointers = calloc(n + 1, sizeof *step->pointers);
    if (!step->pointers)
        return false;
    for (; step->n_pointers < n; step->n_pointers++) {
        const json_t *entry = json_array_get(list, step->n_pointers);
        int64_t at, buffer, offset;
        if (!get(entry, "at", 0, (int64_t)step->data_len - 8, -1, &at) ||
            !get(entry, "buffer", 0, (int64_t)plan->n_buffers - 1, -1, &buffer) ||
            !get(entry, "offset", -MAX_BYTES, MAX_BYTES, 0, &offset))
            return false;
        step->pointers[step->n_pointers] =
            (gr_plan_pointer){(uint32_t)at, (uint32_t)buffer, offset};
    }
    return true;
}

static bool read_launch(const json_t *json, const gr_plan *plan, gr_plan_step *step) {
    int64_t shared, most, carveout;
    const char *kernel = wb_field_string(json, "kernel");
    if (!kernel || strlen(kernel) > 8192 || !get_three(json, "grid", step->grid) ||
        !get_three(json, "block", step->block) || !get_three(json, "cluster", step->cluster) ||
        !get(json, "shared", 0, 1 << 20, 0, &shared) ||
        !get(json, "max_dynamic_shared", -1, 1 << 20, 0, &most) ||
        !get(json, "carveout", -1, 100, -1, &carveout) ||
        !get_hex(json, "params", GR_PLAN_MAX_PARAMS, step))
        return false;
    step->name = strdup(kernel);
    step->shared = (uint32_t)shared;
    step->max_dynamic_shared = (int)most;
    step->carveout = (int)carveout;
    step->cooperative = wb_field_true(json, "cooperative");
    return step->name && read_pointers(json_object_get(json, "pointers"), plan, step);
}

/* Reads a range of a buffer: [offset, offset + bytes). */
static bool read_span(const json_t *json, const gr_plan *plan, const char *buffer_key,
                      const char *offset_key, size_t bytes, uint32_t *buffer, size_t *offset) {
    int64_t b, o;
    if (!get(json, buffer_key, 0, (int64_t)plan->n_buffers - 1, -1, &b) ||
        !get(json, offset_key, 0, MAX_BYTES, 0, &o))
        return false;
    *buffer = (uint32_t)b;
    *offset = (size_t)o;
    return (size_t)o <= plan->buffers[b].bytes && bytes <= plan->buffers[b].bytes - (size_t)o;
}

static bool read_memory_step(const json_t *json, const gr_plan *plan, gr_plan_step *step) {
    int64_t bytes = 0, value = 0, pitch = 0, height = 1;
    bool two = step->op == GR_MEMSET2D;
    if (!get(json, two ? "width" : "bytes", 0, MAX_BYTES, 0, &bytes) ||
        !get(json, "value", -128, 255, 0, &value) ||
        (two && (!get(json, "pitch", bytes, MAX_BYTES, -1, &pitch) ||
                 !get(json, "height", 1, 1 << 30, -1, &height))))
        return false;
    if (step->op == GR_UPLOAD) {
        if (!get_hex(json, "data", 1 << 20, step) ||
            !read_pointers(json_object_get(json, "pointers"), plan, step))
            return false;
        bytes = (int64_t)step->data_len;
    }
    step->bytes = (size_t)bytes;
    step->value = (int)value;
    step->pitch = (size_t)pitch;
    step->height = (size_t)height;
    int64_t span = 0;
    if (__builtin_mul_overflow(pitch, height - 1, &span) || span > MAX_BYTES)
        return false;
    span += bytes;
    if (step->op == GR_COPY)
        return read_span(json, plan, "dst", "dst_offset", step->bytes, &step->buffer,
                         &step->offset) &&
               read_span(json, plan, "src", "src_offset", step->bytes, &step->source,
                         &step->source_offset);
    return read_span(json, plan, "buffer", "offset", (size_t)span, &step->buffer, &step->offset);
}

static bool read_symbol(const json_t *json, const gr_plan *plan, gr_plan_step *step) {
    const char *name = wb_field_string(json, "name");
    int64_t offset, bytes;
    if (!name || strlen(name) > 8192 || !get(json, "offset", 0, 1 << 30, 0, &offset))
        return false;
    if (step->op == GR_SYMBOL && (!get_hex(json, "data", 1 << 20, step) ||
                                  !read_pointers(json_object_get(json, "pointers"), plan, step)))
        return false;
    if (step->op == GR_SYMBOL_COPY &&
        (!get(json, "bytes", 0, MAX_BYTES, -1, &bytes) ||
         !read_span(json, plan, "buffer", "buffer_offset", step->bytes = (size_t)bytes,
                    &step->buffer, &step->source_offset)))
        return false;
    step->to_symbol = wb_field_true(json, "to_symbol");
    step->name = strdup(name);
    step->offset = (size_t)offset;
    return step->name != NULL;
}

static bool read_step(const json_t *json, const gr_plan *plan, gr_plan_step *step) {
    static const char *const ops[] = {"launch", "memset", "memset2d",   "copy",
                                      "symbol", "upload", "symbol_copy"};
    const char *op = wb_field_string(json, "op");
    for (size_t i = 0; op && i < WB_COUNT(ops); i++)
        if (strcmp(op, ops[i]) == 0) {
            step->op = (__typeof__(step->op))i;
            return step->op == GR_LAUNCH ? read_launch(json, plan, step)
                   : step->op == GR_SYMBOL || step->op == GR_SYMBOL_COPY
                       ? read_symbol(json, plan, step)
                       : read_memory_step(json, plan, step);
        }
    return false;
}

/* Reads the buffers. An argument's buffer is one of the job's arrays, with its size, once at
 * most. */
static bool read_buffers(const json_t *list, const gr_job *job, gr_plan *plan) {
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > GR_PLAN_MAX_BUFFERS)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *entry = json_array_get(list, i);
        const char *kind = wb_field_string(entry, "kind");
        const char *name = wb_field_string(entry, "name");
        int64_t bytes;
        if (!kind || !name || !get(entry, "bytes", 0, MAX_BYTES, -1, &bytes))
            return false;
        plan->buffers[i].arg = -1;
        plan->buffers[i].bytes = (size_t)bytes;
        if (strcmp(kind, "argument") != 0)
            continue;
        const gr_job_arg *arg = gr_job_find(job, name);
        if (!arg || !gr_is_array(arg->role) || gr_job_arg_bytes(arg) != (size_t)bytes)
            return false;
        plan->buffers[i].arg = (int)(arg - job->args);
        for (size_t j = 0; j < i; j++)
            if (plan->buffers[j].arg == plan->buffers[i].arg)
                return false;
    }
    plan->n_buffers = n;
    return true;
}

/* Fails with the recorder's error if the plan is incomplete. */
static bool check_complete(const json_t *json, wb_error *err) {
    const json_t *error = json_object_get(json, "error");
    const char *text = wb_field_string(error, "text");
    const char *call = wb_field_string(error, "call");
    if (wb_field_true(json, "complete") && !text)
        return true;
    bool whole = !text || !call || wb_field_true(error, "whole");
    return wb_fail(err, 1, "%.100s%s%.900s", whole ? "" : call, whole ? "" : ": ",
                   text ? text : _("solve() did not return"));
}

gr_plan *gr_plan_read(const char *path, const gr_job *job, wb_error *err) {
    WB_SCOPED_BUF wb_buf text = {0};
    if (!wb_file_read(path, MAX_FILE, &text, err))
        return NULL;
    if (text.len == 0) {
        wb_fail(err, 1, _("solve() was never called: the process ended before it"));
        return NULL;
    }
    WB_SCOPED_JSON json_t *json = json_loadb(text.data, text.len, 0, NULL);
    const json_t *steps = json_object_get(json, "steps");
    gr_plan *plan = calloc(1, sizeof *plan);
    bool ok = plan != NULL && (json_is_object(json) || bad(err, "no JSON")) &&
              check_complete(json, err) &&
              (read_buffers(json_object_get(json, "buffers"), job, plan) || bad(err, "buffers"));
    size_t n = json_array_size(steps);
    ok = ok && ((json_is_array(steps) && n <= GR_PLAN_MAX_STEPS) || bad(err, "steps"));
    if (ok)
        ok = (plan->steps = calloc(n + 1, sizeof *plan->steps)) != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        plan->n_steps = i + 1;
        char where[40];
        ok = read_step(json_array_get(steps, i), plan, &plan->steps[i]);
        if (!ok) {
            snprintf(where, sizeof where, _("step %zu"), i);
            bad(err, where);
        }
    }
    if (ok)
        return plan;
    gr_plan_free(plan);
    return NULL;
}

void gr_plan_free(gr_plan *plan) {
    for (size_t i = 0; plan && plan->steps && i < plan->n_steps; i++)
        WB_FREE(plan->steps[i].name, plan->steps[i].data, plan->steps[i].pointers);
    if (plan)
        free(plan->steps);
    free(plan);
}

static uint64_t whole_sectors(uint64_t bytes) {
    return (bytes + 31) / 32 * 32;
}

static uint64_t at_most(uint64_t bytes, uint64_t most) {
    return bytes < most ? bytes : most;
}

uint64_t gr_plan_copied(const gr_plan *plan) {
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->n_steps; i++) {
        const gr_plan_step *s = &plan->steps[i];
        switch (s->op) {
        case GR_LAUNCH:
            break;
        case GR_MEMSET:
            sum += whole_sectors(s->bytes);
            break;
        case GR_MEMSET2D:
            sum += at_most(whole_sectors(s->bytes) * s->height,
                           whole_sectors(s->pitch * (s->height - 1) + s->bytes));
            break;
        case GR_SYMBOL:
        case GR_UPLOAD:
            sum += whole_sectors(s->data_len);
            break;
        case GR_COPY:
        case GR_SYMBOL_COPY:
            sum += 2 * whole_sectors(s->bytes);
            break;
        }
    }
    return sum;
}

json_t *gr_plan_copies(const gr_plan *plan) {
    json_int_t steps = 0, uploads = 0, uploaded = 0;
    for (size_t i = 0; i < plan->n_steps; i++) {
        const gr_plan_step *s = &plan->steps[i];
        bool upload = s->op == GR_SYMBOL || s->op == GR_UPLOAD;
        steps += s->op != GR_LAUNCH;
        uploads += upload;
        uploaded += upload ? (json_int_t)s->data_len : 0;
    }
    return json_pack("{s:I, s:I, s:I}", "steps", steps, "uploads", uploads, "uploaded", uploaded);
}
