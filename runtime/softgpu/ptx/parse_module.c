/* parse_module.c: a whole text: everything outside functions, and the parser's entry and exit. */
#include "runtime/softgpu/ptx/internal.h"

enum { FIRST_BUCKETS = 1024 };

static uint32_t parse_digits(ptx_parser *p, const char *what) {
    char excerpt[48];
    if (!(ptx_char_class[(unsigned char)ptx_peek(p)] & PTX_C_DIGIT))
        ptx_fail(p, _("expected %s, found %s"), what, ptx_excerpt(p, excerpt));
    char *end;
    unsigned long value = strtoul(p->at, &end, 10);
    p->at = end;
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void parse_version(ptx_parser *p) {
    p->module->version_major = parse_digits(p, "a version such as 9.0");
    ptx_expect(p, '.');
    p->module->version_minor = parse_digits(p, "a version such as 9.0");
}

static void parse_target(ptx_parser *p) {
    do {
        ptx_symbol *name = ptx_ident(p, "a target such as sm_90");
        if (strncmp(name->text, "sm_", 3) == 0 || strncmp(name->text, "compute_", 8) == 0) {
            unsigned long target = strtoul(strchr(name->text, '_') + 1, NULL, 10);
            p->module->target = target > UINT32_MAX ? UINT32_MAX : (uint32_t)target;
        }
        p->debug |= ptx_is(name, "debug");
    } while (ptx_accept(p, ','));
}

static void parse_address_size(ptx_parser *p) {
    if (ptx_integer(p, UINT64_MAX, "the address size") != 64)
        ptx_fail(p, _("only 64-bit PTX runs here; compile without -m32"));
}

static void parse_alias(ptx_parser *p) {
    ptx_alias *a = ptx_push(p, &p->aliases, sizeof *a);
    a->line = p->line;
    a->alias = ptx_ident(p, "a function's name");
    ptx_expect(p, ',');
    a->target = ptx_ident(p, "a function's name");
    ptx_expect(p, ';');
}

static void parse_top(ptx_parser *p) {
    ptx_linkage linkage = {0};
    char excerpt[48];
    for (;;) {
        if (ptx_peek(p) != '.')
            ptx_fail(p, _("expected a directive, found %s"), ptx_excerpt(p, excerpt));
        ptx_symbol *name = ptx_directive(p);
        int space = ptx_space_named(name->text);
        if (space >= 0) {
            ptx_variables(p, (ptx_space)space, linkage);
            return;
        }
        if (ptx_is(name, "entry") || ptx_is(name, "func")) {
            ptx_function_parse(p, ptx_is(name, "entry"), linkage);
            return;
        }
        if (ptx_is(name, "extern"))
            linkage.is_extern = true;
        else if (ptx_is(name, "weak") || ptx_is(name, "common"))
            linkage.is_weak = true;
        else if (!ptx_is(name, "visible")) {
            void (*parse)(ptx_parser *) = ptx_is(name, "version")        ? parse_version
                                          : ptx_is(name, "target")       ? parse_target
                                          : ptx_is(name, "address_size") ? parse_address_size
                                          : ptx_is(name, "file")         ? ptx_file_directive
                                          : ptx_is(name, "section")      ? ptx_section_directive
                                          : ptx_is(name, "loc")          ? ptx_loc_directive
                                          : ptx_is(name, "alias")        ? parse_alias
                                          : ptx_is(name, "pragma")       ? ptx_pragma
                                                                         : NULL;
            if (!parse)
                ptx_fail(p, _("the directive '.%.100s' is not known"), name->text);
            parse(p);
            return;
        }
    }
}

/* Makes each f of .alias f, g another name of g. Existing pointers to f stay valid. */
static void settle_aliases(ptx_parser *p) {
    const ptx_alias *aliases = p->aliases.data;
    for (uint32_t i = 0; i < p->aliases.count; i++) {
        const ptx_binding *alias = aliases[i].alias->binding, *target = aliases[i].target->binding;
        p->line = aliases[i].line;
        if (!alias || !alias->function || !target || !target->function ||
            target->function->is_declaration)
            ptx_fail(p, _(".alias needs a declared function and one with a body"));
        const char *name = alias->function->name;
        *alias->function = *target->function;
        alias->function->name = name;
    }
}

static void parse_all(ptx_parser *p) {
    p->n_buckets = FIRST_BUCKETS;
    p->buckets = ptx_alloc(p, FIRST_BUCKETS * sizeof *p->buckets);
    while (ptx_peek(p) || p->at < p->end)
        parse_top(p);
    if (p->module->version_major == 0)
        ptx_fail(p, _("this is not PTX: it has no .version"));
    ptx_settle_locs(p);
    settle_aliases(p); /* from here on, functions share instructions */
    ptx_module *m = p->module;
    m->globals = ptx_take(p, &p->globals, 0, sizeof *m->globals, &m->n_globals);
    m->functions = ptx_take(p, &p->functions, 0, sizeof *m->functions, &m->n_functions);
    m->labels = ptx_take(p, &p->labels, 0, sizeof *m->labels, &m->n_labels);
    m->data = ptx_take(p, &p->data, 0, sizeof *m->data, &m->n_data);
    m->files = ptx_take(p, &p->files, 0, sizeof *m->files, &m->n_files);
}

static void free_parser(ptx_parser *p) {
    ptx_vec *vecs[] = {&p->globals, &p->functions, &p->files,    &p->aliases,    &p->regs,
                       &p->locals,  &p->insts,     &p->operands, &p->label_refs, &p->params,
                       &p->relocs,  &p->targets,   &p->places,   &p->labels,     &p->data};
    for (size_t i = 0; i < sizeof vecs / sizeof vecs[0]; i++)
        free(vecs[i]->data);
    free(p->text);
    free(p);
}

/* Copies the text with a NUL behind it, so that reading one character ahead needs no check. */
static bool take_text(ptx_parser *p, const char *text, size_t len) {
    while (len > 0 && text[len - 1] == 0)
        len--;
    p->text = malloc(len + 1);
    if (!p->text)
        return false;
    memcpy(p->text, text, len);
    p->text[len] = 0;
    p->at = p->text;
    p->end = p->text + len;
    p->line = 1;
    return true;
}

ptx_module *ptx_parse(const char *text, size_t len, ptx_error *err) {
    ptx_error unwanted;
    ptx_parser *const p = calloc(1, sizeof *p);
    ptx_arena *const arena = ptx_arena_new();
    ptx_module *const module = arena ? ptx_arena_alloc(arena, sizeof *module) : NULL;
    err = err ? err : &unwanted;
    *err = (ptx_error){0};
    volatile bool parsed = false; /* keeps its value across setjmp */
    if (p && module && take_text(p, text, len)) {
        p->err = err;
        p->arena = module->arena = arena;
        p->module = module;
        if (setjmp(p->on_error) == 0) {
            parse_all(p);
            parsed = true;
        }
    } else {
        strcpy(err->text, "out of memory");
    }
    if (p)
        free_parser(p);
    if (parsed)
        return module;
    ptx_arena_free(arena);
    return NULL;
}

void ptx_free(ptx_module *module) {
    for (uint32_t i = 0; module && i < module->n_parts; i++)
        ptx_free(module->parts[i]);
    if (module)
        ptx_arena_free(module->arena);
}

ptx_function *ptx_find(const ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (strcmp(module->functions[i]->name, name) == 0)
            return module->functions[i];
    return NULL;
}
