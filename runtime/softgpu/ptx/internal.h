/* internal.h: private to the parser's files.
 *
 * The parser makes one pass over the text. Every name is interned once. Its symbol carries the
 * current meaning of the name, so looking up a register is one hash. Scopes undo their bindings at
 * their end. Errors, including out of memory, leave by longjmp from ptx_fail() to ptx_parse(). So
 * no function returns one. All memory is in the arena or in a ptx_vec of the parser.
 */
#pragma once

#include <setjmp.h>
#include "runtime/base/base.h"
#include "runtime/softgpu/ptx/ptx.h"

/* ---- memory (arena.c) ----------------------------------------------------------------- */

typedef struct ptx_arena ptx_arena;

ptx_arena *ptx_arena_new(void);
void *ptx_arena_alloc(ptx_arena *arena, size_t bytes); /* zeroed, 8-aligned; NULL: no memory */
void ptx_arena_free(ptx_arena *arena);

/* A growing array, freed with the parser. */
typedef struct ptx_vec {
    void *data;
    uint32_t count, cap;
} ptx_vec;

/* ---- names -------------------------------------------------------------------------------- */

/* "ld.global.nc.f32" split into parts, once for each spelling. */
typedef struct ptx_head {
    const char *opcode;
    const char *const *mods;
    uint32_t n_mods;
    enum { PTX_HEAD_PLAIN, PTX_HEAD_CALL, PTX_HEAD_BRANCH, PTX_HEAD_BRX } kind;
} ptx_head;

/* The meaning of a name in one scope: a variable or a function. */
typedef struct ptx_binding {
    struct ptx_symbol *symbol;
    struct ptx_binding *outer;    /* its earlier meaning */
    struct ptx_binding *in_scope; /* next in the scope's list */
    ptx_var *var;
    ptx_function *function;
    uint32_t depth;
} ptx_binding;

/* `.reg .b32 %r<100>`. Each register is created at its first use. */
typedef struct ptx_range {
    struct ptx_symbol *prefix;
    struct ptx_range *outer, *in_scope;
    uint64_t count;
    ptx_type type;
    uint32_t vector, depth;
} ptx_range;

typedef enum ptx_label_kind {
    PTX_LABEL_CODE,
    PTX_LABEL_TARGETS,
    PTX_LABEL_PROTOTYPE
} ptx_label_kind;

typedef struct ptx_label {
    struct ptx_symbol *symbol;
    struct ptx_label *outer, *in_scope;
    ptx_label_kind kind;
    uint32_t depth;
    uint32_t inst;     /* CODE: its instruction */
    uint32_t *targets; /* TARGETS */
    uint32_t n_targets;
} ptx_label;

typedef struct ptx_symbol {
    struct ptx_symbol *next; /* in its hash bucket */
    ptx_binding *binding;
    ptx_label *label;
    ptx_range *range;
    const ptx_head *head;
    uint32_t hash, len;
    char text[];
} ptx_symbol;

/* ---- the parser --------------------------------------------------------------------------- */

enum { PTX_MAX_DEPTH = 128, PTX_MAX_DIMS = 8 };

typedef struct ptx_scope {
    ptx_binding *bindings;
    ptx_range *ranges;
    ptx_label *labels;
    uint32_t first_ref; /* at the start of the scope */
} ptx_scope;

typedef struct ptx_label_ref {
    ptx_symbol *symbol;
    ptx_label_kind kind;
    uint32_t *slot;      /* CODE: receives the instruction's index */
    uint32_t inst, line; /* inst: TARGETS: the branch, which receives them */
} ptx_label_ref;

/* One .loc. During parsing, an instruction's loc.line is the index of its place. */
typedef struct ptx_place {
    uint32_t file, line, column;
    uint32_t caller; /* the place where it is inlined; 0: unknown */
} ptx_place;

typedef struct ptx_alias {
    ptx_symbol *alias, *target;
    uint32_t line;
} ptx_alias;

typedef struct ptx_parser {
    const char *at; /* NUL-terminated */
    const char *end;
    uint32_t line;
    jmp_buf on_error;
    ptx_error *err;
    ptx_module *module;
    ptx_arena *arena;
    char *text;

    ptx_symbol **buckets;
    uint32_t n_symbols, n_buckets;
    ptx_scope scopes[PTX_MAX_DEPTH];
    uint32_t depth;         /* 0: the module's scope */
    uint32_t nested_ranges; /* ranges of registers in nested scopes of the function */
    uint64_t init_bytes;    /* bytes of initial values so far */

    ptx_vec globals, functions, files,
        aliases; /* ptx_var*, ptx_function*, const char*, ptx_alias */

    ptx_function *function;                /* under construction */
    ptx_vec regs, locals, insts, operands; /* ptx_var*, ptx_var*, ptx_inst, ptx_operand */
    ptx_vec label_refs;
    ptx_vec params, relocs, targets; /* of the current declaration */
    ptx_vec places;                  /* ptx_place; the first is unknown */
    uint32_t place;                  /* of the next instructions */
    bool debug;                      /* the target says so: labels and sections are kept */
    ptx_vec labels, data;            /* ptx_label_place, ptx_datum */
    bool nounroll;                   /* of the next instruction */
} ptx_parser;

