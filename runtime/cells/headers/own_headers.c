/* own_headers.c: see own_headers.h. A header stays an #include line, whole, in three cases: The
 * parser finds it wrong or finds statements in it (a list of X(...) lines, half a template). Or it
 * is included inside something (#if, a namespace, an array's braces), or in such a header. */
#include "runtime/cells/headers/own_headers.h"

#include <limits.h>
#include <unistd.h>

#include "runtime/cells/headers/own_files.h"

enum { MAX_DEPTH = 32 };

typedef struct expansion {
    const wb_own_headers *own;
    const wb_live *live;
    wb_own_files files;
    bool *whole, *taken; /* by file */
    wb_buf code, warning;
    wb_text *text;
    int depth;
    bool failed;
} expansion;

/* ---- folders and files ---------------------------------------------------------------------- */

bool wb_own_headers_folders(wb_own_headers *own, const char *cwd, const char *const *flags) {
    char here[PATH_MAX];
    wb_strings_free(&own->folders);
    bool ok = wb_strings_add(&own->folders, cwd ? cwd : getcwd(here, sizeof here) ? here : "/");
    for (size_t i = 0; ok && flags && flags[i]; i++) {
        const char *folder = NULL;
        if (strncmp(flags[i], "-I", 2) == 0)
            folder = flags[i][2] ? flags[i] + 2 : flags[++i];
        /* nvcc runs in another folder, so a relative one finds nothing */
        if (folder && *folder == '/')
            ok = wb_strings_add(&own->folders, folder);
        if (!flags[i])
            break;
    }
    return ok;
}

static void free_header(wb_own_header *h) {
    WB_FREE(h->path, h->shown);
}

void wb_own_headers_free(wb_own_headers *own) {
    wb_strings_free(&own->folders);
    for (size_t i = 0; i < own->n; i++)
        free_header(&own->v[i]);
    free(own->v);
    *own = (wb_own_headers){.v = NULL};
}

void wb_text_free(wb_text *text) {
    for (size_t i = 0; i < text->n_headers; i++)
        free_header(&text->headers[i]);
    WB_FREE(text->headers, text->pieces, text->warning, text->code);
    *text = (wb_text){.code = NULL};
}

static const wb_own_header *find_header(const wb_own_headers *own, const char *path) {
    for (size_t i = 0; i < own->n; i++)
        if (strcmp(own->v[i].path, path) == 0)
            return &own->v[i];
    return NULL;
}

/* ---- which stay #include lines -------------------------------------------------------------- */

static void leave_whole(expansion *x, size_t i) {
    const wb_own_body *b = &x->files.v[i].body;
    if (x->whole[i])
        return;
    x->whole[i] = true;
    for (size_t k = 0; k < b->n; k++)
        leave_whole(x, b->v[k].file);
}

static void leave_inner(expansion *x, const wb_own_body *b) {
    for (size_t k = 0; k < b->n; k++)
        if (!b->v[k].outside)
            leave_whole(x, b->v[k].file);
}

/* Finds the headers to leave whole: those that can't be taken apart, what they include, and those
 * included inside something. One taken apart before stays so: the compiler reports its errors. */
static void find_whole(expansion *x) {
    leave_inner(x, &x->files.cell);
    for (size_t i = 0; i < x->files.n; i++) {
        const wb_own_header *known = find_header(x->own, x->files.v[i].path);
        if (known ? known->whole : !x->files.v[i].plain)
            leave_whole(x, i);
        leave_inner(x, &x->files.v[i].body);
    }
}

/* Returns false if a header that an earlier cell took in has to stay whole here. */
static bool check(const expansion *x, wb_error *err) {
    for (size_t i = 0; i < x->files.n; i++) {
        const wb_own_header *known = find_header(x->own, x->files.v[i].path);
        if (known && x->whole[i] && !known->whole)
            return wb_fail(
                err, 1,
                _("%s is part of the notebook since an earlier cell included it; here it "
                  "would be included once more, inside something (#if, a namespace, or a "
                  "header that can't be taken apart). Include it at the top of a cell, or "
                  "restart the kernel and include it in this way alone"),
                x->files.v[i].shown);
    }
    return true;
}

/* ---- once a notebook ------------------------------------------------------------------------ */

