/* quote.c: pieces of text, and the line that the compiler quotes. */
#include "runtime/cells/hint/rules.h"

wb_piece wb_piece_word(const char *text) {
    return (wb_piece){text, wb_word_length(text)};
}

wb_piece wb_piece_line(const char *text) {
    const char *line = text + strspn(text, " \t");
    return (wb_piece){line, wb_trimmed(line, strcspn(line, "\n"), WB_BLANK)};
}

wb_piece wb_piece_before(const char *start, const char *end) {
    end = start + wb_trimmed(start, (size_t)(end - start), " ");
    for (int depth = 0; end > start && (depth > 0 || end[-1] == '>'); end--)
        depth += (end[-1] == '>') - (end[-1] == '<');
    end = start + wb_trimmed(start, (size_t)(end - start), " ");
    const char *at = end;
    while (at > start && (wb_word_part(at[-1]) || at[-1] == ':'))
        at--;
    at += strspn(at, ":");
    return (wb_piece){at, (size_t)(end - at)};
}

void wb_hint_copy(char to[160], wb_piece from) {
    snprintf(to, 160, "%.*s", (int)from.len, from.len ? from.text : "");
}

const char *wb_hint_line(const char *code, int number) {
    for (; code && number > 1; number--)
        code += strcspn(code, "\n") + (code[strcspn(code, "\n")] == '\n');
    return code ? code : "";
}

wb_piece wb_hint_source(const wb_hint_question *q) {
    return wb_piece_line(q->excerpt ? q->excerpt : wb_hint_line(q->code, q->line));
}

const char *wb_hint_caret(const wb_hint_question *q) {
    wb_piece line = wb_hint_source(q);
    const char *below = q->excerpt ? strchr(q->excerpt, '\n') : NULL;
    size_t at = below ? strspn(below + 1, " ") : 0;
    bool marked = below && below[1 + at] == '^' && q->excerpt + at < line.text + line.len;
    return marked ? q->excerpt + at : line.text;
}
