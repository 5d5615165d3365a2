/* own_files.c: see own_files.h. */
#include "runtime/cells/headers/own_files.h"

#include <limits.h>
#include <sys/stat.h>

#include "runtime/cells/headers/bring.h"
#include "runtime/cells/headers/specifiers.h"

enum { MAX_HEADER = 384 << 10 };

typedef struct reader {
    const wb_strings *folders;
    const wb_splitting *how;
    wb_own_files *files;
    size_t cell_at; /* how much of the cell has been read */
    bool failed;
} reader;

/* ---- finding -------------------------------------------------------------------------------- */

/* Returns true for a regular file. Reading another might never end. */
static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Shortens a path below the notebook's folder to the part after it. */
static char *shorten(const reader *r, char *shown) {
    size_t n = strlen(r->folders->v[0]);
    if (shown && strncmp(shown, r->folders->v[0], n) == 0 && shown[n] == '/')
        memmove(shown, shown + n + 1, strlen(shown + n));
    return shown;
}

/* Takes over `shown`. Returns it, with its real path in real[PATH_MAX], if it is a user's file
 * whose name #line can express; else frees it and returns NULL. */
static char *try_file(const reader *r, char *shown, char *real) {
    WB_SCOPED char *path = shown && *shown != '/' ? wb_format("%s/%s", r->folders->v[0], shown)
                                                  : wb_format("%s", shown ? shown : "");
    if (path && shown && !strpbrk(shown, "\"\\\n") && is_file(path) && realpath(path, real) &&
        wb_header_is_own(real))
        return shorten(r, shown);
    free(shown);
    return NULL;
}

/* Returns the file that an #include's operand, with its quotes, names in the file `from` (NULL: a
 * cell), searched as nvcc does; or NULL. */
static char *find_file(const reader *r, const char *operand, size_t len, const char *from,
                       char *real) {
    if (len < 3 || r->folders->n == 0 || (operand[0] != '"' && operand[0] != '<'))
        return NULL;
    WB_SCOPED char *name = wb_format("%.*s", (int)len - 2, operand + 1);
    const char *slash = from ? strrchr(from, '/') : NULL;
    char *found = NULL;
    if (name && *name != '/' && from && *operand == '"')
        found =
            try_file(r, wb_format("%.*s%s", slash ? (int)(slash - from) + 1 : 0, from, name), real);
    for (size_t i = 1; name && *name != '/' && !found && i < r->folders->n; i++)
        found = try_file(r, wb_format("%s/%s", r->folders->v[i], name), real);
    return found || !name ? found : try_file(r, wb_format("%s", name), real);
}

/* ---- macros --------------------------------------------------------------------------------- */

static bool is_named(const wb_directive *d, const char *name, size_t len) {
    return d->rest_len >= len && memcmp(d->rest, name, len) == 0 &&
           (d->rest_len == len || strchr(" \t(\\\n", d->rest[len]));
}

enum { NOT_SAID, SAID, UNDEFINED };

/* Finds what the text's directives before byte `at` say of a macro. Inside #if it is unknown. */
static int said(const wb_own_body *b, const char *name, size_t len, size_t at,
                const char **define) {
    int what = NOT_SAID, depth = 0;
    for (size_t i = 0; i < b->n_directives && b->directives[i].start < at; i++) {
        const wb_directive *d = &b->directives[i];
        depth += d->name_len >= 2 && memcmp(d->name, "if", 2) == 0;
        depth -= wb_directive_is(d, "endif");
        bool defines = wb_directive_is(d, "define");
        if ((!defines && !wb_directive_is(d, "undef")) || !is_named(d, name, len))
            continue;
        what = defines && depth == 0 ? SAID : UNDEFINED;
        *define = b->text + d->start;
    }
    return what;
}

typedef struct finder {
    const reader *r;
    const wb_own_body *body;
} finder;

/* Searches the text itself, what it included so far, the cell, the notebook. */
static const char *find_macro(void *ctx, const char *name, size_t len, size_t at) {
    const finder *f = ctx;
    const wb_own_files *files = f->r->files;
    const wb_splitting *how = f->r->how;
    const char *define = NULL;
    int what = said(f->body, name, len, at, &define);
    for (size_t i = files->n; what == NOT_SAID && i-- > 0;)
        what = said(&files->v[i].body, name, len, SIZE_MAX, &define);
    if (what == NOT_SAID && f->body != &files->cell)
        what = said(&files->cell, name, len, f->r->cell_at, &define);
    if (what == NOT_SAID && how->macro)
        return how->macro(how->ctx, name, len);
    return what == SAID ? define : NULL;
}

/* Searches for a header before it is read, so without the header's own macros. */
static int is_known(void *ctx, const char *name, size_t len) {
    wb_own_body none = {.n = 0};
    finder f = {ctx, &none};
    return find_macro(&f, name, len, 0) ? 1 : -1;
}

