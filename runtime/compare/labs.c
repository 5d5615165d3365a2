/* labs.c: `warpbook labs` lists the labs of this installation and the kernels of the set. */
#include <sys/stat.h>

#include "kernels/registry.h"
#include "runtime/base/scoped.h"
#include "runtime/cli/cli.h"
#include "runtime/json/json.h"
#include "runtime/measure/table.h"

/* Returns {"name","title","folder"} for each folder under share/warpbook/labs with a readable
 * lab.json, sorted by name. */
static json_t *read_labs(void) {
    json_t *labs = json_array();
    WB_SCOPED char *folder = wb_path_share("labs");
    WB_SCOPED_STRINGS wb_strings names = wb_dir_names(folder ? folder : "", "");
    for (size_t i = 0; i < names.n; i++) {
        WB_SCOPED char *path = wb_format("%s/%s/lab.json", folder, names.v[i]);
        WB_SCOPED_JSON json_t *lab = path ? json_load_file(path, 0, NULL) : NULL;
        const char *title = wb_field_string(lab, "title");
        if (lab)
            json_array_append_new(labs, json_pack("{s:s, s:s, s:o}", "name", names.v[i], "title",
                                                  title ? title : names.v[i], "folder",
                                                  json_sprintf("%s/%s", folder, names.v[i])));
    }
    return labs;
}

static json_t *list_kernels(void) {
    json_t *list = json_array();
    WBK_EACH(k) {
        json_t *types = json_array();
        for (wbk_type t = 0; t < WBK_TYPES; t++)
            if (k->symbol[t])
                json_array_append_new(types, json_string(wbk_type_name(t)));
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:b, s:s?}", "name",
                                        k->name, "lab", k->lab, "title", k->title, "teaches",
                                        k->teaches, "shape", wbk_shape_name(k->shape), "parameters",
                                        wbk_shape_signature(k->shape), "types", types, "reference",
                                        k->reference, "needs", wbk_needs_name(k->needs)));
    }
    return list;
}

/* Prints the table and `end`, and frees the table. */
static void print_table(wb_table *table, const char *end) {
    WB_SCOPED char *text = wb_table_text(table);
    printf("%s%s", text ? text : "", end);
    wb_table_free(table);
}

static void print_labs(const json_t *labs) {
    if (json_array_size(labs) == 0)
        return;
    wb_table *table = wb_table_new();
    wb_table_columns(table, "ll", _("lab"), _("about"));
    WB_JSON_EACH(lab, labs) {
        wb_table_row(table, false);
        wb_table_texts(table, wb_field_string(lab, "name"), wb_tr(wb_field_string(lab, "title")));
    }
    print_table(table, "\n");
}

static void print_kernels(void) {
    wb_table *table = wb_table_new();
    wb_table_columns(table, "llll", _("kernel"), _("types"), _("what it is"), _("what it teaches"));
    const wbk_kernel *before = NULL;
    WBK_EACH(k) {
        char types[64] = "";
        for (wbk_type t = 0; t < WBK_TYPES; t++)
            if (k->symbol[t])
                snprintf(types + strlen(types), sizeof types - strlen(types), "%s%s",
                         *types ? ", " : "", wbk_type_name(t));
        wb_table_row(table, before && strcmp(k->lab, before->lab) != 0 && !k->reference);
        wb_table_texts(table, k->name, types);
        wb_table_cell(table, "%s%s%s%s%s", k->title, k->reference ? " (reference)" : "",
                      k->needs ? " (" : "", k->needs ? wbk_needs_name(k->needs) : "",
                      k->needs ? ")" : "");
        wb_table_cell(table, "%s", k->teaches);
        before = k;
    }
    print_table(table, "");
}

/* Copies a folder's files, recursively, but leaves existing files in `to`, such as a notebook that
 * somebody works in. */
static bool copy_new(const char *from, const char *to, unsigned *copied, wb_error *err) {
    WB_SCOPED_STRINGS wb_strings names = wb_dir_names(from, "");
    bool ok =
        wb_file_exists(from) ? wb_dir_make(to, err) : wb_fail(err, 1, _("%s is not there"), from);
    for (size_t i = 0; ok && i < names.n; i++) {
        WB_SCOPED char *source = wb_format("%s/%s", from, names.v[i]),
                       *target = wb_format("%s/%s", to, names.v[i]);
        struct stat st;
        ok = (source && target) || wb_fail(err, 1, _("out of memory"));
        if (ok && stat(source, &st) == 0 && S_ISDIR(st.st_mode))
            ok = copy_new(source, target, copied, err);
        else if (ok && !wb_file_exists(target) && (ok = wb_file_copy(source, target, err)))
            *copied += strstr(names.v[i], ".ipynb") != NULL;
    }
    return ok;
}

static int copy_notebooks(const char *folder) {
    wb_error err = {0};
    unsigned copied = 0;
    char *from = wb_path_share("notebooks");
    if (from && !wb_file_exists(from)) { /* a built clone, not an installation */
        free(from);
        from = wb_path_share("../../../notebooks");
    }
    bool ok = from && copy_new(from, folder, &copied, &err);
    if (ok)
        printf(_("%u notebooks are new in %s; `jupyter lab` there opens them\n"), copied, folder);
    else
        fprintf(stderr, "warpbook labs: %s\n", from ? err.text : _("out of memory"));
    free(from);
    return ok ? WB_EXIT_DONE : WB_EXIT_MACHINE;
}

static struct asked {
    const char *notebooks;
    bool json;
} asked;

static int run(int argc, char **argv);

#define WB_RECORD struct asked
WB_COMMAND(labs_command){
    .name = "labs",
    .usage = "",
    .summary = N_("lists the labs and the kernels of the set, or copies their notebooks"),
    .help = N_(
        "`warpbook grade LAB FILE` grades a lab, `warpbook compare NAME...` times kernels, and "
        "cells call kernels through <warpbook.h>."),
    .order = 40,
    .options =
        (const wb_option[]){
            WB_OPTION_JSON(json),
            WB_OPTION("--notebooks", TEXT, notebooks, "FOLDER",
                      "copy the labs' notebooks there; files that are there already stay"),
            {0}},
    .record = &asked,
    .run = run,
};

static int run(int argc, char **argv) {
    if (argc > 1)
        return wb_cli_usage(&labs_command, _("'%s' is not known here"), argv[1]);
    if (asked.notebooks)
        return copy_notebooks(asked.notebooks);
    WB_SCOPED_JSON json_t *labs = read_labs();
    if (asked.json) {
        wb_json_say(json_pack("{s:O, s:o}", "labs", labs, "kernels", list_kernels()),
                    JSON_INDENT(1), stdout);
    } else {
        print_labs(labs);
        print_kernels();
    }
    return WB_EXIT_DONE;
}
