/* alone.c: see alone.h. */
#include "runtime/cells/alone.h"

#include "runtime/cells/live/macros.h"
#include "runtime/compile/headers.h"

/* `cell` is the cell's number or id. */
static void put_place(wb_buf *out, const char *file, int line, const char *cell) {
    if (file)
        wb_buf_printf(out, "\n#line %d \"%s\"\n", line, file);
    else
        wb_buf_printf(out, "\n#line %d \"cell [%s]\"\n", line, cell);
}

/* Writes entity i for another file: as its cell declared it, or with its body. */
static void put_text(wb_buf *out, const wb_notebook *book, size_t i, const char *text, bool ids) {
    const wb_live *live = &book->live;
    const wb_live_entity *x = &live->v[i];
    bool directive = x->e.kind == WB_ENTITY_MACRO || x->e.kind == WB_ENTITY_INCLUDE;
    char number[16];
    snprintf(number, sizeof number, "%d", x->number);
    if (!directive)
        wb_macros_aside_later(out, live, NULL, i);
    wb_buf_puts(out, x->e.open);
    put_place(out, x->e.file, x->e.line, ids ? book->loaded[x->cell].id : number);
    wb_buf_printf(out, "%s\n%s\n", text, x->e.close);
    if (!directive)
        wb_macros_back_later(out, live, NULL, i);
}

static void put_entity(wb_buf *out, const wb_notebook *book, size_t i, bool ids) {
    const wb_entity *e = &book->live.v[i].e;
    const char *text = e->definition && !e->announced ? e->definition : e->text;
    bool variable =
        (e->kind == WB_ENTITY_VARIABLE && !e->stateless) || e->kind == WB_ENTITY_DEVICE_VARIABLE;
    if (!variable && e->kind != WB_ENTITY_HIDDEN && text)
        put_text(out, book, i, text, ids);
}

bool wb_alone_definitions(wb_buf *out, const wb_notebook *book, const wb_text *text,
                          const wb_split *split, bool ids) {
    size_t n = 0, front;
    WB_SCOPED size_t *needed =
        wb_live_needed(&book->live, split, text->code, text->len, true, NULL, &front, &n);
    for (size_t i = 0; needed && i < n; i++)
        put_entity(out, book, needed[i], ids);
    for (size_t i = 0; needed && i < n; i++) /* announced functions may use all others */
        if (book->live.v[needed[i]].e.announced)
            put_text(out, book, needed[i], book->live.v[needed[i]].e.definition, ids);
    return needed != NULL;
}

static void put_cell(wb_buf *out, const wb_text *text, int cell) {
    char number[16];
    snprintf(number, sizeof number, "%d", cell);
    for (size_t i = 0; i < text->n_pieces; i++) {
        const wb_piece *p = &text->pieces[i];
        size_t end = i + 1 < text->n_pieces ? p[1].at : text->len;
        put_place(out, p->file, p->line, number);
        wb_buf_append(out, text->code + p->at, end - p->at);
    }
    wb_buf_putc(out, '\n');
}

char *wb_alone_write(const wb_notebook *book, const wb_text *text, const wb_split *split,
                     int number) {
    WB_SCOPED_BUF wb_buf out = {0};
    wb_buf_puts(&out, WB_CELL_HEADERS);
    if (!wb_alone_definitions(&out, book, text, split, false))
        return NULL;
    put_cell(&out, text, number);
    return wb_buf_steal(&out);
}
