/* read_rival.c: reads the member "rival" of lab.json. */
#include "grader/lab/args.h"
#include "runtime/base/scoped.h"

static bool fail_form(gr_reader *r, const char *path) {
    return gr_reader_fail(
        r, path,
        _("expected \"copy\" (the device's own copy of minimum_bytes), the name of a .cu file "
          "beside "
          "lab.json, or a library's call or kernel of the set such as {\"name\": \"cub.reduce\", "
          "\"sizes\": [\"n\"]}; `warpbook labs` lists their names"));
}

/* Reads the name of a row, which must be timeable like a kernel. */
static const wbk_kernel *read_row(gr_reader *r, const gr_place *place, gr_rival_spec *rival) {
    WB_SCOPED char *name = gr_get_string(r, place, "name", NULL);
    gr_place at = gr_member(r, place, "name", false);
    const wbk_kernel *row = name ? wbk_find(name) : NULL;
    if (name && !row)
        gr_reader_fail(r, at.path,
                       _("there is no library's call or kernel \"%.60s\"; `warpbook labs` lists "
                         "their names"),
                       name);
    else if (row && row->shape == WBK_COPY && row->reference)
        gr_reader_fail(r, at.path, _("write \"rival\": \"copy\" in place of %s"), row->name);
    else if (row && row->waits)
        gr_reader_fail(r, at.path, _("%s can't be timed as a kernel: the host has a part in it"),
                       row->name);
    snprintf(rival->name, sizeof rival->name, "%s", name ? name : "");
    return r->failed ? NULL : row;
}

static bool read_type(gr_reader *r, const gr_place *place, const wbk_kernel *row,
                      gr_rival_spec *rival) {
    const char *names[WBK_TYPES];
    size_t n = 0;
    for (wbk_type t = 0; t < WBK_TYPES; t++)
        if (row->symbol[t])
            names[n++] = wbk_type_name(t);
    int type = gr_get_choice(r, place, "type", names, n, 0);
    return !r->failed && wbk_parse_type(names[type], &rival->type);
}

static void read_sizes(gr_reader *r, const gr_place *place, const wbk_kernel *row,
                       gr_rival_spec *rival) {
    gr_place list = gr_member(r, place, "sizes", true);
    size_t wanted = (size_t)wbk_dimensions(row->shape);
    if (row->shape == WBK_GEMM_TURNED || row->shape == WBK_GEMM_BATCH) {
        gr_reader_fail(r, place->path, _("%s can't be a rival: it is a %s"), row->name,
                       wbk_shape_name(row->shape));
        return;
    }
    size_t n = list.value ? gr_expect_array(r, &list, wanted, wanted) : 0;
    for (size_t i = 0; i < n && !r->failed; i++) {
        gr_place at = gr_element(&list, i);
        const char *text = json_string_value(at.value);
        if (!text)
            gr_reader_fail(r, at.path, _("expected a formula over the sizes, such as \"n\""));
        else
            rival->sizes[rival->n_sizes++] = strdup(text);
    }
}

/* Reads "scalars": ["alpha", "beta"] of a product. */
static void read_scalars(gr_reader *r, const gr_lab *lab, const gr_place *place,
                         gr_rival_spec *rival) {
    gr_place list = gr_member(r, place, "scalars", false);
    size_t n = list.value ? gr_expect_array(r, &list, 2, 2) : 0;
    if (n && rival->n_sizes < 3)
        gr_reader_fail(r, list.path, _("only a product has an alpha and a beta"));
    for (size_t i = 0; i < n && !r->failed; i++) {
        gr_place at = gr_element(&list, i);
        const char *name = json_string_value(at.value);
        bool known = false;
        for (int k = 0; name && k < lab->n_args; k++)
            known |= lab->args[k].role == GR_SCALAR && strcmp(lab->args[k].name, name) == 0;
        if (!known)
            gr_reader_fail(r, at.path, _("expected the name of an argument that is a scalar"));
        else
            snprintf(rival->scalars[i], sizeof rival->scalars[i], "%s", name);
    }
}

void gr_read_rival(gr_reader *r, gr_lab *lab, const gr_place *top) {
    static const char *const keys[] = {"name", "sizes", "type", "scalars"};
    gr_place place = gr_member(r, top, "rival", false);
    const char *word = json_string_value(place.value);
    gr_rival_spec *rival = &lab->rival;
    if (!place.value || (word && strcmp(word, "copy") == 0))
        return;
    if (word && gr_is_source(word) && wb_ends(word, ".cu")) {
        rival->kind = GR_RIVAL_SOURCE;
        snprintf(rival->name, sizeof rival->name, "%s", word);
    } else if (!json_is_object(place.value)) {
        fail_form(r, place.path);
    } else if (gr_expect_object(r, &place, keys, WB_COUNT(keys))) {
        rival->kind = GR_RIVAL_CALL;
        const wbk_kernel *row = read_row(r, &place, rival);
        if (row && read_type(r, &place, row, rival)) {
            read_sizes(r, &place, row, rival);
            read_scalars(r, lab, &place, rival);
        }
    }
}

bool gr_check_rival(gr_reader *r, const gr_lab *lab, const gr_vars *sizes) {
    for (int i = 0; i < lab->rival.n_sizes; i++) {
        int64_t value;
        wb_error why;
        char where[40];
        snprintf(where, sizeof where, "rival.sizes[%d]", i);
        if (!gr_expr(lab->rival.sizes[i], sizes, &value, &why))
            return gr_reader_fail(r, where, "%s", why.text);
    }
    return true;
}

void gr_free_rival(gr_lab *lab) {
    for (int i = 0; i < lab->rival.n_sizes; i++)
        free(lab->rival.sizes[i]);
}
