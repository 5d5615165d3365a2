/* stage.c: see stage.h.
 *
 * On softgpu large sizes are not checked (sampled.c), and nobody reads notes on stage. So each
 * kernel first runs at a small size, where its result is checked. */
#include "runtime/compare/stage.h"

#include "runtime/base/base.h"
#include "runtime/json/json.h"
#include "runtime/measure/stage.h"

char *stage_label(char *word) {
    char *own = strstr(word, ".cu:"); /* the path may contain '=' too */
    char *equals = strchr(own ? own : word, '=');
    if (!equals || !equals[1])
        return NULL;
    *equals = '\0';
    return equals + 1;
}

/* Sizes by the number of dimensions: the default, a small one, a small one with equal sides. */
static const char *const sizes[][3] = {
    {"2^26", "2^16", "2^16"},
    {"8192", "256x512", "256"},
    {"4096", "128x256x64", "128"},
    {"64x1024x1024x1024", "4x128x256x64", "4x128x256x64"},
};

const char *stage_size(wbk_shape shape) {
    return sizes[wbk_dimensions(shape) - 1][0];
}

const char *stage_small_size(wbk_shape shape, const char *size) {
    return sizes[wbk_dimensions(shape) - 1][strchr(size, 'x') ? 1 : 2];
}

static const view_size *last_size(const compare_view *view) {
    return view->n_sizes > 0 ? &view->sizes[view->n_sizes - 1] : NULL;
}

/* Returns true if the kernel was wrong at an earlier, smaller size. */
static bool was_wrong(const compare_view *view, const char *name) {
    VIEW_EACH(view, size, row) {
        if (row->status == VIEW_WRONG && strcmp(row->name, name) == 0)
            return true;
    }
    return false;
}

static double rate_of(const compare_view *view, const view_row *row) {
    return view->gpu ? (row->model.known ? row->model.rate : 0) : row->rate;
}

