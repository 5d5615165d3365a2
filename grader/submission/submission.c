/* submission.c: reads a submission without trusting its form. */
#include "grader/submission/submission.h"
#include "runtime/base/scoped.h"
#include "runtime/base/words.h"
#include "runtime/compile/headers.h"
#include "runtime/json/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 64, MAX_NOTEBOOK = 16 << 20 };

/* Opens `name` in the folder. Refuses links, which could name the teacher's files. -1 with *err. */
static int open_at(int folder, const char *name, int flags, const char *path, wb_error *err) {
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | flags);
    if (fd < 0 && errno == ELOOP)
        wb_fail(err, ELOOP, _("%s is a symbolic link: hand in what it names itself"), path);
    else if (fd < 0)
        wb_fail(err, errno, "%s: %s", path,
                errno == ENOENT ? _("there is no such file") : strerror(errno));
    return fd;
}

/* Appends the content of an open regular file. */
static bool read_open(int fd, const char *path, size_t max, wb_buf *out, wb_error *err) {
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return wb_fail(err, 1, _("%s is no regular file"), path);
    if ((size_t)st.st_size > max)
        return wb_fail(err, 1, _("%s is %.1f MB large; a submission may have %.1f MB at most"),
                       path, (double)st.st_size / 1e6, (double)max / 1e6);
    return wb_fd_read(fd, path, max, out, err);
}

