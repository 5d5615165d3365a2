/* alone.c: see alone.h. */
#include "runtime/cells/alone.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/cells/live/macros.h"
#include "runtime/compile/headers.h"

static void put_place(wb_buf *out, const char *file, int line, int cell) {
    if (file)
        wb_buf_printf(out, "\n#line %d \"%s\"\n", line, file);
    else
        wb_buf_printf(out, "\n#line %d \"cell [%d]\"\n", line, cell);
}

/* What entity i is in another file: as its cell declared it, or with its body. */
static void put_text(wb_buf *out, const wb_live *live, size_t i, const char *text) {
    const wb_live_entity *x = &live->v[i];
    bool directive = x->e.kind == WB_ENTITY_MACRO || x->e.kind == WB_ENTITY_INCLUDE;
    if (!directive)
        wb_macros_aside_later(out, live, i);
    wb_buf_puts(out, x->e.open);
    put_place(out, x->e.file, x->e.line, x->number);
    wb_buf_printf(out, "%s\n%s\n", text, x->e.close);
    if (!directive)
        wb_macros_back_later(out, live, i);
}

static void put_entity(wb_buf *out, const wb_live *live, size_t i) {
    const wb_entity *e = &live->v[i].e;
    const char *text = e->definition && !e->announced ? e->definition : e->text;
    bool variable =
        (e->kind == WB_ENTITY_VARIABLE && !e->stateless) || e->kind == WB_ENTITY_DEVICE_VARIABLE;
    if (!variable && e->kind != WB_ENTITY_HIDDEN && text)
        put_text(out, live, i, text);
}

static void put_cell(wb_buf *out, const wb_text *text, int number) {
    for (size_t i = 0; i < text->n_pieces; i++) {
        const wb_piece *p = &text->pieces[i];
        size_t end = i + 1 < text->n_pieces ? p[1].at : text->len;
        put_place(out, p->file, p->line, number);
        wb_buf_append(out, text->code + p->at, end - p->at);
    }
    wb_buf_putc(out, '\n');
}

char *wb_alone_write(const wb_live *live, const wb_text *text, const wb_split *split, int number) {
    size_t n = 0;
    size_t *needed = wb_live_needed_whole(live, split, text->code, text->len, &n);
    if (!needed)
        return NULL;
    wb_buf out = {0};
    wb_buf_puts(&out, WB_CELL_HEADERS);
    for (size_t i = 0; i < n; i++)
        put_entity(&out, live, needed[i]);
    for (size_t i = 0; i < n; i++) /* what was announced may use all the others */
        if (live->v[needed[i]].e.announced)
            put_text(&out, live, needed[i], live->v[needed[i]].e.definition);
    put_cell(&out, text, number);
    free(needed);
    return wb_buf_steal(&out);
}
