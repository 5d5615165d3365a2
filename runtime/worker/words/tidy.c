/* tidy.c: see tidy.h. */
#include "runtime/worker/words/tidy.h"

#include <ctype.h>

#include "runtime/base/scoped.h"
#include "runtime/cells/split/closure.h"
#include "runtime/base/language.h"

/* ---- diagnostics ---------------------------------------------------------------------------- */

static bool in_generated_code(const wb_diagnostic *d) {
    if (!d->file)
        return false;
    const char *name = wb_path_name(d->file);
    return strcmp(name, "warpbook") == 0 || strncmp(name, "warpbook_cell", 13) == 0 ||
           strncmp(name, "warpbook_show", 13) == 0 || strncmp(name, "cell_", 5) == 0 ||
           strcmp(name, "at end of source") == 0;
}

static bool in_other_cell(const wb_diagnostic *d, int cell) {
    int number;
    return d->file && sscanf(d->file, "cell [%d]", &number) == 1 && number != cell;
}

static int line_count(const char *code, size_t len) {
    while (len > 0 && isspace((unsigned char)code[len - 1]))
        len--;
    return wb_line_at(code, code + len);
}

static void replace_text(char **text, char *with) {
    if (!with)
        return;
    free(*text);
    *text = with;
}

/* Returns how many bytes around the two places are the same. */
static size_t same_around(const char *a, size_t a_len, size_t i, const char *b, size_t b_len,
                          size_t j) {
    size_t behind = 0, before = 0;
    while (i + behind < a_len && j + behind < b_len && a[i + behind] == b[j + behind])
        behind++;
    while (before < i && before < j && a[i - before - 1] == b[j - before - 1])
        before++;
    return behind ? behind + before : 0;
}

/* Returns the column of the cell's own line for a caret at `column` of the compiler's quote: where
 * most of the text around it matches, and of several such places the nearest. -1: none. */
static long own_column(const char *line, const char *quoted, size_t quoted_len, size_t column) {
    enum { INDENT = 2 }; /* the compiler's */
    size_t own = strlen(line), most = 0;
    if (column >= quoted_len)
        return (long)own;
    size_t word = wb_word_length(quoted + column);
    long best = -1, at = (long)column - INDENT;
    for (size_t p = 0; p < own; p++) {
        size_t same = same_around(line, own, p, quoted, quoted_len, column);
        bool nearer = labs((long)p - at) < labs(best - at);
        if (same > 0 && strncmp(line + p, quoted + column, word) == 0 &&
            (same > most || (same == most && nearer))) {
            most = same;
            best = (long)p;
        }
    }
    return best;
}

/* Replaces the compiler's quote, a preprocessed line, by the cell's own line. */
static void quote_original(wb_diagnostic *d, const wb_listing *listing) {
    WB_SCOPED char *line = wb_listing_line(listing, d->file, d->line);
    const char *under = d->excerpt ? strchr(d->excerpt, '\n') : NULL;
    const char *caret = under ? strchr(under, '^') : NULL;
    if (!line || !caret) {
        if (line && !d->excerpt && d->severity == WB_DIAG_ERROR) /* the linker quotes nothing */
            d->excerpt = wb_format("  %s", line);
        return;
    }
    long column =
        own_column(line, d->excerpt, (size_t)(under - d->excerpt), (size_t)(caret - under - 1));
    if (column >= 0) {
        wb_buf b = {0};
        wb_buf_printf(&b, "  %s\n  ", line);
        for (long i = 0; i < column; i++)
            wb_buf_putc(&b, line[i] == '\t' ? '\t' : ' ');
        wb_buf_puts(&b, "^");
        replace_text(&d->excerpt, wb_buf_steal(&b));
    } else { /* a macro is in between: shows no caret */
        replace_text(&d->excerpt, wb_format("  %s", line));
    }
}

