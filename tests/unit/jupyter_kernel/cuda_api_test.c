/* cuda_api_test.c: declarations and their documentation, read from headers like CUDA's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jupyter_kernel/help/cuda_api.h"
#include "runtime/device/toolkit.h"

/* The list is filled from the test's own text alone. */
bool wb_toolkit_find(wb_toolkit *toolkit, wb_error *err) {
    (void)toolkit;
    return wb_fail(err, 1, "none here");
}

static const char header[] =
    "/* Copyright */\n#ifndef X\n#define extern_host extern\n"
    "/**\n * \\brief Allocate memory\n * on the device\n *\n * Allocates \\p size bytes.\n */\n"
    "extern __host__ __cudart_builtin__ cudaError_t CUDARTAPI cudaMalloc(void **devPtr,\n"
    "                                      size_t size);\n"
    "extern __host__ cudaError_t CUDARTAPI cudaLaunch(int n __dv(0), cudaStream_t s __dv(0));\n"
    "CUBLASAPI cublasStatus_t CUBLASWINAPI cublasSscal_v2(cublasHandle_t handle, int n);\n"
    "/** Kinds of copies */\nenum __device_builtin__ cudaMemcpyKind\n{\n"
    "    cudaMemcpyHostToHost = 0, /**< Host -> Host */\n"
    "    /**\n     * The ::cudaError of it.\n     */\n    cudaErrorOne = 1,\n"
    "    cudaLast\n};\nint not_this(void);\n#endif\n";

static void expect(const char *name, const char *signature, const char *brief, const char *type) {
    const cuda_name *c = cuda_api_find(name, strlen(name));
    assert_non_null(c);
    assert_string_equal(c->signature, signature);
    assert_string_equal(c->brief, brief);
    assert_string_equal(c->type, type);
}

static void test_scan(void **state) {
    (void)state;
    assert_true(cuda_api_scan(header, sizeof header - 1));
    expect("cudaMalloc", "cudaError_t cudaMalloc(void **devPtr, size_t size)",
           "Allocate memory on the device", "function");
    expect("cudaLaunch", "cudaError_t cudaLaunch(int n = 0, cudaStream_t s = 0)", "", "function");
    expect("cublasSscal", "cublasStatus_t cublasSscal(cublasHandle_t handle, int n)", "",
           "function");
    expect("cudaMemcpyHostToHost", "", "Host -> Host ", "enumerator");
    expect("cudaErrorOne", "", "The cudaError of it.", "enumerator");
    expect("cudaLast", "", "", "enumerator");
    assert_null(cuda_api_find("not_this", 8));
    assert_null(cuda_api_find("cudaMall", 8));
    size_t n;
    const cuda_name *all = cuda_api_all(&n);
    assert_int_equal(n, 6);
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(all[i - 1].name, all[i].name) < 0);
}

/* Cut anywhere, nothing is read beyond the end (ASan). In a child, whose list nobody reads. */
static void test_cut(void **state) {
    (void)state;
    int status = 1;
    pid_t child = fork();
    for (size_t len = 0; child == 0 && len < sizeof header; len++) {
        char *text = malloc(len ? len : 1);
        memcpy(text, header, len);
        cuda_api_scan(text, len);
        free(text);
    }
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut), cmocka_unit_test(test_scan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
