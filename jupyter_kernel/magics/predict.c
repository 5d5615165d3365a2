/* predict.c: %%predict: the modelled times of the cell's launches on a GPU that is not in this
 * machine, for several sizes.
 *
 * The cell runs once a size, as a program in its own process. Some blocks of a launch may be left
 * out, so none of its results may be kept. Its output is shown only if all blocks ran. */
#include "jupyter_kernel/magics/magics.h"

#include <ctype.h>
#include <errno.h>

#include "jupyter_kernel/execution/bundle.h"
#include "runtime/exec/view.h"
#include "runtime/base/words.h"

enum { MOST_SIZES = 6, PAGE_WIDTH = 120, MOST_KEPT = 1 << 20 };

typedef struct prediction {
    magic_call *call;
    long long sizes[MOST_SIZES];
    size_t n_sizes;
    const char *name; /* the variable that has the size */
    const char *list; /* the sizes as written, or NULL */
    json_t *launches; /* for all sizes */
    wb_buf printed;   /* the cell's output */
    char *full;       /* the error of a failed allocation; NULL: none failed */
} prediction;

/* ---- reading the line ----------------------------------------------------------------------- */

/* Reads "4096", "2^24" or "1e8". Returns the place after it, or NULL. */
static const char *read_size(const char *text, long long *size) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || !isdigit((unsigned char)*text))
        return NULL;
    if (*end == '^' && isdigit((unsigned char)end[1])) {
        double base = value;
        long power = strtol(end + 1, &end, 10);
        for (value = 1; power > 0 && value < 1e15; power--)
            value *= base;
    }
    *size = (long long)value;
    return errno == 0 && value >= 1 && value <= 1e12 && (double)*size == value ? end : NULL;
}

static bool read_sizes(prediction *p, const char *list) {
    for (const char *at = list;; at++) {
        const char *end = p->n_sizes < MOST_SIZES ? read_size(at, &p->sizes[p->n_sizes]) : at;
        if (p->n_sizes == MOST_SIZES)
            return magics_misuse(p->call, _("%d sizes at once are enough"), MOST_SIZES);
        if (!end || (*end != ',' && *end != '\0'))
            return magics_misuse(p->call,
                                 _("'%.*s' is no size: whole numbers with commas between, as in "
                                   "--sizes 4096,8192 or 2^20,2^24"),
                                 (int)strcspn(at, ","), at);
        for (size_t k = 0; k < p->n_sizes; k++)
            if (p->sizes[k] == p->sizes[p->n_sizes])
                return magics_misuse(p->call, _("the size %lld is there twice"), p->sizes[k]);
        p->n_sizes++;
        if (*end == '\0')
            return true;
        at = end;
    }
}

static bool read_name(const char *text, void *name) {
    *(const char **)name = text;
    return wb_word_whole(text);
}

#define WB_RECORD prediction
const wb_option predict_options[] = {
    WB_OPTION("--sizes", TEXT, list, "N,N...", "the sizes, as in 4096,8192 or 2^20,2^24"),
    WB_OPTION("--name", READ, name, "NAME", "the variable that has the size (default: n)",
              .read = read_name, .wants = N_("a variable's name")),
    {0}};

static bool read_words(prediction *p) {
    magic_call *c = p->call;
    if (!magics_read_alone(c, p) || (p->list && !read_sizes(p, p->list)))
        return false;
    if (p->n_sizes > 0 && !wb_word_find(c->body, p->name, strlen(p->name)))
        return magics_misuse(
            c,
            _("nothing in the cell uses %s, which is to have each of the sizes; with "
              "--name NAME another variable has them"),
            p->name);
    return true;
}

/* ---- one size ----------------------------------------------------------------------------- */

static void keep_stream(void *ctx, int fd, const char *text, size_t len) {
    prediction *p = ctx;
    (void)fd;
    if (p->printed.len + len <= MOST_KEPT)
        wb_buf_append(&p->printed, text, len);
}

static void keep_display(void *ctx, const json_t *data, const json_t *metadata,
                         const char *display_id, bool update) {
    prediction *p = ctx;
    (void)metadata;
    const char *text = json_string_value(json_object_get(data, "text/plain"));
    /* Show the compiler's progress and warnings at once: they are not results. */
    if (display_id && strncmp(display_id, "wait-", 5) == 0)
        execution_display(p->call->x, json_deep_copy(data), display_id, update);
    else if (text)
        wb_buf_printf(&p->printed, "%s\n", text);
}

/* Returns the cell with the size in place of the magic's line. The caller frees it. */
static char *code_of(const prediction *p, const long long *size) {
    const magic_call *c = p->call;
    wb_buf code = {0};
    for (int i = 1; i < c->line; i++)
        wb_buf_putc(&code, '\n');
    if (size)
        wb_buf_printf(&code, "constexpr %s %s = %lld;", *size <= INT32_MAX ? "int" : "long long",
                      p->name, *size);
    wb_buf_putc(&code, '\n');
    wb_buf_append(&code, c->body, c->body_len);
    return wb_buf_steal(&code);
}

static void take_launches(prediction *p, json_t *report, const long long *size) {
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        if (size)
            json_object_set_new(launch, "size", json_integer(*size));
        json_array_append(p->launches, launch);
    }
    const json_t *unchecked = json_object_get(report, "unchecked");
    const char *error = json_string_value(json_object_get(unchecked, "error"));
    if (error && strcmp(error, "cudaErrorMemoryAllocation") == 0 && !p->full)
        p->full = wb_format("%s: %s", json_string_value(json_object_get(unchecked, "call")),
                            json_string_value(json_object_get(unchecked, "text")));
}

