/* draw_access.c: %%draw access: chooses the memory requests of a launch to draw. */
#include "jupyter_kernel/magics/draw.h"
#include "runtime/base/language.h"

#include "jupyter_kernel/steps/figure.h"
#include "runtime/draw/access.h"

enum { MOST_PANELS = 4 };

typedef struct choice { /* the requests to draw: of one launch, in program order */
    const json_t *launch, *requests[MOST_PANELS];
    size_t n, left_out;
} choice;

static const char *string(const json_t *o, const char *key) {
    return json_string_value(json_object_get(o, key));
}

static const json_t *requests_of(const json_t *launch) {
    return json_object_get(json_object_get(launch, "record"), "requests");
}

/* Returns the number of the cell that a file is, or 0 if it is not a cell. */
static int cell_of(const char *file) {
    const char *name = file ? strstr(file, "cell [") : NULL;
    int n = 0;
    return name && sscanf(name, "cell [%d]", &n) == 1 ? n : 0;
}

static bool on_line(const draw_call *d, const json_t *line, int cell) {
    return (int)wb_field_int(line, "line") == d->line &&
           (cell == 0 || cell_of(string(line, "file")) == cell);
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* Returns the bytes that were moved but not used. An extra pass over banks counts as a sector. */
static json_int_t waste_of(const json_t *request) {
    return wb_field_int(request, "wasted") * (wb_field_true(request, "shared") ? 32 : 1);
}

static bool beats(const json_t *a, const json_t *b) {
    json_int_t one = waste_of(a), other = waste_of(b);
    return one != other ? one > other : wb_field_int(a, "moved") > wb_field_int(b, "moved");
}

static void choose_worst(const draw_call *d, choice *c) {
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        if (!draw_wanted(d, launch))
            continue;
        WB_JSON_EACH(request, requests_of(launch)) {
            if (d->time && !json_object_get(request, "wished"))
                continue;
            if (d->figure && !figure_counts(d->figure, string(request, "kind"),
                                            wb_field_true(request, "shared")))
                continue;
            if (c->n == 0 || beats(request, c->requests[0]))
                *c = (choice){.launch = launch, .requests = {request}, .n = 1};
        }
    }
}

/* Chooses the requests of the line in the first launch that has some. */
static void choose_line(const draw_call *d, int cell, choice *c) {
    const char *file = NULL;
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        if (!draw_wanted(d, launch) || c->n > 0)
            continue;
        WB_JSON_EACH(request, requests_of(launch)) {
            const char *of = string(request, "file");
            if (!on_line(d, request, cell) || !of || (file && strcmp(file, of) != 0))
                continue; /* the same line number in a header */
            file = of;
            c->launch = launch;
            if (c->n < MOST_PANELS)
                c->requests[c->n++] = request;
            else
                c->left_out++;
        }
    }
}

/* ---- nothing to draw ----------------------------------------------------------------------- */

/* Returns the lines where the warp accessed memory: "cell [3]: line 4, 5, 9". malloc'd. */
static char *asking_lines(const draw_call *d) {
    enum { MOST = 12 };
    const char *file = NULL;
    wb_buf out = {0};
    int seen[MOST];
    size_t n = 0;
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        if (!draw_wanted(d, launch))
            continue;
        WB_JSON_EACH(request, requests_of(launch)) {
            int line = (int)wb_field_int(request, "line");
            const char *of = string(request, "file");
            bool known = n == MOST || line == 0 || !of;
            if (file && of && strcmp(file, of) != 0)
                continue; /* another file: lines of one file are enough */
            for (size_t k = 0; k < n; k++)
                known |= seen[k] == line;
            if (known)
                continue;
            char said[64];
            const char *name = wb_path_name(of);
            if (!file)
                wb_buf_printf(&out, _("%s: line "), wb_language_file(name, said, sizeof said));
            file = of;
            wb_buf_printf(&out, "%s%d", n ? ", " : "", line);
            seen[n++] = line;
        }
    }
    return wb_buf_steal(&out);
}

/* Finds out if any warp ran the line, and if it accessed memory there. */
static void look_at_line(const draw_call *d, bool *ran, bool *asked) {
    static const char *const asks[] = {"global_load_requests",   "global_store_requests",
                                       "global_atomic_requests", "shared_load_requests",
                                       "shared_store_requests",  "shared_atomic_requests"};
    *ran = *asked = false;
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        WB_JSON_EACH(line, json_object_get(launch, "lines")) {
            if (!draw_wanted(d, launch) || !on_line(d, line, d->cell))
                continue;
            *ran = true;
            for (size_t k = 0; k < WB_COUNT(asks); k++)
                *asked |= wb_field_int(json_object_get(line, "counters"), asks[k]) > 0;
        }
    }
}

