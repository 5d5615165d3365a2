/* gpu.c: reads a GPU's file; see gpu.h. People write such files by hand, so every error names the
 * file, the line, the key and the expected value. */
#include "runtime/model/gpu.h"

#include <ctype.h>
#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/json/line.h"
#include "runtime/base/words.h"

#define MAX_FILE (1u << 20)
#define MAX_WHOLE 9007199254740992.0 /* 2^53: larger doubles are not exact integers */

typedef struct figure {
    const char *key, *unit, *about;
    bool whole;
    size_t offset;
} figure;

#define WHOLE(field, unit, about) {#field, unit, about, true, offsetof(model_gpu, field)},
#define REAL(field, unit, about) {#field, unit, about, false, offsetof(model_gpu, field)},
static const figure figures[] = {MODEL_GPU_FIGURES(WHOLE, REAL)};
#undef WHOLE
#undef REAL

static const char may_be_zero[] = "shared_reserved_bytes tensor_fp16_flops tensor_tf32_flops "
                                  "tensor_fp64_flops tensor_int8_flops tensor_fp8_flops";

/* The texts beside the figures. */
static const struct {
    const char *key, *about;
    size_t offset, size;
} texts[] = {
    {"name", "a short name", offsetof(model_gpu, name), sizeof((model_gpu *)0)->name},
    {"title", "the name to show", offsetof(model_gpu, title), sizeof((model_gpu *)0)->title},
    {"device_name", "the name as cudaGetDeviceProperties gives it",
     offsetof(model_gpu, device_name), sizeof((model_gpu *)0)->device_name},
};

static const char *const top_keys[] = {"name", "title", "device_name", "measured", "figures"};
static const char *const figure_keys[] = {"value", "unit", "source"};

/* The first figure must not exceed the second. */
static const struct {
    const char *less, *more;
} no_more_than[] = {
    {"max_block_threads", "max_threads"},
    {"max_block_shared_bytes", "shared_bytes"},
    {"shared_bytes", "l1_bytes"},
    {"schedulers", "max_warps"},
    {"max_thread_registers", "registers"},
    {"register_unit", "registers"},
    {"shared_reserved_bytes", "shared_bytes"},
    {"arithmetic_clocks", "l1_clocks"},
    {"l1_clocks", "l2_clocks"},
    {"l2_clocks", "dram_clocks"},
};

typedef struct reader {
    wb_json_source source;
    model_gpu *out;
} reader;

static bool read_text(const reader *r, const json_t *document, size_t i) {
    const json_t *value = json_object_get(document, texts[i].key);
    const char *text = json_string_value(value);
    if (!value)
        return wb_json_fail(&r->source, "", texts[i].key, _("missing, a text: %s"), texts[i].about);
    if (!text || !*text || strlen(text) >= texts[i].size)
        return wb_json_fail(&r->source, "", texts[i].key,
                            _("expected a text of 1 to %zu bytes: %s"), texts[i].size - 1,
                            texts[i].about);
    memcpy((char *)r->out + texts[i].offset, text, strlen(text) + 1);
    return true;
}

static bool read_value(const reader *r, const char *path, const figure *f, const json_t *value) {
    double number = json_number_value(value); /* 0 if it is no number */
    bool zero = wb_word_among(f->key, strlen(f->key), may_be_zero);
    bool fits = json_is_number(value) && isfinite(number) && (zero ? number >= 0 : number > 0);
    if (f->whole)
        fits = fits && number <= MAX_WHOLE && number == floor(number);
    if (strcmp(f->unit, "share") == 0)
        fits = fits && number <= 1;
    if (!fits) {
        char *found = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        wb_json_fail(&r->source, path, "value",
                     _("expected a %snumber %s%s in the unit \"%s\" (%s), found %.60s"),
                     f->whole ? _("whole ") : "", zero ? _("from 0") : _("above 0"),
                     strcmp(f->unit, "share") == 0 ? " to 1" : "", f->unit, f->about,
                     found ? found : _("none"));
        free(found);
        return false;
    }
    char *field = (char *)r->out + f->offset;
    if (f->whole)
        *(uint64_t *)(void *)field = (uint64_t)number;
    else
        *(double *)(void *)field = number;
    return true;
}

static bool read_figure(const reader *r, const json_t *all, const figure *f) {
    char path[100];
    snprintf(path, sizeof path, "figures.%s", f->key);
    const json_t *object = json_object_get(all, f->key);
    if (!object)
        return wb_json_fail(&r->source, path, "", _("missing, a number in the unit \"%s\": %s"),
                            f->unit, f->about);
    if (!json_is_object(object))
        return wb_json_fail(
            &r->source, path, "",
            _("expected {\"value\": a number, \"unit\": \"%s\", \"source\": where it is from}"),
            f->unit);
    if (!wb_json_known(&r->source, path, object, figure_keys, WB_COUNT(figure_keys)))
        return false;
    const char *unit = wb_field_string(object, "unit");
    if (!unit || strcmp(unit, f->unit) != 0)
        return wb_json_fail(&r->source, path, "unit", _("expected \"%s\" (%s), found %.60s"),
                            f->unit, f->about, unit ? unit : _("none"));
    const char *source = wb_field_string(object, "source");
    if (!source || !*source)
        return wb_json_fail(&r->source, path, "source",
                            _("expected a text: where the figure is from"));
    return read_value(r, path, f, json_object_get(object, "value"));
}

