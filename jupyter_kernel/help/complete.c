/* complete.c: complete_request: names, magics and their arguments, files. */
#include "jupyter_kernel/help/complete.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>

#include "jupyter_kernel/execution/execute.h"
#include "jupyter_kernel/help/cpp.h"
#include "jupyter_kernel/help/cuda_api.h"
#include "jupyter_kernel/help/words.h"
#include "jupyter_kernel/magics/magics.h"
#include "jupyter_kernel/steps/lesson.h"
#include "kernels/registry.h"
#include "runtime/model/gpu.h"
#include "runtime/base/words.h"

enum { MAX_MATCHES = 4000 };

/* The request: code[from..at) is the beginning of a word. */
typedef struct completion {
    live *live;
    const char *code;
    size_t from, at;
    json_t *found; /* text -> {"type", "signature"}; an object holds each text once */
} completion;

static void offer_text(completion *c, const char *text, const char *type, const char *signature) {
    size_t len = c->at - c->from;
    if (strncmp(text, c->code + c->from, len) == 0 && !json_object_get(c->found, text))
        json_object_set_new(c->found, text,
                            json_pack("{s:s, s:s}", "type", type, "signature", signature));
}

/* ---- C++ ---------------------------------------------------------------------------------- */

static void offer_own(completion *c) {
    wb_session *session = live_peek(c->live);
    WB_SCOPED_JSON json_t *names = session ? wb_session_names(session) : NULL;
    WB_JSON_EACH(entry, names) {
        const char *signature = json_string_value(json_object_get(entry, "signature"));
        offer_text(c, wb_field_text(entry, "name"), wb_field_text(entry, "kind"),
                   signature ? signature : wb_field_text(entry, "type"));
    }
}

/* Offers the words of the cell itself, so that they complete before the cell has run. */
static void offer_cell(completion *c, size_t len) {
    for (size_t i = 0; i < len;) {
        if (!wb_word_part(c->code[i])) {
            i++;
            continue;
        }
        size_t from = i;
        i += wb_word_within(c->code + i, len - i);
        char word[128];
        bool here = from <= c->at && c->at <= i; /* the word under the cursor */
        if (here || isdigit((unsigned char)c->code[from]) || i - from < 3 ||
            i - from >= sizeof word)
            continue;
        snprintf(word, sizeof word, "%.*s", (int)(i - from), c->code + from);
        offer_text(c, word, "text", "");
    }
}

static void offer_list(completion *c, const char *words, const char *type) {
    char list[512], *save = NULL;
    snprintf(list, sizeof list, "%s", words);
    for (char *word = strtok_r(list, " |", &save); word; word = strtok_r(NULL, " |", &save))
        offer_text(c, word, type, "");
}

static void offer_words(completion *c) {
    size_t n;
    const word *words = words_all(&n);
    for (size_t i = 0; i < n; i++)
        offer_text(c, words[i].name, words[i].type, words[i].usage);
    offer_list(c, words_keywords, "keyword");
}

static void offer_cuda(completion *c) {
    size_t n;
    const cuda_name *names = cuda_api_all(&n);
    for (size_t i = 0; i < n; i++)
        offer_text(c, names[i].name, names[i].type, names[i].signature);
}

static void offer_cpp(void *ctx, const char *text, const char *type, const char *signature) {
    completion *c = ctx;
    if (*text == '_' && c->code[c->from] != '_') /* the library's own */
        return;
    size_t len = strlen(text); /* "cub.h>": the file may be closed already */
    bool closed = len && strchr(">\"", text[len - 1]) && c->code[c->at] == text[len - 1];
    WB_SCOPED char *name = wb_format("%.*s", (int)(len - closed), text);
    offer_text(c, name ? name : text, type, signature);
}

/* Offers the parts of threadIdx and the like, which no kernel does without. */
static void offer_parts(completion *c) {
    size_t end = c->from > 0 && c->code[c->from - 1] == '.' ? c->from - 1 : 0;
    size_t from = wb_word_begin(c->code, end);
    const word *w = words_find(c->code + from, end - from);
    if (w && (wb_begins(w->usage, "uint3 ") || wb_begins(w->usage, "dim3 block") ||
              wb_begins(w->usage, "dim3 gridDim")))
        offer_list(c, "x y z", "variable");
}