/* Returns true if the row is final. */
static bool is_done(const compare_view *view, const view_row *row) {
    return row->status != VIEW_PENDING || row->model.known || row->model.why ||
           (!view->gpu && row->n_times > 0);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Returns whose times they are, at the end. */
static char *end_words(const compare_view *view) {
    const char *name = wb_field_string(view->device, "name");
    if (view->error)
        return strdup(view->error);
    if (view->gpu && view->references)
        return wb_format(_("Bars: as modelled. The line: measured on an %s."), view->gpu->title);
    if (view->gpu)
        return wb_format(_("As modelled for an %s%s."), view->gpu->title,
                         view->gpu->measured ? "" : _(", from published figures"));
    if (view_is_soft(view))
        return strdup("The CPU's times (softgpu), not a GPU's.");
    return wb_format(_("Measured on this %s, with cold caches."), name ? name : "GPU");
}

/* Returns the last size, once all its rows exist. */
static const view_size *shown_size(const compare_view *view) {
    const view_size *size = last_size(view);
    bool whole = size && view->n_sizes == view->wanted_sizes && size->n_rows > 0;
    return whole && size->n_rows >= view->sizes[0].n_rows ? size : NULL;
}

char *stage_words(const compare_view *view) {
    const view_size *size = shown_size(view);
    size_t n = 0, at = 0;
    const char *next = "";
    if (view->ended)
        return end_words(view);
    if (!size)
        return strdup(view->n_sizes > 0 ? _("checking the results") : _("starting"));
    VIEW_EACH_ROW(size, row) {
        if (row->model.reference) /* measured earlier, so nothing to wait for */
            continue;
        n++;
        if (!is_done(view, row) && at == 0)
            at = n;
        if (at == n || at == 0)
            next = row->label;
    }
    return wb_format(_("measuring %zu of %zu: %s"), at ? at : n, n, next);
}

/* ---- bars ------------------------------------------------------------------------------------ */

static double before_of(const json_t *before, const char *name) {
    return wb_field_number(json_object_get(before, "bars"), name);
}

static const char *note_of(const compare_view *view, const view_row *row) {
    if (row->status == VIEW_WRONG || was_wrong(view, row->name))
        return _("wrong result");
    if (row->status == VIEW_UNAVAILABLE || row->status == VIEW_REFUSED)
        return _("not run");
    return row->model.why ? _("no time") : NULL;
}

static void add_bars(const compare_view *view, const view_size *size, bool yours,
                     const json_t *before, wb_stage *stage, wb_stage_bar *bars) {
    VIEW_EACH_ROW(size, row) {
        const char *note = note_of(view, row);
        double rate = note ? 0 : rate_of(view, row);
        if (row->reference && rate > 0) {
            stage->reference = row->label;
            stage->reference_value = rate;
        }
        if (row->yours != yours || (row->reference && !row->yours) ||
            stage->n_bars == WB_STAGE_BARS)
            continue;
        bars[stage->n_bars++] = (wb_stage_bar){.name = row->label,
                                               .value = rate,
                                               .before = before_of(before, row->label),
                                               .yours = row->yours,
                                               .note = note};
    }
}

static char *title_of(const compare_view *view) {
    return wb_format("%s, %s%s%s", view->what ? view->what : "comparison",
                     view->stage_size ? view->stage_size : "",
                     view->gpu ? _(", as modelled for an ") : "",
                     view->gpu ? view->gpu->title : "");
}

/* Fills the stage. The caller frees the title. Compares with `before` only if task, size and GPU
 * are the same. `names` are the kernels to come. */
static void fill_stage(const compare_view *view, const view_label *names, size_t n_names,
                       const char *before, wb_stage *stage, wb_stage_bar bars[WB_STAGE_BARS]) {
    const view_size *size = shown_size(view);
    json_t *known = before ? json_loads(before, 0, NULL) : NULL;
    const char *what = wb_field_string(known, "what");
    stage->title = title_of(view);
    stage->bars = bars;
    stage->unit = size ? view_unit(view, size) : "";
    bool same = what && stage->title && strcmp(what, stage->title) == 0;
    for (int other = 0; other < 2; other++) { /* the user's own first */
        if (size)
            add_bars(view, size, !other, same ? known : NULL, stage, bars);
        for (size_t i = 0; !size && i < n_names && stage->n_bars < WB_STAGE_BARS; i++)
            if ((names[i].name == NULL) == !other)
                bars[stage->n_bars++] =
                    (wb_stage_bar){.name = names[i].label,
                                   .before = same ? before_of(known, names[i].label) : 0,
                                   .yours = !other};
    }
    json_decref(known);
}

json_t *stage_bundle(const compare_view *view, const view_label *names, size_t n_names,
                     const char *words, const char *before) {
    wb_stage_bar bars[WB_STAGE_BARS] = {0};
    wb_stage stage = {.words = words};
    fill_stage(view, names, n_names, before, &stage, bars);
    json_t *bundle = wb_stage_bundle(&stage);
    free((char *)stage.title);
    return bundle;
}

char *stage_picture(const compare_view *view, const char *before) {
    wb_stage_bar bars[WB_STAGE_BARS] = {0};
    char *words = stage_words(view);
    wb_stage stage = {.words = words};
    fill_stage(view, NULL, 0, before, &stage, bars);
    char *svg = wb_stage_svg(&stage);
    WB_FREE((char *)stage.title, words);
    return svg;
}

bool stage_went_wrong(const compare_view *view) {
    const view_size *size = shown_size(view);
    bool wrong = view->error != NULL || !size;
    for (size_t r = 0; size && r < size->n_rows; r++)
        wrong |= note_of(view, &size->rows[r]) != NULL;
    return wrong;
}

char *stage_state(const compare_view *view, const char *before) {
    const view_size *size = shown_size(view);
    json_t *known = before ? json_loads(before, 0, NULL) : NULL, *old = NULL;
    char *title = title_of(view), *text = NULL;
    const char *what = wb_field_string(known, "what");
    if (what && title && strcmp(what, title) == 0) /* a failed kernel keeps its old time */
        old = json_object_get(known, "bars");
    json_t *bars = old ? json_deep_copy(old) : json_object();
    for (size_t r = 0; size && r < size->n_rows; r++)
        if (rate_of(view, &size->rows[r]) > 0 && !note_of(view, &size->rows[r]))
            json_object_set_new(bars, size->rows[r].label,
                                json_real(rate_of(view, &size->rows[r])));
    json_t *state = json_pack("{s:s, s:O}", "what", title ? title : "", "bars", bars);
    if (json_object_size(bars) > 0)
        text = json_dumps(state, JSON_COMPACT);
    WB_JSON_FREE(state, bars, known);
    free(title);
    return text;
}