static double figure_of(const model_gpu *gpu, const char *key) {
    for (size_t i = 0; i < WB_COUNT(figures); i++)
        if (strcmp(figures[i].key, key) == 0) {
            const char *field = (const char *)gpu + figures[i].offset;
            return figures[i].whole ? (double)*(const uint64_t *)(const void *)field
                                    : *(const double *)(const void *)field;
        }
    return 0;
}

/* Checks that figures do not contradict each other. */
static bool agree(const reader *r) {
    for (size_t i = 0; i < WB_COUNT(no_more_than); i++) {
        double less = figure_of(r->out, no_more_than[i].less);
        double more = figure_of(r->out, no_more_than[i].more);
        if (less > more)
            return wb_json_fail(&r->source, "figures", no_more_than[i].less,
                                _("%.15g is more than %s, %.15g"), less, no_more_than[i].more,
                                more);
    }
    return true;
}

static bool read_figures(const reader *r, const json_t *all) {
    const char *keys[WB_COUNT(figures)];
    if (!json_is_object(all))
        return wb_json_fail(&r->source, "figures", "",
                            _("expected an object with a key for each figure"));
    for (size_t i = 0; i < WB_COUNT(figures); i++)
        keys[i] = figures[i].key;
    if (!wb_json_known(&r->source, "figures", all, keys, WB_COUNT(figures)))
        return false;
    for (size_t i = 0; i < WB_COUNT(figures); i++)
        if (!read_figure(r, all, &figures[i]))
            return false;
    return agree(r);
}

static bool read_document(const reader *r, const json_t *document) {
    if (!json_is_object(document))
        return wb_json_fail(&r->source, "", "",
                            _("expected an object: name, title, device_name, measured, figures"));
    if (!wb_json_known(&r->source, "", document, top_keys, WB_COUNT(top_keys)))
        return false;
    for (size_t i = 0; i < WB_COUNT(texts); i++)
        if (!read_text(r, document, i))
            return false;
    const json_t *measured = json_object_get(document, "measured");
    if (!json_is_boolean(measured))
        return wb_json_fail(&r->source, "measured", "",
                            _("expected true or false: whether we measured these figures"));
    r->out->measured = json_is_true(measured);
    return read_figures(r, json_object_get(document, "figures"));
}

bool model_gpu_parse(const char *file, const char *text, size_t len, model_gpu *out,
                     wb_error *err) {
    reader r = {{file, text, len, err}, out};
    json_t *document = wb_json_parse(&r.source);
    *out = (model_gpu){0};
    bool ok = document && read_document(&r, document);
    json_decref(document);
    return ok;
}

static bool read_file(const char *path, model_gpu *out, wb_error *err) {
    WB_SCOPED_BUF wb_buf text = {0};
    return wb_file_read(path, MAX_FILE, &text, err) &&
           model_gpu_parse(path, text.data ? text.data : "", text.len, out, err);
}

/* ---- installed files ------------------------------------------------------------------------- */

/* Returns the stems of share/warpbook/gpus/NAME.json. The caller frees the list. */
static wb_strings installed(void) {
    WB_SCOPED char *folder = wb_path_share("gpus");
    wb_strings names = wb_dir_names(folder ? folder : "", ".json");
    for (size_t i = 0; i < names.n; i++)
        names.v[i][strlen(names.v[i]) - strlen(".json")] = '\0';
    return names;
}

char *model_gpu_names(const char *between) {
    WB_SCOPED_STRINGS wb_strings names = installed();
    return wb_strings_joined(&names, between);
}

static bool refuse_name(const char *name, wb_error *err) {
    WB_SCOPED_STRINGS wb_strings names = installed();
    WB_SCOPED char *all = wb_strings_joined(&names, ", ");
    wb_fail(err, 1, _("no GPU is called %.60s%s (there are %.500s, and any file ending in .json)"),
            name, wb_text_meant(name, (const char *const *)names.v, names.n),
            all && *all ? all : _("none"));
    return false;
}

char *model_gpu_file(const char *name_or_path, wb_error *err) {
    if (strchr(name_or_path, '/') || wb_ends(name_or_path, ".json"))
        return strdup(name_or_path);
    WB_SCOPED char *name = strdup(name_or_path);
    for (char *p = name; p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    WB_SCOPED char *inside = name ? wb_format("gpus/%s.json", name) : NULL;
    char *path = inside ? wb_path_share(inside) : NULL;
    if (!path) {
        wb_fail(err, 1, _("out of memory"));
    } else if (!*name_or_path || !wb_file_exists(path)) {
        refuse_name(name, err);
        free(path);
        path = NULL;
    }
    return path;
}

bool model_gpu_load(const char *name_or_path, model_gpu *out, wb_error *err) {
    WB_SCOPED char *path = model_gpu_file(name_or_path, err);
    return path && read_file(path, out, err);
}
