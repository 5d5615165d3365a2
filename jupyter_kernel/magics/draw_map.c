/* draw_map.c: %%draw map NAME ROWS COLS: finds the variable, its element size, and the threads that
 * touched the elements in the first launch that did. */
#include "jupyter_kernel/magics/draw.h"

#include "runtime/draw/map.h"
#include "runtime/base/words.h"

/* ---- the variable -------------------------------------------------------------------------- */

/* Returns the element size for "float *", "double2 *", "int [64]": 4, 16, 4. 0: unknown. */
static uint32_t element_of(const char *type) {
    static const struct {
        const char *name;
        uint32_t bytes;
    } known[] = {{"char", 1},          {"signed char", 1},
                 {"unsigned char", 1}, {"bool", 1},
                 {"short", 2},         {"unsigned short", 2},
                 {"__half", 2},        {"__nv_bfloat16", 2},
                 {"int", 4},           {"unsigned int", 4},
                 {"unsigned", 4},      {"float", 4},
                 {"long", 8},          {"unsigned long", 8},
                 {"long long", 8},     {"double", 8},
                 {"size_t", 8},        {"int2", 8},
                 {"float2", 8},        {"uint2", 8},
                 {"int4", 16},         {"uint4", 16},
                 {"float4", 16},       {"double2", 16},
                 {"int8_t", 1},        {"uint8_t", 1},
                 {"int16_t", 2},       {"uint16_t", 2},
                 {"int32_t", 4},       {"uint32_t", 4},
                 {"int64_t", 8},       {"uint64_t", 8},
                 {"long int", 8},      {"long unsigned int", 8}};
    size_t len = strcspn(type, "*[");
    if (!type[len] || strchr(type + len + 1, '*'))
        return 0; /* not a pointer, or a pointer to pointers */
    if (strncmp(type, "const ", 6) == 0) {
        type += 6;
        len -= 6;
    }
    len = wb_trimmed(type, len, " ");
    for (size_t k = 0; k < WB_COUNT(known); k++)
        if (strlen(known[k].name) == len && strncmp(known[k].name, type, len) == 0)
            return known[k].bytes;
    return 0;
}

uint32_t draw_map_element(const draw_call *d) {
    WB_SCOPED_JSON json_t *names = magics_names(d->call->x);
    uint32_t bytes = 0;
    WB_JSON_EACH(entry, names) {
        if (strcmp(wb_field_text(entry, "name"), d->name) == 0 &&
            strcmp(wb_field_text(entry, "kind"), "variable") == 0)
            bytes = element_of(wb_field_text(entry, "type"));
    }
    return bytes;
}

/* Returns a sentence that lists the notebook's pointers. The caller frees it. */
static char *pointers(const draw_call *d) {
    WB_SCOPED_JSON json_t *names = magics_names(d->call->x);
    wb_buf out = {0};
    WB_JSON_EACH(entry, names) {
        if (strcmp(wb_field_text(entry, "kind"), "variable") == 0 &&
            strchr(wb_field_text(entry, "type"), '*'))
            wb_buf_printf(&out, "%s%s", out.len ? ", " : _(" Pointers that there are: "),
                          wb_field_text(entry, "name"));
    }
    if (out.len)
        wb_buf_putc(&out, '.');
    return wb_buf_steal(&out);
}

bool draw_map_read(draw_call *d) {
    const magic_call *c = d->call;
    if (!d->name || !d->rows || !d->cols)
        return magics_misuse(c,
                             _("a map is of an array with rows and columns: %%%%draw map a 64 64"));
    if (!wb_word_whole(d->name))
        return magics_misuse(c, _("'%s' can't be a variable's name"), d->name);
    if (!wb_word_find(c->body, d->name, strlen(d->name)))
        return magics_misuse(c,
                             _("nothing in the cell names %s: a map is of a variable that the cell "
                               "uses, as in kernel<<<blocks, threads>>>(%s, ...)"),
                             d->name, d->name);
    return true;
}

/* ---- choosing ------------------------------------------------------------------------------ */

static const json_t *map_of(const json_t *launch) {
    return json_object_get(json_object_get(launch, "record"), "map");
}

/* Returns the first launch that touched the array, else the first that has a map. */
static const json_t *find_launch(const draw_call *d) {
    const json_t *first = NULL;
    WB_JSON_EACH(launch, json_object_get(d->report, "launches")) {
        const json_t *map = draw_wanted(d, launch) ? map_of(launch) : NULL;
        if (map && wb_field_int(map, "touches") > 0)
            return launch;
        first = first ? first : map ? launch : NULL;
    }
    return first;
}

