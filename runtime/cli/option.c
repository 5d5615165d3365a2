/* option.c: reads options by their table, and explains what is wrong with them. */
#include "runtime/cli/option.h"

#include <ctype.h>
#include <errno.h>

#include "runtime/base/language.h"

enum { MOST_OPTIONS = 64, PAGE = 96, COLUMN = 21, MOST_IN_USAGE = 4 };

const char wb_option_seed[] = N_("draw the inputs of this seed again (each result names its own)");
const char wb_option_json[] = N_("print one JSON document");
const char wb_option_device[] = N_("where kernels run (default: auto)");

/* ---- values --------------------------------------------------------------------------------- */

static bool takes_value(const wb_option *o) {
    return o->kind != WB_KIND_FLAG && o->kind != WB_KIND_PICK;
}

/* Returns the index of a word in "a|b c", or -1. */
static int place_in(const char *list, const char *word) {
    size_t len = strlen(word);
    for (int i = 0; *list; i++) {
        size_t n = strcspn(list, "| ");
        if (n == len && memcmp(list, word, n) == 0)
            return i;
        list += n + (list[n] != '\0');
    }
    return -1;
}

static bool within(const wb_option *o, double value) {
    return o->least == o->most || (value >= o->least && value <= o->most);
}

static bool read_real(const wb_option *o, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value == *value && within(o, *value);
}

static bool read_whole(const wb_option *o, const char *text, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return isdigit((unsigned char)text[*text == '-']) && !*end && !errno &&
           within(o, (double)*value);
}

static bool read_seed(const char *text, wb_seed *seed) {
    char *end;
    errno = 0;
    bool hex = text[0] == '0' && (text[1] | 32) == 'x';
    *seed = (wb_seed){strtoull(text, &end, hex ? 16 : 10), true};
    return isdigit((unsigned char)*text) && !*end && !errno;
}