static bool nothing_found(const draw_call *d) {
    WB_SCOPED char *lines = asking_lines(d);
    char where[80];
    bool ran, asked;
    look_at_line(d, &ran, &asked);
    snprintf(where, sizeof where, d->cell ? _("Line %d of cell [%d]") : _("Line %d"), d->line,
             d->cell);
    if (!lines || !*lines)
        return draw_fails(d,
                          _("Warp %u of block (%u, %u, %u) asked no memory that can be drawn: %s."),
                          d->warp, d->block.at[0], d->block.at[1], d->block.at[2],
                          _("it loads nothing and stores nothing in global or shared memory"));
    if (!d->line)
        return draw_fails(
            d, _("The warp came to no access %llu times; without --time the first is drawn."),
            (unsigned long long)d->time);
    if (asked)
        return draw_fails(
            d,
            _("%s asks memory, but not in warp %u of block (%u, %u, %u), which never came "
              "there: choose another with --warp or --block. It did ask in %s."),
            where, d->warp, d->block.at[0], d->block.at[1], d->block.at[2], lines);
    return draw_fails(d,
                      ran ? _("%s loads nothing and stores nothing in memory in block (%u, %u, "
                              "%u). Its warp %u asks in %s.")
                          : _("%s is none that block (%u, %u, %u) ran; its warp %u asks memory in "
                              "%s."),
                      where, d->block.at[0], d->block.at[1], d->block.at[2], d->warp, lines);
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* Converts a drawing of drawn_of(). It borrows the texts. */
static draw_access access_of(const json_t *from, const char *heading) {
    const json_t *request = json_object_get(from, "request"), *one = json_object_get(from, "one");
    draw_access a = {.heading = heading,
                     .place = string(from, "place"),
                     .source = string(from, "source"),
                     .kernel = string(from, "kernel"),
                     .array = string(request, "name"),
                     .kind = string(request, "kind"),
                     .shared = wb_field_true(request, "shared"),
                     .warp = (uint32_t)wb_field_int(from, "warp"),
                     .bytes = (uint32_t)wb_field_int(request, "bytes"),
                     .mask = (uint32_t)wb_field_int(one, "mask"),
                     .base = (uint64_t)wb_field_int(request, "base"),
                     .moved = (uint32_t)wb_field_int(one, "moved"),
                     .time = (uint64_t)wb_field_int(one, "time"),
                     .times = (uint64_t)wb_field_int(request, "times"),
                     .all_moved = (uint64_t)wb_field_int(request, "moved")};
    for (size_t i = 0; i < 32; i++)
        a.at[i] = (uint64_t)json_integer_value(json_array_get(json_object_get(one, "at"), i));
    a.all_used = a.shared ? 0 : 32 * a.all_moved - (uint64_t)wb_field_int(request, "wasted");
    draw_shape(from, "block", a.block);
    return a;
}

/* Returns the drawing with all its data, to keep for --before. */
static json_t *drawn_of(const draw_call *d, const choice *c) {
    json_t *list = json_array();
    for (size_t k = 0; k < c->n; k++) {
        const json_t *request = c->requests[k], *wished = json_object_get(request, "wished");
        const char *file = string(request, "file");
        int line = (int)wb_field_int(request, "line");
        WB_SCOPED char *kernel = wb_view_kernel(c->launch),
                       *source = draw_source(d->report, file, line),
                       *place = draw_place(file, line);
        bool worst = !d->line && !d->time;
        json_t *one = !worst && wished ? (json_t *)wished : json_object_get(request, "worst");
        json_array_append_new(
            list, json_pack("{s:s, s:s*, s:s, s:[i, i, i], s:i, s:O, s:O}", "kernel",
                            kernel ? kernel : "", "source", source, "place", place ? place : "",
                            "block", (int)d->block.at[0], (int)d->block.at[1], (int)d->block.at[2],
                            "warp", (int)d->warp, "request", (json_t *)request, "one", one));
    }
    return list;
}

static size_t accesses_of(const json_t *drawn, const char *heading, draw_access *list) {
    size_t n = json_array_size(drawn);
    for (size_t k = 0; k < n; k++)
        list[k] = access_of(json_array_get(drawn, k), k == 0 ? heading : NULL);
    return n;
}

static bool too_late(const draw_call *d, const choice *c) {
    json_int_t most = 0;
    for (size_t k = 0; k < c->n; k++) {
        json_int_t times = wb_field_int(c->requests[k], "times");
        most = times > most ? times : most;
    }
    return draw_fails(d, _("The warp came to line %d %lld time%s, not %llu: --time counts from 1."),
                      d->line, (long long)most, most == 1 ? "" : "s", (unsigned long long)d->time);
}

/* Drops the line's requests that ran fewer than --time times. Fails if none is left. */
static bool drop_too_late(const draw_call *d, choice *c) {
    size_t n = 0;
    if (!d->time)
        return true;
    for (size_t k = 0; k < c->n; k++)
        n += json_object_get(c->requests[k], "wished") != NULL;
    if (n == 0)
        return too_late(d, c);
    for (size_t k = n = 0; k < c->n; k++)
        if (json_object_get(c->requests[k], "wished"))
            c->requests[n++] = c->requests[k];
    c->n = n;
    return true;
}

static bool show(draw_call *d, const choice *c) {
    /* No lock: a process serves one notebook, and one cell runs at a time. */
    static json_t *kept;
    json_t *drawn = drawn_of(d, c);
    WB_SCOPED_JSON json_t *earlier = kept;
    const json_t *last = d->before ? earlier : NULL;
    draw_access list[2 * MOST_PANELS];
    size_t n = accesses_of(last, _("before"), list);
    n += accesses_of(drawn, last ? _("now") : NULL, list + n);
    wb_buf words = {0};
    for (size_t k = 0; k < n; k++)
        draw_access_words(&list[k], &words);
    if (c->left_out)
        wb_buf_printf(&words, _("%zu more accesses of this line are not drawn.\n"), c->left_out);
    if (d->before && !last)
        wb_buf_puts(&words, _("Nothing was drawn before that could stand above it.\n"));
    kept = drawn;
    return draw_show(d, draw_access_svg(list, n, words.data), &words);
}

bool draw_access_show(draw_call *d) {
    choice c = {.n = 0};
    if (!d->line) {
        choose_worst(d, &c);
    } else {
        if (d->cell == 0)
            choose_line(d, d->call->x->number, &c);
        if (c.n == 0)
            choose_line(d, d->cell, &c);
    }
    if (c.n == 0)
        return nothing_found(d);
    return (!d->line || drop_too_late(d, &c)) && show(d, &c);
}

/* ---- a bound that is missed ---------------------------------------------------------------- */

/* Returns an example that moves least: the same lanes at neighbouring addresses. Operations are
 * saved by one lane that asks for its warp. */
static draw_access example_of(const draw_access *a, bool operations) {
    draw_access e = {.heading = _("asked for"),
                     .kind = a->kind,
                     .shared = a->shared,
                     .bytes = a->bytes,
                     .times = 1,
                     .mask = a->mask};
    e.place = _("for example, neighbouring lanes at neighbouring addresses");
    if (operations) {
        e.mask &= -e.mask;
        e.place = _("for example, one lane for its whole warp");
    }
    for (uint32_t i = 0; i < 32; i++)
        e.at[i] = (uint64_t)__builtin_popcount(e.mask & ((1u << i) - 1)) * e.bytes;
    e.moved = draw_access_moved(&e);
    return e;
}

void draw_missed(magic_call *c, const char *kernel, const json_t *bound, const json_t *report) {
    const char *figure = wb_field_text(bound, "of");
    draw_call d = {.call = c, .kernel = kernel, .figure = figure, .report = report};
    choice worst = {.n = 0};
    if (figure_by_lanes(figure) && draw_launch(&d, "steps"))
        draw_lanes_show(&d);
    choose_worst(&d, &worst);
    if (worst.n == 0)
        return;
    WB_SCOPED_JSON json_t *drawn = drawn_of(&d, &worst);
    draw_access list[2];
    accesses_of(drawn, _("yours"), &list[1]);
    list[0] = example_of(&list[1], strcmp(figure, "atomics") == 0);
    const json_t *most =
        json_object_get(bound, "beside") ? NULL : json_object_get(bound, "at_most");
    bool shows = list[0].mask != list[1].mask || list[0].moved < list[1].moved;
    WB_SCOPED_BUF wb_buf words = {0};
    for (size_t k = 0; k < 2; k++)
        draw_access_words(&list[k], &words);
    if (shows && !(most && list[0].moved > json_number_value(most) * (1 + 1e-9)))
        draw_show(&d, draw_access_svg(list, 2, words.data), &words);
}
