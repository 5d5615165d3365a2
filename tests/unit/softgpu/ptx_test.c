/* ptx_test.c: the PTX front end. Most cases are data: tests/unit/softgpu/ptx/NAME.ptx is parsed and
 * written out again in a form of our own, which must be NAME.out; a text that must be refused has
 * `LINE: message` in its .out instead. Set WARPBOOK_UPDATE=1 to write the .out files anew, then
 * read the difference. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "runtime/base/base.h"
#include "runtime/softgpu/ptx/ptx.h"

static const char *const type_names[] = {
    "none", "b8",  "b16", "b32", "b64",   "b128", "u8",     "u16",  "u32", "u64", "s8",
    "s16",  "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64", "pred"};
static const char *const space_names[] = {"generic", "reg",   "const", "global",
                                          "local",   "param", "shared"};

/* ---- a module as text ----------------------------------------------------------------------- */

static void put_offset(wb_buf *out, int64_t offset) {
    if (offset)
        wb_buf_printf(out, "%+lld", (long long)offset);
}

static void put_operand(wb_buf *out, const ptx_operand *o);

static void put_items(wb_buf *out, const ptx_operand *o, const char *brackets) {
    wb_buf_putc(out, brackets[0]);
    for (uint32_t i = 0; i < o->n_items; i++) {
        wb_buf_puts(out, i ? ", " : "");
        put_operand(out, &o->items[i]);
    }
    wb_buf_putc(out, brackets[1]);
}

static void put_operand(wb_buf *out, const ptx_operand *o) {
    switch (o->kind) {
    case PTX_OP_NONE:
        wb_buf_putc(out, '_');
        break;
    case PTX_OP_REG:
        wb_buf_printf(out, "%s%s#%u:%s", o->negated ? "!" : "", o->reg->name, o->reg->index,
                      type_names[o->reg->type]);
        if (o->component)
            wb_buf_printf(out, ".%u", o->component);
        break;
    case PTX_OP_IMM:
        wb_buf_printf(out, o->is_float ? "float%u:%llx" : "%.0u%lld", o->is_float,
                      (long long)o->imm);
        break;
    case PTX_OP_SPECIAL:
        wb_buf_printf(out, "<%s>", o->name);
        break;
    case PTX_OP_ADDR:
        wb_buf_putc(out, '[');
        if (o->reg)
            wb_buf_printf(out, "%s#%u", o->reg->name, o->reg->index);
        if (o->var)
            wb_buf_printf(out, "%s %s", space_names[o->var->space], o->var->name);
        wb_buf_printf(out, "%+lld", (long long)o->imm);
        if (o->n_items)
            put_items(out, o, "()");
        wb_buf_putc(out, ']');
        break;
    case PTX_OP_SYMBOL:
        wb_buf_printf(out, "&%s", o->name);
        if (o->function)
            wb_buf_puts(out, "()");
        put_offset(out, o->imm);
        break;
    case PTX_OP_VECTOR:
        put_items(out, o, "{}");
        break;
    case PTX_OP_PAIR:
        put_items(out, o, "||");
        break;
    case PTX_OP_LABEL:
        wb_buf_printf(out, "->%u", o->target);
        break;
    case PTX_OP_CALLEE:
        if (o->reg)
            wb_buf_printf(out, "*%s#%u", o->reg->name, o->reg->index);
        else
            wb_buf_printf(out, "%s%s", o->name, o->function->is_declaration ? " (extern)" : "");
        break;
    case PTX_OP_LIST:
        put_items(out, o, "()");
        break;
    }
}

static void put_inst(wb_buf *out, const ptx_inst *inst, uint32_t at, uint32_t reconv) {
    wb_buf_printf(out, "  %3u %u:%u  ", at, inst->loc.file, inst->loc.line);
    if (inst->guard)
        wb_buf_printf(out, "@%s%s#%u ", inst->guard_negated ? "!" : "", inst->guard->name,
                      inst->guard->index);
    wb_buf_puts(out, inst->opcode);
    for (uint32_t i = 0; i < inst->n_mods; i++)
        wb_buf_printf(out, " .%s", inst->mods[i]);
    for (uint32_t i = 0; i < inst->n_ops; i++) {
        wb_buf_puts(out, i ? ", " : " | ");
        put_operand(out, &inst->ops[i]);
    }
    for (uint32_t i = 0; i < inst->n_targets; i++)
        wb_buf_printf(out, " ->%u", inst->targets[i]);
    if (reconv != UINT32_MAX)
        wb_buf_printf(out, "  meets %u", reconv);
    wb_buf_putc(out, '\n');
}

