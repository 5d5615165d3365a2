/* section.c: `.section .debug_info { .b8 1 .b64 $L__tmp0 }`: DWARF as directives. Only modules for
 * debugging keep it, as a list of values. */
#include "runtime/softgpu/ptx/internal.h"

/* Skips the rest of a section, which may be nested. */
static void skip_section(ptx_parser *p) {
    for (unsigned depth = 1; depth > 0;) {
        char c = ptx_peek(p);
        if (p->at >= p->end)
            ptx_fail(p, _("a section has no end"));
        if (c == '"')
            ptx_string(p);
        else
            p->at++;
        depth += c == '{';
        depth -= c == '}';
    }
}

static void push(ptx_parser *p, ptx_datum datum) {
    *(ptx_datum *)ptx_push(p, &p->data, sizeof datum) = datum;
}

/* Parses 144, $L__tmp13 or .debug_loc+204. */
static void parse_datum(ptx_parser *p, ptx_datum datum) {
    if (!ptx_starts_number(p)) {
        bool section = ptx_peek(p) == '.';
        datum.name = (section ? ptx_directive(p) : ptx_ident(p, "a label or a number"))->text;
    }
    if (!datum.name || ptx_accept(p, '+'))
        datum.value = ptx_number(p).bits;
    push(p, datum);
}

void ptx_section_directive(ptx_parser *p) {
    const char *name = ptx_peek(p) == '.' ? ptx_directive(p)->text : "";
    while (ptx_peek(p) != '{' && p->at < p->end)
        p->at++;
    ptx_expect(p, '{');
    if (!p->debug || strncmp(name, "debug_", 6) != 0) {
        skip_section(p);
        return;
    }
    while (!ptx_accept(p, '}')) {
        ptx_datum datum = {.section = name};
        if (ptx_peek(p) != '.') {
            datum.name = ptx_ident(p, "a label")->text;
            ptx_expect(p, ':');
            push(p, datum);
            continue;
        }
        const char *type = ptx_directive(p)->text;
        datum.bytes = ptx_type_size(ptx_type_named(type));
        if (*type != 'b' || ptx_type_named(type) == PTX_NONE || datum.bytes > 8)
            ptx_fail(p, _("a section has no values of type .%.100s"), type);
        do
            parse_datum(p, datum);
        while (ptx_accept(p, ','));
    }
}