/* Stores the value in the record. Without a record, only checks it. */
static bool store(const wb_option *o, const char *text, void *record) {
    wb_seed scratch; /* the largest target except READ's */
    void *at = record ? (char *)record + o->at : (void *)&scratch;
    double number;
    switch (o->kind) {
    case WB_KIND_FLAG:
        return *(bool *)at = true;
    case WB_KIND_PICK:
        *(int *)at = (int)o->least;
        return true;
    case WB_KIND_INDEX:
        return (*(int *)at = place_in(o->value, text)) >= 0;
    case WB_KIND_REAL:
        return read_real(o, text, at);
    case WB_KIND_WHOLE:
        return read_whole(o, text, at);
    case WB_KIND_SEED:
        return read_seed(text, at);
    case WB_KIND_READ:
        return !record || o->read(text, at);
    default:
        *(const char **)at = text;
        return o->kind == WB_KIND_TEXT ||
               (o->kind == WB_KIND_NUMBER && read_real(o, text, &number)) ||
               (o->kind == WB_KIND_WORD && place_in(o->value, text) >= 0);
    }
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Returns the option that a word names. *value is the text after "=" or after a letter, or NULL. */
static const wb_option *find(const wb_option *options, const char *word, const char **value) {
    *value = NULL;
    for (const wb_option *o = options; o && o->name; o++) {
        size_t n = strlen(o->name);
        if (strncmp(word, o->name, n) != 0)
            continue;
        bool letter = n == 2 && takes_value(o);
        if (word[n] && (letter || word[n] == '='))
            *value = word + n + !letter;
        if (!word[n] || *value)
            return o;
    }
    return NULL;
}

/* Returns true if the options end before this word. */
static bool ends(const wb_option *options, wb_option_place place, const char *word) {
    const char *value;
    return place == WB_OPTION_LEADING  ? strncmp(word, "--", 2) != 0 || !word[2]
           : place == WB_OPTION_BEFORE ? !find(options, word, &value)
                                       : false;
}

int wb_option_read(const wb_option *options, wb_option_place place, char *const *words, int n,
                   void *record, char **plain, wb_option_fault *fault) {
    const wb_option *given[MOST_OPTIONS];
    int n_plain = 0, n_given = 0;
    bool over = false;
    for (int i = 0; i < n; i++) {
        char *word = words[i];
        over = over || ends(options, place, word);
        if (over || word[0] != '-' || !word[1]) {
            plain[n_plain++] = word;
            continue;
        }
        *fault = (wb_option_fault){.wrong = WB_OPTION_UNKNOWN, .word = word};
        if (strcmp(word, "--help") == 0)
            fault->wrong = WB_OPTION_HELP;
        const wb_option *o = fault->option = find(options, word, &fault->value);
        if (!o)
            return -1;
        if (takes_value(o) && !fault->value && i + 1 < n)
            fault->value = words[++i];
        fault->wrong = takes_value(o) ? WB_OPTION_NEEDS_VALUE : WB_OPTION_NO_VALUE;
        if (takes_value(o) != (fault->value != NULL))
            return -1;
        fault->wrong = WB_OPTION_SHELL;
        if (!record && o->shell)
            return -1;
        fault->wrong = WB_OPTION_REFUSED;
        if (!store(o, fault->value, record))
            return -1;
        if (n_given < MOST_OPTIONS)
            given[n_given++] = o;
    }
    plain[n_plain] = NULL;
    for (int i = 0; i < n_given && n_plain > 0; i++) {
        *fault = (wb_option_fault){
            .wrong = WB_OPTION_MISPLACED, .option = given[i], .subcommand = plain[0]};
        if (given[i]->only && place_in(given[i]->only, plain[0]) < 0)
            return -1;
    }
    return n_plain;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Writes "a|b|c" or "a b c" as "a, b, c". */
static void put_list(wb_buf *out, const char *list) {
    for (; *list; list++)
        if (*list == '|' || *list == ' ')
            wb_buf_puts(out, ", ");
        else
            wb_buf_putc(out, *list);
}

static void put_wanted(wb_buf *out, const wb_option *o) {
    if (o->kind == WB_KIND_WORD || o->kind == WB_KIND_INDEX) {
        wb_buf_puts(out, _("one of "));
        put_list(out, o->value);
    } else if (o->kind == WB_KIND_SEED) {
        wb_buf_puts(out, _("a whole number from 0 to 18446744073709551615"));
    } else if (o->kind == WB_KIND_READ) {
        wb_buf_puts(out, wb_tr(o->wants));
    } else {
        wb_buf_puts(out, o->kind == WB_KIND_WHOLE ? _("a whole number") : _("a number"));
        if (o->least != o->most)
            wb_buf_printf(out, _(" from %.15g to %.15g"), o->least, o->most);
    }
}

static char *unknown(const wb_option *options, const char *word) {
    const char *names[MOST_OPTIONS];
    size_t n = 0;
    for (const wb_option *o = options; o && o->name && n < MOST_OPTIONS; o++)
        names[n++] = o->name;
    char *name = wb_format("%.*s", (int)strcspn(word, "="), word);
    const char *meant = name ? wb_text_meant(name, names, n) : "";
    free(name);
    return wb_format(_("there is no option %s%s"), word, meant);
}

char *wb_option_sentence(const wb_option *options, const wb_option_fault *f) {
    const char *name = f->option ? f->option->name : "";
    wb_buf wanted = {0};
    switch (f->wrong) {
    case WB_OPTION_HELP:
    case WB_OPTION_UNKNOWN:
        return unknown(options, f->word);
    case WB_OPTION_NO_VALUE:
        return wb_format(_("%s takes no value"), name);
    case WB_OPTION_SHELL:
        return wb_format(_("%s is for the shell: a line that begins with !warpbook"), name);
    case WB_OPTION_MISPLACED:
        put_list(&wanted, f->option->only);
        wb_buf_printf(&wanted, _("; %s has no use for it"), f->subcommand);
        break;
    case WB_OPTION_NEEDS_VALUE:
    case WB_OPTION_REFUSED:
        if (f->option->kind != WB_KIND_TEXT)
            put_wanted(&wanted, f->option);
    }
    const char *text = wanted.data ? wanted.data : "";
    char *said = f->wrong == WB_OPTION_MISPLACED ? wb_format(_("%s is for %s"), name, text)
                 : f->wrong == WB_OPTION_REFUSED
                     ? wb_format(_("%s takes %s, not '%s'"), name, text, f->value)
                 : f->option->kind == WB_KIND_TEXT
                     ? wb_format(_("%s needs a value"), name)
                     : wb_format(_("%s needs a value: %s"), name, text);
    wb_buf_free(&wanted);
    return said;
}

/* ---- help ----------------------------------------------------------------------------------- */

/* Returns the bytes to the next line break: before a blank or a Chinese character. */
static size_t piece(const char *p) {
    size_t n = 1;
    for (; p[n] && p[n] != ' ' && p[n] != '\n'; n++) {
        char here[4];
        snprintf(here, sizeof here, "%.3s", p + n);
        bool opened = n >= 3 && strncmp(p + n - 3, "（", 3) == 0;
        if ((unsigned char)p[n] >= 0xE3 && !opened && !strstr("，。；：、）？", here))
            break;
    }
    return n;
}

void wb_option_wrap(wb_buf *out, const char *text, size_t indent) {
    for (size_t at = indent; *text;) {
        size_t skip = *text == ' ', n = skip + (text[skip] ? piece(text + skip) : 0);
        size_t width = wb_utf8_width(text, n);
        if (*text == '\n' || (at + width > PAGE && at > indent)) {
            wb_buf_printf(out, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            text += skip || *text == '\n';
            at = indent;
            continue;
        }
        wb_buf_append(out, text, n);
        at += width;
        text += n;
    }
}

void wb_option_list(wb_buf *out, const wb_option *options, bool magic) {
    for (const wb_option *o = options; o && o->name; o++) {
        if (!o->help || (magic && o->shell))
            continue;
        size_t from = out->len;
        wb_buf_printf(out, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        if (out->len - from >= COLUMN) {
            wb_buf_putc(out, '\n');
            from = out->len;
        }
        wb_buf_printf(out, "%*s", (int)(COLUMN - (out->len - from)), "");
        wb_buf help = {0};
        if (o->only)
            put_list(&help, o->only);
        wb_buf_puts(&help, o->only ? ": " : "");
        wb_buf_puts(&help, wb_tr(o->help));
        wb_option_wrap(out, help.data ? help.data : "", COLUMN);
        wb_buf_putc(out, '\n');
        wb_buf_free(&help);
    }
}

void wb_option_usage(wb_buf *out, const char *usage, const wb_option *options, bool first) {
    wb_buf all = {0};
    int n = 0;
    for (const wb_option *o = options; o && o->name; o++) {
        n += o->help != NULL;
        if (o->help)
            wb_buf_printf(&all, "%s[%s%s%s]", all.len ? " " : "", o->name, o->value ? " " : "",
                          o->value ? o->value : "");
    }
    const char *words = n == 0 ? "" : n > MOST_IN_USAGE ? "[OPTION...]" : all.data ? all.data : "";
    const char *blank = *words && *usage ? " " : "";
    wb_buf_puts(out, first ? words : usage);
    wb_buf_puts(out, blank);
    wb_buf_puts(out, first ? usage : words);
    wb_buf_free(&all);
}
