/* The execution engine: kernels as PTX text, results against the same computation in C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/softgpu/engine.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static void *device(size_t bytes) {
    sg_error err = {0};
    void *p = sg_mem_alloc(bytes, SG_MEM_DEVICE, NULL, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

static sg_module *load(const char *ptx) {
    sg_error err = {0};
    sg_module *m = sg_module_load(ptx, strlen(ptx), &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static int run(sg_module *m, const char *name, uint32_t grid, uint32_t block, const void *params,
               sg_launch *l) {
    sg_error err = {0};
    l->kernel = sg_module_kernel(m, name, &err);
    assert_non_null(l->kernel);
    l->grid[0] = grid;
    l->block[0] = block;
    l->grid[1] = l->grid[2] = l->block[1] = l->block[2] = 1;
    l->params = params;
    int code = sg_launch_run(l, &err);
    if (code && !l->fault.code)
        print_message("%s\n", err.text);
    return code;
}

static const char vector_add[] =
    HEAD ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
         "{ .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;\n"
         "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 "
         "%r2, [n];\n"
         "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
         "mad.lo.s32 %r1, %r3, %r4, %r5; setp.ge.s32 %p1, %r1, %r2; @%p1 bra DONE;\n"
         "cvta.to.global.u64 %rd4, %rd1; mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;\n"
         "cvta.to.global.u64 %rd7, %rd2; add.s64 %rd8, %rd7, %rd5;\n"
         "ld.global.f32 %f1, [%rd6]; ld.global.f32 %f2, [%rd8]; add.f32 %f3, %f1, %f2;\n"
         "cvta.to.global.u64 %rd9, %rd3; add.s64 %rd10, %rd9, %rd5; st.global.f32 [%rd10], %f3;\n"
         "DONE: ret; }\n";

static void test_vector_add(void **state) {
    (void)state;
    enum { N = 100003 };
    sg_module *m = load(vector_add);
    float *a = device(N * 4), *b = device(N * 4), *c = device(N * 4);
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i;
        c[i] = -1;
    }
    struct {
        float *a, *b, *c;
        uint32_t n;
    } params = {a, b, c, N};
    for (unsigned options = 0; options < 2; options++) {
        sg_launch l = {.options = options};
        assert_int_equal(run(m, "add", (N + 255) / 256, 256, &params, &l), 0);
        for (int i = 0; i < N; i++)
            if (c[i] != 3.0f * (float)i)
                fail_msg("c[%d] = %f", i, (double)c[i]);
        memset(c, 0, N * 4);
        if (!options)
            continue;
        assert_int_equal(l.counters.global_load_requests, 2 * ((N + 31) / 32));
        assert_int_equal(l.counters.global_load_bytes, 8 * N);
        assert_int_equal(l.counters.global_store_sectors, (4 * N + 31) / 32);
        assert_int_equal(l.counters.flops_f32, N);
    }
    params.n = N + 64;
    sg_launch l = {0};
    assert_int_equal(run(m, "add", (N + 64 + 255) / 256, 256, &params, &l), 700);
    print_message("%s\n", l.fault.text);
    assert_string_equal(l.fault.kind, "out-of-bounds read");
    params.n = N;
    sg_launch again = {0};
    assert_int_equal(run(m, "add", (N + 255) / 256, 256, &params, &again), 0);
    sg_mem_free(a);
    sg_launch freed = {0};
    assert_int_equal(run(m, "add", (N + 255) / 256, 256, &params, &freed), 700);
    print_message("%s\n", freed.fault.text);
    sg_mem_free(b);
    sg_mem_free(c);
    sg_module_unload(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vector_add)};
    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
