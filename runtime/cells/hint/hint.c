/* hint.c: see hint.h. */
#include "runtime/cells/hint/hint.h"
#include "runtime/base/language.h"

#include "runtime/cells/split/closure.h"
#include "runtime/cells/hint/hint_cuda.h"
#include "runtime/cells/hint/hint_include.h"

#include <ctype.h>
#include <string.h>

typedef struct search {
    const wb_live *live;
    char *text;
} search;

static void look_at(void *ctx, const char *word, size_t len) {
    search *s = ctx;
    const wb_live_entity *x = s->text ? NULL : wb_live_find(s->live, word, len);
    if (x && x->e.kind == WB_ENTITY_HIDDEN)
        s->text = wb_format("%.*s is known from cell [%d], but %s.", (int)len, word, x->number,
                            x->e.text);
}

/* A name that an earlier cell made, and that can't be had: only what stands in quotes is a name. */
static char *hidden_name(const wb_live *live, const char *text) {
    search s = {live, NULL};
    for (const char *open = strchr(text, '"'); open && !s.text;) {
        const char *close = strchr(open + 1, '"');
        if (!close)
            break;
        wb_words(open + 1, (size_t)(close - open - 1), look_at, &s);
        open = strchr(close + 1, '"');
    }
    return s.text;
}

/* The name in '"gamma"', '"double gamma(double) noexcept(true)"' or '"char *tzname[2]"'. */
static size_t declared_name(const char *quoted, const char **name) {
    size_t end = strcspn(quoted, "([\""), n = end;
    while (n > 0 && (isalnum((unsigned char)quoted[n - 1]) || quoted[n - 1] == '_'))
        n--;
    *name = quoted + n;
    return end - n;
}

/* "declaration is incompatible with ... "index" (declared at line 48 of /usr/include/strings.h)".
 */
size_t wb_hint_library_name(const char *text, const char **name) {
    const char *quote = strchr(text, '"');
    if (strncmp(text, "declaration is incompatible with ", 33) != 0 || !quote ||
        !strstr(text, "(declared at line ") || !strstr(text, " of /"))
        return 0;
    return declared_name(quote + 1, name);
}

static char *library_name(const char *text) {
    const char *name;
    size_t n = wb_hint_library_name(text, &name);
    if (n == 0)
        return NULL;
    return wb_format(
        "%.*s is known from a header, so nothing else at the top of a cell can have its "
        "name; call it something else (%.*s_), or put the statements that use it "
        "in { }.",
        (int)n, name, (int)n, name);
}

/* 'function "use", declared using a local type, must be defined in this translation unit'. */
static char *lambda_function(const char *text) {
    static const char head[] = "function \"", tail[] = "\", declared using a local type, must be";
    const char *name = text + sizeof head - 1, *end = strstr(text, tail);
    if (strncmp(text, head, sizeof head - 1) != 0 || !end)
        return NULL;
    return wb_format("%.*s has the type of a lambda in its head, so only its own cell can call it: "
                     "make it a template, or let it take a std::function; then run its cell again.",
                     (int)(end - name), name);
}

/* "undefined reference to `f(int)'": declared, and defined nowhere. */
static char *undefined_reference(const char *text) {
    static const char head[] = "undefined reference to `";
    const char *name = strstr(text, head);
    if (!name)
        return NULL;
    name += sizeof head - 1;
    static const char builtin[] = "__device_builtin_variable_";
    if (strncmp(name, builtin, sizeof builtin - 1) == 0) {
        name += sizeof builtin - 1;
        return wb_format("%.*s is known in kernels and in __device__ functions: one of these marks "
                         "is missing before the function that uses it.",
                         (int)strcspn(name, "'"), name);
    }
    if (strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2]) &&
        name[strcspn(name, "(<:'")] == '\'')
        return wb_format(
            "%.*s() is the driver's: on a GPU the line %%flags -lcuda in a cell before "
            "this one links it; softgpu has the runtime's functions (cuda...) alone.",
            (int)strcspn(name, "'"), name);
    const char *end = strrchr(name, '\'');
    size_t n = end ? (size_t)(end - name) : strlen(name);
    return wb_format(
        "%.*s is declared, but neither this cell nor an earlier one defines it; define "
        "it in this cell, or in one that is run before.",
        (int)n, name);
}

static char *own_name(const char *text) {
    if (strcmp(text, "\"wb\" has already been declared in the current scope") != 0)
        return NULL;
    return wb_format(
        "wb is Warpbook's own (wb::display and its relatives); call it something else.");
}

