/* arena.c: the memory of one module, freed at once; the parser's growing arrays; and its exit on
 * errors. */
#include "runtime/softgpu/ptx/internal.h"

typedef struct chunk {
    struct chunk *next;
    max_align_t data[];
} chunk;

struct ptx_arena {
    chunk *chunks;
    char *at, *end;
    size_t next_bytes; /* of the next chunk; sizes double to keep the number low */
};

enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 1 << 20 };

ptx_arena *ptx_arena_new(void) {
    ptx_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->next_bytes = FIRST_CHUNK;
    return arena;
}

static chunk *add_chunk(ptx_arena *arena, size_t bytes) {
    chunk *c = calloc(1, sizeof *c + bytes);
    if (c) {
        c->next = arena->chunks;
        arena->chunks = c;
    }
    return c;
}

void *ptx_arena_alloc(ptx_arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 7) & ~(size_t)7;
    if (bytes <= (size_t)(arena->end - arena->at)) {
        void *result = arena->at;
        arena->at += bytes;
        return result;
    }
    if (bytes > arena->next_bytes / 4) { /* its own chunk; the current one stays in use */
        chunk *c = add_chunk(arena, bytes);
        return c ? (void *)c->data : NULL;
    }
    chunk *c = add_chunk(arena, arena->next_bytes);
    if (!c)
        return NULL;
    arena->at = (char *)c->data + bytes;
    arena->end = (char *)c->data + arena->next_bytes;
    if (arena->next_bytes < LARGEST_CHUNK)
        arena->next_bytes *= 2;
    return c->data;
}

void ptx_arena_free(ptx_arena *arena) {
    if (!arena)
        return;
    for (chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena);
}

void *ptx_alloc(ptx_parser *p, size_t bytes) {
    void *result = ptx_arena_alloc(p->arena, bytes);
    if (!result)
        ptx_fail(p, _("out of memory"));
    return result;
}

void *ptx_push(ptx_parser *p, ptx_vec *vec, size_t size) {
    if (vec->count == vec->cap) {
        uint32_t cap = vec->cap ? vec->cap * 2 : 64;
        void *data = cap > vec->cap ? reallocarray(vec->data, cap, size) : NULL;
        if (!data)
            ptx_fail(p, _("out of memory"));
        vec->data = data;
        vec->cap = cap;
    }
    return memset((char *)vec->data + (size_t)vec->count++ * size, 0, size);
}

void *ptx_take(ptx_parser *p, ptx_vec *vec, uint32_t from, size_t size, uint32_t *count) {
    *count = vec->count - from;
    vec->count = from;
    if (*count == 0)
        return NULL;
    void *copy = ptx_alloc(p, *count * size);
    return memcpy(copy, (char *)vec->data + from * size, *count * size);
}

void ptx_fail(ptx_parser *p, const char *format, ...) {
    WB_FORMAT_INTO(p->err->text, format);
    p->err->ptx_line = p->line;
    longjmp(p->on_error, 1);
}
