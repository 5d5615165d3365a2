/* notebook.c: errors that depend on what this cell and earlier ones define. */
#include "runtime/cells/hint/rules.h"

#include <ctype.h>

const wb_entity *wb_hint_entity(const wb_hint_question *q, const char *name, int *cell) {
    *cell = 0;
    for (size_t i = 0; q->own && i < q->own->n_entities; i++)
        if (strcmp(q->own->entities[i].name, name) == 0)
            return &q->own->entities[i];
    const wb_live_entity *x = q->live ? wb_live_find(q->live, name, strlen(name)) : NULL;
    *cell = x ? x->number : 0;
    return x ? &x->e : NULL;
}

/* Changes the hint's kind. Returns true. */
static bool become(wb_hint *hint, wb_hint_kind kind) {
    hint->kind = kind;
    return true;
}

bool wb_hint_kernel(const wb_hint_question *q, wb_hint *hint) {
    int cell;
    const wb_entity *e = wb_hint_entity(q, wb_word_last(hint->name), &cell);
    return e && (e->kind == WB_ENTITY_KERNEL ||
                 (e->kind == WB_ENTITY_TEMPLATE && e->text && strstr(e->text, "__global__")));
}

bool wb_hint_undefined(const wb_hint_question *q, wb_hint *hint) {
    bool driver = strncmp(hint->name, "cu", 2) == 0 && isupper((unsigned char)hint->name[2]) &&
                  !hint->name[wb_word_length(hint->name)];
    return q->live && become(hint, driver ? WB_HINT_DRIVER_FUNCTION : hint->kind);
}

/* Accepts a name of another cell in a cell with main; without a name, any cell with main. */
bool wb_hint_program(const wb_hint_question *q, wb_hint *hint) {
    const wb_live_entity *x =
        q->program ? wb_live_find(q->live, hint->name, strlen(hint->name)) : NULL;
    hint->number = x ? x->number : 0;
    return *hint->name ? x && x->e.kind != WB_ENTITY_HIDDEN : q->program;
}

/* Accepts an earlier cell's name that needs what this cell redefines. */
bool wb_hint_anew(const wb_hint_question *q, wb_hint *hint) {
    int cell;
    const wb_live_entity *before =
        q->own && q->live ? wb_live_find(q->live, hint->name, strlen(hint->name)) : NULL;
    if (!before || before->e.kind == WB_ENTITY_HIDDEN)
        return false;
    bool defined = wb_hint_entity(q, hint->name, &cell) && !cell;
    hint->number = before->number;
    for (WB_ENTITIES(e, q->own)) {
        if (strcmp(e->key, before->e.key) == 0 && e->kind != WB_ENTITY_UNDEF)
            return true;
        const wb_live_entity *old = wb_live_find(q->live, e->name, strlen(e->name));
        if (e->kind != WB_ENTITY_TYPE || defined || !old || strcmp(e->key, old->e.key) != 0)
            continue;
        wb_hint_copy(hint->other, WB_PIECE(e->name));
        return become(hint, old->number == before->number ? WB_HINT_GONE_WITH_TYPE
                                                          : WB_HINT_TYPE_OF_OTHER_CELL);
    }
    return false;
}

/* Accepts an earlier cell's name that later cells can't use. The compiler quotes it. */
bool wb_hint_hidden(const wb_hint_question *q, wb_hint *hint) {
    const char *last = wb_word_last(hint->name);
    wb_piece name = wb_piece_word(last);
    const wb_live_entity *x = q->live ? wb_live_find(q->live, name.text, name.len) : NULL;
    if (!x || x->e.kind != WB_ENTITY_HIDDEN)
        return false;
    hint->number = x->number;
    char copy[160];
    wb_hint_copy(copy, name);
    wb_hint_copy(hint->name, WB_PIECE(copy));
    wb_hint_copy(hint->other, WB_PIECE(x->e.text));
    return true;
}

/* Accepts an ambiguous name in an earlier cell's text or in a macro's argument (ambiguous.h). */
bool wb_hint_aside(const wb_hint_question *q, wb_hint *hint) {
    int cell;
    const wb_entity *e = wb_hint_entity(q, hint->name, &cell);
    return e && strcmp(e->scope, WB_ASIDE "::") == 0 && e->kind != WB_ENTITY_HIDDEN;
}

bool wb_hint_declared(const wb_hint_question *q, wb_hint *hint) {
    const char *name;
    size_t len = q->live ? wb_hint_library_name(q->text, &name) : 0;
    if (len)
        wb_hint_copy(hint->name, (wb_piece){name, len});
    return len > 0;
}

/* ---- host and device ---- */

bool wb_hint_runtime(const wb_hint_question *q, wb_hint *hint) {
    (void)q;
    return strncmp(hint->name, "cuda", 4) == 0 &&
           become(hint, strstr(hint->name, "Synchronize") ? WB_HINT_WAIT_IN_KERNEL : hint->kind);
}

bool wb_hint_function(const wb_hint_question *q, wb_hint *hint) {
    char first[160];
    wb_hint_copy(first, (wb_piece){hint->name, strcspn(hint->name, ":")});
    const wb_entity *e = wb_hint_entity(q, first, &hint->number);
    return e && become(hint, hint->number ? WB_HINT_HOST_FUNCTION_OF_CELL : WB_HINT_HOST_FUNCTION);
}

bool wb_hint_caller(const wb_hint_question *q, wb_hint *hint) {
    (void)q;
    return strncmp(hint->name, "cell_statements", 15) != 0;
}

/* Accepts a name that device code does not know. Calls of functions have an error of their own. */
bool wb_hint_variable(const wb_hint_question *q, wb_hint *hint) {
    const wb_entity *e = wb_hint_entity(q, hint->name, &hint->number);
    bool function = e ? e->kind != WB_ENTITY_VARIABLE && e->kind != WB_ENTITY_CONSTANT
                      : hint->name[strcspn(hint->name, ":<( ")] != '\0';
    if (hint->number && e->kind == WB_ENTITY_DEVICE_VARIABLE)
        return become(hint, WB_HINT_DEVICE_VARIABLE_IN_LAMBDA);
    bool call = !q->live || function || strncmp(hint->name, "cuda", 4) == 0;
    return become(hint, call ? WB_HINT_NONE : WB_HINT_HOST_VARIABLE);
}

/* ---- what can't be assigned ---- */

bool wb_hint_assigned(const wb_hint_question *q, wb_hint *hint) {
    const char *at = wb_hint_caret(q), *behind = at + strspn(at, "*(+-& ");
    size_t n = strlen(hint->name);
    if (strncmp(behind, hint->name, n) != 0)
        return true;
    behind += n + strspn(behind + n, " ");
    bool sum = *behind && strchr("+-*/%(", *behind) && behind[1] != '=' && behind[1] != *behind &&
               behind[1] != '>';
    if (isdigit((unsigned char)*hint->name) || sum)
        return become(hint, WB_HINT_ASSIGNED_BACKWARDS);
    const wb_entity *e = wb_hint_entity(q, hint->name, &hint->number);
    const char *declared = *behind == '=' ? wb_word_find(q->code, hint->name, n) : NULL;
    const char *type = e && e->type ? e->type : "";
    bool array = (strchr(type, '[') || (declared && declared[n] == '[')) && !(e && e->constant);
    bool fixed =
        (e && e->constant) || strstr(type, "const") || (q->code && strstr(q->code, "const"));
    return (array || fixed) &&
           become(hint, array ? WB_HINT_ARRAY_ASSIGNED : WB_HINT_CONST_ASSIGNED);
}
