/* hint.c: see hint.h. It reads the table of mistakes. */
#include "runtime/cells/hint/rules.h"
#include "runtime/cells/split/closure.h"

typedef struct row {
    const char *kind, *words, *text, *line, *unlike, *at, *name, *among;
    wb_hint_rule *find;
    bool last;
} row;

static const row rows[] = {
    {.kind = "NONE", .words = ""},
#define HINT(kind_, words_, ...) {.kind = #kind_, .words = (words_), __VA_ARGS__},
#include "runtime/cells/hint/kinds.inc"
#undef HINT
};

/* ---- patterns ---- */

enum { PIECES = 4 };

/* Returns true if the text matches the pattern of `len` bytes. got gets what the first ~ stand for,
 * the shortest match. */
static bool fits(wb_piece text, const char *pattern, size_t len, wb_piece *got, int n) {
    const char *any = memchr(pattern, '~', len);
    size_t fixed = any ? (size_t)(any - pattern) : len;
    if (text.len < fixed || memcmp(text.text, pattern, fixed) != 0)
        return false;
    if (!any)
        return text.len == fixed;
    text = (wb_piece){text.text + fixed, text.len - fixed};
    for (size_t i = fixed + 1 == len ? text.len : 0; i <= text.len; i++)
        if (fits((wb_piece){text.text + i, text.len - i}, any + 1, len - fixed - 1, got, n + 1)) {
            if (n < PIECES)
                got[n] = (wb_piece){text.text, i};
            return true;
        }
    return false;
}

static bool fits_one(wb_piece text, const char *patterns, wb_piece got[PIECES]) {
    for (const char *p = patterns; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL) {
        memset(got, 0, PIECES * sizeof *got);
        if (fits(text, p, strcspn(p, "|"), got, 0))
            return true;
    }
    return false;
}

/* Returns true if the list "old=new|old" has the name. `other` gets the new one. */
static bool is_among(const char *list, const char *name, char other[160]) {
    for (const char *p = list; *p; p += strcspn(p, "|"), p += *p == '|') {
        size_t n = strcspn(p, "=|"), all = strcspn(p, "|");
        if (n != strlen(name) || memcmp(p, name, n) != 0)
            continue;
        if (all > n)
            wb_hint_copy(other, (wb_piece){p + n + 1, all - n - 1});
        return true;
    }
    return false;
}

/* ---- the quoted line ---- */

/* Returns the name "a::b::c" at the caret, or after the operator there. */
static wb_piece at_caret(const wb_hint_question *q) {
    const char *start = wb_hint_source(q).text, *at = wb_hint_caret(q);
    at += strspn(at, "*(+-&!< ");
    for (size_t back = 1; back; at -= back) {
        bool scope = at - start > 2 && strncmp(at - 2, "::", 2) == 0 && wb_word_part(at[-3]);
        back = at > start && wb_word_part(at[-1]) ? 1 : scope ? 2 : 0;
    }
    wb_piece name = wb_piece_word(at);
    while (name.len && strncmp(at + name.len, "::", 2) == 0 && wb_word_part(at[name.len + 2]))
        name.len += 2 + wb_word_length(at + name.len + 2);
    return name;
}

/* Returns the function whose call contains the caret. */
static wb_piece called(const wb_hint_question *q) {
    const char *start = wb_hint_source(q).text, *at = wb_hint_caret(q);
    for (int depth = 0; at > start && (depth > 0 || at[-1] != '('); at--)
        depth += (at[-1] == ')') - (at[-1] == '(');
    const char *launch = memmem(start, (size_t)(at - start), "<<<", 3);
    return wb_piece_before(start, launch ? launch : at > start ? at - 1 : start);
}

/* Returns the object before the caret's member or operator, or the one that it changes. */
static wb_piece object(const wb_hint_question *q) {
    const char *start = wb_hint_source(q).text, *at = wb_hint_caret(q);
    at = start + wb_trimmed(start, (size_t)(at - start), " .>-[");
    while (at > start && at[-1] == ']')
        while (at > start && *--at != '[')
            ;
    wb_piece before = at < wb_hint_caret(q) ? wb_piece_before(start, at) : (wb_piece){0};
    return before.len ? before : at_caret(q);
}

/* Returns the piece that a letter of .name selects: 1 to 4 a piece of the text, a to d one of the
 * line, A to D the name at its end. F and G are the function whose head is piece 1 or 2, w the name
 * at the caret, n piece 1 or else w, q the longer of these, l the line. */