static void drop(wb_compile_result *c, size_t i) {
    WB_FREE(c->diagnostics[i].file, c->diagnostics[i].text, c->diagnostics[i].excerpt);
    c->n_diagnostics--;
    memmove(c->diagnostics + i, c->diagnostics + i + 1,
            (c->n_diagnostics - i) * sizeof *c->diagnostics);
}

/* Returns true for "ld returned 1 exit status" after ld's own message. */
static bool is_echo(const wb_compile_result *c, size_t i) {
    return i > 0 && c->diagnostics[i].text && strstr(c->diagnostics[i].text, "ld returned 1");
}

/* Shortens a path to "cell [3]": the linker knows a cell by the folder of its compilation, which
 * from the cache is another session's. */
static void cut_path(char **file) {
    char *at = *file ? strstr(*file, "/cell [") : NULL;
    if (at && (**file == '/' || strstr(*file, ".o:/"))) /* the linker's "cell_1.o:/tmp/..." */
        memmove(*file, at + 1, strlen(at));
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Writes "\u03c0" as the letter that the user wrote. */
static void write_letters(char *text) {
    char *w = text;
    for (const char *p = text; p && *p;) {
        unsigned code;
        if (p[0] == '\\' && p[1] == 'u' && strspn(p + 2, "0123456789abcdefABCDEF") >= 4 &&
            sscanf(p + 2, "%4x", &code) == 1 && code >= 0x80) {
            if (code >= 0x800)
                *w++ = (char)(0xE0 | code >> 12);
            *w++ = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3F) : 0xC0 | code >> 6);
            *w++ = (char)(0x80 | (code & 0x3F));
            p += 6;
        } else {
            *w++ = *p++;
        }
    }
    if (w)
        *w = '\0';
}

/* Returns true for a repeated message: nvcc compiles for the host and for the device. */
static bool said_before(const wb_compile_result *c, size_t i) {
    const wb_diagnostic *d = &c->diagnostics[i];
    for (size_t k = 0; k < i && d->severity != WB_DIAG_NOTE; k++) {
        const wb_diagnostic *before = &c->diagnostics[k];
        if (before->severity == d->severity && before->line == d->line &&
            before->column == d->column && same_text(before->file, d->file) &&
            same_text(before->text, d->text) && same_text(before->excerpt, d->excerpt))
            return true;
    }
    return false;
}

static void drop_repeated(wb_compile_result *c) {
    bool dropping = false;
    for (size_t i = 0; i < c->n_diagnostics;) {
        if (c->diagnostics[i].severity != WB_DIAG_NOTE)
            dropping = said_before(c, i);
        if (dropping) /* with its notes */
            drop(c, i);
        else
            i++;
    }
}

/* Returns true if the cell has an error itself, so that errors in generated code follow from it. */
static bool has_own_error(const wb_compile_result *c) {
    for (size_t i = 0; i < c->n_diagnostics; i++)
        if (c->diagnostics[i].severity == WB_DIAG_ERROR && !in_generated_code(&c->diagnostics[i]) &&
            !is_echo(c, i))
            return true;
    return false;
}

/* Writes "__wb_id<float *>::type" (aka "float *"), an earlier cell's variable, as "float *". */
static void plain_types(char **text) {
    static const char head[] = "__wb_id<", tail[] = ">::type";
    for (char *at; *text && (at = strstr(*text, head)) != NULL;) {
        const char *type = at + sizeof head - 1, *end = type;
        for (int depth = 1; *end && depth > 0; end++)
            depth += (*end == '<') - (*end == '>');
        int n = (int)(end - type) - 1;
        if (n < 0 || strncmp(end - 1, tail, sizeof tail - 1) != 0)
            return;
        const char *rest = end - 1 + sizeof tail - 1;
        char *aka = wb_format("\" (aka \"%.*s\")", n, type);
        size_t skip = aka && strncmp(rest, aka, strlen(aka)) == 0 ? strlen(aka) : 0;
        free(aka);
        replace_text(text, wb_format("%.*s%.*s%s%s", (int)(at - *text), *text, n, type,
                                     skip ? "\"" : "", rest + skip));
    }
}

