/* draw_values.c: %%draw values: what variables hold, in the first launch that has the block. */
#include "jupyter_kernel/magics/draw.h"

static const json_t *values_of(const json_t *launch) {
    return json_object_get(json_object_get(launch, "record"), "values");
}

bool draw_values_read(draw_call *d) {
    if (d->n_names == 0 && !d->lines)
        return magics_misuse(d->call, _("%%%%draw values takes the names of variables: "
                                        "%%%%draw values i sum"));
    if (d->block_wide && d->warp)
        return magics_misuse(d->call, _("--warp is one warp, --block-wide all of them"));
    if (!d->moments.said)
        d->moments = (draw_range){.first = 1, .last = DRAW_MOMENTS};
    if (d->moments.first == 0 || d->moments.last - d->moments.first >= MOST_DRAW_MOMENTS)
        return magics_misuse(d->call, _("moments count from 1, and a picture has at most %d"),
                             MOST_DRAW_MOMENTS);
    return true;
}

void draw_values_wish(const draw_call *d, json_t *wish) {
    json_t *names = d->n_names ? json_array() : NULL;
    json_t *thread = d->thread.said ? draw_spot_json(&d->thread) : NULL;
    for (int i = 0; i < d->n_names; i++)
        json_array_append_new(names, json_string(d->names[i]));
    json_object_update_new(
        wish, json_pack("{s:o*, s:o*, s:I, s:I, s:b, s:b, s:b, s:O*}", "names", names, "thread",
                        thread, "first", (json_int_t)d->moments.first, "last",
                        (json_int_t)d->moments.last, "before", (int)d->before, "every",
                        (int)d->every, "wide", (int)d->block_wide, "lines", d->lines));
}

/* Fails with the names that the function has, nearest first. */
static void no_name(const draw_call *d, const char *kernel, const json_t *values) {
    const char *name = wb_field_text(values, "name");
    WB_SCOPED_STRINGS wb_strings names = {0};
    WB_JSON_EACH(known, json_object_get(values, "known")) {
        wb_strings_add(&names, json_string_value(known));
    }
    WB_SCOPED char *list = wb_strings_joined(&names, ", ");
    draw_fails(d, _("%s has no variable %s%s (nvcc -G keeps: %s)"), kernel, name,
               wb_text_meant(name, (const char **)names.v, names.n),
               list && *list ? list : _("none"));
}

bool draw_values_trouble(const draw_call *d, const char *kernel, const json_t *values) {
    const char *trouble = wb_field_text(values, "trouble");
    if (strcmp(trouble, "name") == 0)
        no_name(d, kernel, values);
    else if (strcmp(trouble, "many") == 0)
        draw_fails(d, _("These names stand for more than 16 numbers of a lane: name fewer "
                        "variables, or single members and elements (p.x, acc[2])."));
    else if (*trouble)
        draw_fails(d,
                   _("The variables of %s are not known: its source is in no cell that this cell "
                     "uses, or does not compile with -G. Write the kernel in a cell."),
                   kernel);
    return *trouble;
}

/* Returns "line 5, round 2", "barrier, line 9". */
static char *place_of(const json_t *m) {
    const char *what = wb_field_text(m, "what");
    int line = (int)wb_field_int(m, "line");
    uint32_t round = (uint32_t)wb_field_int(m, "round");
    bool barrier = strcmp(what, "barrier") == 0;
    if (strcmp(what, "end") == 0)
        return strdup(_("at the end"));
    char *place =
        barrier ? wb_format(_("barrier of line %d"), line) : wb_format(_("line %d"), line);
    char *again = place && round > 1 ? wb_format(_("%s, round %u"), place, round) : NULL;
    if (again)
        free(place);
    return again ? again : place;
}

/* Moments come warp by warp. Finds one that the warp does not have yet, at the same line and round,
 * or makes room for a new one behind *at, the warp's one before (SIZE_MAX: none). *at becomes its
 * place. Returns true if it is new. */
