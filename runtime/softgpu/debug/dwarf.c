/* dwarf.c: see dwarf.h. libdw reads the sections; here its entries become places of registers and
 * variables of the PTX. */
#include "runtime/base/base.h"
#include "runtime/softgpu/debug/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "runtime/softgpu/debug/image.h"

enum { DEEPEST = 32, MOST_SCALARS = 64 /* of a variable that each lane has */ };

typedef struct variable {
    Dwarf_Die die;
    const char *name;
    uint32_t function;  /* index in the module; UINT32_MAX: all functions share it */
    uint64_t from, to;  /* numbers of instructions (image.h) where the name means it */
    uint32_t parameter; /* its number among the function's parameters, from 1; 0: none */
    bool is_bound;      /* another cell's: BOUND and its name are a pointer to it */
} variable;

#define BOUND "__wb_device_" /* runtime/cells/live/device_vars.c */

struct dbg_info {
    const ptx_module *module;
    dbg_image image;
    Elf *elf;
    Dwarf *dwarf;
    variable *v, *inlined; /* outer ones come first */
    uint32_t n, n_inlined;
};

/* ---- all variables ------------------------------------------------------------------------- */

static void collect(dbg_info *d, Dwarf_Die *parent, const variable *outer, int depth) {
    Dwarf_Die die;
    uint32_t parameters = 0;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        variable inner = *outer;
        Dwarf_Addr from, to;
        bool block = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
                     tag == DW_TAG_inlined_subroutine;
        if (block && dwarf_lowpc(&die, &from) == 0 && dwarf_highpc(&die, &to) == 0) {
            inner.from = from;
            inner.to = to;
            for (uint32_t f = 0; f < d->module->n_functions; f++)
                if (tag == DW_TAG_subprogram && from >= d->image.first[f] &&
                    from - d->image.first[f] <= d->module->functions[f]->n_insts)
                    inner.function = f;
        }
        const char *name = dwarf_diename(&die);
        bool own = tag == DW_TAG_formal_parameter && dwarf_tag(parent) == DW_TAG_subprogram;
        inner.parameter = own ? ++parameters : 0;
        inner.die = die;
        inner.is_bound = name && wb_begins(name, BOUND);
        inner.name = name = inner.is_bound ? name + strlen(BOUND) : name;
        if (tag == DW_TAG_inlined_subroutine && name)
            WB_ADD(d->inlined, d->n_inlined, inner);
        if (block || tag == DW_TAG_namespace) {
            collect(d, &die, &inner, depth + 1);
        } else if (name && !wb_begins(name, "_Z") && !wb_begins(name, "__wb_") &&
                   (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)) {
            WB_ADD(d->v, d->n, inner);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

dbg_info *dbg_open(const ptx_module *module) {
    dbg_info *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->module = module;
    elf_version(EV_CURRENT);
    if (dbg_image_make(module, &d->image))
        d->elf = elf_memory(d->image.elf.data, d->image.elf.len);
    d->dwarf = d->elf ? dwarf_begin_elf(d->elf, DWARF_C_READ, NULL) : NULL;
    if (!d->dwarf) {
        dbg_close(d);
        return NULL;
    }
    size_t header;
    for (Dwarf_Off at = 0, next; dwarf_nextcu(d->dwarf, at, &next, &header, NULL, NULL, NULL) == 0;
         at = next) {
        Dwarf_Die unit;
        const variable outer = {.function = UINT32_MAX, .to = UINT64_MAX};
        if (dwarf_offdie(d->dwarf, at + header, &unit))
            collect(d, &unit, &outer, 0);
    }
    return d;
}

void dbg_close(dbg_info *d) {
    if (!d)
        return;
    dwarf_end(d->dwarf);
    elf_end(d->elf);
    dbg_image_free(&d->image);
    WB_FREE(d->v, d->inlined, d);
}

const ptx_module *dbg_module(const dbg_info *d) {
    return d->module;
}

/* ---- types --------------------------------------------------------------------------------- */

/* A number in a variable. */
typedef struct scalar {
    char name[200];
    enum sg_value_kind kind;
    enum sg_value_kind target; /* of a pointer */
    const char *type;
    uint32_t bytes, pointee;
    uint64_t offset;
} scalar;

/* A variable whose numbers are looked up. */
typedef struct search {
    dbg_list *list;
    uint32_t from; /* those before it in the list are another name's */
    const char *wanted;
    sg_watched array; /* is_array, rows, cols, stride */
    sg_value_place *places;
    uint32_t n_places, seen;
} search;

static bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) &&
           dwarf_peel_type(type, type) == 0;
}