/* Hashes the file and all that it includes. */
static uint64_t content(const expansion *x, size_t i, int depth) {
    const wb_own_file *f = &x->files.v[i];
    uint64_t h = f->bytes;
    for (size_t k = 0; k < f->body.n && depth < MAX_DEPTH; k++) {
        uint64_t other = content(x, f->body.v[k].file, depth + 1);
        h = wb_hash(h, &other, sizeof other);
    }
    return h;
}

/* Counts usable entities. Nameless ones (#include lines and the like) may come from elsewhere. */
static size_t count_usable(const wb_live *live, size_t cell, const char *shown) {
    size_t n = 0;
    for (WB_LIVE(x, live)) {
        const wb_entity *e = &x->e;
        n += x->cell == cell && e->kind != WB_ENTITY_HIDDEN && e->name[0] != '(' && e->file &&
             strcmp(e->file, shown) == 0;
    }
    return n;
}

typedef struct search {
    const wb_split *split;
    bool found;
} search;

static void compare(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    for (WB_ENTITIES(e, s->split))
        s->found |= (e->kind == WB_ENTITY_MACRO || e->kind == WB_ENTITY_UNDEF) &&
                    wb_word_is(word, len, e->name);
}

/* Returns true if the cell defines a macro that the header uses. */
static bool is_steered(const expansion *x, size_t i, int depth) {
    const wb_own_body *b = &x->files.v[i].body;
    search s = {&x->files.cell.split, false};
    wb_words(b->text, b->len, compare, &s);
    for (size_t k = 0; k < b->n && !s.found && depth < MAX_DEPTH; k++)
        s.found = is_steered(x, b->v[k].file, depth + 1);
    return s.found;
}