static bool check_text(const char *name, const char *data, size_t len, wb_error *err) {
    if (len == 0 || strspn(data, " \t\r\n") == len)
        return wb_fail(err, 1, _("%s is empty"), name);
    if (len >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
        return wb_fail(err, 1,
                       _("%s is text in UTF-16, which no CUDA compiler reads; save it as UTF-8"),
                       name);
    if (memchr(data, '\0', len))
        return wb_fail(err, 1, _("%s is a binary file; hand in the CUDA C++ source (.cu)"), name);
    return true;
}

/* Appends text to the unit with a #line mark, so that diagnostics name its own lines. */
static void add_source(wb_buf *unit, const char *name, int line, const char *text) {
    wb_buf_printf(unit, "#line %d \"", line);
    for (const char *p = name; *p; p++)
        if (*p != '"' && *p != '\\' && (unsigned char)*p >= ' ')
            wb_buf_putc(unit, *p);
    wb_buf_printf(unit, "\"\n%s\n", text);
}

/* Appends text with the headers that every cell includes, because most files were cells once. */
static void add_cell(wb_buf *unit, const char *name, int line, const char *text) {
    wb_buf_puts(unit, "#line 1 \"warpbook\"\n" WB_CELL_HEADERS);
    add_source(unit, name, line, text);
}

/* Skips blanks and comments. */
static const char *skip_comments(const char *p) {
    for (;;) {
        p += strspn(p, " \t\r\n");
        const char *end = NULL;
        if (strncmp(p, "//", 2) == 0)
            end = p + strcspn(p, "\n");
        else if (strncmp(p, "/*", 2) == 0)
            end = strstr(p + 2, "*/") ? strstr(p + 2, "*/") + 2 : p + strlen(p);
        if (!end)
            return p;
        p = end;
    }
}

/* Returns true if a word of the magic's line is the lab's name, or a path to it. */
static bool names_lab(const char *word, size_t n, const char *lab) {
    static const char file[] = "/lab.json";
    if (n >= sizeof file - 1 && memcmp(word + n - (sizeof file - 1), file, sizeof file - 1) == 0)
        n -= sizeof file - 1;
    while (n > 0 && word[n - 1] == '/')
        n--;
    size_t name = strlen(lab);
    return n >= name && memcmp(word + n - name, lab, name) == 0 &&
           (n == name || word[n - name - 1] == '/');
}

/* Returns the text below the line "%%grade LAB" of a cell, as the kernel reads it. The line may
 * have options, and comments may precede it. NULL: not such a cell. `lab` NULL accepts any. *line:
 * the text's first line in the cell. */
static const char *graded_part(const char *source, const char *lab, int *line) {
    const char *p = skip_comments(source);
    if (strncmp(p, "%%grade", 7) != 0 || !strchr(" \t\r\n", p[7]))
        return NULL;
    bool named = !lab;
    for (p += 7; *p && *p != '\n';) {
        size_t n = strcspn(p, " \t\r\n");
        named = named || names_lab(p, n, lab);
        p += n;
        p += strspn(p, " \t\r");
    }
    p += *p == '\n';
    *line = wb_line_at(source, p);
    return named ? p : NULL;
}

static bool read_one(int fd, const char *path, const char *name, wb_buf *unit, wb_error *err) {
    WB_SCOPED_BUF wb_buf text = {0};
    bool ok = read_open(fd, path, GR_MAX_SOURCE, &text, err);
    const char *data = text.data ? text.data : "";
    size_t mark = text.len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    data +=
        mark; /* an editor's mark before UTF-8, which nvcc accepts only in a file's first bytes */
    ok = ok && check_text(name, data, text.len - mark, err);
    int line = 1;
    const char *cell =
        ok ? graded_part(data, NULL, &line) : NULL; /* a file may be copied from a notebook */
    if (cell && (ok = check_text(name, cell, strlen(cell), err)))
        add_cell(unit, name, line, cell);
    else if (ok)
        add_cell(unit, name, 1, data);
    return ok;
}

static bool read_folder(int fd, const char *path, wb_buf *unit, wb_error *err) {
    char *names[MAX_FILES];
    size_t n = 0;
    int own = dup(fd);
    DIR *dir = own >= 0 ? fdopendir(own) : NULL;
    if (!dir) {
        close(own);
        return wb_fail(err, errno, "%s: %s", path, strerror(errno));
    }
    struct dirent *entry;
    bool ok = true;
    while (ok && (entry = readdir(dir))) {
        if (!wb_ends(entry->d_name, ".cu") || entry->d_name[0] == '.')
            continue;
        if (n == MAX_FILES)
            ok = wb_fail(err, 1, _("%s holds more than %d .cu files"), path, MAX_FILES);
        else
            names[n++] = strdup(entry->d_name);
    }
    closedir(dir);
    if (ok && n == 0)
        ok = wb_fail(err, 1, _("%s holds no .cu file"), path);
    qsort(names, n, sizeof names[0], wb_by_text);
    for (size_t i = 0; i < n; i++) {
        WB_SCOPED char *file = wb_format("%s/%s", path, names[i]);
        int one = ok && file ? open_at(fd, names[i], 0, file, err) : -1;
        ok = one >= 0 && read_one(one, file, names[i], unit, err);
        if (one >= 0)
            close(one);
        free(names[i]);
    }
    if (ok && unit->len > GR_MAX_SOURCE)
        ok = wb_fail(err, 1, _("%s holds %.1f MB of source; %.1f MB are allowed"), path,
                     (double)unit->len / 1e6, GR_MAX_SOURCE / 1e6);
    return ok;
}

char *gr_cell_source(const json_t *cell) {
    const json_t *source = json_object_get(cell, "source");
    wb_buf b = {0};
    if (json_is_string(source))
        wb_buf_puts(&b, json_string_value(source));
    WB_JSON_EACH(line, source)
    wb_buf_puts(&b, json_is_string(line) ? json_string_value(line) : "");
    return wb_buf_steal(&b);
}

/* Reads the last cell that begins with %%grade and the lab's name. */
static bool read_notebook(gr_submission *s, int fd, const char *path, const gr_lab *lab,
                          wb_buf *unit, wb_error *err) {
    WB_SCOPED_BUF wb_buf text = {0}, others = {0};
    char *found = NULL;
    int line = 1;
    if (!read_open(fd, path, MAX_NOTEBOOK, &text, err))
        return false;
    WB_SCOPED_JSON json_t *notebook = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
    const json_t *cells = json_object_get(notebook, "cells");
    WB_JSON_EACH(cell, cells) {
        const char *type = wb_field_string(cell, "cell_type");
        WB_SCOPED char *source = gr_cell_source(cell);
        int begins = 1;
        const char *part = source ? graded_part(source, lab->name, &begins) : NULL;
        bool code = !type || strcmp(type, "code") == 0;
        if (part && code && (!found || part[strspn(part, " \t\r\n")])) {
            free(found);
            found = strdup(part);
            line = begins;
            s->n_cells++;
        } else if (source && code) {
            wb_buf_printf(&others, "%s\n", source);
        }
    }
    bool ok = json_is_object(notebook) || wb_fail(err, 1, _("%s is no notebook"), path);
    if (ok && !found)
        ok = wb_fail(err, 1, _("%s has no cell that begins with %%%%grade %s"), path, lab->name);
    ok = ok && check_text("the cell", found, strlen(found), err);
    if (ok && strlen(found) > GR_MAX_SOURCE)
        ok = wb_fail(err, 1, _("the cell of %s is larger than %.1f MB"), path, GR_MAX_SOURCE / 1e6);
    if (ok)
        add_cell(unit, "cell.cu", line, found);
    s->others = wb_buf_steal(&others);
    free(found);
    return ok;
}

/* Removes slashes at the end, because they would make open() follow a link. The caller frees it. */
static char *without_slashes(const char *path) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return strndup(path, n);
}