static bool find_directives(wb_own_body *b) {
    free(b->directives);
    b->directives = wb_directives(b->text, b->len, &b->n_directives);
    return b->directives;
}

static bool expand_specifiers(const reader *r, wb_own_body *b) {
    size_t len = 0;
    finder f = {r, b};
    char *text = wb_specifiers_expand(b->text, b->len, find_macro, &f, &len);
    if (!text)
        return false;
    free(b->text);
    b->text = text;
    b->len = len;
    return find_directives(b);
}

/* ---- reading -------------------------------------------------------------------------------- */

static size_t load(reader *r, char *shown, const char *real);

static bool at_file_scope(const wb_split *split, size_t start) {
    for (WB_ENTITIES(e, split))
        if (e->start == start && wb_live_names_file(e))
            return !*e->open;
    return false;
}

/* Reads what the text includes. With `place`, records where. */
static void read_includes(reader *r, wb_own_body *b, const char *from, bool place) {
    for (size_t i = 0; i < b->n_directives && !r->failed; i++) {
        const wb_directive *d = &b->directives[i];
        char real[PATH_MAX];
        char *shown =
            wb_directive_is(d, "include") ? find_file(r, d->rest, d->rest_len, from, real) : NULL;
        if (b == &r->files->cell)
            r->cell_at = d->start;
        size_t file = shown ? load(r, shown, real) : 0;
        bool outside = shown && place && at_file_scope(&b->split, d->start);
        if (shown && place)
            r->failed |= !WB_ADD(b->v, b->n, (wb_own_include){d->start, d->end, file, outside});
    }
}

/* Splits the text, after all that it includes is known. */
static void prepare(reader *r, wb_own_body *b, const char *from) {
    r->failed |= !b->text || !find_directives(b);
    if (!r->failed)
        read_includes(r, b, from, false);
    r->failed |= r->failed || !expand_specifiers(r, b);
    r->failed |= r->failed || !wb_split_cell(b->text, b->len, r->how, &b->split);
    if (!r->failed)
        read_includes(r, b, from, true);
}

static bool is_plain(const wb_split *split) {
    for (size_t i = 0; i < split->n_items; i++)
        if (split->items[i].kind != WB_ITEM_DECLARATION)
            return false;
    return !split->lost;
}

static void read_file(reader *r, size_t i) {
    wb_own_file f = r->files->v[i];
    WB_SCOPED_BUF wb_buf text = {0};
    if (!wb_file_read(f.path, MAX_HEADER, &text, NULL) ||
        (text.len && memchr(text.data, '\0', text.len)))
        return; /* the compiler may report what is wrong */
    f.bytes = wb_hash(WB_HASH, text.data, text.len);
    f.body.len = text.len;
    f.body.text = wb_buf_steal(&text);
    r->failed |=
        !f.body.text || !wb_directives_fold(f.body.text, f.body.len, true, is_known, r, &f.once);
    if (!r->failed)
        prepare(r, &f.body, f.shown);
    f.plain = is_plain(&f.body.split);
    r->files->v[i] = f; /* read_includes() may have moved the array */
}

/* Returns the index of the file, which is read once. Takes over `shown`. */
static size_t load(reader *r, char *shown, const char *real) {
    wb_own_files *files = r->files;
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->v[i].path, real) == 0) {
            free(shown);
            return i;
        }
    char *path = strdup(real);
    if (!path || !WB_ADD(files->v, files->n, (wb_own_file){.path = path, .shown = shown})) {
        WB_FREE(path, shown);
        r->failed = true;
        return 0;
    }
    size_t i = files->n - 1;
    read_file(r, i);
    return i;
}

bool wb_own_files_read(const wb_strings *folders, const char *code, size_t len,
                       const wb_splitting *how, wb_own_files *files) {
    *files = (wb_own_files){.n = 0};
    reader r = {.folders = folders, .how = how, .files = files};
    bool once;
    files->cell.text = wb_format("%.*s", (int)len, code);
    files->cell.len = len;
    r.failed =
        !files->cell.text || !wb_directives_fold(files->cell.text, len, false, NULL, NULL, &once);
    if (!r.failed)
        prepare(&r, &files->cell, NULL);
    return !r.failed;
}

static void free_body(wb_own_body *b) {
    WB_FREE(b->text, b->directives, b->v);
    wb_split_free(&b->split);
}

void wb_own_files_free(wb_own_files *files) {
    free_body(&files->cell);
    for (size_t i = 0; i < files->n; i++) {
        WB_FREE(files->v[i].path, files->v[i].shown);
        free_body(&files->v[i].body);
    }
    free(files->v);
    *files = (wb_own_files){.n = 0};
}
