/* check.c: compares results with those of the lab's reference. */
#include "grader/check/check.h"
#include "grader/job/input.h"

#include <inttypes.h>

/* A result array and its expected content. */
typedef struct pair {
    const gr_job *job;
    const gr_job_arg *arg;
    const gr_job_draws *draws;
    const char *got, *want;
    const char *magnitude; /* or NULL */
    const void *before;    /* an inout's content before solve(), or NULL */
    gr_verdict *verdict;
    wb_error *err;
} pair;

static bool out_of_memory(wb_error *err) {
    return wb_fail(err, 1, _("out of memory while checking"));
}

/* Returns the values of one field, packed. The caller frees them. */
static void *column(const pair *p, const char *elements, const gr_field *field) {
    size_t size = gr_type_size(field->type), step = gr_job_element_bytes(p->arg);
    char *values = malloc((size_t)p->arg->count * size + 1);
    for (int64_t i = 0; values && i < p->arg->count; i++)
        memcpy(values + (size_t)i * size, elements + (size_t)i * step + field->offset, size);
    return values;
}

static bool compare_field(const pair *p, const gr_field *field) {
    gr_job_arg arg = *p->arg;
    arg.type = field->type;
    arg.bytes = 0;
    gr_expected e = {.job = p->job,
                     .arg = &arg,
                     .row_length = arg.row,
                     .field = *field->name ? field->name : NULL,
                     .bound = field->bound,
                     .magnitude = p->magnitude};
    bool bits = field->bound.by == GR_BY_BITS ||
                (field->bound.by == GR_BY_EXACT && gr_type_is_whole(field->type));
    size_t size = gr_type_size(field->type);
    /* result arrays are packed, so one may be unaligned for its type */
    bool aligned = (uintptr_t)p->got % size == 0 && (uintptr_t)p->want % size == 0;
    bool gather = p->draws->n_fields > 1 || *field->name || !aligned;
    void *got = gather ? column(p, p->got, field) : NULL;
    void *want = gather ? column(p, p->want, field) : NULL;
    const void *is = gather ? got : p->got;
    e.want = gather ? want : p->want;
    bool ok = (is && e.want) || out_of_memory(p->err);
    if (ok && bits)
        gr_compare_bits(&e, is, gather ? NULL : p->before, p->verdict);
    else if (ok)
        gr_compare(&e, is, p->verdict);
    WB_FREE(got, want);
    return ok;
}

/* ---- comparison in any order ---------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b, void *size) {
    return memcmp(a, b, *(const size_t *)size);
}

/* Returns the elements sorted, without padding between their fields. The caller frees them. */
static char *sorted_elements(const pair *p, const char *elements, size_t *size) {
    size_t step = gr_job_element_bytes(p->arg), n = (size_t)p->arg->count;
    *size = 0;
    for (int f = 0; f < p->draws->n_fields; f++)
        *size += gr_type_size(p->draws->fields[f].type);
    char *packed = malloc(n * *size + 1), *to = packed;
    for (size_t i = 0; packed && i < n; i++)
        for (int f = 0; f < p->draws->n_fields; f++) {
            const gr_field *field = &p->draws->fields[f];
            size_t bytes = gr_type_size(field->type);
            memcpy(to, elements + i * step + field->offset, bytes);
            to += bytes;
        }
    if (packed)
        qsort_r(packed, n, *size, by_bytes, size);
    return packed;
}

/* Shows an element as "7" or "{x 0.5, y 3}". */
static void show_element(const pair *p, const char *packed, char *text, size_t size) {
    wb_buf b = {0};
    bool one = p->draws->n_fields == 1;
    wb_buf_puts(&b, one ? "" : "{");
    for (int f = 0; f < p->draws->n_fields; f++) {
        const gr_field *field = &p->draws->fields[f];
        char value[8];
        memcpy(value, packed, gr_type_size(field->type));
        packed += gr_type_size(field->type);
        wb_buf_printf(&b, "%s%s%s%.9g", f ? ", " : "", field->name, *field->name ? " " : "",
                      gr_type_get(field->type, value, 0));
    }
    wb_buf_puts(&b, one ? "" : "}");
    snprintf(text, size, "%s", b.data ? b.data : "");
    wb_buf_free(&b);
}