bool gr_submission_read(const char *path, const gr_lab *lab, gr_submission *s, wb_error *err) {
    struct stat st;
    wb_buf unit = {0};
    *s = (gr_submission){.name = strdup(path)};
    WB_SCOPED char *whole = without_slashes(path);
    if (!whole)
        return wb_fail(err, 1, _("out of memory"));
    const char *base = wb_path_name(path);
    int fd = open_at(AT_FDCWD, whole, 0, path, err);
    bool ok = fd >= 0;
    if (ok && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        s->folder = realpath(path, NULL);
        ok = s->folder && read_folder(fd, path, &unit, err);
    } else if (ok && wb_ends(path, ".ipynb")) {
        ok = read_notebook(s, fd, path, lab, &unit, err);
    } else if (ok) {
        ok = read_one(fd, path, base, &unit, err);
    }
    if (fd >= 0)
        close(fd);
    s->source = wb_buf_steal(&unit);
    return ok && (s->source || wb_fail(err, 1, _("out of memory")));
}

void gr_submission_free(gr_submission *s) {
    WB_FREE(s->name, s->folder, s->source, s->others);
    *s = (gr_submission){.name = NULL};
}

bool gr_submission_elsewhere(const gr_submission *s, const char *words, char name[64]) {
    static const char quotes[] = "\"'`";
    for (const char *p = words; s->others && (p = strpbrk(p, quotes)); p++) {
        size_t n = wb_word_length(p + 1);
        if (!wb_word_start(p[1]) || n >= 64 || !wb_word_find(s->others, p + 1, n))
            continue;
        memcpy(name, p + 1, n);
        name[n] = '\0';
        return true;
    }
    return false;
}

char *gr_submission_unit(const gr_submission *s, const gr_lab *lab) {
    wb_buf b = {0};
    bool structs = false;
    for (int i = 0; i < lab->n_args; i++)
        structs |= lab->args[i].is_struct;
    wb_buf_puts(&b, gr_lab_uses_half(lab) ? "#include <cuda_fp16.h>\n" : "");
    wb_buf_puts(&b, s->source);
    wb_buf_puts(&b, "\n#line 1 \"" GR_DRIVER_FILE "\"\n");
    if (structs) {
        wb_buf_puts(&b, GR_SAME_TYPE);
        gr_lab_add_struct_checks(lab, &b);
    }
    wb_buf_puts(&b, "extern \"C\" __attribute__((visibility(\"default\"))) void "
                    "warpbook_solve(void **warpbook_a) {\nvoid (*warpbook_call)(");
    for (int i = 0; i < lab->n_args; i++) {
        wb_buf_puts(&b, i ? ", " : "");
        gr_lab_add_type(&lab->args[i], false, &b);
    }
    wb_buf_puts(&b, ") = &solve;\nwarpbook_call(");
    for (int i = 0; i < lab->n_args;)
        gr_lab_add_argument(&lab->args[i], false, &i, &b);
    wb_buf_puts(&b, ");\n}\n");
    return wb_buf_steal(&b);
}