static void put_var(wb_buf *out, const char *label, const ptx_var *v) {
    wb_buf_printf(out, "%s %s %s %s", label, space_names[v->space], type_names[v->type], v->name);
    wb_buf_printf(out, " x%llu align %u, %llu bytes", (unsigned long long)v->elements * v->vector,
                  v->align, (unsigned long long)v->size);
    wb_buf_printf(out, "%s%s%s", v->is_extern ? " extern" : "", v->is_weak ? " weak" : "",
                  v->is_managed ? " managed" : "");
    for (uint64_t i = 0; v->init && i < v->size; i++)
        wb_buf_printf(out, "%s%02x", i ? (i % 4 ? "" : " ") : " = ", v->init[i]);
    for (uint32_t i = 0; i < v->n_relocs; i++) {
        const struct ptx_reloc *r = &v->relocs[i];
        wb_buf_printf(out, " @%llu %s", (unsigned long long)r->offset, r->symbol);
        put_offset(out, r->addend);
        if (~r->mask)
            wb_buf_printf(out, " & %llx", (unsigned long long)r->mask);
    }
    wb_buf_putc(out, '\n');
}

static void put_function(wb_buf *out, const ptx_function *f) {
    wb_buf_printf(out, "%s %s%s%s\n", f->is_entry ? "entry" : "func", f->name,
                  f->is_declaration ? " declared" : "", f->is_weak ? " weak" : "");
    for (uint32_t i = 0; i < f->n_returns; i++)
        put_var(out, "  returns", &f->returns[i]);
    for (uint32_t i = 0; i < f->n_params; i++) {
        wb_buf_printf(out, "  at %u", f->param_offsets[i]);
        put_var(out, "", &f->params[i]);
    }
    for (int i = 0; i < 3; i++)
        if (f->maxntid[i] || f->reqntid[i])
            wb_buf_printf(out, "  threads[%d] max %u required %u\n", i, f->maxntid[i],
                          f->reqntid[i]);
    for (uint32_t i = 0; i < f->n_locals; i++)
        put_var(out, "  local", f->locals[i]);
    uint32_t *reconv = ptx_reconvergence(f);
    assert_non_null(reconv);
    for (uint32_t i = 0; i < f->n_insts; i++)
        put_inst(out, &f->insts[i], i, reconv[i]);
    free(reconv);
}

static void put_module(wb_buf *out, const ptx_module *m) {
    wb_buf_printf(out, "ptx %u.%u for sm_%u\n", m->version_major, m->version_minor, m->target);
    for (uint32_t i = 1; i < m->n_files; i++)
        wb_buf_printf(out, "file %u %s\n", i, m->files[i]);
    for (uint32_t i = 0; i < m->n_globals; i++)
        put_var(out, "global", m->globals[i]);
    for (uint32_t i = 0; i < m->n_functions; i++)
        put_function(out, m->functions[i]);
}

static void put_parsed(wb_buf *out, const char *text, size_t len) {
    ptx_error err;
    ptx_module *module = ptx_link(text, len, &err);
    if (module)
        put_module(out, module);
    else
        wb_buf_printf(out, "%u: %s\n", err.ptx_line, err.text);
    ptx_free(module);
}

/* ---- cases as data -------------------------------------------------------------------------- */

static void read_file(const char *path, wb_buf *out) {
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    if (!file)
        fail_msg("%s is missing", path);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        wb_buf_append(out, chunk, n);
    fclose(file);
}

static void check_case(const char *name) {
    wb_buf text = {0}, want = {0}, got = {0};
    char *path = wb_format("tests/unit/softgpu/ptx/%s.ptx", name),
         *out_path = wb_format("tests/unit/softgpu/ptx/%s.out", name);
    read_file(path, &text);
    for (char *at = text.data; at && (at = strstr(at, "\n//NUL\n"));) /* of several sources */
        *at = '\0', at += strlen("\n//NUL\n");
    put_parsed(&got, text.data ? text.data : "", text.len);
    if (getenv("WARPBOOK_UPDATE")) {
        FILE *file = fopen(out_path, "wb");
        assert_non_null(file);
        fwrite(got.data, 1, got.len, file);
        fclose(file);
    }
    read_file(out_path, &want);
    if (strcmp(want.data, got.data) != 0)
        fail_msg("%s: got\n%s\ninstead of\n%s", path, got.data, want.data);
    wb_buf_free(&text);
    wb_buf_free(&want);
    wb_buf_free(&got);
    free(path);
    free(out_path);
}

static void data_cases(void **state) {
    (void)state;
    DIR *dir = opendir("tests/unit/softgpu/ptx");
    int count = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".ptx") != 0)
            continue;
        *dot = 0;
        check_case(e->d_name);
        count++;
    }
    closedir(dir);
    assert_true(count >= 10);
}

/* ---- what takes more than a file ---- */

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static ptx_module *parse(const char *text) {
    ptx_error err = {0};
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    if (!m)
        fail_msg("line %u: %s", err.ptx_line, err.text);
    return m;
}

