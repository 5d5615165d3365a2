/* engine_kit.h: what the tests of the execution engine share: kernels as PTX text, run on two
 * arrays. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/softgpu/engine.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
/* A kernel k(out, in) with registers of every kind, thread number in %r1, its word's offset in
 * %rd3, addresses of its words of out and in in %rd1 and %rd2. */
#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 out, .param .u64 in)\n"                                         \
    "{ .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"                \
    ".reg .f32 %f<20>; .reg .f64 %fd<20>;\n"                                                       \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x;\n"                    \
    "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;\n"
#define END "ret; }\n"

static uint32_t *out, *in; /* 1024 words each */

static sg_module *load(const char *ptx) {
    sg_error err = {0};
    sg_module *m = sg_module_load(ptx, strlen(ptx), &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static char refusal[1200];

static int launch(sg_module *m, const char *name, uint32_t grid, uint32_t block, const void *params,
                  sg_launch *l) {
    sg_error err = {0};
    l->kernel = sg_module_kernel(m, name, &err);
    assert_non_null(l->kernel);
    l->grid[0] = grid;
    l->block[0] = block;
    l->grid[1] = l->grid[2] = l->block[1] = l->block[2] = 1;
    l->params = params;
    int code = sg_launch_run(l, &err);
    snprintf(refusal, sizeof refusal, "%s", err.text);
    return code;
}

/* Runs kernel k of `ptx` on the two arrays; a fault is left in *l. */
static int run(const char *ptx, uint32_t grid, uint32_t block, sg_launch *l) {
    sg_module *m = load(ptx);
    const void *params[2] = {out, in};
    int code = launch(m, "k", grid, block, params, l);
    sg_module_unload(m);
    return code;
}

static void succeed(const char *ptx, uint32_t grid, uint32_t block) {
    sg_launch l = {0};
    if (run(ptx, grid, block, &l))
        fail_msg("%s%s", l.fault.text, refusal);
}

/* The fault (or refusal) must have the code and its sentence each of the words. */
__attribute__((unused)) static void fails(const char *ptx, uint32_t block, unsigned options,
                                          int code, const char *word1, const char *word2) {
    sg_launch l = {.options = options};
    int got = run(ptx, 1, block, &l);
    const char *text = l.fault.code ? l.fault.text : refusal;
    if (got != code || !strstr(text, word1) || !strstr(text, word2))
        fail_msg("%d: %s", got, text);
    in[0] = 7; /* the engine still works */
    succeed(HEAD BEGIN "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2;" END, 1, 1);
    assert_int_equal(out[0], 7);
}

static int setup(void **state) {
    (void)state;
    out = sg_mem_alloc(4096, SG_MEM_DEVICE, "out", NULL);
    in = sg_mem_alloc(4096, SG_MEM_DEVICE, "in", NULL);
    memset(out, 0, 4096);
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = i * 2654435761u;
    return !out || !in;
}
static int teardown(void **state) {
    (void)state;
    sg_mem_free(out);
    sg_mem_free(in);
    return 0;
}

/* The tests once more, in a child, with the handlers of another instruction set. */
static int with_isa(const char *program, const char *isa) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("WARPBOOK_SOFTGPU_ISA", isa, 1);
        setenv("ENGINE_TEST_CHILD", "1", 1);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}
static const char *self;

/* Weak as in exec/exec.c: a sanitized build has this CPU's set alone. */
extern const char sg_table_int_base[] __attribute__((weak));
extern const char sg_table_int_avx2[] __attribute__((weak));

__attribute__((unused)) static void test_other_instruction_sets(void **state) {
    (void)state;
    if (getenv("ENGINE_TEST_CHILD"))
        return;
    if (sg_table_int_base)
        assert_int_equal(with_isa(self, "base"), 0);
    if (sg_table_int_avx2)
        assert_int_equal(with_isa(self, "avx2"), 0);
}

/* Runs the tests, the last of which is test_other_instruction_sets: left out where there is no
 * other. */
__attribute__((unused)) static int run_group(const char *name, const struct CMUnitTest *tests,
                                             size_t n) {
    bool others = sg_table_int_base && sg_table_int_avx2;
    return _cmocka_run_group_tests(name, tests, n - !others, NULL, NULL);
}