static uint64_t size_of(Dwarf_Die *type) {
    Dwarf_Word bytes = 0;
    return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

static uint64_t constant(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? value : 0;
}

/* Returns the offset of a member, which DWARF 2 gives as an expression. */
static uint64_t member_offset(Dwarf_Die *member) {
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t n;
    if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
        return 0;
    if (dwarf_getlocation(&attribute, &ops, &n) == 0 && n == 1 && ops[0].atom == DW_OP_plus_uconst)
        return ops[0].number;
    return constant(member, DW_AT_data_member_location);
}

/* Returns the extents of an array: rows of `cols` elements. 0 rows: not known. */
static void extents(Dwarf_Die *array, uint64_t *rows, uint64_t *cols) {
    Dwarf_Die range;
    uint64_t last = 0;
    *rows = 1;
    *cols = 1;
    for (bool more = dwarf_child(array, &range) == 0; more;
         more = dwarf_siblingof(&range, &range) == 0) {
        if (dwarf_tag(&range) != DW_TAG_subrange_type)
            continue;
        *rows *= last ? last : 1;
        last = constant(&range, DW_AT_count);
        if (!last && dwarf_hasattr(&range, DW_AT_upper_bound))
            last = constant(&range, DW_AT_upper_bound) + 1;
        if (!last || *rows > 1u << 30 || last > 1u << 30) {
            *rows = 0;
            last = 1;
        }
    }
    *cols = last ? last : 1;
}

static bool is_scalar(Dwarf_Die *type, scalar *s) {
    const char *name = dwarf_diename(type);
    int tag = dwarf_tag(type);
    uint64_t encoding = constant(type, DW_AT_encoding), size = size_of(type);
    s->pointee = 0;
    s->type = name;
    if (tag == DW_TAG_structure_type && name && strcmp(name, "__half") == 0) {
        s->kind = SG_VALUE_HALF;
    } else if (tag == DW_TAG_structure_type && name && strcmp(name, "__nv_bfloat16") == 0) {
        s->kind = SG_VALUE_BFLOAT;
    } else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
               tag == DW_TAG_rvalue_reference_type) {
        Dwarf_Die target;
        scalar at = {.kind = SG_VALUE_OTHER};
        s->kind = SG_VALUE_POINTER;
        s->pointee = type_of(type, &target) ? (uint32_t)size_of(&target) : 0;
        int kind = s->pointee ? dwarf_tag(&target) : DW_TAG_pointer_type;
        bool number = kind == DW_TAG_base_type || kind == DW_TAG_structure_type;
        s->target = number && is_scalar(&target, &at) ? at.kind : SG_VALUE_OTHER;
        s->type = s->pointee ? dwarf_diename(&target) : NULL;
        size = 8;
    } else if (tag == DW_TAG_enumeration_type ||
               (tag == DW_TAG_base_type &&
                (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char))) {
        s->kind = SG_VALUE_SIGNED;
    } else if (tag == DW_TAG_base_type) {
        s->kind = encoding == DW_ATE_float ? SG_VALUE_FLOAT : SG_VALUE_UNSIGNED;
    } else {
        return false;
    }
    s->bytes = (uint32_t)size;
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- places -------------------------------------------------------------------------------- */

/* Writes the name that a register's number holds: %r1 is 0x257231. */
static void register_name(uint64_t number, char name[16]) {
    size_t n = 0;
    for (int k = 7; k >= 0; k--)
        if (number >> 8 * k & 0xff)
            name[n++] = (char)(number >> 8 * k & 0xff);
    name[n] = '\0';
}

static bool read_place(const dbg_info *d, const Dwarf_Op *ops, size_t n, sg_value_place *place) {
    char name[16];
    if (n == 1 && ops[0].atom == DW_OP_regx) {
        register_name(ops[0].number, name);
        place->is_register = true;
        return (place->name = strdup(name)) != NULL;
    }
    if (n < 1 || ops[0].atom != DW_OP_addr || n > 2 || (n == 2 && ops[1].atom != DW_OP_plus_uconst))
        return false;
    uint64_t symbol = ops[0].number >> 32, offset = n == 2 ? ops[1].number : 0;
    if (symbol < 1 || symbol > d->image.n_symbols || offset > INT32_MAX)
        return false;
    place->offset = (int64_t)((uint32_t)ops[0].number + offset);
    return (place->name = strdup(d->image.symbols[symbol - 1])) != NULL;
}

static bool writes(const ptx_operand *op, const char *name) {
    if (op->reg && op->kind == PTX_OP_REG && strcmp(op->reg->name, name) == 0)
        return true;
    for (uint32_t k = 0; k < op->n_items; k++)
        if (writes(&op->items[k], name))
            return true;
    return false;
}

/* Returns the index behind the first instruction that gives the variable a value: the first that
 * writes the register, or the first of its declaration's line. A place that holds for the whole
 * block says nothing about that. */
static uint32_t first_value(const dbg_info *d, const variable *v, const sg_value_place *place) {
    const ptx_function *f = d->module->functions[v->function];
    Dwarf_Die die = v->die;
    int line = 0;
    dwarf_decl_line(&die, &line);
    for (uint32_t i = place->from; i < place->to && i < f->n_insts; i++)
        if (place->is_register ? f->insts[i].n_ops && writes(&f->insts[i].ops[0], place->name)
                               : f->insts[i].loc.line >= (uint32_t)line)
            return i + 1;
    return place->to;
}

/* Returns the index in the function of an instruction's number. */
static uint32_t index_of(const dbg_info *d, const variable *v, uint64_t number) {
    if (v->function == UINT32_MAX)
        return number ? UINT32_MAX : 0;
    uint64_t first = d->image.first[v->function], n = d->module->functions[v->function]->n_insts;
    return number < first ? 0 : number - first > n ? (uint32_t)n + 1 : (uint32_t)(number - first);
}

static void add_place(sg_value_place **places, uint32_t *n, sg_value_place place) {
    sg_value_place *one = place.from < place.to ? WB_PUSH(*places, *n) : NULL;
    if (one)
        *one = place;
    else
        free(place.name);
}

/* Returns the place of a parameter until the function has loaded it. */
static sg_value_place argument(const dbg_info *d, const variable *v, uint32_t to) {
    const ptx_function *f = d->module->functions[v->function];
    return (sg_value_place){.to = to, .name = strdup(f->params[v->parameter - 1].name)};
}

/* Finds the places of a variable. The caller frees them. */
static sg_value_place *places_of(const dbg_info *d, const variable *v, uint32_t *n) {
    Dwarf_Die die = v->die;
    Dwarf_Attribute attribute;
    sg_value_place *places = NULL;
    Dwarf_Op *ops;
    size_t n_ops;
    *n = 0;
    if (!dwarf_attr_integrate(&die, DW_AT_location, &attribute))
        return NULL;
    if (dwarf_whatform(&attribute) == DW_FORM_block1) {
        sg_value_place place = {.from = index_of(d, v, v->from),
                                .to = index_of(d, v, v->to),
                                .is_pointer = v->is_bound};
        if (dwarf_getlocation(&attribute, &ops, &n_ops) == 0 && read_place(d, ops, n_ops, &place)) {
            if (v->function != UINT32_MAX &&
                (place.is_register || dwarf_tag(&die) == DW_TAG_variable))
                place.from = first_value(d, v, &place);
            if (place.is_register && v->parameter && place.from > 0 &&
                v->parameter <= d->module->functions[v->function]->n_params) /* not loaded yet */
                add_place(&places, n, argument(d, v, place.from));
            add_place(&places, n, place);
        }
        return places;
    }
    Dwarf_Addr base, from, to;
    for (ptrdiff_t at = 0;
         (at = dwarf_getlocations(&attribute, at, &base, &from, &to, &ops, &n_ops)) > 0;) {
        sg_value_place place = {.from = index_of(d, v, from > v->from ? from : v->from),
                                .to = index_of(d, v, to < v->to ? to : v->to)};
        if (read_place(d, ops, n_ops, &place))
            add_place(&places, n, place);
    }
    return places;
}

static void free_places(sg_value_place *places, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        free(places[k].name);
    free(places);
}

/* ---- names --------------------------------------------------------------------------------- */

static bool is_known(const dbg_info *d, const variable *v, const ptx_function *function) {
    return v->function == UINT32_MAX || d->module->functions[v->function] == function;
}

static const ptx_var *named(ptx_var *const *vars, uint32_t n, const char *name) {
    for (uint32_t k = 0; k < n; k++)
        if (strcmp(vars[k]->name, name) == 0)
            return vars[k];
    return NULL;
}

/* Returns true if the variable is in memory that the block shares. */
static bool is_shared(const dbg_info *d, const ptx_function *f, const search *s) {
    const char *name = s->n_places && !s->places[0].is_register ? s->places[0].name : "";
    const ptx_var *var = named(f->locals, f->n_locals, name);
    var = var ? var : named(d->module->globals, d->module->n_globals, name);
    return var && var->space != PTX_SPACE_LOCAL && var->space != PTX_SPACE_PARAM;
}

/* Adds a number to the list if it is meant ("p" means p.x and p.y), or the places to the number of
 * that name: the name may be declared in several blocks. */
static void add_number(search *s, const scalar *n) {
    size_t len = strlen(s->wanted);
    sg_watched *w = NULL;
    s->seen++;
    if (n->offset > INT32_MAX || strncmp(n->name, s->wanted, len) != 0 ||
        (n->name[len] && !strchr(".[", n->name[len])))
        return;
    for (uint32_t k = s->from; k < s->list->n && !w; k++)
        w = strcmp(s->list->v[k].name, n->name) == 0 ? &s->list->v[k] : NULL;
    if (w && (w->kind != n->kind || w->bytes != n->bytes || w->is_array || s->array.is_array))
        return;
    char *name = w ? NULL : strdup(n->name);
    if (name && (w = WB_PUSH(s->list->v, s->list->n)) != NULL) {
        *w = s->array;
        w->name = name;
        w->kind = n->kind;
        w->bytes = n->bytes;
        w->pointee = n->pointee;
        w->target = n->target;
        w->type = n->type;
    } else {
        free(name);
    }
    for (uint32_t k = 0; w && k < s->n_places; k++) {
        sg_value_place place = s->places[k];
        place.offset += (int64_t)n->offset;
        if ((place.name = strdup(place.name)) != NULL)
            add_place(&w->places, &w->n_places, place);
    }
}

/* Adds the numbers of a type. outer: the name so far and the offset. */
static void add_numbers(search *s, Dwarf_Die *type, const scalar *outer, int depth) {
    scalar next = *outer;
    Dwarf_Die member, inner;
    size_t len = strlen(next.name), room = sizeof next.name - len;
    if (depth > DEEPEST || s->seen >= MOST_SCALARS)
        return;
    if (is_scalar(type, &next)) {
        add_number(s, &next);
    } else if (dwarf_tag(type) == DW_TAG_array_type && type_of(type, &inner)) {
        uint64_t rows, cols, bytes = size_of(&inner);
        extents(type, &rows, &cols);
        for (uint64_t k = 0; k < rows * cols && s->seen < MOST_SCALARS; k++) {
            snprintf(next.name + len, room, rows > 1 ? "[%2$llu][%1$llu]" : "[%1$llu]",
                     (unsigned long long)(k % cols), (unsigned long long)(k / cols));
            next.offset = outer->offset + k * bytes;
            add_numbers(s, &inner, &next, depth + 1);
        }
    } else if (dwarf_child(type, &member) == 0) {
        do {
            const char *name = dwarf_diename(&member);
            if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &inner))
                continue;
            snprintf(next.name + len, room, ".%s", name ? name : "");
            next.offset = outer->offset + member_offset(&member);
            add_numbers(s, &inner, &next, depth + 1);
        } while (dwarf_siblingof(&member, &member) == 0);
    }
}