static bool run_size(prediction *p, const long long *size) {
    execution *x = p->call->x;
    WB_SCOPED char *code = code_of(p, size), *shown = code_of(p, NULL);
    wb_cell cell = {.code = code, .len = code ? strlen(code) : 0, .shown = shown, .predict = true};
    wb_sink usual = x->sink;
    SCOPED_RESULT wb_result result = {0};
    x->sink = (wb_sink){.ctx = p, .stream = keep_stream, .display = keep_display};
    bool ok = code && shown ? execution_run(x, &cell, &result)
                            : execution_fail(x, "MemoryError", _("out of memory"));
    x->sink = usual;
    json_decref(x->value); /* a program has no value for the notebook */
    x->value = NULL;
    if (result.report)
        take_launches(p, result.report, size);
    return ok;
}

/* ---- the answer --------------------------------------------------------------------------- */

/* Shows the times. Returns true if there are any. */
static bool show(prediction *p) {
    execution *x = p->call->x;
    WB_SCOPED_JSON json_t *report = json_pack("{s:O}", "launches", p->launches);
    bool partly = wb_view_sampled(report);
    WB_SCOPED_BUF wb_buf before = {0}, notes = {0}, first = {0};
    if (p->n_sizes > 0)
        json_object_set_new(report, "sized", json_string(p->name));
    if (partly)
        json_object_set_new(report, "kept_back", json_true());
    else if (p->printed.len > 0)
        execution_stream(x, 1, p->printed.data, p->printed.len);
    wb_table *table = wb_view_model_table(report, &before, &notes);
    bool any = table || notes.len;
    wb_view_findings(report, &first, NULL);
    if (table) {
        bundle_page page = {0};
        bundle_words(&page, first.len ? first.data : "");
        bundle_words(&page, before.data ? before.data : "");
        bundle_rows(&page, table);
        bundle_words(&page, notes.len ? notes.data : "");
        bundle_fold(&page, _("Details: lines"));
        bundle_rows(&page, wb_view_source(report, PAGE_WIDTH));
        execution_display(x, bundle_page_done(&page), NULL, false);
    } else if (notes.len)
        execution_printf(x, "%s", notes.data);
    return any;
}

/* Explains a failure that is not an error of the code: the cell ran as a separate program. */
static void explain(const prediction *p, size_t size) {
    execution *x = p->call->x;
    WB_SCOPED_JSON json_t *report = json_pack("{s:O}", "launches", p->launches);
    if (p->n_sizes > 0)
        execution_explain(x, _("That was with %s = %lld."), p->name, p->sizes[size]);
    bool other = wb_word_among(x->ename, strlen(x->ename), "CompileError CudaError Interrupted");
    if (p->full) /* an earlier failure that the code did not check */
        execution_explain(x, _("Before that, %s."), p->full);
    if (wb_view_sampled(report) && !other)
        json_array_append_new(
            x->traceback,
            json_string(_("%%predict runs only some blocks of a launch, so results are not "
                          "whole: a check of them fails. Leave checks out of the cell.")));
}

/* Explains undefined names: a separate program does not have the notebook's variables. */
static void explain_variables(const prediction *p) {
    execution *x = p->call->x;
    WB_SCOPED_JSON json_t *all = magics_names(x);
    WB_SCOPED char *error = json_dumps(x->traceback, JSON_ENSURE_ASCII);
    wb_text_replace(&error, "\\\"", "\"");
    WB_JSON_EACH(name, all) {
        if (!error || !magics_lacks(name, error))
            continue;
        execution_explain(
            x,
            json_object_get(name, "place")
                ? _("%s is a __constant__ or __device__ variable of cell [%d], and a prediction "
                    "has no variables of the notebook. Put its declaration, and the kernels that "
                    "use it, into this cell.")
                : _("%s is a variable of cell [%d]. A prediction is a program of its own: it has "
                    "the notebook's kernels, functions, types, macros and constants, and not its "
                    "variables. Declare it in this cell as well, or make it a constant."),
            wb_field_text(name, "name"), (int)wb_field_int(name, "cell"));
    }
}

static bool on_softgpu(const prediction *p) {
    execution *x = p->call->x;
    return execution_on_softgpu(x) ||
           execution_fail(x, "UsageError",
                          _("%%%%predict needs softgpu, and cells run on a real GPU now. `%%device "
                            "h200` changes that; "
                            "h100, a100, t4, rtx4090 and rtx4060-laptop work, too."));
}

static bool declares_it(const prediction *p) {
    wb_session *session = live_peek(p->call->x->live);
    return p->n_sizes > 0 && session &&
           wb_session_declares(session, p->call->body, p->call->body_len, p->name);
}

static bool run_all(prediction *p) {
    size_t n = p->n_sizes > 0 ? p->n_sizes : 1, done = 0;
    while (done < n && run_size(p, p->n_sizes > 0 ? &p->sizes[done] : NULL))
        done++;
    bool any = show(p);
    if (done < n) {
        explain(p, done);
        explain_variables(p);
        return false;
    }
    return any || execution_fail(
                      p->call->x, "UsageError",
                      _("%%%%predict: the cell launched no kernel, so there is no time to model."));
}

bool magic_predict(magic_call *c) {
    prediction p = {.call = c, .name = "n", .launches = json_array()};
    bool ok = read_words(&p) && on_softgpu(&p);
    if (ok && declares_it(&p))
        ok = magics_misuse(
            c,
            _("the cell declares %s itself, which is to have each of the sizes: leave "
              "that declaration out, or name another variable with --name NAME"),
            p.name);
    ok = ok && run_all(&p);
    json_decref(p.launches);
    wb_buf_free(&p.printed);
    free(p.full);
    return ok;
}