static bool no_array(const draw_call *d, const json_t *map) {
    const char *found = map ? wb_field_text(map, "found") : "no variable";
    long long bytes = (long long)wb_field_int(map, "bytes"),
              element = (long long)wb_field_int(map, "element");
    if (strcmp(found, "no variable") == 0) {
        WB_SCOPED char *others = pointers(d);
        return draw_fails(
            d,
            _("%s is no variable of the notebook: one that is declared at the top of a cell can be "
              "drawn, no function's own.%s"),
            d->name, others ? others : "");
    }
    if (strcmp(found, "several") == 0)
        return draw_fails(
            d, _("%s holds pointers to several arrays: draw one that is a variable itself."),
            d->name);
    if (strcmp(found, "no array") == 0)
        return draw_fails(
            d,
            _("%s is no array: as the kernel began it pointed to nothing that cudaMalloc() "
              "or cudaMallocManaged() had made."),
            d->name);
    if (element > 0 && element <= 64)
        return draw_fails(
            d,
            _("%s is not so large: %llu × %llu elements of %lld bytes; it has %lld bytes, "
              "which are %lld elements."),
            d->name, (unsigned long long)d->rows, (unsigned long long)d->cols, element, bytes,
            bytes / element);
    return draw_fails(d, _("%s has %lld bytes, which are no %llu × %llu elements."), d->name, bytes,
                      (unsigned long long)d->rows, (unsigned long long)d->cols);
}

/* Fails with a sentence unless the map is the wished one. */
static bool checks(const draw_call *d, const json_t *map) {
    long long used = (long long)wb_field_int(map, "element"), element = draw_map_element(d);
    if (!map || strcmp(wb_field_text(map, "found"), "found") != 0)
        return no_array(d, map);
    if (element && element != used)
        return draw_fails(
            d,
            _("%s is not %llu × %llu: its %lld bytes are %lld elements of %lld bytes. What "
              "is less than all of it can be drawn where an earlier cell has declared it."),
            d->name, (unsigned long long)d->rows, (unsigned long long)d->cols,
            (long long)wb_field_int(map, "bytes"), (long long)wb_field_int(map, "bytes") / element,
            element);
    if (wb_field_int(map, "touches") == 0 && wb_field_int(map, "beyond") == 0)
        return draw_fails(d,
                          d->of == 0   ? _("No kernel of the cell read %s in memory.")
                          : d->of == 1 ? _("No kernel of the cell wrote %s in memory.")
                                       : _("No kernel of the cell touched %s in memory."),
                          d->name);
    if (d->by == DRAW_BY_TIME && !wb_field_true(map, "timed"))
        return draw_fails(
            d, _("The grid has too many warps to keep each one's time: draw --by warp, or a "
                 "smaller grid."));
    return true;
}

/* ---- drawing ------------------------------------------------------------------------------- */

static draw_field *fields_of(const json_t *map) {
    const char *at = wb_field_text(map, "fields");
    size_t n = (size_t)(wb_field_int(map, "field_rows") * wb_field_int(map, "field_cols"));
    draw_field *fields = calloc(n + 1, sizeof *fields);
    for (size_t k = 0; fields && k < n && *at; k++) {
        unsigned long long part[4];
        for (size_t i = 0; i < WB_COUNT(part); i++) {
            char *end;
            part[i] = strtoull(at, &end, 16);
            at = end + (*end == ' ');
        }
        fields[k] = (draw_field){part[0], part[1], (uint32_t)part[2], (uint32_t)part[3]};
    }
    return fields;
}

bool draw_map_show(draw_call *d) {
    const json_t *launch = find_launch(d), *map = map_of(launch);
    if (!checks(d, map))
        return false;
    WB_SCOPED char *kernel = wb_view_kernel(launch);
    WB_SCOPED draw_field *fields = fields_of(map);
    draw_map m = {.kernel = kernel ? kernel : "",
                  .name = d->name,
                  .of = d->of,
                  .by = (draw_by)d->by,
                  .rows = d->rows,
                  .cols = d->cols,
                  .row_step = (uint64_t)wb_field_int(map, "row_step"),
                  .col_step = (uint64_t)wb_field_int(map, "col_step"),
                  .field_rows = (uint64_t)wb_field_int(map, "field_rows"),
                  .field_cols = (uint64_t)wb_field_int(map, "field_cols"),
                  .fields = fields,
                  .touches = (uint64_t)wb_field_int(map, "touches"),
                  .beyond = (uint64_t)wb_field_int(map, "beyond"),
                  .last_time = (uint32_t)wb_field_int(map, "last_time")};
    draw_shape(launch, "grid", m.grid);
    draw_shape(launch, "block", m.block);
    wb_buf words = {0};
    if (fields)
        draw_map_words(&m, &words);
    return draw_show(d, fields ? draw_map_svg(&m, words.data) : NULL, &words);
}
