/* cell.c: takes magics, shell lines and questions out of a cell. */
#include "jupyter_kernel/execution/cell.h"

#include <ctype.h>

#include "runtime/worker/session.h"
#include "runtime/base/words.h"
#include "runtime/compile/direct/parts/tokens.h"

/* ---- a scanner that knows where C++ statements begin --------------------------------------- */

typedef struct scanner {
    const char *code;
    size_t len, at;
    int line;
    int depth;        /* of ( [ { */
    char last;        /* the last character that is not blank or comment; 0 at a part's start */
    bool significant; /* this part holds more than blanks and comments */
    size_t known;     /* lines before this offset that begin with # have been classified */
    bool comments;
} scanner;

static void step(scanner *s) {
    if (s->code[s->at] == '\n')
        s->line++;
    s->at++;
}

static void skip(scanner *s, size_t n) {
    while (n-- && s->at < s->len)
        step(s);
}

/* Skips one token, comment or blank of C++. */
static void skip_token(scanner *s, bool line_starts) {
    const char *at = s->code + s->at, c = *at;
    bool comment;
    if (isspace((unsigned char)c)) {
        step(s);
        return;
    }
    skip(s, (size_t)(wb_token_skip(at, s->code + s->len, line_starts, &comment) - at));
    if (comment)
        return;
    s->significant = true;
    s->last = c;
    if (c == '(' || c == '[' || c == '{')
        s->depth++;
    if ((c == ')' || c == ']' || c == '}') && s->depth > 0)
        s->depth--;
}

/* ---- lines that are not C++ ---------------------------------------------------------------- */

/* Returns the first character of the line at `at` that is not blank, and the line's end. */
static size_t line_start(const scanner *s, size_t *end) {
    size_t first = s->at;
    while (first < s->len && (s->code[first] == ' ' || s->code[first] == '\t'))
        first++;
    const char *newline = memchr(s->code + first, '\n', s->len - first);
    *end = newline ? (size_t)(newline - s->code) : s->len;
    return first;
}

static size_t trimmed_end(const char *code, size_t first, size_t end) {
    return first + wb_trimmed(code + first, end - first, WB_BLANK);
}

/* Returns the end of a magic or shell line. A backslash at its end continues it on the next line.
 * For a magic, blanks may follow the backslash; the shell handles them itself. */
static size_t continued_end(const scanner *s, size_t first, size_t end) {
    bool shell = s->code[first] == '!';
    while (end < s->len) {
        size_t last = shell ? end : trimmed_end(s->code, first, end), marks = 0;
        while (last > first + marks && s->code[last - 1 - marks] == '\\')
            marks++;
        if (marks % 2 == 0)
            break;
        const char *newline = memchr(s->code + end + 1, '\n', s->len - end - 1);
        first = end + 1;
        end = newline ? (size_t)(newline - s->code) : s->len;
    }
    return end;
}

/* Reads `name?` or `?name`, with one or two marks. A name may be a magic's, or qualified (a::b). */
static bool is_question(const char *text, size_t len, cell_part *part) {
    size_t first = 0;
    while (first < len && text[first] == '?')
        first++;
    size_t end = first + wb_trimmed(text + first, len - first, "?");
    size_t marks = first + (len - end);
    for (size_t i = first; i < end; i++)
        if (!wb_word_part(text[i]) && text[i] != ':' && text[i] != '%' && text[i] != '.')
            return false;
    if (marks == 0 || marks > 2 || (first && end < len) || (first == end && len > 1))
        return false;
    part->text = text + first;
    part->len = end - first;
    part->twice = marks == 2;
    return true;
}

/* Returns true if the line at s->at is not C++, and writes the part that it is. */
static bool special_line(const scanner *s, bool (*is_magic)(const char *, size_t), bool first_line,
                         cell_part *part, size_t *line_end) {
    if (s->depth > 0)
        return false;
    size_t first = line_start(s, line_end);
    if (first < *line_end && (s->code[first] == '%' || s->code[first] == '!'))
        *line_end = continued_end(s, first, *line_end);
    size_t end = trimmed_end(s->code, first, *line_end);
    const char *text = s->code + first;
    size_t len = end - first;
    bool statement = s->last == '\0' || s->last == ';' || s->last == '}';
    *part = (cell_part){.line = s->line, .text = text + 1, .len = len ? len - 1 : 0};
    if (len >= 2 && text[0] == '%' && text[1] == '%' && first_line) {
        part->kind = CELL_WHOLE;
        part->text = text + 2;
        part->len = len - 2;
        size_t body = *line_end < s->len ? *line_end + 1 : s->len;
        part->body = s->code + body;
        part->body_len = s->len - body;
        *line_end = s->len;
        return true;
    }
    if (statement && is_question(text, len, part)) {
        part->kind = CELL_ASK;
        return true;
    }
    if (len >= 1 && text[0] == '%') {
        size_t name = wb_word_within(text + 1, len - 1);
        bool doubled = len >= 2 && text[1] == '%';
        part->kind = CELL_LINE;
        return (statement && (name > 0 || doubled)) || (name > 0 && is_magic(text + 1, name));
    }
    part->kind = CELL_SHELL;
    return statement && len >= 2 && text[0] == '!';
}

/* ---- comments as in Python and the shell ---------------------------------------------------- */

