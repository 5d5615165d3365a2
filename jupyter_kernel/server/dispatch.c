/* dispatch.c: finds a request's handler, refuses unknown ones, publishes busy and idle. */
#include "jupyter_kernel/server/dispatch.h"

static const handler *find(const kernel_parts *parts, const char *type) {
    for (const handler *const *table = parts->handlers; *table; table++)
        for (const handler *h = *table; h->type; h++)
            if (strcmp(h->type, type) == 0)
                return h;
    return NULL;
}

/* Refuses a request. format contains one %s. */
static bool refuse(request *r, const char *ename, const char *format, const char *name) {
    char text[1200];
    snprintf(text, sizeof text, format, name);
    if (strstr(r->message->type, "_request")) /* other messages have no reply */
        reply_refused(r, ename, text);
    return true;
}

/* Returns true if it refused: the subshell does not exist, or only the main shell answers this. */
static bool subshell_refuses(request *r, const handler *h) {
    char name[65];
    const char *id = subshell_of(r->message);
    snprintf(name, sizeof name, "%s", id);
    if (!subshells_has(&r->kernel->subshells, id))
        return refuse(r, "SubshellError", _("There is no subshell \"%s\"."), name);
    if (h->from & FROM_SUBSHELL)
        return false;
    if (strcmp(h->type, "execute_request") == 0)
        return refuse(r, "SubshellError",
                      _("Cells run in the main shell: all share one state. "
                        "Send the %s without a subshell_id."),
                      h->type);
    return refuse(r, "SubshellError",
                  _("A subshell does not answer a %s; send it without a subshell_id."), h->type);
}

void dispatch(request *r) {
    const wire_message *m = r->message;
    const handler *h = find(r->kernel->parts, m->type);
    bool subshell = r->from == FROM_SUBSHELL;
    if (!h || !(h->from & (subshell ? FROM_SHELL : r->from))) {
        fprintf(stderr, _("warpbook: ignored a message of type %.64s on %s\n"), m->type,
                channel_name(r->channel));
        return;
    }
    iopub_busy_soon(r->kernel->iopub, m->header_text);
    bool refused = m->wrong.text[0] ? refuse(r, "MessageError", _("The request can't be read: %s"),
                                             m->wrong.text)
                                    : subshell && subshell_refuses(r, h);
    if (!refused)
        h->run(r);
    iopub_status(r->kernel->iopub, m->header_text, "idle");
}