_Noreturn void ptx_fail(ptx_parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void *ptx_alloc(ptx_parser *p, size_t bytes);
/* Returns a new zeroed item of `size` bytes at the end. */
void *ptx_push(ptx_parser *p, ptx_vec *vec, size_t size);
/* Moves items [from, count) to the arena. Returns NULL if there are none. */
void *ptx_take(ptx_parser *p, ptx_vec *vec, uint32_t from, size_t size, uint32_t *count);

/* ---- lexing (lex.c) ------------------------------------------------------------------- */

enum { PTX_C_IDENT = 1, PTX_C_START = 2, PTX_C_DIGIT = 4, PTX_C_SPACE = 8 };
extern const uint8_t ptx_char_class[256];

ptx_symbol *ptx_intern(ptx_parser *p, const char *text, size_t len);
ptx_symbol *ptx_symbol_find(ptx_parser *p, const char *text, size_t len); /* NULL: unknown name */
char ptx_peek(ptx_parser *p); /* skips blanks and comments; 0 at the end */
bool ptx_accept(ptx_parser *p, char c);
void ptx_expect(ptx_parser *p, char c);
ptx_symbol *ptx_ident(ptx_parser *p, const char *what); /* `what` is for the message */
ptx_symbol *ptx_head_or_label(ptx_parser *p);           /* "ld.global.f32" or "$L1" */
ptx_symbol *ptx_directive(ptx_parser *p);               /* ".reg": the symbol of "reg" */
bool ptx_accept_word(ptx_parser *p, const char *word);
const char *ptx_string(ptx_parser *p);
/* Returns up to 40 printable characters from here, for messages. */
const char *ptx_excerpt(const ptx_parser *p, char out[48]);
bool ptx_is(const ptx_symbol *symbol, const char *text);

/* ---- constant expressions (expr.c) ----------------------------------------------------- */

typedef struct ptx_value {
    uint8_t is_float; /* 0, 32 or 64, as in ptx_operand */
    bool is_unsigned;
    uint64_t bits;
} ptx_value;

ptx_value ptx_number(ptx_parser *p); /* one literal */
ptx_value ptx_expr(ptx_parser *p);
uint64_t ptx_integer(ptx_parser *p, uint64_t max, const char *what);
bool ptx_starts_number(ptx_parser *p);

/* ---- words (types.c) ------------------------------------------------------------------- */

ptx_special ptx_special_named(const char *name); /* "%tid.x", with its component */
int ptx_space_named(const char *name);           /* -1: no state space */

/* ---- scopes (scope.c) ------------------------------------------------------------------ */

void ptx_scope_open(ptx_parser *p);
void ptx_scope_close(ptx_parser *p);
void ptx_bind(ptx_parser *p, ptx_symbol *symbol, ptx_var *var, ptx_function *function);
void ptx_bind_range(ptx_parser *p, ptx_symbol *prefix, const ptx_range *range);
const ptx_binding *ptx_lookup(ptx_parser *p, ptx_symbol *symbol); /* NULL: not declared */
ptx_label *ptx_label_here(ptx_parser *p, ptx_symbol *symbol);
void ptx_label_use(ptx_parser *p, ptx_symbol *symbol, uint32_t *slot);

/* ---- declarations (vars.c) ------------------------------------------------------------- */

typedef struct ptx_linkage {
    bool is_extern, is_weak;
} ptx_linkage;

/* Parses `.align 8 .b8 x[16] = {...}, y;` after the state space. */
void ptx_variables(ptx_parser *p, ptx_space space, ptx_linkage linkage);
/* Parses `(.param .b32 a, .reg .u64 b)`. Binds nothing. */
ptx_var *ptx_parameters(ptx_parser *p, uint32_t *count);
void ptx_attribute(ptx_parser *p, bool *is_managed);

/* ---- source lines (loc.c) --------------------------------------------------------------- */

void ptx_loc_directive(ptx_parser *p);
void ptx_file_directive(ptx_parser *p);
void ptx_section_directive(ptx_parser *p); /* section.c */
void ptx_settle_locs(ptx_parser *p);       /* after all .file directives */

/* ---- functions and their bodies (parse_func.c, parse_body.c, parse_head.c, parse_inst.c) ---- */

void ptx_function_parse(ptx_parser *p, bool is_entry, ptx_linkage linkage);
void ptx_body(ptx_parser *p);
void ptx_function_directive(ptx_parser *p, ptx_function *f);
void ptx_prototype(ptx_parser *p);
void ptx_pragma(ptx_parser *p);
void ptx_instruction(ptx_parser *p, ptx_symbol *head, const ptx_var *guard, bool negated);
