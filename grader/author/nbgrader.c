/* nbgrader.c: a lab as an assignment of nbgrader (nbgrader.readthedocs.io). It writes the course's
 * configuration and a notebook with the student's cell and the locked grading cell. */
#include "grader/author/author.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

/* nbgrader clears this region in the students' version. The starter is above it. */
static const char region[] = "\n// BEGIN SOLUTION\n// END SOLUTION\n";

static const char config[] =
    "c = get_config()\n"
    "# What nbgrader has to know of this language, and how long a cell may be graded.\n"
    "c.ClearSolutions.code_stub = {\"c++\": \"// The text above is yours to change.\"}\n"
    "c.ExecutePreprocessor.timeout = 900\n"
    "c.OverwriteCells.missing_cell_notification = (\n"
    "    \"\\n// This cell was missing from the submission; it was put back by nbgrader.\")\n";

static json_t *cell(const char *type, const char *id, json_t *metadata, const char *text) {
    json_t *c = wb_json_pack("{s:s, s:s, s:o, s:s}", "cell_type", type, "id", id, "metadata",
                             metadata, "source", text);
    if (c && strcmp(type, "code") == 0) {
        json_object_set_new(c, "execution_count", json_null());
        json_object_set_new(c, "outputs", json_array());
    }
    return c;
}

/* Returns metadata in schema 3 of nbgrader. */
static json_t *of_nbgrader(const char *id, bool grade, double points) {
    json_t *m =
        wb_json_pack("{s:s, s:b, s:b, s:b, s:b, s:i}", "grade_id", id, "grade", grade, "locked",
                     grade, "solution", !grade, "task", false, "schema_version", 3);
    if (grade && m)
        json_object_set_new(m, "points", json_real(points));
    return wb_json_pack("{s:o}", "nbgrader", m);
}

static json_t *notebook(const gr_lab *lab, const char *name, const char *readme,
                        const char *starter) {
    WB_SCOPED char *yours = wb_format("%%%%grade %s\n%s%s", name, starter, region);
    WB_SCOPED char *graded = wb_format("%%%%grade %s", name);
    json_t *cells = json_array(), *all = NULL;
    if (yours && graded && cells) {
        json_array_append_new(cells, cell("markdown", "text", json_object(), readme));
        json_array_append_new(cells,
                              cell("code", "solution", of_nbgrader("solution", false, 0), yours));
        json_array_append_new(cells, cell("code", "points",
                                          of_nbgrader("points", true, gr_lab_max_score(lab, false)),
                                          graded));
        all =
            wb_json_pack("{s:o, s:{s:{s:s, s:s, s:s}}, s:i, s:i}", "cells", json_incref(cells),
                         "metadata", "kernelspec", "display_name", "CUDA C++ (Warpbook)",
                         "language", "c++", "name", "warpbook", "nbformat", 4, "nbformat_minor", 5);
    }
    json_decref(cells);
    return all;
}

static bool write_notebook(const gr_lab *lab, bool own, const char *path, wb_error *err) {
    WB_SCOPED char *readme = gr_lab_beside(lab, "README.md"),
                   *starter = gr_lab_beside(lab, "starter.cu");
    WB_SCOPED_BUF wb_buf about = {0}, begin = {0};
    bool ok = readme && starter ? wb_file_read(starter, 1 << 20, &begin, err)
                                : wb_fail(err, 1, _("out of memory"));
    if (ok && wb_file_exists(readme))
        ok = wb_file_read(readme, 1 << 20, &about, err);
    json_t *all = ok ? notebook(lab, own ? "./lab" : lab->name,
                                about.data ? about.data : lab->title, begin.data ? begin.data : "")
                     : NULL;
    WB_SCOPED char *text = wb_json_dump(all, JSON_INDENT(1));
    return ok && (text ? wb_file_write(path, text, strlen(text), err)
                       : wb_fail(err, 1, _("%s: its README or starter is not UTF-8"), lab->path));
}

bool gr_author_nbgrader(const gr_lab *lab, bool own, const char *folder, wb_error *err) {
    WB_SCOPED char *source = wb_format("%s/source/%s", folder, lab->name);
    WB_SCOPED char *path = wb_format("%s/%s.ipynb", source ? source : "", lab->name);
    WB_SCOPED char *settings = wb_format("%s/nbgrader_config.py", folder);
    return source && path && settings
               ? wb_dir_make(source, err) && write_notebook(lab, own, path, err) &&
                     wb_file_write(settings, config, strlen(config), err)
               : wb_fail(err, 1, _("out of memory"));
}