/* Adds what a variable's name means, if it is the name's. */
static void look_at(const dbg_info *d, const variable *v, const ptx_function *function, search *s) {
    Dwarf_Die die = v->die, type, element;
    scalar outer = {.offset = 0};
    size_t base = strcspn(s->wanted, ".[");
    if (strlen(v->name) != base || memcmp(v->name, s->wanted, base) != 0 || !type_of(&die, &type) ||
        (v->is_bound && !type_of(&type, &type)))
        return;
    s->places = places_of(d, v, &s->n_places);
    s->array = (sg_watched){.is_array = is_shared(d, function, s), .rows = 1, .cols = 1};
    if (s->array.is_array && dwarf_tag(&type) == DW_TAG_array_type && type_of(&type, &element)) {
        extents(&type, &s->array.rows, &s->array.cols);
        type = element;
    }
    s->array.stride = size_of(&type);
    s->seen = 0;
    snprintf(outer.name, sizeof outer.name, "%s", v->name);
    add_numbers(s, &type, &outer, 0);
    free_places(s->places, s->n_places);
}

bool dbg_watch(const dbg_info *d, const ptx_function *function, const char *name, dbg_list *list) {
    search s = {.list = list, .from = list->n, .wanted = name};
    for (int outside = 0; outside < 2 && list->n == s.from; outside++) /* its own hide others */
        for (uint32_t k = 0; k < d->n; k++)
            if (is_known(d, &d->v[k], function) && (d->v[k].function == UINT32_MAX) == outside)
                look_at(d, &d->v[k], function, &s);
    return list->n > s.from;
}

