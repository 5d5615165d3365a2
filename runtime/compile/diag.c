/* diag.c: see diag.h. A diagnostic is a line with a severity word and the indented lines after it:
 * more text, then the quoted source line and a caret. */
#include "runtime/compile/diag.h"
#include "runtime/base/words.h"

static const struct {
    const char *word;
    int severity;
} words[] = {
    {"error", WB_DIAG_ERROR},
    {"fatal error", WB_DIAG_ERROR},
    {"catastrophic error", WB_DIAG_ERROR},
    {"internal error", WB_DIAG_ERROR},
    {"internal compiler error", WB_DIAG_ERROR},
    {"fatal", WB_DIAG_ERROR},
    {"warning", WB_DIAG_WARNING},
    {"note", WB_DIAG_NOTE},
    {"remark", WB_DIAG_NOTE},
};

static bool starts(wb_span s, const char *prefix) {
    size_t n = strlen(prefix);
    return s.len >= n && memcmp(s.at, prefix, n) == 0;
}

static bool contains(wb_span s, const char *needle) {
    return memmem(s.at, s.len, needle, strlen(needle)) != NULL;
}

/* Reads a number between the text's last `mark` and `end`, and cuts the text there. */
static bool cut_number(char *text, char mark, const char *end, int *value) {
    char *at = strrchr(text, mark);
    size_t n = at ? strspn(at + 1, "0123456789") : 0;
    if (n == 0 || n > 8 || strcmp(at + 1 + n, end) != 0)
        return false;
    *value = atoi(at + 1);
    *at = '\0';
    return true;
}

/* Reads "file(3)", "file:3", "file:3:7" or a tool's name. Sets file, line and column. */
static void place(wb_span where, wb_diagnostic *d) {
    WB_SCOPED char *text = strndup(where.at, where.len);
    size_t n = text ? strlen(text) : 0;
    while (n && (text[n - 1] == ' ' || text[n - 1] == ':'))
        text[--n] = '\0';
    if (n && strcmp(text, "At end of source") == 0) {
        d->file = strdup("at end of source");
        return;
    }
    int last;
    bool parentheses = n && cut_number(text, '(', ")", &d->line);
    if (!parentheses && (!n || !cut_number(text, ':', "", &last)))
        return;
    if (!parentheses) {
        d->line = last;
        d->column = cut_number(text, ':', "", &d->line) ? last : 0;
    }
    d->file = strdup(text);
}

/* Finds "WORD:", "WORD #123-D:" or, from ptxas and nvlink, "WORD   :". It must follow ": ", "; " or
 * a tool's name, or begin the line. Sets where the message begins. */
static bool severity_at(wb_span line, size_t i, wb_diagnostic *d, size_t *message) {
    for (size_t w = 0; w < WB_COUNT(words); w++) {
        size_t n = strlen(words[w].word), j = i + n;
        if (j >= line.len || memcmp(line.at + i, words[w].word, n) != 0)
            continue;
        j += strspn(line.at + j, " ");
        j += line.at[j] == '#' ? strcspn(line.at + j, ":\n") : 0;
        if (line.at[j] != ':')
            continue;
        d->severity = words[w].severity;
        /* a crash's message keeps the word */
        *message = strncmp(words[w].word, "internal", 8) == 0 ? i : j + 1;
        return true;
    }
    return false;
}

static bool tool_line(wb_span line, wb_diagnostic *d, size_t *message) {
    static const char *const tools[] = {"nvcc ", "ptxas ", "nvlink ", "fatbinary ", "cicc "};
    for (size_t t = 0; t < WB_COUNT(tools); t++)
        if (starts(line, tools[t]) && severity_at(line, strlen(tools[t]), d, message))
            return true;
    return false;
}

/* Removes what newer linkers add to the place: "x.cu:3:(.text.startup+0x4e): ". */
static void cut_section(wb_span *where) {
    static const char opens[] = ":(.";
    const char *at = memmem(where->at, where->len, opens, sizeof opens - 1);
    if (at && memmem(at, (size_t)(where->at + where->len - at), "+0x", 3))
        where->len = (size_t)(at - where->at);
}

/* Reads ld's messages, which have no severity word: "x.cu:3: undefined reference to `f()'". */
static bool linker_line(wb_span line, wb_diagnostic *d) {
    static const char *const complaints[] = {"undefined reference to ", "multiple definition of ",
                                             "cannot find -l", "undefined symbol: "};
    for (size_t c = 0; c < WB_COUNT(complaints); c++) {
        const char *at = memmem(line.at, line.len, complaints[c], strlen(complaints[c]));
        if (!at)
            continue;
        wb_span where = {line.at, (size_t)(at - line.at)};
        if (starts(where, "/usr/bin/ld: "))
            where = (wb_span){where.at + 13, where.len - 13};
        cut_section(&where);
        place(where, d);
        d->severity = WB_DIAG_ERROR;
        d->text = strndup(at, (size_t)(line.at + line.len - at));
        return true;
    }
    if (!starts(line, "/usr/bin/ld: ") || line.at[line.len - 1] == ':' ||
        contains(line, "warning:"))
        return false;
    d->severity = WB_DIAG_ERROR; /* any other message of ld is fatal */
    d->text = strndup(line.at + 13, line.len - 13);
    return true;
}