static bool place_moment(draw_moment *moments, size_t *n, size_t *at, size_t warp,
                         const char *place) {
    for (size_t k = 0; k < *n; k++)
        if (!moments[k].values[warp] && strcmp(moments[k].place, place) == 0) {
            *at = k;
            return false;
        }
    ++*at;
    memmove(&moments[*at + 1], &moments[*at], (*n - *at) * sizeof *moments);
    ++*n;
    return true;
}

static draw_moment *moments_of(const draw_call *d, const json_t *values, size_t *n) {
    const json_t *list = json_object_get(values, "moments");
    draw_moment *moments = calloc(json_array_size(list) + 1, sizeof *moments);
    size_t at = SIZE_MAX, before = 0;
    *n = 0;
    WB_JSON_EACH(m, list) {
        bool of_line = strcmp(wb_field_text(m, "what"), "line") == 0;
        char *place = moments ? place_of(m) : NULL;
        if (!place)
            break;
        size_t warp = d->block_wide ? (size_t)wb_field_int(m, "warp") : 0;
        at = warp == before ? at : SIZE_MAX;
        before = warp;
        if (place_moment(moments, n, &at, warp, place))
            moments[at] =
                (draw_moment){.place = place,
                              .source = of_line ? draw_source(d->report, wb_field_text(m, "file"),
                                                              (int)wb_field_int(m, "line"))
                                                : NULL,
                              .of_arrays = !of_line};
        else
            free(place);
        moments[at].mask[warp] = (uint32_t)wb_field_int(m, "mask");
        moments[at].values[warp] = wb_field_text(m, "values");
    }
    return moments;
}

static draw_variable *variables_of(const json_t *values, size_t *n) {
    const json_t *list = json_object_get(values, "watched");
    draw_variable *variables = calloc(json_array_size(list) + 1, sizeof *variables);
    *n = 0;
    WB_JSON_EACH(w, list) {
        if (variables)
            variables[(*n)++] = (draw_variable){.name = wb_field_text(w, "name"),
                                                .is_array = wb_field_true(w, "array"),
                                                .rows = (uint64_t)wb_field_int(w, "rows"),
                                                .cols = (uint64_t)wb_field_int(w, "columns")};
    }
    return variables;
}

static bool show(draw_call *d, const json_t *launch, const char *kernel) {
    const json_t *values = values_of(launch);
    size_t n, n_variables;
    uint64_t threads = draw_block_threads(launch);
    if (d->block_wide && threads > 32 * DRAW_WIDE_WARPS)
        return draw_fails(d, _("--block-wide draws blocks of at most %d threads, not of %llu."),
                          32 * DRAW_WIDE_WARPS, (unsigned long long)threads);
    draw_moment *moments = moments_of(d, values, &n);
    draw_variable *variables = variables_of(values, &n_variables);
    draw_values v = {.kernel = kernel,
                     .block = {d->block.at[0], d->block.at[1], d->block.at[2]},
                     .warp = d->warp,
                     .block_wide = d->block_wide,
                     .lanes = d->block_wide ? (uint32_t)threads : draw_warp_lanes(d, launch),
                     .variables = variables,
                     .n_variables = n_variables,
                     .moments = moments,
                     .n = n,
                     .first = d->moments.first,
                     .all = (uint64_t)wb_field_int(values, "all"),
                     .same = (uint64_t)wb_field_int(values, "same"),
                     .before = d->before,
                     .every = d->every,
                     .shown = d->lanes,
                     .rows = d->table_rows,
                     .cols = d->table_cols};
    wb_buf words = {0};
    draw_values_words(&v, &words);
    bool ok = draw_show(d, draw_values_svg(&v, words.data), &words);
    for (size_t i = 0; i < n; i++)
        WB_FREE((char *)moments[i].place, (char *)moments[i].source);
    WB_FREE(moments, variables);
    return ok;
}

bool draw_values_show(draw_call *d) {
    const json_t *launch = draw_launch(d, "values"), *values = values_of(launch);
    WB_SCOPED char *kernel = wb_view_kernel(launch);
    const char *name = kernel ? kernel : _("the kernel");
    if (draw_values_trouble(d, name, values))
        return false;
    if (json_array_size(json_object_get(values, "moments")) > 0)
        return show(d, launch, name);
    return draw_nothing(d);
}