static bool is_there(const expansion *x, size_t i) {
    const wb_own_file *f = &x->files.v[i];
    const wb_own_header *h = find_header(x->own, f->path);
    bool rerun = h && h->origin && h->origin == x->live->origin;
    return h && f->once && h->once && !h->whole && !rerun && h->content == content(x, i, 0) &&
           count_usable(x->live, h->cell, h->shown) >= h->usable && !is_steered(x, i, 0);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void add_piece(expansion *x, const char *name, int line) {
    wb_text *t = x->text;
    x->failed |= !WB_ADD(t->pieces, t->n_pieces, (wb_piece){x->code.len, name, line});
}

/* Adds the file to the text's headers. Returns its name there. */
static const char *add_header(expansion *x, size_t i) {
    const wb_own_file *f = &x->files.v[i];
    wb_text *t = x->text;
    for (size_t k = 0; k < t->n_headers; k++)
        if (strcmp(t->headers[k].path, f->path) == 0)
            return t->headers[k].shown;
    wb_own_header h = {.path = strdup(f->path),
                       .shown = strdup(f->shown),
                       .content = content(x, i, 0),
                       .origin = x->live->origin,
                       .once = f->once,
                       .whole = x->whole[i]};
    if (h.path && h.shown && WB_ADD(t->headers, t->n_headers, h))
        return h.shown;
    free_header(&h);
    x->failed = true;
    return "";
}

/* Warns of variables in a header that stays an #include line, when the notebook first meets it. */
static void warn(expansion *x, size_t i) {
    const wb_own_file *f = &x->files.v[i];
    WB_SCOPED_BUF wb_buf names = {0};
    for (WB_ENTITIES(e, &f->body.split)) {
        bool device = e->kind == WB_ENTITY_DEVICE_VARIABLE;
        if (device || (e->kind == WB_ENTITY_VARIABLE && !e->constant))
            wb_buf_printf(&names, "%s%s", names.len ? ", " : "", e->name);
    }
    if (names.len && !find_header(x->own, f->path))
        wb_buf_printf(
            &x->warning,
            _("warning: %s stays an #include line here, so each later cell has its own %s; "
              "include it at the top of a cell, or define that in a cell\n"),
            f->shown, names.data);
}

/* Notes a whole header, and those that it includes, as included by the compiler. */
static void note_whole(expansion *x, size_t i) {
    const wb_own_body *b = &x->files.v[i].body;
    if (x->taken[i])
        return;
    x->taken[i] = true;
    warn(x, i);
    add_header(x, i);
    for (size_t k = 0; k < b->n; k++)
        note_whole(x, b->v[k].file);
}

static void put_body(expansion *x, const wb_own_body *b, const char *name);

/* Replaces an #include line by the header's text, by nothing, or by itself. In a header (`name`)
 * the line gets the file's full path. */
static void put_include(expansion *x, const wb_own_body *b, const wb_own_include *in,
                        const char *name) {
    const wb_own_file *f = &x->files.v[in->file];
    if (x->whole[in->file]) {
        note_whole(x, in->file);
        if (name)
            wb_buf_printf(&x->code, "#include \"%s\"", f->path);
        else
            wb_buf_append(&x->code, b->text + in->start, in->end - in->start);
        return;
    }
    if ((x->taken[in->file] && f->once) || is_there(x, in->file) || x->depth >= MAX_DEPTH)
        return;
    x->taken[in->file] = true;
    const char *own_name = add_header(x, in->file);
    add_piece(x, own_name, 1);
    put_body(x, &f->body, own_name);
    if (x->code.len && x->code.data[x->code.len - 1] != '\n')
        wb_buf_putc(&x->code, '\n');
    add_piece(x, name, wb_line_at(b->text, b->text + in->end));
}

static void put_body(expansion *x, const wb_own_body *b, const char *name) {
    size_t from = 0;
    x->depth++;
    for (size_t i = 0; i < b->n && !x->failed; i++) {
        wb_buf_append(&x->code, b->text + from, b->v[i].start - from);
        put_include(x, b, &b->v[i], name);
        from = b->v[i].end;
    }
    wb_buf_append(&x->code, b->text + from, b->len - from);
    x->depth--;
}

bool wb_text_plain(const char *code, size_t len, wb_text *text) {
    *text = (wb_text){.code = wb_format("%.*s", (int)len, code), .len = len};
    return text->code && WB_ADD(text->pieces, text->n_pieces, (wb_piece){.line = 1});
}

bool wb_text_expand(const wb_own_headers *own, const wb_live *live, const char *code, size_t len,
                    const wb_splitting *how, wb_text *text, wb_error *err) {
    expansion x = {.own = own, .live = live, .text = text};
    *text = (wb_text){.code = NULL};
    x.failed = !wb_own_files_read(&own->folders, code, len, how, &x.files);
    x.whole = calloc(x.files.n + 1, sizeof *x.whole);
    x.taken = calloc(x.files.n + 1, sizeof *x.taken);
    x.failed |= !x.whole || !x.taken;
    if (!x.failed)
        find_whole(&x);
    bool mixed = !x.failed && !check(&x, err);
    add_piece(&x, NULL, 1);
    if (!x.failed && !mixed)
        put_body(&x, &x.files.cell, NULL);
    x.failed |= x.code.failed || x.warning.failed;
    text->warning = x.warning.len ? wb_buf_steal(&x.warning) : NULL;
    text->len = x.code.len;
    text->code = wb_buf_steal(&x.code);
    WB_FREE(x.whole, x.taken);
    wb_own_files_free(&x.files);
    return !mixed && ((!x.failed && text->code) || wb_fail(err, 1, _("out of memory")));
}

/* ---- the text's places ---------------------------------------------------------------------- */

/* Finds the file and line of a byte of the text. */
static void place(const wb_text *text, size_t at, const char **name, int *line) {
    size_t i = text->n_pieces - 1;
    while (i > 0 && text->pieces[i].at > at)
        i--;
    const wb_piece *p = &text->pieces[i];
    *name = p->file;
    *line = p->line - 1 + wb_line_at(text->code + p->at, text->code + at);
}

bool wb_text_name(const wb_text *text, wb_split *split) {
    for (size_t i = 0; i < split->n_items; i++)
        place(text, split->items[i].start, &split->items[i].file, &split->items[i].line);
    bool ok = true;
    for (WB_ENTITIES(e, split)) {
        const char *name;
        place(text, e->start, &name, &e->line);
        e->file = name ? strdup(name) : NULL;
        ok &= !name || e->file;
    }
    return ok;
}

bool wb_own_headers_accept(wb_own_headers *own, wb_text *text, const wb_live *live, size_t cell) {
    wb_own_header *more = realloc(own->v, (own->n + text->n_headers + 1) * sizeof *more);
    if (!more)
        return false;
    own->v = more;
    for (size_t i = 0; i < text->n_headers; i++) {
        wb_own_header h = text->headers[i];
        h.cell = cell;
        h.usable = count_usable(live, cell, h.shown);
        size_t k = 0;
        while (k < own->n && strcmp(own->v[k].path, h.path) != 0)
            k++;
        if (k < own->n)
            free_header(&own->v[k]);
        own->v[k] = h;
        own->n += k == own->n;
    }
    text->n_headers = 0;
    return true;
}
