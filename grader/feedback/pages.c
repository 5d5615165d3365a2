/* pages.c: writes the feedback files. */
#include "grader/feedback/pages.h"
#include "grader/book/handed.h"
#include "grader/feedback/student.h"
#include "grader/feedback/teacher.h"
#include "grader/submission/submission.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

/* Pairs are shown if they share at least this part. */
#define LEAST 0.5
enum { MOST_PAIRS = 40, MAX_STARTER = 1 << 20, MAX_SHOWN = 1 << 20 };

typedef struct pages {
    gr_book *book;
    const gr_view *views;
    size_t n;
    const char *folder;
    char **sources; /* student s in view v: [s * n + v] */
    size_t *written;
    wb_error *err;
} pages;

/* ---- the graded text ---- */

static bool is_code(const char *name) {
    static const char *const ends[] = {".cu", ".cuh", ".h", ".hpp", ".cpp"};
    for (size_t i = 0; i < WB_COUNT(ends); i++)
        if (wb_ends(name, ends[i]))
            return true;
    return false;
}

static void add_notebook(wb_buf *out, const wb_buf *data) {
    WB_SCOPED_JSON json_t *notebook = json_loadb(data->data ? data->data : "", data->len, 0, NULL);
    json_t *cell;
    size_t i;
    json_array_foreach(json_object_get(notebook, "cells"), i, cell) {
        WB_SCOPED char *source = gr_cell_source(cell);
        if (source && strstr(source, "%%grade"))
            wb_buf_printf(out, "%s\n", source);
    }
}

/* Returns all CUDA files, each below a line with its name if there are several. From a notebook it
 * takes the cells with %%grade. The text is valid UTF-8 without control characters. The caller
 * frees it. NULL: no source, or out of memory. */
static char *source_of(const gr_handed *handed) {
    wb_buf all = {0};
    for (size_t i = 0; i < handed->n && all.len < MAX_SHOWN; i++) {
        const gr_file *file = &handed->files[i];
        bool notebook = wb_ends(file->name, ".ipynb");
        if (handed->n > 1 && (notebook || is_code(file->name)))
            wb_buf_printf(&all, "// ---- %s\n", file->name);
        if (notebook)
            add_notebook(&all, &file->data);
        else if (is_code(file->name) || handed->n == 1)
            wb_buf_puts(&all, file->data.data ? file->data.data : ""); /* up to the first NUL */
    }
    if (!all.len)
        return NULL;
    return gr_valid_text(wb_buf_steal(&all), MAX_SHOWN);
}

static bool read_sources(pages *p) {
    const gr_class *class = p->views[0].class;
    for (size_t s = 0; s < class->n_students; s++)
        for (size_t v = 0; v < p->n; v++) {
            const gr_standing *is = gr_view_standing(&p->views[v], s);
            gr_handed handed;
            if (!is->content)
                continue;
            bool ok = gr_handed_load(p->book, is->content, &handed, p->err);
            p->sources[s * p->n + v] = ok ? source_of(&handed) : NULL;
            gr_handed_free(&handed);
            if (!ok)
                return false;
        }
    return true;
}

/* Writes a file and frees the text. `format` contains the name. */
static bool write_page(pages *p, const char *format, const char *name, wb_buf *text) {
    WB_SCOPED char *file = wb_format(format, name);
    WB_SCOPED char *path = file ? wb_format("%s/%s", p->folder, file) : NULL;
    bool ok = path && !text->failed ? wb_file_write(path, text->data, text->len, p->err)
                                    : wb_fail(p->err, 1, _("out of memory"));
    *p->written += ok;
    wb_buf_free(text);
    return ok;
}

static bool write_students(pages *p) {
    const gr_class *class = p->views[0].class;
    bool ok = true;
    for (size_t s = 0; ok && s < class->n_students; s++) {
        wb_buf html = {0}, markdown = {0};
        const char *const *sources = (const char *const *)p->sources + s * p->n;
        if (!gr_student_has(p->views, p->n, s))
            continue;
        gr_student_html(p->views, p->n, s, sources, &html);
        gr_student_markdown(p->views, p->n, s, sources, &markdown);
        ok = write_page(p, "students/%s.html", class->students[s].id, &html);
        ok = write_page(p, "students/%s.md", class->students[s].id, &markdown) && ok;
    }
    return ok;
}

/* Reads a lab's starter, if it is still beside its lab.json. The caller frees it. Or NULL. */
static char *read_starter(gr_book *book, const char *lab) {
    WB_SCOPED char *path = NULL;
    gr_book_string(book, NULL, &path, "SELECT path FROM labs WHERE lab=?", "s", lab);
    char *slash = path ? strrchr(path, '/') : NULL;
    wb_buf text = {0};
    if (slash)
        *slash = '\0';
    WB_SCOPED char *starter = slash ? wb_format("%s/starter.cu", path) : NULL;
    if (starter)
        wb_file_read(starter, MAX_STARTER, &text, NULL);
    return text.len ? wb_buf_steal(&text) : NULL;
}

static bool write_lab(pages *p, size_t v) {
    const gr_class *class = p->views[v].class;
    const char *name = class->labs[p->views[v].lab].name;
    WB_SCOPED const char **sources = calloc(class->n_students + 1, sizeof *sources);
    WB_SCOPED char *starter = read_starter(p->book, name);
    gr_similar similar = {.n = 0};
    WB_SCOPED_BUF wb_buf html = {0}, csv = {0};
    for (size_t s = 0; sources && s < class->n_students; s++)
        sources[s] = p->sources[s * p->n + v];
    bool ok = (sources &&
               gr_similar_find(sources, class->n_students, starter, LEAST, MOST_PAIRS, &similar) &&
               gr_teacher_html(&p->views[v], sources, &similar, &html)) ||
              wb_fail(p->err, 1, _("out of memory"));
    gr_write_class_csv(&p->views[v], 1, &csv);
    ok = ok && write_page(p, "%s.html", name, &html) && write_page(p, "%s.csv", name, &csv);
    gr_similar_free(&similar);
    return ok;
}

bool gr_pages_write(gr_book *book, const gr_view *views, size_t n, const char *folder,
                    size_t *written, wb_error *err) {
    pages p = {
        .book = book, .views = views, .n = n, .folder = folder, .written = written, .err = err};
    *written = 0;
    if (n == 0)
        return wb_fail(err, 1, _("%s knows no lab yet"), book->path);
    size_t cells = views[0].class->n_students * n;
    p.sources = calloc(cells + 1, sizeof *p.sources);
    WB_SCOPED char *students = wb_format("%s/students", folder);
    bool ok = p.sources && students ? wb_dir_make(students, err) && read_sources(&p)
                                    : wb_fail(err, 1, _("out of memory"));
    ok = ok && write_students(&p);
    for (size_t v = 0; ok && v < n; v++)
        ok = write_lab(&p, v);
    for (size_t i = 0; p.sources && i < cells; i++)
        free(p.sources[i]);
    free(p.sources);
    return ok;
}