/* Counts the elements that only one of two sorted lists has. */
static void compare_sorted(const pair *p, const char *got, const char *want, size_t size) {
    size_t n = (size_t)p->arg->count, i = 0, k = 0;
    uint64_t missing = 0, foreign = 0;
    char lacks[200] = "", has[200] = "";
    while (i < n || k < n) {
        int order = i == n ? 1 : k == n ? -1 : memcmp(got + i * size, want + k * size, size);
        if (order < 0 && foreign++ == 0)
            show_element(p, got + i * size, has, sizeof has);
        if (order > 0 && missing++ == 0)
            show_element(p, want + k * size, lacks, sizeof lacks);
        i += order <= 0;
        k += order >= 0;
    }
    p->verdict->total += n;
    p->verdict->wrong += foreign;
    if (!foreign || p->verdict->array[0])
        return;
    snprintf(p->verdict->array, sizeof p->verdict->array, "%s", p->arg->name);
    snprintf(p->verdict->text, sizeof p->verdict->text,
             _("%" PRIu64 " of %zu elements of %s do not belong there, in whatever order: %s is "
               "there once too often, %s once too few."),
             foreign, n, p->arg->name, has, lacks);
}

static bool compare_multiset(const pair *p) {
    size_t size;
    char *got = sorted_elements(p, p->got, &size), *want = sorted_elements(p, p->want, &size);
    bool ok = (got && want) || out_of_memory(p->err);
    if (ok)
        compare_sorted(p, got, want, size);
    WB_FREE(got, want);
    return ok;
}

static bool compare_pair(const pair *p) {
    bool ok = true;
    if (p->draws->fields[0].bound.by == GR_BY_MULTISET)
        return compare_multiset(p);
    for (int f = 0; ok && f < p->draws->n_fields; f++)
        if (p->draws->fields[f].bound.by != GR_BY_CHECK)
            ok = compare_field(p, &p->draws->fields[f]);
    return ok;
}

bool gr_check(const gr_job *job, uint32_t run, const void *outputs, size_t bytes, gr_given given,
              gr_verdict *verdict, wb_error *err) {
    *verdict = (gr_verdict){0};
    size_t results = 0, magnitudes = 0, at = 0;
    bool ok = true;
    for (int i = 0; i < job->n_args; i++) {
        results += gr_is_result(job->args[i].role) ? gr_job_arg_bytes(&job->args[i]) : 0;
        magnitudes += gr_job_has_magnitude(job, i) ? (size_t)job->args[i].count : 0;
    }
    if (results != bytes)
        return wb_fail(err, 1, _("the outputs hold %zu bytes; %zu were expected"), bytes, results);
    if (!given.data || given.bytes != results + magnitudes * sizeof(double))
        return wb_fail(err, 1, _("the lab's reference gave %zu bytes; %zu were expected"),
                       given.bytes, results + magnitudes * sizeof(double));
    const char *magnitude = (const char *)given.data + results;
    for (int i = 0; ok && i < job->n_args; i++) {
        const gr_job_arg *arg = &job->args[i];
        if (!gr_is_result(arg->role))
            continue;
        bool measured = gr_job_has_magnitude(job, i);
        void *before = arg->role == GR_INOUT ? malloc(gr_job_arg_bytes(arg) + 1) : NULL;
        if (before)
            gr_input_fill(job, i, run, before);
        pair p = {job,
                  arg,
                  &job->draws[i],
                  (const char *)outputs + at,
                  (const char *)given.data + at,
                  measured ? magnitude : NULL,
                  before,
                  verdict,
                  err};
        ok = compare_pair(&p);
        free(before);
        at += gr_job_arg_bytes(arg);
        magnitude += measured ? (size_t)arg->count * sizeof(double) : 0;
    }
    verdict->passed = ok && verdict->wrong == 0;
    return ok;
}
