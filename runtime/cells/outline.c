/* outline.c: see outline.h. */
#include "runtime/cells/outline.h"

#include <ctype.h>

#include "runtime/cells/live/live_names.h"
#include "runtime/compile/direct/parts/tokens.h"
#include "runtime/compile/headers.h"
#include "runtime/json/fields.h"

/* ---- earlier cells -------------------------------------------------------------------------- */

/* Returns the entity's declaration for other cells, malloc'd, or NULL. */
static char *declaration(const wb_entity *e) {
    bool device = e->kind == WB_ENTITY_DEVICE_VARIABLE;
    if (e->kind == WB_ENTITY_HIDDEN || e->kind == WB_ENTITY_UNDEF)
        return NULL;
    if (!device && (e->kind != WB_ENTITY_VARIABLE || e->stateless))
        return e->text ? wb_format("%s", e->text) : NULL;
    if (!e->type)
        return NULL;
    bool plain = !strpbrk(e->type, "[(");
    return wb_format("extern %s%s%s%s %s;", device ? "__device__ " : "", plain ? "" : "__wb_id<",
                     e->type, plain ? "" : ">::type", e->name);
}

typedef struct listing {
    const wb_live *live;
    json_t *newest; /* {name: index of the newest entity of that name} */
    bool *listed;   /* by index */
    json_t *outline;
} listing;

static void list(listing *l, size_t i);

/* Lists what the text names. A type that was defined again comes after its earlier users. */
static void list_named(listing *l, const char *text) {
    char word[128];
    for (size_t n; *text; text += n + !n) {
        n = wb_word_length(text);
        if (n == 0 || n >= sizeof word)
            continue;
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        const json_t *index = json_object_get(l->newest, word);
        if (index)
            list(l, (size_t)json_integer_value(index));
    }
}

static void list(listing *l, size_t i) {
    const wb_entity *e = &l->live->v[i].e;
    WB_SCOPED char *words = l->listed[i] ? NULL : declaration(e);
    l->listed[i] = true;
    if (!words)
        return;
    if (!wb_live_names_file(e))
        list_named(l, words);
    bool head = wb_live_names_file(e) || (e->required && e->kind == WB_ENTITY_MACRO);
    WB_SCOPED char *text =
        wb_format("%s\n%s%s\n%s\n", e->open, e->remark ? e->remark : "", words, e->close);
    json_t *entry = json_pack("{s:s, s:s, s:i, s:b, s:s}", "key", e->key, "name", e->name, "means",
                              wb_live_ask((void *)l->live, e->name, strlen(e->name)), "head", head,
                              "text", text ? text : "");
    if (entry) /* not if it is no UTF-8 */
        json_array_append_new(l->outline, entry);
}

json_t *wb_outline(const wb_live *live) {
    listing l = {live, json_object(), calloc(live->n + 1, sizeof *l.listed), json_array()};
    for (size_t i = 0; i < live->n; i++)
        json_object_set_new(l.newest, live->v[i].e.name, json_integer((json_int_t)i));
    for (size_t i = 0; i < live->n && l.listed; i++)
        list(&l, i);
    json_decref(l.newest);
    free(l.listed);
    return l.outline;
}

/* ---- the cell ------------------------------------------------------------------------------- */

/* Lists what is open before the cursor. */
typedef struct opened {
    char closing[256]; /* the brackets that close what is open, innermost last */
    size_t n;
    bool text, directive; /* the cursor is in a comment or literal, in a preprocessor line */
} opened;

static bool holds(const char *p, const char *to, bool comment, const char *cursor) {
    bool ended = comment ? p[1] == '*' && to - p > 3 && to[-1] == '/'
                         : to - p > 1 && (to[-1] == '"' || to[-1] == '\'');
    return cursor < to || (cursor == to && !ended);
}

static opened look(const char *code, size_t len, size_t at) {
    static const char open[] = "([{", close[] = ")]}";
    opened o = {.n = 0};
    bool line_starts = true;
    for (const char *p = code, *end = code + len, *cursor = code + at; p < cursor;) {
        if (isspace((unsigned char)*p)) {
            line_starts |= *p++ == '\n';
            continue;
        }
        bool comment = false;
        const char *to = wb_token_skip(p, end, line_starts, &comment), *sign;
        bool directive = line_starts && *p == '#';
        bool literal = !comment && !directive && (*p == '\'' || memchr(p, '"', (size_t)(to - p)));
        o.directive = directive && cursor <= to;
        o.text = (comment || literal) && holds(p, to, comment, cursor);
        if (to - p == 1 && (sign = strchr(open, *p)) && o.n < sizeof o.closing - 1)
            o.closing[o.n++] = close[sign - open];
        else if (to - p == 1 && strchr(close, *p) && o.n > 0)
            o.n--;
        line_starts &= comment;
        p = to;
    }
    return o;
}

