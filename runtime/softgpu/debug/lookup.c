/* lookup.c: finds what a path means in a stopped thread, and reads it: variables, members, elements
 * of arrays, and of what pointers point to. */
#include <ctype.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/debug/state.h"
#include "runtime/softgpu/watch/record/place.h"

/* Finds the place of a variable that holds in the frame. */
static bool place_of(const dbg_stop *s, uint32_t frame, const sg_watched *w, sg_place *place,
                     uint64_t *elements) {
    const dbg_frame *f = &s->frames[frame];
    bool found = false;
    *elements = 0;
    for (uint32_t k = 0; k < w->n_places; k++)
        if (w->is_array || (w->places[k].from <= f->at && f->at < w->places[k].to)) {
            sg_place_find(s->run, f->func, w, &w->places[k], place, elements);
            found = true;
        }
    return found;
}

bool dbg_read(const dbg_stop *s, uint32_t frame, int lane, const sg_watched *w, uint64_t *bits) {
    const dbg_frame *f = &s->frames[frame];
    uint64_t unused;
    sg_place place;
    return !w->is_array && place_of(s, frame, w, &place, &unused) &&
           sg_place_read(&place, s->warp, f->base, f->local, lane, w->bytes, bits);
}

/* Returns memory that a pointer may reach, and how many bytes follow; or NULL. */
static const char *target(const dbg_stop *s, uint64_t at, uint64_t *room) {
    const sg_block *b = s->warp->block;
    sg_mem_range range;
    if ((at & SG_WINDOW_MASK) == SG_SHARED_WINDOW) {
        at &= ~SG_WINDOW_MASK;
        *room = at < s->run->shared_bytes ? s->run->shared_bytes - at : 0;
        return *room ? b->shared + at : NULL;
    }
    if (!sg_mem_find((const void *)(uintptr_t)at, &range))
        return NULL;
    *room = range.bytes - (at - (uint64_t)(uintptr_t)range.base);
    return (const char *)(uintptr_t)at;
}

uint64_t dbg_elements(const dbg_stop *s, uint32_t frame, const sg_watched *w,
                      const uint64_t *pointer) {
    uint64_t n = 0;
    sg_place place;
    if (w->is_array)
        return place_of(s, frame, w, &place, &n) && sg_place_array(&place, s->warp->block) ? n : 0;
    bool numbers = w->kind == SG_VALUE_POINTER && w->target != SG_VALUE_OTHER && w->pointee;
    return numbers && pointer && target(s, *pointer, &n) ? n / w->pointee : 0;
}

bool dbg_element(const dbg_stop *s, uint32_t frame, const sg_watched *w, const uint64_t *pointer,
                 uint64_t index, dbg_value *value) {
    uint64_t n = dbg_elements(s, frame, w, pointer), unused;
    sg_place place;
    *value = (dbg_value){.shape = {.kind = w->kind, .bytes = w->bytes, .type = w->type}};
    value->shape.target = SG_VALUE_OTHER;
    if (index >= n)
        return false;
    if (w->is_array) {
        value->shape.target = w->target;
        value->shape.pointee = w->pointee;
        place_of(s, frame, w, &place, &n);
        memcpy(&value->bits, sg_place_array(&place, s->warp->block) + index * w->stride, w->bytes);
        return true;
    }
    value->shape.kind = w->target;
    value->shape.bytes = w->pointee;
    memcpy(&value->bits, target(s, *pointer, &unused) + index * w->pointee, w->pointee);
    return true;
}

bool dbg_is_pointer(const sg_watched *w) {
    return w->is_array && w->rows * w->cols == 1 && w->kind == SG_VALUE_POINTER;
}

/* Separates "tile[3][4].x" into "tile.x" and 3, 4. Returns the number of indices, or more than 2
 * if they are no numbers. */
static uint32_t split(const char *path, char name[200], uint64_t index[3]) {
    uint32_t n = 0;
    size_t len = 0;
    while (*path && len < 199)
        if (*path == '[' && n < 3) {
            size_t digits = strspn(path + 1, "0123456789");
            if (!digits || path[1 + digits] != ']')
                return UINT32_MAX;
            index[n++] = strtoull(path + 1, NULL, 10);
            path += digits + 2;
        } else {
            name[len++] = *path++;
        }
    name[len] = '\0';
    return n;
}

/* Looks for the path in one variable of the list. */
static bool look_in(const dbg_stop *s, uint32_t frame, int lane, const char *path,
                    const sg_watched *w, dbg_value *value) {
    char name[200];
    uint64_t index[3] = {0}, bits;
    size_t len = strlen(w->name);
    uint32_t n = split(path, name, index);
    if (w->is_array) {
        uint64_t at = n == 2 ? index[0] * w->cols + index[1] : index[0];
        bool fits = n < 3 && (n < 2 || index[1] < w->cols) && (n == 2 || w->rows <= 1 || !n);
        dbg_value one;
        if (n == 1 && dbg_is_pointer(w) && strcmp(name, w->name) == 0)
            return dbg_element(s, frame, w, NULL, 0, &one) &&
                   dbg_element(s, frame, &one.shape, &one.bits, at, value);
        return strcmp(name, w->name) == 0 && fits && (n || w->rows * w->cols == 1) &&
               dbg_element(s, frame, w, NULL, at, value);
    }
    if (strncmp(path, w->name, len) != 0)
        return false;
    value->shape = *w;
    if (!path[len])
        return dbg_read(s, frame, lane, w, &value->bits);
    char *end;
    uint64_t at = path[len] == '[' ? strtoull(path + len + 1, &end, 10) : 0;
    return path[len] == '[' && isdigit((unsigned char)path[len + 1]) && strcmp(end, "]") == 0 &&
           dbg_read(s, frame, lane, w, &bits) && dbg_element(s, frame, w, &bits, at, value);
}

bool dbg_find(const dbg_stop *s, uint32_t frame, int lane, const char *path, dbg_value *value) {
    dbg_list list = {0};
    bool found = false;
    char *base = wb_format("%.*s", (int)strcspn(path, ".["), path);
    if (base && frame < s->n_frames)
        dbg_watch(s->info, s->frames[frame].func->source, base, &list);
    for (uint32_t k = 0; k < list.n && !found; k++)
        found = look_in(s, frame, lane, path, &list.v[k], value);
    value->shape.name = NULL; /* the list's */
    value->shape.places = NULL;
    value->shape.n_places = 0;
    dbg_list_free(&list);
    free(base);
    return found;
}
