/* record.c: see record.h. */
#include "runtime/softgpu/cudart/soft/record.h"
#include "runtime/softgpu/cudart/rt.h"
#include "runtime/softgpu/cudart/soft/twin/values.h"

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/softgpu.h"

enum { MOST_LAUNCHES = 32 };

#pragma GCC visibility push(default)
void softgpu_record(const char *wish);
#pragma GCC visibility pop

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static sg_wish wish;
static char array[200];  /* wish.name */
static char kernel[200]; /* the wished kernel; "": any */
static unsigned launches;

/* ---- the wish ------------------------------------------------------------------------------ */

static uint32_t number_at(const json_t *list, size_t i) {
    return (uint32_t)json_integer_value(json_array_get(list, i));
}

static enum sg_record_what what_of(const char *name) {
    static const char *const names[] = {
        [SG_RECORD_ACCESS] = "access", [SG_RECORD_MAP] = "map",   [SG_RECORD_BLOCK] = "block",
        [SG_RECORD_LANES] = "lanes",   [SG_RECORD_GRID] = "grid", [SG_RECORD_VALUES] = "values"};
    for (size_t k = 1; name && k < WB_COUNT(names); k++)
        if (strcmp(names[k], name) == 0)
            return (enum sg_record_what)k;
    return SG_RECORD_NOTHING;
}

void softgpu_record(const char *text) {
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    const json_t *block = json_object_get(o, "block");
    const char *of = wb_field_string(o, "kernel");
    WB_LOCKED(&lock);
    wish = (sg_wish){.what = what_of(wb_field_string(o, "what")),
                     .block = {number_at(block, 0), number_at(block, 1), number_at(block, 2)},
                     .warp = (uint32_t)wb_field_int(o, "warp"),
                     .time = (uint64_t)wb_field_int(o, "time")};
    const char *name = wb_field_string(o, "name");
    json_int_t variable = wb_field_int(o, "variable");
    snprintf(array, sizeof array, "%s", name ? name : "");
    wish.name = array;
    wish.variable = (const void *)(uintptr_t)variable;
    wish.variable_bytes = (size_t)wb_field_int(o, "variable_bytes");
    wish.rows = (uint64_t)wb_field_int(o, "rows");
    wish.cols = (uint64_t)wb_field_int(o, "cols");
    wish.element = (uint32_t)wb_field_int(o, "element");
    wish.of = (unsigned)wb_field_int(o, "of");
    if (wish.what == SG_RECORD_MAP && (!wish.rows || !wish.cols))
        wish.what = SG_RECORD_NOTHING;
    snprintf(kernel, sizeof kernel, "%s", of ? of : "");
    launches = 0;
    soft_values_read(wish.what == SG_RECORD_VALUES ? o : NULL);
    json_decref(o);
}

/* Finds "tile" in "void lab::tile<32>(float*)" and sets its length. */
static const char *bare_name(const char *name, size_t *len) {
    size_t depth = 0, end = strcspn(name, "<("), start = 0;
    for (size_t i = 0; i < end && depth == 0; i++)
        if (name[i] == ' ' || name[i] == ':')
            start = i + 1;
    *len = end - start;
    return name + start;
}

static bool is_kernel(const char *symbol) {
    WB_SCOPED char *text = rt_plain_name(symbol);
    size_t len;
    const char *name = bare_name(text ? text : symbol, &len);
    return !kernel[0] || (strlen(kernel) == len && memcmp(kernel, name, len) == 0);
}

const sg_wish *soft_record_wish(const char *symbol) {
    WB_LOCKED(&lock);
    bool wanted = wish.what != SG_RECORD_NOTHING && launches < MOST_LAUNCHES && is_kernel(symbol);
    launches += wanted ? wish.what == SG_RECORD_VALUES ? MOST_LAUNCHES : 1 : 0;
    return wanted ? &wish : NULL;
}

void soft_record_clear(void) {
    WB_LOCKED(&lock);
    launches = 0;
}

/* ---- the record ---------------------------------------------------------------------------- */

static json_t *request_json(const sg_request *q) {
    json_t *at = json_array();
    for (int i = 0; i < 32; i++)
        json_array_append_new(at, json_integer(q->mask >> i & 1 ? (json_int_t)q->at[i] : 0));
    return wb_json_pack("{s:I, s:I, s:I, s:I, s:o}", "time", (json_int_t)q->time, "mask",
                        (json_int_t)q->mask, "moved", (json_int_t)q->moved, "wasted",
                        (json_int_t)q->wasted, "at", at);
}

/* Returns "t" for _ZZ4tilePfE1t, or NULL if there is no name. The caller frees it. */
static char *plain_name(const char *symbol) {
    WB_SCOPED char *text = rt_plain_name(symbol);
    const char *name = text ? text : symbol;
    for (const char *colon; (colon = strstr(name, "::")) != NULL;)
        name = colon + 2;
    return *name ? strdup(name) : NULL;
}