/* A prefix of a text, however short, is parsed or refused with a sentence. */
static void every_prefix(void **state) {
    (void)state;
    wb_buf text = {0};
    read_file("tests/unit/softgpu/ptx/calls.ptx", &text);
    for (size_t n = 0; n < text.len; n++) {
        ptx_error err = {0};
        ptx_module *m = ptx_parse(text.data, n, &err);
        assert_true(m || err.text[0]);
        ptx_free(m);
    }
    wb_buf_free(&text);
}

static void long_names(void **state) {
    (void)state;
    wb_buf text = {0};
    wb_buf_puts(&text, HEAD ".visible .entry ");
    for (int i = 0; i < 20000; i++)
        wb_buf_putc(&text, 'x');
    wb_buf_puts(&text, "() { ret; }");
    ptx_module *m = parse(text.data);
    assert_int_equal(strlen(m->functions[0]->name), 20000);
    assert_ptr_equal(ptx_find(m, m->functions[0]->name), m->functions[0]);
    assert_null(ptx_find(m, "x"));
    ptx_free(m);
    wb_buf_free(&text);
}

static void modifiers_are_interned(void **state) {
    (void)state;
    ptx_module *m = parse(HEAD ".entry k() { .reg .b32 %r<3>; add.s32 %r1, %r2, 1; "
                               "ld.global.s32 %r1, [0]; }");
    const ptx_inst *insts = m->functions[0]->insts;
    assert_ptr_equal(insts[0].mods[0], insts[1].mods[1]);
    ptx_free(m);
}

/* Registers are made when they are used: a huge range costs nothing. */
static void ranges_are_lazy(void **state) {
    (void)state;
    ptx_module *m = parse(HEAD ".entry k() { .reg .b32 %r<4000000000>; "
                               "mov.u32 %r3999999999, %r7; }");
    assert_int_equal(m->functions[0]->n_regs, 2);
    ptx_free(m);
}

/* A ladder of 40,000 diamonds, nested loops' worth of blocks: linear or nearly so. */
static void large_graph(void **state) {
    (void)state;
    wb_buf text = {0};
    enum { STEPS = 40000 };
    wb_buf_puts(&text, HEAD ".entry k() { .reg .pred p; .reg .b32 r;\n");
    for (int i = 0; i < STEPS; i++)
        wb_buf_printf(&text, "@p bra A%d; mov.u32 r, 1; bra B%d; A%d: mov.u32 r, 2; B%d:\n", i, i,
                      i, i);
    for (int i = 0; i < STEPS; i++) /* and as many back edges, which the simple algorithms hate */
        wb_buf_printf(&text, "C%d: @p bra B%d;\n", i, STEPS - 1 - i);
    wb_buf_puts(&text, "ret; }");
    clock_t start = clock(); /* of this process: others may have the machine */
    ptx_module *m = parse(text.data);
    uint32_t *reconv = ptx_reconvergence(m->functions[0]);
    assert_non_null(reconv);
    assert_int_equal(reconv[0], 4);
    assert_int_equal(reconv[4], 8);
    assert_true((clock() - start) / CLOCKS_PER_SEC < 10);
    free(reconv);
    ptx_free(m);
    wb_buf_free(&text);
}

/* Branches in a loop that nothing leaves meet before its next turn: lanes do not wait for each
 * other on a way that some never take. */
static void endless_loops(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t branch, meets;
    } loops[] = {
        {"bra.uni H; L: bar.sync 0; mov.u32 r, 1; H: @p bra L; mov.u32 r, 2; bra.uni L; }", 3, 1},
        {"H: mov.u32 r, 1; @p bra B; mov.u32 r, 2; bra.uni H; B: mov.u32 r, 3; bra.uni H; }", 1,
         6}, /* it begins with a branch and goes back from two places: nowhere */
        {"H: mov.u32 r, 0; bra.uni I; I: @p bra B; mov.u32 r, 2; bra.uni H; B: mov.u32 r, 3; "
         "bra.uni H; }",
         2, 0}};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        char text[400];
        snprintf(text, sizeof text, HEAD ".entry k() { .reg .pred p; .reg .b32 r; %s",
                 loops[i].text);
        ptx_module *m = parse(text);
        uint32_t *reconv = ptx_reconvergence(m->functions[0]);
        assert_non_null(reconv);
        assert_int_equal(reconv[loops[i].branch], loops[i].meets);
        free(reconv);
        ptx_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_cases),      cmocka_unit_test(every_prefix),
        cmocka_unit_test(long_names),      cmocka_unit_test(modifiers_are_interned),
        cmocka_unit_test(ranges_are_lazy), cmocka_unit_test(large_graph),
        cmocka_unit_test(endless_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