static char *array_size(const char *text) {
    if (strcmp(text, "expression must have a constant value") != 0)
        return NULL;
    return wb_format("An array at the top of a cell, or in device code, needs a size that the "
                     "compiler knows, a number or a const int; on the host std::vector or malloc "
                     "take any other.");
}

/* The entity of that name, of this cell or an earlier one; *cell is then its number, or 0. */
static const wb_entity *find(const wb_live *live, const wb_split *own, const char *name, size_t len,
                             int *cell) {
    *cell = 0;
    for (size_t i = 0; own && i < own->n_entities; i++)
        if (strlen(own->entities[i].name) == len && memcmp(own->entities[i].name, name, len) == 0)
            return &own->entities[i];
    const wb_live_entity *x = wb_live_find(live, name, len);
    *cell = x ? x->number : 0;
    return x ? &x->e : NULL;
}

/* '"time" is ambiguous': in the text of an earlier cell, from before the variable was there, or in
 * a macro's argument (ambiguous.h). */
static char *function_and_variable(const wb_live *live, const wb_split *own, const char *text) {
    int n = *text == '"' ? (int)strcspn(text + 1, "\"") : 0, cell = 0;
    const wb_entity *e = n ? find(live, own, text + 1, (size_t)n, &cell) : NULL;
    if (!e || strcmp(e->scope, WB_ASIDE "::") != 0 || e->kind == WB_ENTITY_HIDDEN ||
        strcmp(text + 1 + n, "\" is ambiguous") != 0)
        return NULL;
    return wb_format("%.*s is a variable of the notebook's and a function of a header's: where the "
                     "function is meant, write ::%.*s. In the argument of a macro the two can't be "
                     "told apart: use the variable under another name there (auto &%.*s_ = %.*s;).",
                     n, text + 1, n, text + 1, n, text + 1, n, text + 1);
}

/* 'identifier "n" is undefined in device code': a variable of the host in a kernel or a lambda. */
static char *host_variable(const wb_live *live, const wb_split *own, const char *text) {
    static const char head[] = "identifier \"", tail[] = "\" is undefined in device code";
    const char *name = text + sizeof head - 1;
    size_t n = strncmp(text, head, sizeof head - 1) == 0 ? strcspn(name, "\"") : 0;
    if (n == 0 || strncmp(name + n, tail, sizeof tail - 1) != 0)
        return NULL;
    int cell;
    const wb_entity *e = find(live, own, name, n, &cell);
    if (cell && e->kind == WB_ENTITY_DEVICE_VARIABLE)
        return wb_format(
            "%.*s is the device's, from cell [%d]: kernels and __device__ functions of "
            "this cell see it, a lambda in its statements does not.",
            (int)n, name, cell);
    bool function = (e && e->kind != WB_ENTITY_VARIABLE && e->kind != WB_ENTITY_CONSTANT) ||
                    (!e && strcspn(name, ":<( ") < n);
    if (function) /* which another error is about */
        return NULL;
    return wb_format("%.*s is a variable of the host, which the device can't see: hand it to the "
                     "kernel as an argument. A lambda takes it along as [=] __device__, or "
                     "[%.*s = %.*s] __device__; one for both sides, __host__ __device__, where "
                     "a variable holds it (auto f = [=] ...;), or inside a function or { }, from "
                     "variables that are defined there.",
                     (int)n, name, (int)n, name, (int)n, name);
}

/* The name in "T1  ::thrice<int> (T1)", "S::get() const": what stands before the parentheses. */
static size_t function_name(const char *text, size_t len, const char **name) {
    const char *paren = memchr(text, '(', len);
    size_t end = paren ? (size_t)(paren - text) : len;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    for (int depth = 0; end > 0 && (depth > 0 || text[end - 1] == '>'); end--)
        depth += (text[end - 1] == '>') - (text[end - 1] == '<');
    size_t start = end;
    while (start > 0 && (isalnum((unsigned char)text[start - 1]) || strchr("_:~", text[start - 1])))
        start--;
    while (start < end && text[start] == ':')
        start++;
    *name = text + start;
    return end - start;
}