static wb_piece pick(const wb_hint_question *q, char letter, const wb_piece text[PIECES],
                     const wb_piece line[PIECES]) {
    wb_piece p = {0}, word = at_caret(q);
    switch (letter) {
    case 'w':
        return word;
    case 'n':
        return text[0].len ? text[0] : wb_piece_word(word.text);
    case 'q':
        p = text[1].len && text[0].len ? text[1] : text[0];
        return word.len > p.len ? word : p;
    case 'l':
        return wb_hint_source(q);
    case '(':
        return called(q);
    case '.':
        return object(q);
    case 'F':
    case 'G':
        p = text[letter - 'F'];
        while (memchr(p.text, '(', p.len))
            p.len--;
        return wb_piece_before(p.text, p.text + p.len);
    default:
        if (letter >= '1' && letter < '1' + PIECES)
            return text[letter - '1'];
        p = line[(letter - 'A') % ('a' - 'A')];
        return letter >= 'a' ? p : wb_piece_before(p.text, p.text + p.len);
    }
}

/* ---- the table ---- */

static bool applies(const row *r, const wb_hint_question *q, wb_hint *hint) {
    wb_piece text[PIECES] = {0}, line[PIECES] = {0}, none[PIECES], source = wb_hint_source(q);
    char *to[] = {hint->name, hint->other};
    if (!(r->text || r->line) || (r->text && !fits_one(WB_PIECE(q->text), r->text, text)) ||
        (r->line && !fits_one(source, r->line, line)) ||
        (r->unlike && fits_one(source, r->unlike, none)))
        return false;
    const char *caret = wb_hint_caret(q);
    if (r->at && !fits_one(wb_piece_line(caret), r->at, none))
        return false;
    *hint = (wb_hint){.kind = (wb_hint_kind)(r - rows), .line = q->line, .last = r->last};
    for (size_t i = 0; r->name && r->name[i]; i++) {
        wb_hint_copy(to[i], pick(q, r->name[i], text, line));
        if (!*to[i] || strstr(to[i], "<unknown-type>") || strstr(to[i], "<error-type>"))
            return false;
    }
    return (!r->among || is_among(r->among, hint->name, hint->other)) &&
           (!r->find || r->find(q, hint));
}

bool wb_hint_find(const wb_hint_question *q, wb_hint *hint) {
    for (size_t i = 1; i < WB_COUNT(rows); i++)
        if (applies(&rows[i], q, hint))
            return hint->kind != WB_HINT_NONE;
    return false;
}

/* Decides "# words", a comment of Python and of the shell, by the first other line. */
bool wb_hint_hash(const wb_hint_question *q, wb_hint *hint) {
    wb_hint found;
    wb_hint_question other = *q;
    other.text = "";
    other.excerpt = NULL;
    wb_piece l;
    do
        l = wb_piece_line(wb_hint_line(q->code, ++other.line));
    while (*l.text == '\n' || *l.text == '#');
    if (l.len && wb_hint_find(&other, &found))
        *hint = found;
    return true;
}

size_t wb_hint_library_name(const char *text, const char **name) {
    wb_piece got[PIECES];
    if (!fits_one(WB_PIECE(text), rows[WB_HINT_HEADER_NAME].text, got))
        return 0;
    size_t end = strcspn(got[1].text, "([\"");
    wb_piece last = wb_piece_before(got[1].text, got[1].text + end);
    *name = last.text;
    return last.len;
}

/* ---- words ---- */

const char *wb_hint_kind_name(wb_hint_kind kind) {
    return rows[kind].kind;
}

char *wb_hint_sentence(const wb_hint *hint) {
    const char *const members[] = {"{name}", hint->name, "{other}", hint->other, "{number}", NULL};
    wb_buf out = {0};
    for (const char *p = wb_tr(rows[hint->kind].words); *p;) {
        size_t i = 0, n = 0;
        for (; i < WB_COUNT(members) && n == 0; i += 2)
            n = strncmp(p, members[i], strlen(members[i])) == 0 ? strlen(members[i]) : 0;
        if (n == 0)
            wb_buf_putc(&out, *p);
        else if (members[i - 1])
            wb_buf_puts(&out, members[i - 1]);
        else
            wb_buf_printf(&out, "%d", hint->number);
        p += n ? n : 1;
    }
    return wb_closure_plain(wb_buf_steal(&out));
}
