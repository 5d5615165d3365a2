/* names.c: see names.h. */
#include "runtime/compile/standby/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made up, and in no text of anybody's. */
#define CELL_ID "w7Qstandby7cellQ"
#define CELL_FOLDER "/w7Qstandby7folderQ"
#define TEMPORARY "w7QstandQ_w7QstandQ"
enum { ID = sizeof CELL_ID - 1, TEMP = 17 };

static const char hex[] = "0123456789abcdef";

static void add(standby_names *s, bool of_arguments, char *real, char *constant) {
    s->v[s->n].real = real;
    s->v[s->n].constant = constant;
    s->v[s->n++].of_arguments = of_arguments;
}

/* The id of "cell_0123456789abcdef.cu", or NULL. */
static const char *id_of(const char *cell) {
    const char *id = strncmp(cell, "cell_", 5) == 0 ? cell + 5 : NULL;
    return id && strspn(id, hex) == ID && strcmp(id + ID, ".cu") == 0 ? id : NULL;
}

/* The numbers of "tmpxft_00002ee8_00000000-", or NULL. */
static const char *temporary_of(const char *input) {
    const char *at = strstr(input, "tmpxft_");
    if (!at)
        return NULL;
    at += 7;
    return strspn(at, hex) == 8 && at[8] == '_' && strspn(at + 9, hex) == 8 && at[TEMP] == '-'
               ? at
               : NULL;
}

/* "_49a146ac_24_cell_db14d0ce282a25d2_cu_f0c863d8" with a constant's letters; NULL: another form.
 */
static char *module_of(const char *id, const char *cell_id) {
    size_t n = strlen(id);
    const char *cell = memmem(id, n, cell_id, ID);
    if (!cell || n < 2 * 9 + ID || id[0] != '_' || strspn(id + 1, hex) != 8 ||
        strspn(id + n - 8, hex) != 8)
        return NULL;
    char *constant = strdup(id);
    if (constant) {
        memcpy(constant + 1, "w7QmodQa", 8);
        memcpy(constant + (cell - id), CELL_ID, ID);
        memcpy(constant + n - 8, "w7QmodQb", 8);
    }
    return constant;
}

bool standby_names_find(standby_names *s, const char *cell, const char *folder, const char *cwd,
                        const char *input, const char *module_id) {
    *s = (standby_names){.n = 0};
    const char *id = id_of(cell), *temporary = temporary_of(input);
    if (!id || !temporary || *cwd != '/')
        return false;
    s->cell = strdup(cell);
    s->folder = strdup(folder);
    s->cwd = strdup(cwd);
    s->module = module_of(module_id, id);
    add(s, false, strdup(module_id), s->module ? strdup(s->module) : NULL);
    add(s, true, wb_format("%.*s", TEMP, temporary), wb_format("%.*s", TEMP, TEMPORARY));
    add(s, true, wb_format("%.*s", ID, id), strdup(CELL_ID));
    bool ok = s->cell && s->folder && s->cwd;
    for (size_t i = 0; i < s->n; i++)
        ok = ok && s->v[i].real && s->v[i].constant;
    return ok;
}

void standby_names_free(standby_names *s) {
    for (size_t i = 0; i < s->n; i++) {
        free(s->v[i].real);
        free(s->v[i].constant);
    }
    free(s->cell);
    free(s->folder);
    free(s->cwd);
    free(s->module);
    *s = (standby_names){.n = 0};
}

/* Each `from` in the text becomes `to`. Whether there was one. */
static bool replace(wb_buf *text, const char *from, const char *to) {
    size_t n = strlen(from);
    const char *at = text->data, *end = text->data + text->len;
    const char *found = text->len ? memmem(at, text->len, from, n) : NULL;
    if (!found)
        return false;
    wb_buf out = {0};
    wb_buf_reserve(&out, text->len);
    for (; found; found = memmem(at, (size_t)(end - at), from, n)) {
        wb_buf_append(&out, at, (size_t)(found - at));
        wb_buf_puts(&out, to);
        at = found + n;
    }
    wb_buf_append(&out, at, (size_t)(end - at));
    wb_buf_free(text);
    *text = out;
    return true;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

char *standby_names_hide(const standby_names *s, const char *argument) {
    size_t folder = strlen(s->folder), cwd = strlen(s->cwd);
    wb_buf out = {0};
    if (begins(argument, s->folder) && argument[folder] == '/') {
        argument += folder + 1;
    } else if (begins(argument, s->cwd) && argument[cwd] == '/') {
        wb_buf_puts(&out, CELL_FOLDER);
        argument += cwd;
    }
    wb_buf_puts(&out, argument);
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].of_arguments)
            replace(&out, s->v[i].real, s->v[i].constant);
    return wb_buf_steal(&out);
}

void standby_names_hide_line(const standby_names *s, wb_buf *to, const char *line, size_t len) {
    const char *name = memchr(line, '"', len), *end = name ? memrchr(line, '"', len) : NULL;
    const char *id = id_of(s->cell);
    size_t cwd = strlen(s->cwd), n = name ? (size_t)(end - name) : 0;
    size_t at = to->len, before = name ? (size_t)(name - line) : 0;
    if (n == cwd + 3 && memcmp(name + 1, s->cwd, cwd) == 0 &&
        memcmp(name + 1 + cwd, "//", 2) == 0) {
        wb_buf_append(to, line, before);
        wb_buf_puts(to, "\"" CELL_FOLDER "//");
        wb_buf_append(to, end, len - (size_t)(end - line));
        return;
    }
    wb_buf_append(to, line, len);
    if (to->failed)
        return;
    /* "cell_ID.cu", "cell [ID]" */
    if (n == ID + 9 && memcmp(name + 1, "cell_", 5) == 0 && memcmp(name + 6, id, ID) == 0 &&
        memcmp(name + 6 + ID, ".cu", 3) == 0)
        memcpy(to->data + at + before + 6, CELL_ID, ID);
    if (n == ID + 8 && memcmp(name + 1, "cell [", 6) == 0 && memcmp(name + 7, id, ID) == 0)
        memcpy(to->data + at + before + 7, CELL_ID, ID);
}

bool standby_names_show(const standby_names *s, const char *began, wb_buf *text) {
    bool any = false;
    for (size_t i = 0; i < s->n; i++)
        any |= replace(text, s->v[i].constant, s->v[i].real);
    any |= replace(text, began, s->cwd);
    any |= replace(text, s->folder, s->cwd);
    return any | replace(text, CELL_FOLDER, s->cwd);
}
