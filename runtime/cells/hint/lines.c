/* lines.c: lines that are not C++, and missing punctuation. */
#include "runtime/cells/hint/rules.h"
#include "runtime/cells/split/expand.h"

#include <ctype.h>

bool wb_hint_magic(const wb_hint_question *q, wb_hint *hint) {
    int cell;
    const char *behind = wb_hint_source(q).text + strlen(hint->name);
    bool called = *behind == '(' || behind[strspn(behind, " ")] == '=';
    return q->live && !called && !wb_hint_entity(q, hint->name, &cell);
}

/* Accepts threadIdx without .x, in an error about its type. */
bool wb_hint_index(const wb_hint_question *q, wb_hint *hint) {
    static const char *const words[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    wb_piece line = wb_hint_source(q);
    for (size_t i = 0; i < 4 * line.len; i++) {
        const char *word = words[i % 4], *p = line.text + i / 4;
        size_t n = strlen(word);
        if (strncmp(p, word, n) == 0 && p[n] != '.' && !wb_word_part(p[n])) {
            wb_hint_copy(hint->name, WB_PIECE(word));
            return true;
        }
    }
    return false;
}

/* ---- punctuation ---- */

/* Skips the literal, comment or blank that begins at `p`. Returns `p` if none does. */
static const char *skip(const char *p) {
    return isspace((unsigned char)*p) ? p + 1 : *p == '#' ? p : p + wb_code_skip(p);
}

/* Finds a class without a ';' that ends before the error's line. */
bool wb_hint_class(const wb_hint_question *q, wb_hint *hint) {
    const char *end = wb_hint_line(q->code, q->line), *head;
    size_t at = q->code ? wb_split_unclosed(q->code, (size_t)(end - q->code)) : 0;
    if (at == 0)
        return false;
    end = q->code + at;
    for (int depth = 0; end > q->code && (depth < 0 || end == q->code + at); end--)
        depth += (end[-1] == '{') - (end[-1] == '}');
    for (head = end; head > q->code && !strchr(";}", head[-1]);)
        head--;
    const char *base = memmem(head, (size_t)(end - head), " : ", 3);
    wb_hint_copy(hint->name, wb_piece_before(head, base ? base : end));
    hint->line = wb_line_at(q->code, q->code + at);
    return true;
}

/* Returns the number of ')' minus '(' in the line. *quote is the quote left open, or 0. */
static int balance(wb_piece line, char *quote) {
    int sum = 0;
    *quote = 0;
    for (const char *p = line.text, *end = p + line.len, *next; p < end; p = next) {
        next = skip(p);
        bool closed = true;
        if (*p == '"' || *p == '\'')
            wb_code_literal(p, &closed);
        if (!closed)
            *quote = *p;
        sum += (*p == ')') - (*p == '(');
        next += next == p;
    }
    return sum;
}

bool wb_hint_quote(const wb_hint_question *q, wb_hint *hint) {
    balance(wb_hint_source(q), hint->name);
    return *hint->name;
}

bool wb_hint_parenthesis(const wb_hint_question *q, wb_hint *hint) {
    char quote;
    int sum = balance(wb_hint_source(q), &quote);
    *hint->name = sum < 0 ? ')' : '(';
    return sum != 0;
}

/* Accepts a caret at its line's first word: the last line of code before lacks the ';'. */
bool wb_hint_semicolon(const wb_hint_question *q, wb_hint *hint) {
    const char *end = wb_hint_line(q->code, q->line), *behind = NULL;
    if (!q->code ||
        (q->excerpt && strchr(q->excerpt, '^') && wb_hint_caret(q) != wb_hint_source(q).text))
        return false;
    for (const char *p = q->code, *next; p < end; p = next) {
        next = skip(p);
        bool text = next == p || *p == '"' || *p == '\'';
        behind = text ? p : behind;
        next += next == p;
    }
    hint->line = behind ? wb_line_at(q->code, behind) : 0;
    return behind && !strchr(";{}", *behind);
}