/* 'calling a __host__ function("f(int)") from a __global__ function("k") is not allowed'. */
static char *host_function(const wb_live *live, const wb_split *own, const char *text) {
    static const char plain[] = "calling a __host__ function(\"",
                      fixed[] = "calling a constexpr __host__ function(\"";
    bool constexpr = strncmp(text, fixed, sizeof fixed - 1) == 0;
    if (!constexpr && strncmp(text, plain, sizeof plain - 1) != 0)
        return NULL;
    const char *start = text + (constexpr ? sizeof fixed : sizeof plain) - 1, *name;
    const char *end = strstr(start, "\") from a ");
    size_t n = end ? function_name(start, (size_t)(end - start), &name) : 0;
    if (!n)
        return NULL;
    int cell, len = (int)n;
    size_t first = 0;
    while (first < n && name[first] != ':')
        first++;
    const wb_entity *e = find(live, own, name, first, &cell);
    const char *both = "put __host__ __device__ before it, and the device has it, too";
    if (e && cell)
        return wb_format("%.*s runs on the host: %s; then run cell [%d] again.", len, name, both,
                         cell);
    if (e)
        return wb_format("%.*s runs on the host: %s.", len, name, both);
    if (constexpr && n == 3 && (memcmp(name, "max", 3) == 0 || memcmp(name, "min", 3) == 0))
        return wb_format(
            "std::%.*s runs on the host: write %.*s, which CUDA has for the device, or "
            "put the line %%flags --expt-relaxed-constexpr at the top of the cell.",
            len, name, len, name);
    if (constexpr)
        return wb_format("%.*s runs on the host; as it is constexpr, the line %%flags "
                         "--expt-relaxed-constexpr at the top of the cell lets the device call it.",
                         len, name);
    if (strstr(start, "std::") && strstr(start, "std::") < end)
        return wb_format(
            "The C++ library's functions and classes run on the host: device code does "
            "without them, or takes those of <cuda/std/...>.");
    return NULL;
}

char *wb_hint_anew(const wb_live *live, const wb_split *own, const char *text) {
    static const char head[] = "identifier \"";
    if (!own || strncmp(text, head, sizeof head - 1) != 0)
        return NULL;
    const char *name = text + sizeof head - 1;
    int n = (int)strcspn(name, "\""), cell;
    const wb_live_entity *before = wb_live_find(live, name, (size_t)n);
    if (!before || before->e.kind == WB_ENTITY_HIDDEN)
        return NULL;
    bool defined = find(live, own, name, (size_t)n, &cell) != NULL && !cell;
    for (size_t i = 0; i < own->n_entities; i++) {
        const wb_entity *e = &own->entities[i];
        if (strcmp(e->key, before->e.key) == 0 && e->kind != WB_ENTITY_UNDEF)
            return wb_format("This cell defines %.*s anew, and uses before that what needs the "
                             "%.*s of cell [%d]; give the new definition a cell of its own.",
                             n, name, n, name, before->number);
        if (e->kind != WB_ENTITY_TYPE)
            continue;
        const wb_live_entity *old = wb_live_find(live, e->name, strlen(e->name));
        if (!defined && old && strcmp(e->key, old->e.key) == 0 && old->number == before->number)
            return wb_format("%.*s was made with the %s of its cell [%d], which this cell defines "
                             "anew: it is gone with that; define it anew, too.",
                             n, name, e->name, old->number);
        if (!defined && old && strcmp(e->key, old->e.key) == 0)
            return wb_format(
                "%.*s was made with the %s of cell [%d], which this cell defines anew: "
                "give the new one a cell of its own, then run cell [%d] again.",
                n, name, e->name, old->number, before->number);
    }
    return NULL;
}

/* A lambda's copy, where the variable itself was meant. */
static char *copied_by_lambda(const char *text, const char *excerpt) {
    bool changed = strcmp(text, "expression must be a modifiable lvalue") == 0;
    bool copied = strstr(text, "cannot be referenced -- it is a deleted function") != NULL;
    if ((!changed && !copied) || !excerpt || !strstr(excerpt, "[="))
        return NULL;
    return wb_format(
        "A lambda with [=] has copies of the variables that it uses%s; with [&] it uses "
        "the variables themselves.",
        changed ? wb_tr(", which it can't change") : wb_tr(", and one of these can't be copied"));
}

char *wb_hint(const wb_live *live, const wb_split *own, const char *text, const char *excerpt) {
    char *hint = hidden_name(live, text);
    hint = hint ? hint : library_name(text);
    hint = hint ? hint : function_and_variable(live, own, text);
    hint = hint ? hint : lambda_function(text);
    hint = hint ? hint : undefined_reference(text);
    hint = hint ? hint : own_name(text);
    hint = hint ? hint : wb_hint_cuda(text, excerpt);
    if (!hint && wb_hint_is_told(text))
        return NULL;
    hint = hint ? hint : host_function(live, own, text);
    hint = hint ? hint : host_variable(live, own, text);
    hint = hint ? hint : wb_hint_include(text, excerpt);
    hint = hint ? hint : copied_by_lambda(text, excerpt);
    hint = hint ? wb_closure_plain(hint) : array_size(text);
    return hint ? hint : wb_hint_spelling(live, own, text);
}
