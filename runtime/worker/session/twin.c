/* twin.c: see twin.h. */
#include "runtime/worker/session/twin.h"

#include "runtime/json/json.h"
#include "runtime/worker/session/flags.h"

/* Compiles a source of the session's folder to PTX with debug information. Returns the path, or
 * NULL if there is no kernel in it, or it does not compile. */
static char *compile_twin(wb_session *s, const char *id, const char *const *flags) {
    wb_buf text = {0};
    wb_error err;
    wb_compile_result result = {0};
    char *name = wb_format("cell_%s.cu", id);
    char *source = wb_format("%s/cell_%s.cu", s->folder, id);
    char *output = wb_format("%s/cell_%s.ptx", s->folder, id);
    bool ok = name && source && output && wb_file_read(source, 0, &text, &err) && text.data &&
              strstr(text.data, "__global__") != NULL;
    if (ok)
        ok = wb_compile(&(wb_compile_spec){.kind = WB_COMPILE_PTX,
                                           .sources = (const char *const[]){name, NULL},
                                           .flags = flags,
                                           .output = output,
                                           .cwd = s->folder,
                                           .device = &s->device,
                                           .auto_link = true,
                                           .debug = true,
                                           .direct = true,
                                           .stop = &s->stop},
                        &result, &err) &&
             result.ok;
    wb_compile_result_free(&result);
    wb_buf_free(&text);
    WB_FREE(name, source);
    if (ok)
        return output;
    free(output);
    return NULL;
}

static void add_twin(wb_session *s, const char *id, const char *const *flags, json_t *texts) {
    char *path = compile_twin(s, id, flags);
    if (path)
        json_array_append_new(texts, json_string(path));
    free(path);
}

/* Adds "texts" to the wish, and returns it as text. Frees the wish. */
static char *with_texts(wb_session *s, json_t *wish, const wb_unit *unit) {
    char *include = NULL;
    const char **flags = wb_flags_all(s->flags, s->cwd, NULL, true, &include);
    json_t *texts = json_array();
    if (flags) {
        add_twin(s, unit->id, flags, texts);
        for (size_t i = 0; i < unit->n_links; i++)
            add_twin(s, unit->links[i].id, flags, texts);
    }
    WB_FREE(flags, include);
    json_object_set_new(wish, "texts", texts);
    char *text = json_dumps(wish, JSON_COMPACT);
    json_decref(wish);
    return text;
}

char *wb_twin_wish(wb_session *s, const wb_cell *cell, const wb_unit *unit) {
    if (!cell->record_values || s->device.kind != WB_DEVICE_SOFT)
        return cell->record ? strdup(cell->record) : NULL;
    return with_texts(s, json_loads(cell->record, 0, NULL), unit);
}

char *wb_twin_debug(wb_session *s, const wb_unit *unit) {
    pthread_mutex_lock(&s->lock);
    bool on = s->debug && s->device.kind == WB_DEVICE_SOFT;
    json_t *wish = on ? wb_json_pack("{s:s, s:O}", "path", s->debug, "sources", s->paths) : NULL;
    pthread_mutex_unlock(&s->lock);
    return wish ? with_texts(s, wish, unit) : NULL;
}

void wb_twin_path(wb_session *s, const wb_cell *cell, const wb_unit *unit) {
    char own[40], number[32];
    snprintf(own, sizeof own, "cell [%s]", unit->id);
    snprintf(number, sizeof number, "cell [%d]", cell->number);
    json_object_set_new(s->paths, own, json_string(cell->path ? cell->path : number));
}
