/* lost.c: see lost.h. */
#include "runtime/worker/words/lost.h"

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"

#include <signal.h>

struct wb_lost {
    json_t *names; /* {name: {"what": "int", "cell": 3, "by": 7, "how": "crashed (...)"}} */
};

wb_lost *wb_lost_new(void) {
    wb_lost *lost = calloc(1, sizeof *lost);
    if (lost)
        lost->names = json_object();
    return lost;
}

void wb_lost_free(wb_lost *lost) {
    if (lost)
        json_decref(lost->names);
    free(lost);
}

static const char *signal_name(int number) {
    switch (number) {
    case SIGSEGV:
        return _("segmentation fault");
    case SIGBUS:
        return _("bus error");
    case SIGFPE:
        return _("arithmetic error");
    case SIGILL:
        return _("illegal instruction");
    case SIGABRT:
        return "aborted";
    case SIGTRAP:
        return "trap";
    }
    return strsignal(number);
}

/* Returns what the cell did, for after "when cell [7] ", malloc'd. */
static char *way(const wb_outcome *o) {
    if (o->kind == WB_CRASHED)
        return wb_format(_("crashed (%s)"),
                         o->stack_overflow ? _("stack overflow") : signal_name(o->signal));
    if (o->kind == WB_EXITED)
        return wb_format(_("ended the process (exit status %d)"), o->exit_status);
    if (o->kind != WB_KILLED)
        return wb_format(_("left the device unusable%s%s%s"), o->cuda_name ? " (" : "",
                         o->cuda_name ? o->cuda_name : "", o->cuda_name ? ")" : "");
    if (o->interrupted)
        return wb_format(_("did not stop when it was interrupted"));
    return wb_format(_("was killed%s"), o->for_memory ? _(" because memory ran out") : "");
}

static bool is_variable(const json_t *name) {
    const char *kind = wb_field_string(name, "kind");
    return kind && strcmp(kind, "variable") == 0;
}

/* Returns a variable's type, or the kind of another name. */
static const char *what(const json_t *name) {
    const char *kind = wb_field_string(name, "kind");
    const char *type = wb_field_string(name, "type");
    return is_variable(name) && type && *type ? type : kind ? kind : "name";
}

char *wb_lost_notice(const json_t *names) {
    WB_SCOPED_BUF wb_buf list = {0};
    WB_JSON_EACH(name, names) {
        if (is_variable(name))
            wb_buf_printf(&list, "%s%s", list.len ? ", " : "", wb_field_string(name, "name"));
    }
    return wb_format(
        _("The process that runs the cells was killed while no cell ran. Its variables are "
          "lost: %s. Run the cells again that define what you need.\n"),
        list.len ? list.data : _("there were none"));
}

void wb_lost_take(wb_lost *lost, const json_t *names, int by, const wb_outcome *outcome) {
    WB_SCOPED char *how = way(outcome);
    WB_JSON_EACH(name, names) {
        const char *key = wb_field_string(name, "name");
        if (key && how)
            json_object_set_new(lost->names, key,
                                wb_json_pack("{s:s, s:O, s:i, s:s}", "what", what(name), "cell",
                                             json_object_get(name, "cell"), "by", by, "how", how));
    }
}

void wb_lost_find(wb_lost *lost, const json_t *names) {
    WB_JSON_EACH(name, names) {
        const char *key = wb_field_string(name, "name");
        if (key)
            json_object_del(lost->names, key);
    }
}

/* Returns the name in '"x" is undefined' or '"T" is not a template', malloc'd, or NULL. */
static char *undefined(const char *error) {
    const char *open = strchr(error, '"'), *close = open ? strchr(open + 1, '"') : NULL;
    if (!close || (strncmp(close, "\" is undefined", 14) != 0 &&
                   strncmp(close, "\" is not a template", 19) != 0))
        return NULL;
    return wb_format("%.*s", (int)(close - open - 1), open + 1);
}

char *wb_lost_hint(const wb_lost *lost, const char *error) {
    WB_SCOPED char *name = undefined(error);
    const json_t *entry = name ? json_object_get(lost->names, name) : NULL;
    char *hint = NULL;
    int cell = (int)wb_field_int(entry, "cell");
    int by = (int)wb_field_int(entry, "by");
    if (entry && by == 0) {
        hint = wb_format(_("%s (%s, from cell [%d]) was lost when the process that runs the cells "
                           "was killed; run cell [%d] again."),
                         name, wb_field_string(entry, "what"), cell, cell);
    } else if (entry) {
        hint =
            wb_format(_("%s (%s, from cell [%d]) was lost when cell [%d] %s; %s cell [%d] again."),
                      name, wb_field_string(entry, "what"), cell, by, wb_field_string(entry, "how"),
                      cell == by ? _("fix and run") : _("run"), cell);
    }
    return hint;
}