/* Removes "HEAD...TAIL" from the text. Brackets match in between. */
static void take_out(char *text, const char *head, char tail) {
    for (char *at; text && (at = strstr(text, head)) != NULL;) {
        char *end = at + strlen(head);
        for (int depth = 0; *end && (depth > 0 || *end != tail); end++)
            depth += (*end == '<' || *end == '(') - (*end == '>' || *end == ')');
        memmove(at, end + (*end == tail), strlen(end + (*end == tail)) + 1);
    }
}

/* Writes the library's types as people write them. */
static void plain_library(char **text) {
    static const char *const defaults[] = {", std::allocator<", ", std::char_traits<",
                                           ", std::less<", ", std::default_delete<"};
    for (size_t i = 0; i < WB_COUNT(defaults); i++)
        take_out(*text, defaults[i], '>');
    take_out(*text, " (aka \"", ')');
    wb_text_replace(text, "std::__cxx11::basic_string<char>", "std::string");
    wb_text_replace(text, "std::basic_ostream<char>", "std::ostream");
}

/* Returns true for an error that follows from another: a type is unknown. */
static bool is_consequence(const wb_diagnostic *d, bool own_error) {
    return own_error && d->severity == WB_DIAG_ERROR && d->text &&
           strstr(d->text, "<error-type>") && d->file && d->file[0] == '/';
}

/* Rewrites 'from a __host__ function("cell_statements_1")', which the user did not write. */
static void name_statements(char **text) {
    static const char head[] = "a __host__ function(\"cell_statements_";
    const char *at = *text ? strstr(*text, head) : NULL, *end = at ? strstr(at, "\")") : NULL;
    if (end)
        replace_text(text, wb_format("%.*sthe cell's statements, which run on the host,%s",
                                     (int)(at - *text), *text, end + 2));
}

/* Rewrites 'the global scope has no "n"' if the user wrote a capture, not ::n. */
static void name_unknown(wb_diagnostic *d) {
    static const char head[] = "the global scope has no ";
    if (!d->text || strncmp(d->text, head, sizeof head - 1) != 0)
        return;
    const char *name = d->text + sizeof head - 1;
    size_t n = strlen(name);
    WB_SCOPED char *written = n > 2 ? wb_format("::%.*s", (int)n - 2, name + 1) : NULL;
    if (written && d->excerpt && !strstr(d->excerpt, written))
        replace_text(&d->text, wb_format("identifier %s is undefined", name));
}

void wb_tidy_diagnostics(wb_compile_result *c, const wb_names *names, const wb_listing *listing,
                         int cell, const char *code, size_t len) {
    wb_names_text(names, &c->log);
    bool dropping = false, own_error = has_own_error(c), told = false;
    for (size_t i = 0; i < c->n_diagnostics;) {
        wb_diagnostic *d = &c->diagnostics[i];
        wb_names_text(names, &d->file);
        cut_path(&d->file);
        write_letters(d->text);
        wb_names_text(names, &d->text);
        wb_names_text(names, &d->excerpt);
        bool ours = in_generated_code(d), error = d->severity == WB_DIAG_ERROR;
        if (d->severity != WB_DIAG_NOTE)
            dropping = is_echo(c, i) || (error && ours && (own_error || told)) ||
                       is_consequence(d, own_error) ||
                       (!error && (ours || in_other_cell(d, cell))) ||
                       (!error && d->text && strstr(d->text, "__wb_"));
        if (dropping || (d->severity == WB_DIAG_NOTE && ours)) {
            drop(c, i);
            continue;
        }
        told |= error && ours; /* errors in generated code follow from it */
        wb_text_replace(&d->text, "__wb_unnamed::", "");
        wb_text_replace(&d->text, "<unnamed>::", ""); /* device variables of earlier cells */
        wb_text_replace(&d->text, WB_ASIDE "::", "");
        name_statements(&d->text);
        plain_types(&d->text);
        plain_library(&d->text);
        d->text = wb_closure_plain(d->text);
        wb_text_replace(&d->text, "at line 1 of warpbook", "in an earlier cell");
        if (ours) {
            replace_text(&d->file, wb_format("cell [%d]", cell));
            d->line = line_count(code, len);
            char *line = wb_listing_line(listing, d->file, d->line);
            replace_text(&d->excerpt, line ? wb_format("  %s", line) : NULL);
            free(line);
        } else {
            quote_original(d, listing);
            name_unknown(d);
        }
        i++;
    }
    drop_repeated(c);
}