bool wb_outline_in_text(const char *code, size_t len, size_t at) {
    return look(code, len, at).text;
}

/* Returns the text before the cursor, ended as if nothing followed: "f(a[i].wb]);" for "f(a[i].".
 */
static void end_text(wb_buf *text, const char *code, size_t len, size_t at) {
    opened o = look(code, len, at);
    wb_buf_append(text, code, at);
    wb_buf_puts(text, o.directive ? "\n" : "wb");
    while (o.n > 0)
        wb_buf_putc(text, o.closing[--o.n]);
    wb_buf_putc(text, ';');
}

static int means(void *outline, const char *name, size_t len) {
    for (size_t i = json_array_size(outline); i-- > 0;) {
        const json_t *entry = json_array_get(outline, i);
        if (wb_word_is(name, len, wb_field_text(entry, "name")))
            return (int)wb_field_int(entry, "means");
    }
    return 0;
}

/* The cell that is being written. */
typedef struct cell {
    const char *code;
    size_t len, at;
    wb_buf head, body;
    size_t cursor; /* the place in `body` of code[at], or SIZE_MAX */
} cell;

/* Writes the code [from, to). The cursor is in it if it is before `last`. */
static void put(cell *c, size_t from, size_t to, size_t last) {
    if (c->cursor == SIZE_MAX && from <= c->at && c->at < last)
        c->cursor = c->body.len + c->at - from;
    wb_buf_append(&c->body, c->code + from, to - from);
}

static void put_items(cell *c, const wb_split *split, bool whole) {
    size_t done = 0;
    for (size_t i = 0; i < split->n_items && split->items[i].start <= c->len; i++) {
        const wb_item *item = &split->items[i];
        bool adjoins = i + 1 < split->n_items && item[1].start == item->end;
        bool here = item->start <= c->at && c->at < item->end + !adjoins;
        bool rest = !whole && (here || item->end > c->len); /* all that follows belongs to it */
        bool statement = item->kind != WB_ITEM_DECLARATION;
        put(c, done, item->start, item->start);
        done = rest ? c->len : item->end;
        if (!here && wb_begins(c->code + item->start, "#include")) {
            wb_buf_printf(&c->head, "%.*s\n", (int)(done - item->start), c->code + item->start);
            continue;
        }
        if (statement)
            wb_buf_printf(&c->body, "__host__ __device__ auto __wb_statements_%zu() {\n", i);
        put(c, item->start, done, done + (rest || !adjoins));
        wb_buf_puts(&c->body, statement ? "\n;}\n" : "\n");
        if (rest)
            return;
    }
    wb_buf_puts(&c->body, whole ? "" : "__host__ __device__ void __wb_rest() {\n");
    put(c, done, c->len, c->len + 1);
    wb_buf_puts(&c->body, whole ? "\n" : "\n;}\n");
}

static bool is_redefined(const wb_split *split, const json_t *entry) {
    for (WB_ENTITIES(e, split))
        if (strcmp(e->key, wb_field_text(entry, "key")) == 0)
            return true;
    return false;
}

/* Writes what the cell does not redefine; without a split, the #include lines instead. */
static void put_outline(wb_buf *file, const json_t *outline, const wb_split *split) {
    WB_JSON_EACH(entry, outline) {
        bool head = wb_field_true(entry, "head");
        if (head == !split && (head || !is_redefined(split, entry)))
            wb_buf_puts(file, wb_field_text(entry, "text"));
    }
}

size_t wb_outline_file(const json_t *outline, const char *code, size_t len, size_t at, bool whole,
                       wb_buf *file) {
    cell c = {.code = code, .len = len, .at = at, .cursor = SIZE_MAX};
    WB_SCOPED_BUF wb_buf text = {0};
    WB_SCOPED_SPLIT wb_split split = {.items = NULL};
    if (whole)
        wb_buf_append(&text, code, len);
    else
        end_text(&text, code, len, at);
    const wb_splitting how = {.ask = means, .ctx = (void *)outline};
    bool read = text.data && wb_split_cell(text.data, text.len, &how, &split);
    if (read && split.has_main)
        put(&c, 0, len, len + 1);
    else if (read)
        put_items(&c, &split, whole);
    wb_buf_puts(file, WB_CELL_HEADERS "#include \"warpbook_cell.h\"\n");
    put_outline(file, outline, NULL);
    for (char *rest = c.head.data, *line; rest && (line = strsep(&rest, "\n"));)
        if (!strstr(file->data, line)) /* a file that begins as before is read much faster */
            wb_buf_printf(file, "%s\n", line);
    if (!split.has_main)
        put_outline(file, outline, &split);
    size_t cursor = c.cursor == SIZE_MAX ? SIZE_MAX : file->len + c.cursor;
    wb_buf_append(file, c.body.data ? c.body.data : "", c.body.len);
    WB_BUF_FREE(&c.head, &c.body);
    return file->failed ? SIZE_MAX : cursor;
}
