/* qualified.c: what "a::b" means, by the entity that it may name, or whose member it may be. */
#include "runtime/cells/split/split.h"

static bool list_has(const char *list, const char *word) {
    return wb_word_find(list, word, strlen(word)) != NULL;
}

/* Returns what a class's member is, by the first statement of the class text that names it. */
static int member_means(const char *text, const char *name) {
    const char *body = text ? strchr(text, '{') : NULL;
    const char *at = body ? wb_word_find(body, name, strlen(name)) : NULL;
    if (!at)
        return 0;
    const char *begin = at;
    while (begin > body && !strchr(";{}", begin[-1]))
        begin--;
    char head[256];
    size_t n = (size_t)(at - begin);
    if (n >= sizeof head)
        return 0;
    memcpy(head, begin, n);
    head[n] = '\0';
    static const char *const types[] = {"struct", "class", "union", "enum", "using", "typedef"};
    for (size_t i = 0; i < WB_COUNT(types); i++)
        if (list_has(head, types[i]))
            return 't';
    return list_has(head, "static") ? 'v' : 0;
}

static int entity_means(const wb_entity *e) {
    switch (e->kind) {
    case WB_ENTITY_TYPE:
    case WB_ENTITY_TEMPLATE:
        return strncmp(e->key, "t:", 2) == 0 ? 't' : 'v';
    case WB_ENTITY_VARIABLE:
    case WB_ENTITY_DEVICE_VARIABLE:
    case WB_ENTITY_CONSTANT:
    case WB_ENTITY_FUNCTION:
    case WB_ENTITY_SOURCE_FUNCTION:
        return 'v';
    default:
        return 0;
    }
}

/* Returns the text after the entity's scope in "a::b", or NULL. */
static const char *behind_scope(const wb_entity *e, const char *name) {
    size_t n = strlen(e->scope);
    return strncmp(name, e->scope, n) == 0 ? name + n : NULL;
}

int wb_entity_means(const wb_entity *e, const char *name) {
    const char *rest = behind_scope(e, name);
    if (!rest)
        return 0;
    if (strcmp(rest, e->name) == 0)
        return entity_means(e);
    if (!strstr(rest, "::"))
        return list_has(e->also, rest) && strncmp(e->signature ? e->signature : "", "typedef", 7)
                   ? 'v'
                   : 0;
    size_t n = strlen(e->name);
    if (entity_means(e) != 't' || strncmp(rest, e->name, n) != 0 || strncmp(rest + n, "::", 2) != 0)
        return 0;
    const char *member = rest + n + 2;
    return strstr(member, "::")        ? 0
           : list_has(e->also, member) ? 'v' /* an enumerator */
                                       : member_means(e->text, member);
}