/* ---- outcomes ------------------------------------------------------------------------------- */

#define SESSION "/warpbook-session-" /* see wb_dir_temp */

/* Removes the folder from "/tmp/warpbook-session-Ab3dEf/timer.h:5", where names of the user's
 * headers begin. The session may be another: a cached cell remembers its own. */
static void cut_session(char *text) {
    for (char *at = text; at && (at = strstr(at, SESSION));) {
        char *behind = at + strlen(SESSION);
        behind += strcspn(behind, "/ \t\n\"'");
        if (*behind++ != '/') {
            at = behind - 1;
            continue;
        }
        while (at > text && !strchr(" \t\n\"'(", at[-1]))
            at--;
        memmove(at, behind, strlen(behind) + 1);
    }
}

/* Removes the folder from the end of the text. */
static void cut_folder(wb_buf *b) {
    size_t i = b->len;
    while (i > 0 && !strchr(" \t\n\"'(", b->data[i - 1]))
        i--;
    if (i < b->len && b->data[i] == '/' && b->data[b->len - 1] == '/')
        b->data[b->len = i] = '\0';
}

static void put_name(wb_buf *b, const char *file, size_t len) {
    char said[64], *name = strndup(file, len);
    wb_buf_puts(b, name ? wb_language_file(name, said, sizeof said) : "");
    free(name);
}

/* Writes "/folder/cell [3]:2" as "cell [3], line 2" and "timer.h:5" as "timer.h, line 5". */
static void write_lines(char **text, const wb_listing *listing) {
    wb_buf b = {0};
    for (const char *p = *text; *p;) {
        int n = 0, line;
        bool begins = p == *text || strchr(" \t\n\"'(/", p[-1]);
        size_t name = begins ? wb_listing_begins(listing, p) : 0;
        if (strncmp(p, "cell [", 6) == 0)
            cut_folder(&b);
        if (name && sscanf(p + name, ":%d%n", &line, &n) == 1) {
            put_name(&b, p, name);
            wb_buf_printf(&b, _(", line %d"), line);
            p += name + (size_t)n;
        } else {
            wb_buf_putc(&b, *p++);
        }
    }
    replace_text(text, wb_buf_steal(&b));
}

void wb_tidy_outcome(wb_outcome *o, const wb_names *names, const wb_listing *listing) {
    wb_names_text(names, &o->text);
    o->text = wb_closure_plain(o->text);
    wb_text_replace(&o->text, WB_ASIDE "::", "");
    for (size_t i = 0; i < o->n_frames; i++)
        wb_names_text(names, &o->frames[i].file);
    if (o->report)
        o->report = wb_names_json(names, o->report);
    if (o->text && *o->text) {
        cut_session(o->text);
        write_lines(&o->text, listing);
    }
    char *report = o->report ? json_dumps(o->report, JSON_COMPACT) : NULL;
    if (report &&
        (strstr(report, "cell [") || strstr(report, SESSION) || strstr(report, WB_CLOSURE))) {
        report = wb_closure_plain(report);
        cut_session(report);
        write_lines(&report, listing);
        json_t *clean = json_loads(report, 0, NULL);
        if (clean) {
            json_decref(o->report);
            o->report = clean;
        }
    }
    free(report);
}
