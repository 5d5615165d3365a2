/* loc.c: the source line of an instruction.
 *
 * A .loc may name the place where its code was inlined, which another .loc before it may have
 * inlined in turn. Lines in the toolkit's headers (atomicAdd) do not help the user, so such code
 * gets the line of its caller. File names may follow at the end of the text, so lines are settled
 * last. */
#include "runtime/softgpu/ptx/internal.h"

enum { MAX_FILES = 1 << 16, MAX_INLINING = 64, LOOK_BACK = 64 };

/* Parses .file 1 "name.cu", maybe followed by time and size. */
void ptx_file_directive(ptx_parser *p) {
    uint32_t number = (uint32_t)ptx_integer(p, MAX_FILES, "the number of a file");
    while (p->files.count <= number)
        *(const char **)ptx_push(p, &p->files, sizeof(const char *)) = "";
    const char *name = ptx_string(p);
    ((const char **)p->files.data)[number] = name;
    while (ptx_accept(p, ','))
        ptx_number(p);
}

static ptx_place parse_place(ptx_parser *p) {
    ptx_place place = {0};
    place.file = (uint32_t)ptx_number(p).bits;
    place.line = (uint32_t)ptx_number(p).bits;
    place.column = (uint32_t)ptx_number(p).bits;
    return place;
}

static uint32_t push_place(ptx_parser *p, ptx_place place) {
    *(ptx_place *)ptx_push(p, &p->places, sizeof place) = place;
    return p->places.count - 1;
}

/* Returns the number of the place where code is inlined. The caller's .loc is shortly before. */
static uint32_t find_caller(ptx_parser *p, ptx_place wanted) {
    const ptx_place *places = p->places.data;
    for (uint32_t i = p->places.count, n = 0; i-- > 1 && n < LOOK_BACK; n++)
        if (places[i].file == wanted.file && places[i].line == wanted.line &&
            places[i].column == wanted.column)
            return i;
    return push_place(p, wanted);
}

/* Parses .loc 1 24 2, function_name $L__info_string3+16, inlined_at 1 30 7 */
void ptx_loc_directive(ptx_parser *p) {
    if (p->places.count == 0)
        push_place(p, (ptx_place){0});
    ptx_place place = parse_place(p);
    while (ptx_accept(p, ',')) {
        if (ptx_accept_word(p, "function_name")) {
            ptx_ident(p, "a label");
            if (ptx_accept(p, '+'))
                ptx_number(p);
        } else if (ptx_accept_word(p, "inlined_at")) {
            place.caller = find_caller(p, parse_place(p));
        } else {
            ptx_fail(p, _("what follows this .loc is not known"));
        }
    }
    p->place = push_place(p, place);
}

/* Returns true for /usr/local/cuda/include/..., /usr/local/cuda/targets/x86_64-linux/include/...
 * and site-packages/nvidia/cu13/include/... */
static bool is_toolkit_header(const char *name) {
    const char *include = strstr(name, "/include/");
    const char *owner = strstr(name, "/cuda");
    owner = owner ? owner : strstr(name, "/nvidia/");
    return include && owner && owner < include;
}

static ptx_loc settle(const ptx_place *places, uint32_t at, const bool *is_toolkit,
                      uint32_t n_files) {
    for (int n = 0; n < MAX_INLINING; n++) {
        const ptx_place *place = &places[at];
        bool hidden = place->file < n_files && is_toolkit[place->file];
        if (!hidden || !place->caller)
            break;
        at = place->caller;
    }
    return (ptx_loc){.file = places[at].file, .line = places[at].line};
}

void ptx_settle_locs(ptx_parser *p) {
    const char *const *files = p->files.data;
    const ptx_place *places = p->places.data;
    ptx_function *const *functions = p->functions.data;
    bool *is_toolkit = ptx_alloc(p, p->files.count + 1);
    for (uint32_t i = 0; i < p->files.count; i++)
        is_toolkit[i] = is_toolkit_header(files[i]);
    ptx_loc *settled = ptx_alloc(p, (p->places.count + 1) * sizeof *settled);
    for (uint32_t i = 1; i < p->places.count; i++)
        settled[i] = settle(places, i, is_toolkit, p->files.count);
    for (uint32_t i = 0; i < p->functions.count; i++) {
        ptx_function *f = functions[i];
        for (uint32_t k = 0; k < f->n_insts; k++) {
            f->insts[k].loc = settled[f->insts[k].loc.line];
            if (f->loc.line == 0)
                f->loc = f->insts[k].loc;
        }
    }
}
