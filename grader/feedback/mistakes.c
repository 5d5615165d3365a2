/* mistakes.c: reasons that are the same but for their numbers, counted. */
#include "grader/feedback/mistakes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 300 };

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* How many characters of a number are here: a sign, digits, a point, an exponent, or 0x and what is
 * hexadecimal; no part of a name. */
static size_t number_at(const char *text, const char *begin) {
    static const char hexadecimal[] = "0123456789abcdefABCDEF";
    if (text > begin && (is_name(text[-1]) || text[-1] == '.'))
        return 0;
    size_t n = *text == '-' && (text == begin || strchr(" (=,", text[-1])), digits = n;
    if (text[n] == '0' && text[n + 1] == 'x' && strspn(text + n + 2, hexadecimal))
        return n + 2 + strspn(text + n + 2, hexadecimal);
    while (isdigit((unsigned char)text[n]) ||
           (n > digits && text[n] == '.' && isdigit((unsigned char)text[n + 1])) ||
           (n > digits && strchr("eE", text[n]) && text[n] &&
            (isdigit((unsigned char)text[n + 1]) || (strchr("+-", text[n + 1]) && text[n + 1]))) ||
           (n > digits && strchr("+-", text[n]) && text[n] && strchr("eE", text[n - 1])))
        n++;
    return n > digits ? n : 0;
}

/* The line that says what it is: a compiler's words begin behind "it does not compile:". */
static const char *telling_line(const char *reason) {
    static const char compile[] = "it does not compile:\n";
    return strncmp(reason, compile, sizeof compile - 1) == 0 ? reason + sizeof compile - 1 : reason;
}

char *gr_mistake_of(const char *reason, const char *file) {
    wb_buf b = {0};
    const char *line = telling_line(reason);
    size_t len = strcspn(line, "\n"), named = strlen(file);
    for (size_t i = 0; i < len && b.len < LONGEST;) {
        size_t n = number_at(line + i, line);
        if (n) {
            wb_buf_putc(&b, '#');
            i += n;
        } else if (named && strncmp(line + i, file, named) == 0) {
            wb_buf_puts(&b, "FILE");
            i += named;
        } else {
            wb_buf_putc(&b, line[i++]);
        }
    }
    if (b.len < LONGEST || !b.data)
        return wb_buf_steal(&b);
    /* no word that is cut through, and no sequence */
    size_t end = b.len;
    while (end > LONGEST / 2 && b.data[end - 1] != ' ')
        end--;
    end = end > LONGEST / 2 ? end - 1 : wb_utf8_whole(b.data, b.len);
    char *text = wb_format("%.*s ...", (int)end, b.data);
    wb_buf_free(&b);
    return text;
}

static bool note(gr_mistakes *m, const char *test, char *text, const char *example,
                 size_t student) {
    gr_mistake *one = NULL;
    for (size_t i = 0; !one && i < m->n; i++)
        if (strcmp(m->list[i].test, test) == 0 && strcmp(m->list[i].text, text) == 0)
            one = &m->list[i];
    if (one) {
        free(text);
    } else {
        one = WB_PUSH(m->list, m->n);
        if (!one) {
            free(text);
            return false;
        }
        *one = (gr_mistake){.test = test, .text = text, .example = example};
    }
    size_t *last = WB_PUSH(one->students, one->n);
    if (last)
        *last = student;
    return last;
}

static int by_number(const void *a, const void *b) {
    const gr_mistake *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->text, y->text);
}

static bool note_line(gr_mistakes *m, const char *test, const char *line, const char *file,
                      const char *example, size_t student) {
    char *text = gr_mistake_of(line, file);
    return text && note(m, test, text, example, student);
}

/* "coalesced stores: Of the bytes ...": a reason of the lab's below the one that tells the time, as
 * opposed to "rows=64, cols=64: on an NVIDIA H200 ...". */
static bool is_reason(const char *line) {
    size_t len = strcspn(line, "\n"), name = strcspn(line, ":=.\n");
    return name > 0 && name + 1 < len && line[name] == ':' && line[name + 1] == ' ';
}

/* Of speed each reason, where there is one: what to mend is in them. */
static bool note_item(gr_mistakes *m, const gr_item *item, const char *file, size_t student) {
    bool ok = true, any = false;
    if (!*item->output)
        return true;
    for (const char *line = item->output; ok && item->performance && *line;) {
        if (is_reason(line)) {
            ok = note_line(m, item->name, line, file, item->output, student);
            any = true;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return ok && (any || note_line(m, item->name, item->output, file, item->output, student));
}

bool gr_mistakes_find(const gr_view *view, gr_mistakes *m) {
    bool ok = true;
    *m = (gr_mistakes){.n = 0};
    for (size_t s = 0; ok && s < view->class->n_students; s++) {
        const gr_report *r = gr_view_report(view, s);
        if (!r)
            continue;
        const char *file =
            strrchr(r->submission, '/') ? strrchr(r->submission, '/') + 1 : r->submission;
        if (*r->message) { /* a whole submission that failed says so once */
            ok = note_line(m, "", r->message, file, r->message, s);
            continue;
        }
        for (size_t i = 0; ok && i < r->n_items; i++)
            ok = note_item(m, &r->items[i], file, s);
    }
    if (m->n)
        qsort(m->list, m->n, sizeof m->list[0], by_number);
    return ok;
}

void gr_mistakes_free(gr_mistakes *m) {
    for (size_t i = 0; i < m->n; i++)
        WB_FREE(m->list[i].text, m->list[i].students);
    free(m->list);
    *m = (gr_mistakes){.n = 0};
}