static json_t *requests_json(const sg_requests *q) {
    static const char *const kinds[] = {
        [SG_REQUEST_LOAD] = "load", [SG_REQUEST_STORE] = "store", [SG_REQUEST_ATOMIC] = "atomic"};
    json_t *o = wb_json_pack("{s:s?, s:I, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
                             q->file, "line", (json_int_t)q->line, "kind", kinds[q->kind], "shared",
                             (int)q->shared, "bytes", (json_int_t)q->bytes, "times",
                             (json_int_t)q->times, "lanes", (json_int_t)q->lanes, "moved",
                             (json_int_t)q->moved, "wasted", (json_int_t)q->wasted, "base",
                             (json_int_t)q->base, "range", (json_int_t)q->range_bytes);
    if (q->wished.time)
        json_object_set_new(o, "wished", request_json(&q->wished));
    json_object_set_new(o, "worst", request_json(&q->worst));
    WB_SCOPED char *name = plain_name(q->name);
    if (name)
        json_object_set_new(o, "name", json_string(name));
    return o;
}

/* Adds [file's number, line, lanes, instructions, ...]. */
static void add_steps(json_t *o, const sg_recorded *r) {
    json_t *files = json_array(), *steps = json_array();
    const char *last = NULL;
    size_t file = 0;
    for (uint32_t k = 0; k < r->n_steps; k++) {
        const sg_step_kept *s = &r->steps[k];
        const char *name = s->file ? s->file : "";
        if (s->jump)
            continue;
        for (size_t i = last == s->file && k ? file : 0; i <= json_array_size(files); i++) {
            file = i;
            if (i == json_array_size(files))
                json_array_append_new(files, wb_json_text(name, strlen(name)));
            if (strcmp(json_string_value(json_array_get(files, i)), name) == 0)
                break;
        }
        last = s->file;
        json_array_append_new(steps, json_integer((json_int_t)file));
        json_array_append_new(steps, json_integer((json_int_t)s->line));
        json_array_append_new(steps, json_integer((json_int_t)s->mask));
        json_array_append_new(steps, json_integer((json_int_t)s->instructions));
    }
    json_object_set_new(o, "files", files);
    json_object_set_new(o, "steps", steps);
}

/* Writes each field in hexadecimal: first, touches, time, and a sum of 1 for other threads, 2 for
 * warps, 4 for blocks.
 */
static json_t *map_json(const sg_map_kept *m) {
    static const char *const found[] = {[SG_MAP_FOUND] = "found",
                                        [SG_MAP_NO_VARIABLE] = "no variable",
                                        [SG_MAP_NO_ARRAY] = "no array",
                                        [SG_MAP_SEVERAL] = "several",
                                        [SG_MAP_TOO_LARGE] = "too large"};
    WB_SCOPED_BUF wb_buf fields = {0};
    for (uint64_t k = 0; m->touches && k < m->field_rows * m->field_cols; k++) {
        const sg_field *f = &m->fields[k];
        wb_buf_printf(&fields, "%llx %llx %x %x ", (unsigned long long)f->first,
                      (unsigned long long)f->touches, f->time,
                      f->threads + 2u * f->warps + 4u * f->blocks);
    }
    json_t *text = json_string(fields.data ? fields.data : "");
    return wb_json_pack(
        "{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "found",
        found[m->found], "timed", (int)m->timed, "bytes", (json_int_t)m->range_bytes, "element",
        (json_int_t)m->element, "threads", (json_int_t)m->threads, "rows", (json_int_t)m->rows,
        "cols", (json_int_t)m->cols, "row_step", (json_int_t)m->row_step, "col_step",
        (json_int_t)m->col_step, "field_rows", (json_int_t)m->field_rows, "field_cols",
        (json_int_t)m->field_cols, "touches", (json_int_t)m->touches, "beyond",
        (json_int_t)m->beyond, "last_time", (json_int_t)m->last_time, "fields", text);
}

/* Writes each span in hexadecimal: warp, from, to, what + 1, line. */
static void add_spans(json_t *o, const sg_recorded *r) {
    WB_SCOPED_BUF wb_buf text = {0};
    for (uint32_t k = 0; k < r->n_spans; k++) {
        const sg_span_kept *s = &r->spans[k];
        wb_buf_printf(&text, "%x %x %x %x %x ", s->warp, s->from, s->to, (unsigned)(s->what + 1),
                      s->line);
    }
    json_object_set_new(o, "spans", json_string(text.data ? text.data : ""));
}

/* Writes runs of warps with the same lanes in hexadecimal: lanes, number of warps. */
static void add_came(json_t *o, const sg_recorded *r) {
    WB_SCOPED_BUF wb_buf text = {0};
    for (uint64_t k = 0, end; k < r->n_came; k = end) {
        for (end = k + 1; end < r->n_came && r->came[end] == r->came[k];)
            end++;
        wb_buf_printf(&text, "%x %llx ", r->came[k], (unsigned long long)(end - k));
    }
    json_object_set_new(o, "came", json_string(text.data ? text.data : ""));
}

json_t *soft_record_json(const sg_recorded *r) {
    if (!r)
        return NULL;
    json_t *requests = json_array();
    for (uint32_t k = 0; k < r->n_requests; k++)
        json_array_append_new(requests, requests_json(&r->requests[k]));
    json_t *o = wb_json_pack("{s:b, s:o, s:I}", "ran", (int)r->ran, "requests", requests,
                             "left_out", (json_int_t)r->left_out);
    if (r->n_steps)
        add_steps(o, r);
    if (r->n_spans)
        add_spans(o, r);
    if (r->n_came)
        add_came(o, r);
    if (r->map)
        json_object_set_new(o, "map", map_json(r->map));
    return o;
}
