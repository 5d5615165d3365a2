/* subshell.c: the list of subshells. */
#include "jupyter_kernel/server/subshell.h"

void subshells_init(subshells *s) {
    *s = (subshells){.n = 0};
    pthread_mutex_init(&s->lock, NULL);
}

void subshells_free(subshells *s) {
    pthread_mutex_destroy(&s->lock);
}

const char *subshell_of(const wire_message *m) {
    return json_string_value(json_object_get(m->header, "subshell_id"));
}

/* Returns a subshell's index in the list, or SIZE_MAX. Call it under the lock. */
static size_t find(const subshells *s, const char *id) {
    for (size_t i = 0; id && i < s->n; i++)
        if (strcmp(s->ids[i], id) == 0)
            return i;
    return SIZE_MAX;
}

bool subshells_has(subshells *s, const char *id) {
    pthread_mutex_lock(&s->lock);
    bool has = find(s, id) != SIZE_MAX;
    pthread_mutex_unlock(&s->lock);
    return has;
}

bool subshells_add(subshells *s, const char *session, char id[SUBSHELL_ID_SIZE]) {
    pthread_mutex_lock(&s->lock);
    bool room = s->n < SUBSHELL_MAX;
    if (room) {
        snprintf(id, SUBSHELL_ID_SIZE, "%.24s-%lu", session, ++s->made);
        memcpy(s->ids[s->n++], id, SUBSHELL_ID_SIZE);
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

bool subshells_remove(subshells *s, const char *id) {
    pthread_mutex_lock(&s->lock);
    size_t at = find(s, id);
    if (at != SIZE_MAX) {
        s->n--;
        memmove(s->ids[at], s->ids[at + 1], (s->n - at) * sizeof s->ids[0]);
    }
    pthread_mutex_unlock(&s->lock);
    return at != SIZE_MAX;
}

json_t *subshells_list(subshells *s) {
    json_t *list = json_array();
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(list, json_string(s->ids[i]));
    pthread_mutex_unlock(&s->lock);
    return list;
}
