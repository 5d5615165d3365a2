/* subshell.c: the list of subshells, and what they refuse. */
#include "jupyter_kernel/server/kernel.h"

#include <stdio.h>
#include <string.h>

void subshells_init(subshells *s) {
    *s = (subshells){.n = 0};
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->serving, NULL);
}

void subshells_free(subshells *s) {
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->serving);
}

const char *subshell_of(const wire_message *m) {
    return json_string_value(json_object_get(m->header, "subshell_id"));
}

bool subshell_wants(const router_message *m) {
    size_t at = 0;
    while (at < m->n && !wire_is_delimiter(m->frames[at]))
        at++;
    if (at + 2 >= m->n)
        return false;
    json_t *header = wire_json(m->frames[at + 2], NULL, NULL);
    bool wants = json_is_string(json_object_get(header, "subshell_id"));
    json_decref(header);
    return wants;
}

/* Its place in the list, or SIZE_MAX. Under the lock. */
static size_t find(const subshells *s, const char *id) {
    for (size_t i = 0; id && i < s->n; i++)
        if (strcmp(s->ids[i], id) == 0)
            return i;
    return SIZE_MAX;
}

static bool is_known(subshells *s, const char *id) {
    pthread_mutex_lock(&s->lock);
    bool known = find(s, id) != SIZE_MAX;
    pthread_mutex_unlock(&s->lock);
    return known;
}

static void refuse(request *r, const char *why) {
    json_t *content = error_content("SubshellError", why);
    json_object_set_new(content, "execution_count", json_integer(r->kernel->count));
    reply(r, content, NULL);
}

/* format: one %s, cut at 64 bytes. */
static void refuse_named(request *r, const char *format, const char *name) {
    char text[300];
    snprintf(text, sizeof text, format, name);
    refuse(r, text);
}

bool subshell_refuses(request *r, bool allowed) {
    const char *id = subshell_of(&r->message);
    if (!is_known(&r->kernel->subshells, id))
        refuse_named(r, "There is no subshell \"%.64s\".", id);
    else if (strcmp(r->message.type, "execute_request") == 0)
        refuse(r, "Cells run in the main shell: all share one state. "
                  "Send the execute_request without a subshell_id.");
    else if (!allowed)
        refuse_named(r, "A subshell does not answer a %.64s; send it without a subshell_id.",
                     r->message.type);
    else
        return false;
    return true;
}

/* ---- requests on the control channel -------------------------------------------------------- */

void handle_create_subshell(request *r) {
    kernel *k = r->kernel;
    subshells *s = &k->subshells;
    char id[SUBSHELL_ID_SIZE] = "";
    if (!k->shell.router) {
        refuse_named(r, "This connection (%s) has no subshells.",
                     k->connection.curve_secretkey[0] ? "encrypted" : k->connection.transport);
        return;
    }
    pthread_mutex_lock(&s->lock);
    if (s->n < SUBSHELL_MAX) {
        snprintf(id, sizeof id, "%.24s-%lu", k->author.session, ++s->made);
        memcpy(s->ids[s->n++], id, sizeof id);
    }
    pthread_mutex_unlock(&s->lock);
    if (*id)
        reply(r, json_pack("{s:s, s:s}", "status", "ok", "subshell_id", id), NULL);
    else
        refuse(r, "There are as many subshells as there may be: delete one.");
}

void handle_delete_subshell(request *r) {
    subshells *s = &r->kernel->subshells;
    const char *id = json_string_value(json_object_get(r->message.content, "subshell_id"));
    pthread_mutex_lock(&s->lock);
    size_t at = find(s, id);
    if (at != SIZE_MAX) {
        s->n--;
        memmove(s->ids[at], s->ids[at + 1], (s->n - at) * sizeof s->ids[0]);
    }
    pthread_mutex_unlock(&s->lock);
    if (at != SIZE_MAX)
        reply(r, json_pack("{s:s}", "status", "ok"), NULL);
    else
        refuse_named(r, "There is no subshell \"%.64s\".", id ? id : "");
}

void handle_list_subshell(request *r) {
    subshells *s = &r->kernel->subshells;
    json_t *list = json_array();
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(list, json_string(s->ids[i]));
    pthread_mutex_unlock(&s->lock);
    reply(r, json_pack("{s:s, s:o}", "status", "ok", "subshell_id", list), NULL);
}