static void complete_name(completion *c, size_t len) {
    cpp_place place = cpp_read(c->live, c->code, len, c->at);
    bool file = place.usable && cpp_in_include(&place, &c->from);
    while (!file && c->from > 0 && wb_word_part(c->code[c->from - 1]))
        c->from--;
    bool part = file || (place.usable && cpp_is_qualified(&place, c->from));
    if (place.usable && (part || c->from < c->at)) {
        bool known = cpp_complete(&place, offer_cpp, c);
        if (part && !known)
            offer_parts(c);
        if (!part) {
            offer_own(c);
            offer_words(c);
            offer_cuda(c);
        }
        if (!part && !known)
            offer_cell(c, len);
    }
    cpp_free(&place);
}

/* ---- files -------------------------------------------------------------------------------- */

static void complete_file(completion *c) {
    while (c->from > 0 && !isspace((unsigned char)c->code[c->from - 1]) &&
           !strchr("\"'!=<>|&;", c->code[c->from - 1]))
        c->from--;
    WB_SCOPED char *typed = strndup(c->code + c->from, c->at - c->from);
    char *slash = typed ? strrchr(typed, '/') : NULL;
    WB_SCOPED char *folder = slash ? strndup(typed, (size_t)(slash - typed) + 1) : strdup("");
    DIR *d = folder ? opendir(*folder ? folder : ".") : NULL;
    const char *begin = slash ? slash + 1 : typed;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' && *begin != '.')
            continue;
        struct stat st;
        bool is_folder = fstatat(dirfd(d), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
        WB_SCOPED char *path = wb_format("%s%s%s", folder, e->d_name, is_folder ? "/" : "");
        if (path && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            offer_text(c, path, is_folder ? "folder" : "file", "");
    }
    if (d)
        closedir(d);
}

/* ---- magics ------------------------------------------------------------------------------- */

static void offer_magics(completion *c, int kind, const char *sign) {
    size_t n;
    const magic *all = magics_all(&n);
    for (size_t i = 0; i < n; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", sign, all[i].name);
        if (all[i].kinds & kind)
            offer_text(c, name, "magic", all[i].usage);
    }
}

static void offer_set(completion *c, bool labs) {
    WBK_EACH(kernel)
    if (!labs)
        offer_text(c, kernel->name, kernel->reference ? "reference" : "kernel", kernel->title);
    else if (!kernel->reference)
        offer_text(c, kernel->lab, "lab", "");
}

static void offer_lessons(completion *c) {
    WB_SCOPED_JSON json_t *labs = lesson_labs();
    WB_JSON_EACH(lab, labs) offer_text(c, json_string_value(lab), "lab", "");
}

/* Offers the words of the option before `from`. Returns false if it takes no fixed words. */
static bool offer_values(completion *c, const wb_option *o) {
    size_t end = wb_trimmed(c->code, c->from, WB_BLANK);
    for (; o && o->name; o++) {
        size_t n = strlen(o->name);
        if ((o->kind == WB_KIND_WORD || o->kind == WB_KIND_INDEX) && n < end &&
            memcmp(c->code + end - n, o->name, n) == 0)
            return offer_list(c, o->value, "value"), true;
    }
    return false;
}

static void complete_argument(completion *c, const magic *m, size_t len) {
    while (c->from > 0 && !isspace((unsigned char)c->code[c->from - 1]))
        c->from--;
    if (c->code[c->from] == '-' && c->from < c->at) {
        for (const wb_option *o = magics_options(m); o && o->name; o++)
            if (o->help && !o->shell)
                offer_text(c, o->name, "option", o->value ? o->value : "");
        return;
    }
    if (offer_values(c, magics_options(m)))
        return;
    if (m->takes == TAKES_DEVICE) {
        WB_SCOPED char *gpus = model_gpu_names(" ");
        offer_list(c, "auto gpu soft none", "device");
        offer_list(c, gpus ? gpus : "", "device");
    } else if (m->takes == TAKES_MAGIC)
        offer_magics(c, MAGIC_LINE | MAGIC_CELL, "");
    else if (m->takes == TAKES_FILE)
        complete_file(c);
    else if (m->takes == TAKES_KERNEL || m->takes == TAKES_LAB)
        offer_set(c, m->takes == TAKES_LAB);
    else if (m->takes == TAKES_STEPS)
        offer_lessons(c);
    else if (m->takes == TAKES_CODE || m->takes == TAKES_OWN_KERNEL) {
        c->from = c->at;
        complete_name(c, len);
    }
}

/* Completes a line that begins with % at `start`. */
static void complete_magic(completion *c, size_t start, bool first_line, size_t len) {
    size_t name = start;
    while (name < c->at && c->code[name] == '%')
        name++;
    size_t end = name + wb_word_within(c->code + name, c->at - name);
    if (end < c->at) {
        const magic *m = magics_find(c->code + name, end - name);
        if (m)
            complete_argument(c, m, len);
        return;
    }
    c->from = start;
    if (name - start < 2)
        offer_magics(c, MAGIC_LINE, "%");
    if (first_line)
        offer_magics(c, MAGIC_CELL, "%%");
}

/* ---- the request -------------------------------------------------------------------------- */

static void complete(completion *c, size_t len) {
    size_t line = wb_line_begin(c->code, c->at), first = line;
    while (first < c->at && (c->code[first] == ' ' || c->code[first] == '\t'))
        first++;
    if (first < c->at && c->code[first] == '%')
        complete_magic(c, first, line == 0, len);
    else if (first < c->at && c->code[first] == '!')
        complete_file(c);
    else
        complete_name(c, len);
}

/* Returns the sorted matches, and the same list with types for JupyterLab's completer. */
static json_t *answer(const completion *c, size_t start, size_t end) {
    size_t n = json_object_size(c->found), k = 0;
    WB_SCOPED const char **sorted = calloc(n + 1, sizeof *sorted);
    const char *text;
    json_t *details, *matches = json_array(), *typed = json_array();
    json_object_foreach(c->found, text, details) if (sorted) sorted[k++] = text;
    if (sorted)
        qsort(sorted, k, sizeof *sorted, wb_by_text);
    for (size_t i = 0; i < k && i < MAX_MATCHES; i++) {
        details = json_object_get(c->found, sorted[i]);
        json_array_append_new(matches, json_string(sorted[i]));
        json_array_append_new(typed, json_pack("{s:s, s:O, s:O, s:I, s:I}", "text", sorted[i],
                                               "type", json_object_get(details, "type"),
                                               "signature", json_object_get(details, "signature"),
                                               "start", (json_int_t)start, "end", (json_int_t)end));
    }
    return json_pack("{s:s, s:o, s:I, s:I, s:{s:o}}", "status", "ok", "matches", matches,
                     "cursor_start", (json_int_t)start, "cursor_end", (json_int_t)end, "metadata",
                     "_jupyter_types_experimental", typed);
}

bool code_asked_about(request *r, const char **text, size_t *len, size_t *at) {
    const json_t *content = r->message->content, *code = json_object_get(content, "code");
    const json_t *pos = json_object_get(content, "cursor_pos");
    if (!json_is_string(code)) {
        char why[80];
        snprintf(why, sizeof why, "%s: code should be a string", r->message->type);
        reply(r, error_content("TypeError", why), NULL);
        return false;
    }
    *text = json_string_value(code);
    *len = json_string_length(code);
    json_int_t points = json_is_integer(pos) ? json_integer_value(pos) : (json_int_t)*len;
    *at = wb_utf8_offset(*text, *len, points > 0 ? (size_t)points : 0);
    return true;
}

void handle_complete(request *r) {
    const char *text;
    size_t len, at;
    if (!code_asked_about(r, &text, &len, &at))
        return;
    completion c = {.live = &cells_of(r->kernel)->live, .code = text, .from = at, .at = at};
    c.found = json_object();
    complete(&c, len);
    reply(r, answer(&c, wb_utf8_count(text, c.from), wb_utf8_count(text, c.at)), NULL);
    json_decref(c.found);
}