void dbg_list_free(dbg_list *list) {
    for (uint32_t k = 0; k < list->n; k++) {
        free(list->v[k].name);
        free_places(list->v[k].places, list->v[k].n_places);
    }
    free(list->v);
    *list = (dbg_list){0};
}

void dbg_parameters(const dbg_info *d, const ptx_function *kernel, wb_strings *names) {
    for (uint32_t k = 0; k < d->n; k++) {
        Dwarf_Die die = d->v[k].die;
        if (d->v[k].function != UINT32_MAX && d->module->functions[d->v[k].function] == kernel &&
            dwarf_tag(&die) == DW_TAG_formal_parameter)
            wb_strings_add(names, d->v[k].name);
    }
}

void dbg_names(const dbg_info *d, const ptx_function *function, wb_strings *names) {
    for (uint32_t k = 0; k < d->n; k++) {
        const variable *v = &d->v[k];
        bool here = is_known(d, v, function);
        for (size_t i = 0; here && i < names->n; i++)
            here = strcmp(names->v[i], v->name) != 0;
        if (here)
            wb_strings_add(names, v->name);
    }
}

uint32_t dbg_inlined_at(const dbg_info *d, const ptx_function *function, uint32_t at,
                        dbg_inlined *list, uint32_t most) {
    uint32_t n = 0;
    for (uint32_t k = d->n_inlined; k-- > 0 && n < most;) {
        variable *v = &d->inlined[k];
        if (v->function != UINT32_MAX && is_known(d, v, function) && v->from <= v->to &&
            index_of(d, v, v->from) <= at && at < index_of(d, v, v->to))
            list[n++] = (dbg_inlined){v->name, (uint32_t)constant(&v->die, DW_AT_call_line)};
    }
    return n;
}