static bool head_line(wb_span line, wb_diagnostic *d) {
    size_t message = 0;
    *d = (wb_diagnostic){.file = NULL};
    if (line.len == 0 || line.at[0] == ' ' || starts(line, "Remark: The warnings can be"))
        return false;
    bool found = tool_line(line, d, &message) || severity_at(line, 0, d, &message);
    for (size_t i = 2; i < line.len && !found; i++)
        if (line.at[i - 1] == ' ' && (line.at[i - 2] == ':' || line.at[i - 2] == ';')) {
            found = severity_at(line, i, d, &message);
            if (found)
                place((wb_span){line.at, i - 2}, d);
        }
    if (!found)
        return !contains(line, "more undefined references") && linker_line(line, d);
    message += strspn(line.at + message, " ");
    d->linker = starts(line, "/usr/bin/ld: ");
    d->text = strndup(line.at + message, line.len - message);
    return true;
}

static wb_span next_line(const char **at) {
    const char *end = strchrnul(*at, '\n');
    wb_span line = {*at, (size_t)(end - *at)};
    *at = *end ? end + 1 : end;
    return line;
}

/* Returns true for the line under a quoted source line: blanks, '|', a caret and '~' only. */
static bool caret_line(wb_span line) {
    return memchr(line.at, '^', line.len) && strspn(line.at, " \t|^~") >= line.len;
}

/* Returns the length of gcc's "   12 | " before a quote. Both lines lose it. */
static size_t gutter(wb_span quoted) {
    size_t n = strspn(quoted.at, " 0123456789");
    return n > 0 && strncmp(quoted.at + n - 1, " | ", 3) == 0 ? n + 2 : 0;
}

static void take_excerpt(wb_span quoted, wb_span under, wb_diagnostic *d) {
    size_t skip = gutter(quoted);
    if (skip > under.len)
        skip = 0;
    d->excerpt = wb_format("%.*s\n%.*s", (int)(quoted.len - skip), quoted.at + skip,
                           (int)(under.len - skip), under.at + skip);
}

static void add_line(wb_diagnostic *d, wb_span line) {
    char *longer = wb_format("%s\n%.*s", d->text ? d->text : "", (int)line.len, line.at);
    free(d->text);
    d->text = longer;
}

/* Reads the indented lines after a head line into d's text and excerpt. Returns the rest. */
static const char *read_body(const char *at, wb_diagnostic *d) {
    wb_span before = {NULL, 0};
    while (*at == ' ') {
        wb_span line = next_line(&at);
        if (before.at && caret_line(line)) {
            if (!d->excerpt)
                take_excerpt(before, line, d);
            before = (wb_span){NULL, 0};
            continue;
        }
        if (before.at)
            add_line(d, before);
        before = line;
    }
    if (before.at && !contains(before, " | "))
        add_line(d, before);
    return at;
}

bool wb_diag_parse(wb_compile_result *r) {
    const char *at = r->log ? r->log : "";
    while (*at) {
        wb_span line = next_line(&at);
        wb_diagnostic d;
        if (!head_line(line, &d))
            continue;
        at = read_body(at, &d);
        if (!d.text || !WB_ADD(r->diagnostics, r->n_diagnostics, d)) {
            WB_FREE(d.file, d.text, d.excerpt);
            return false;
        }
    }
    return true;
}

/* Returns the length of "tmpxft_0000abcd_00000000-6_" at p, or 0. */
static size_t temporary_prefix(const char *p) {
    int n = 0;
    if (strncmp(p, "tmpxft_", 7) == 0)
        sscanf(p, "tmpxft_%*[0-9a-f]_%*[0-9a-f]-%*[0-9]_%n", &n);
    return (size_t)n;
}

char *wb_diag_clean(const char *log, const char *folder) {
    wb_buf out = {0};
    size_t n = strlen(folder);
    for (const char *p = log; *p;) {
        size_t prefix = temporary_prefix(p);
        if (n && strncmp(p, folder, n) == 0 && p[n] == '/')
            p += n + 1;
        else if (prefix)
            p += prefix;
        else
            wb_buf_putc(&out, *p++);
    }
    return wb_buf_steal(&out);
}