static bool is_directive(const char *text, size_t len) {
    static const char names[] = "include include_next define undef if ifdef ifndef elif elifdef "
                                "elifndef else endif pragma line error warning";
    size_t first = 1;
    while (first < len && (text[first] == ' ' || text[first] == '\t'))
        first++;
    size_t n = wb_word_within(text + first, len - first);
    if (first == len ||
        (n > 0 && isdigit((unsigned char)text[first]))) /* "#" alone, or a line number */
        return true;
    return wb_word_among(text + first, n, names) ||
           (n > 0 && first == 1); /* a misspelt directive: the compiler reports it */
}

/* Returns true if all lines from s->at to the next magic or shell line, or to the cell's end, are
 * blanks and comments, and the first begins with #. *end: the offset up to which it has looked. */
static bool comments_ahead(const scanner *s, size_t *end) {
    scanner ahead = *s;
    for (bool first_one = true;; first_one = false) {
        size_t first = line_start(&ahead, end), len = trimmed_end(s->code, first, *end) - first;
        const char *text = s->code + first;
        bool comment = len > 0 && text[0] == '#' && !is_directive(text, len);
        bool blank = len == 0 || (len > 1 && text[0] == '/' && text[1] == '/');
        if (!comment && (first_one || !blank))
            return !first_one && len > 1 && (text[0] == '!' || text[0] == '%');
        if (*end >= s->len)
            return true;
        ahead.at = *end + 1;
    }
}

/* Returns true if the line at s->at begins with a # that starts a comment in IPython. No C++ may
 * come before the next magic or shell line, or the cell's end. */
static bool is_hash_comment(scanner *s) {
    bool statement = s->last == '\0' || s->last == ';' || s->last == '}';
    if (s->depth > 0 || !statement)
        return false;
    if (s->at >= s->known)
        s->comments = comments_ahead(s, &s->known);
    return s->comments;
}

/* ---- splitting ---------------------------------------------------------------------------- */

/* The C++ that has not been added yet begins at `from`, in that line. */
static bool add_code(cell_parts *parts, scanner *s, size_t from, int line, size_t to) {
    bool significant = s->significant;
    s->significant = false;
    s->last = '\0';
    return !significant ||
           WB_ADD(parts->part, parts->n,
                  (cell_part){
                      .kind = CELL_CODE, .line = line, .text = s->code + from, .len = to - from});
}

/* Skips a preprocessor line. Its text does not count for statements. */
static void skip_directive(scanner *s) {
    while (s->code[s->at] != '#')
        step(s);
    skip_token(s, true);
    s->last = '\0';
}

bool cell_split(const char *code, size_t len, bool (*is_magic)(const char *name, size_t len),
                cell_parts *parts) {
    scanner s = {.code = code, .len = len, .line = 1};
    size_t from = 0;
    int from_line = 1;
    *parts = (cell_parts){0};
    bool ok = true, at_line_start = true;
    while (ok && s.at < len) {
        cell_part part;
        size_t line_end, first = at_line_start ? line_start(&s, &line_end) : len;
        int before_line = s.line;
        bool hash = first < len && code[first] == '#';
        bool special = at_line_start && special_line(&s, is_magic, parts->n == 0 && !s.significant,
                                                     &part, &line_end);
        if (special || (hash && is_hash_comment(&s))) {
            ok = add_code(parts, &s, from, from_line, s.at) &&
                 (!special || WB_ADD(parts->part, parts->n, part));
            skip(&s, line_end - s.at + (line_end < len));
            from = s.at;
            from_line = s.line;
        } else if (hash) {
            skip_directive(&s);
            at_line_start = false;
        } else {
            skip_token(&s, false);
            at_line_start = s.line > before_line && code[s.at - 1] == '\n';
        }
    }
    ok = ok && add_code(parts, &s, from, from_line, len);
    if (!ok)
        cell_parts_free(parts);
    return ok;
}

void cell_parts_free(cell_parts *parts) {
    free(parts->part);
    *parts = (cell_parts){0};
}

char *cell_placed(const char *text, size_t len, int line) {
    size_t before = line > 1 ? (size_t)line - 1 : 0;
    char *placed = malloc(before + len + 1);
    if (!placed)
        return NULL;
    memset(placed, '\n', before);
    memcpy(placed + before, text, len);
    placed[before + len] = '\0';
    return placed;
}

/* ---- completeness ------------------------------------------------------------------------- */

static bool no_names(const char *name, size_t len) {
    (void)name;
    (void)len;
    return false;
}

/* A cell magic ends with an empty line, as in IPython's console. */
static const char *whole_is_complete(const char *code, size_t len) {
    bool ended = len >= 2 && code[len - 1] == '\n' && code[len - 2] == '\n';
    return ended ? "complete" : "incomplete";
}

const char *cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size) {
    snprintf(indent, indent_size, "%s", "");
    SCOPED_PARTS cell_parts parts;
    if (!cell_split(code, len, no_names, &parts))
        return "unknown";
    if (parts.n == 0) /* only blanks and comments: a comment may be open */
        return wb_cell_is_complete(code, len, indent, indent_size);
    if (parts.part[0].kind == CELL_WHOLE)
        return whole_is_complete(code, len);
    const cell_part *last = &parts.part[parts.n - 1];
    return last->kind == CELL_CODE ? wb_cell_is_complete(last->text, last->len, indent, indent_size)
                                   : "complete";
}
