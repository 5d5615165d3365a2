/* reference.c: interpolates between measured sizes. With one dimension it draws a straight line
 * between the neighbours, both axes logarithmic. With more dimensions libraries switch kernels here
 * and there. So it interpolates a ratio: how much longer a size took than the list's best rate and
 * least time predict. The result is the mean of the logarithms, weighted by nearness. Leaving out
 * one of the 300 products of an H200's list at a time, the median error is 7 %, and nine of ten are
 * within 26 %. */
#include "runtime/model/reference.h"

#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/json/line.h"

enum { MAX_FILE = 4 << 20, ROW = MODEL_REFERENCE_SIZES + 1 };

/* Sizes are near if they differ by less than this factor in each dimension. */
#define NEAR 2.5
/* Squared distance (of logarithms) at which a point's weight begins to fall. */
#define SOFT 0.05

typedef struct list {
    char *name, *type;
    size_t n_sizes, n_rows;
    double *rows;         /* for each row its sizes, then seconds */
    double least, a_unit; /* seconds: the shortest time; one unit of work at the best rate */
} list;

struct model_references {
    char *title;
    list *lists;
    size_t n_lists;
};

static double work_of(const list *l, const double *sizes) {
    double work = 1;
    for (size_t k = 0; k < l->n_sizes; k++)
        work *= sizes[k];
    return work;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_row(const json_t *json, size_t n_sizes, double *row) {
    if (json_array_size(json) != n_sizes + 1)
        return false;
    for (size_t k = 0; k <= n_sizes; k++) {
        row[k] = json_number_value(json_array_get(json, k));
        if (!(row[k] > 0))
            return false;
    }
    return true;
}

static int by_size(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

static bool read_list(const json_t *json, list *l) {
    const char *name = wb_field_string(json, "name");
    const char *type = wb_field_string(json, "type");
    const json_t *times = json_object_get(json, "times");
    l->n_sizes = json_array_size(json_object_get(json, "sizes"));
    l->n_rows = json_array_size(times);
    if (!name || !type || !l->n_sizes || l->n_sizes > MODEL_REFERENCE_SIZES || !l->n_rows)
        return false;
    l->name = strdup(name);
    l->type = strdup(type);
    l->rows = calloc(l->n_rows, ROW * sizeof *l->rows);
    l->least = l->a_unit = INFINITY;
    for (size_t i = 0; l->rows && i < l->n_rows; i++) {
        double *row = l->rows + ROW * i;
        if (!read_row(json_array_get(times, i), l->n_sizes, row))
            return false;
        l->least = fmin(l->least, row[l->n_sizes]);
        l->a_unit = fmin(l->a_unit, row[l->n_sizes] / work_of(l, row));
    }
    if (l->rows)
        qsort(l->rows, l->n_rows, ROW * sizeof *l->rows, by_size);
    return l->name && l->type && l->rows;
}

static bool read_all(const json_t *json, model_references *r) {
    const char *title = wb_field_string(json, "title");
    const json_t *lists = json_object_get(json, "references");
    size_t n = json_array_size(lists);
    r->title = title ? strdup(title) : NULL;
    r->lists = calloc(n + 1, sizeof *r->lists);
    for (size_t i = 0; r->lists && i < n; i++) {
        r->n_lists = i + 1;
        if (!read_list(json_array_get(lists, i), &r->lists[i]))
            return false;
    }
    return r->title && r->n_lists;
}

model_references *model_references_parse(const char *file, const char *text, size_t len,
                                         wb_error *err) {
    json_t *json = wb_json_parse(&(wb_json_source){file, text, len, err});
    model_references *r = json ? calloc(1, sizeof *r) : NULL;
    if (json && (!r || !read_all(json, r))) {
        wb_fail(err, 1,
                _("%.250s: reference %zu is no list of a name, a type, the names of 1 to 3 sizes, "
                  "and times: [size, ..., seconds], all above 0"),
                file, r ? r->n_lists : 0);
        model_references_free(r);
        r = NULL;
    }
    json_decref(json);
    return r;
}

model_references *model_references_load(const char *gpu, wb_error *err) {
    WB_SCOPED char *inside = wb_format("references/%.64s.json", gpu);
    WB_SCOPED char *path = inside ? wb_path_share(inside) : NULL;
    model_references *r = NULL;
    WB_SCOPED_BUF wb_buf text = {0};
    if (!path || strchr(gpu, '/') || !wb_file_exists(path))
        wb_fail(err, 1, _("libraries and copies were not measured on %.64s"), gpu);
    else if (wb_file_read(path, MAX_FILE, &text, err))
        r = model_references_parse(path, text.data ? text.data : "", text.len, err);
    return r;
}

void model_references_free(model_references *r) {
    for (size_t i = 0; r && i < r->n_lists; i++)
        WB_FREE(r->lists[i].name, r->lists[i].type, r->lists[i].rows);
    if (r)
        WB_FREE(r->lists, r->title);
    free(r);
}

/* ---- between sizes --------------------------------------------------------------------------- */

static void describe(char *text, size_t room, const double *sizes, size_t n) {
    size_t used = 0;
    for (size_t k = 0; k < n && used < room; k++)
        used += (size_t)snprintf(text + used, room - used, "%s%.0f", k ? " x " : "", sizes[k]);
}

/* Returns the squared distance of the logarithms. Sets *factor to the largest ratio between
 * sizes. */
static double distance(const list *l, const double *row, const double *sizes, double *factor) {
    double sum = 0, most = 0;
    for (size_t k = 0; k < l->n_sizes; k++) {
        double d = fabs(log(row[k] / sizes[k]));
        sum += d * d;
        most = fmax(most, d);
    }
    *factor = exp(most);
    return sum;
}

/* Returns true if a copy of this size takes two launches, because it is not whole pages. The second
 * launch adds TWO_LAUNCHES, at 4 MB as at 42 MB (an H100). */
#define TWO_LAUNCHES 3.0e-6
static bool in_two(const list *l, double size) {
    return strcmp(l->name, "cuda.memcpy") == 0 && fmod(size, 4096) != 0;
}

/* Interpolates between rows of one launch. A size below the first takes as long as the first. */
static double between_neighbours(const list *l, double size) {
    const double *a = NULL, *b = NULL;
    for (size_t i = 0; i < l->n_rows && (!b || b[0] < size); i++) {
        const double *row = l->rows + ROW * i;
        if (!in_two(l, row[0])) {
            a = b ? b : row;
            b = row;
        }
    }
    double part = a != b ? log(size / a[0]) / log(b[0] / a[0]) : 0;
    return a[1] * pow(b[1] / a[1], part) + (in_two(l, size) ? TWO_LAUNCHES : 0);
}

static double without_excess(const list *l, const double *sizes) {
    return l->least + l->a_unit * work_of(l, sizes);
}

static double among_near(const list *l, const double *sizes) {
    double sum = 0, weights = 0, factor;
    for (size_t i = 0; i < l->n_rows; i++) {
        const double *row = l->rows + ROW * i;
        double d = distance(l, row, sizes, &factor) + SOFT, weight = 1 / (d * d);
        sum += weight * log(row[l->n_sizes] / without_excess(l, row));
        weights += weight;
    }
    return without_excess(l, sizes) * exp(sum / weights);
}

static bool within(const list *l, const double *sizes) {
    for (size_t k = 0; k < l->n_sizes; k++) {
        double least = INFINITY, most = 0;
        for (size_t i = 0; i < l->n_rows; i++) {
            least = fmin(least, l->rows[ROW * i + k]);
            most = fmax(most, l->rows[ROW * i + k]);
        }
        if (!(sizes[k] >= least && sizes[k] <= most))
            return false;
    }
    return true;
}

bool model_reference_time(const model_references *r, const char *name, const char *type,
                          const double *sizes, size_t n, model_reference *out, wb_error *err) {
    const list *l = NULL;
    for (size_t i = 0; i < r->n_lists && !l; i++)
        if (strcmp(r->lists[i].name, name) == 0 && strcmp(r->lists[i].type, type) == 0 &&
            r->lists[i].n_sizes == n)
            l = &r->lists[i];
    if (!l)
        return wb_fail(err, 1, _("%.60s of %.20s was not measured on an %s"), name, type, r->title);
    const double *nearest = l->rows;
    double least = INFINITY, by = 0;
    for (size_t i = 0; i < l->n_rows; i++) {
        double factor, d = distance(l, l->rows + ROW * i, sizes, &factor);
        if (d < least) {
            least = d;
            by = factor;
            nearest = l->rows + ROW * i;
        }
    }
    *out = (model_reference){.exact = least == 0};
    describe(out->near, sizeof out->near, nearest, n);
    if (!within(l, sizes) || (n > 1 && by > NEAR)) {
        char wanted[64];
        describe(wanted, sizeof wanted, sizes, n);
        return wb_fail(
            err, 1, _("%.60s was not measured near %s on an %s: the nearest measured size is %s"),
            name, wanted, r->title, out->near);
    }
    out->seconds = out->exact ? nearest[n]
                   : n == 1   ? between_neighbours(l, sizes[0])
                              : among_near(l, sizes);
    return true;
}
