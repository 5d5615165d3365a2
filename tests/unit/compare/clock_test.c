/* clock_test.c: what warpbook-compare times finds a cold L2, whatever ran before. The GPU is one on
 * paper: a cache that remembers marks and what was read since, and work that ends when waited for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compare/program/clock.h"
#include "runtime/compare/program/clock_kernels.h"

enum { L2_BYTES = 1 << 20 };

static struct gpu {
    bool running;         /* something queued that nobody has waited for */
    bool marked;          /* lines that stay, of a kernel before */
    size_t read;          /* bytes that pushed other lines out since the last kernel */
    int launches, resets; /* of what is timed; of marks */
    cudaError_t broken;   /* what the last kernel came to, told by who waits */
    cudaError_t reset, hold, read_all, launch; /* what these calls return */
    cudaError_t left_over;                     /* the last error */
} gpu;

static cudaError_t of_call(cudaError_t status) {
    if (status != cudaSuccess)
        gpu.left_over = status;
    return status;
}

cudaError_t cudaDeviceSynchronize(void) {
    gpu.running = false;
    return of_call(gpu.broken);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return cudaDeviceSynchronize();
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    assert_false(gpu.running); /* what runs on would mark more */
    gpu.resets++;
    if (gpu.reset == cudaSuccess)
        gpu.marked = false;
    return of_call(gpu.reset);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t status = gpu.left_over;
    gpu.left_over = cudaSuccess;
    return status;
}

cudaError_t clock_read_all(const float *data, size_t n, float *out, cudaStream_t stream) {
    (void)stream;
    assert_ptr_equal(out, data + n);
    gpu.running = true;
    if (!gpu.marked) /* else the lines that stay are not pushed out */
        gpu.read += n * sizeof *data;
    return of_call(gpu.read_all);
}

cudaError_t clock_hold(unsigned long long *gate, cudaStream_t stream) {
    (void)stream;
    assert_int_equal(gate[0], 0);
    gate[1] = gate[2] = 10000;
    gpu.running = true;
    return of_call(gpu.hold);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = malloc(1);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)event, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end) {
    (void)begin, (void)end;
    *ms = 2;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t bytes) {
    *p = malloc(bytes);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
    (void)flags;
    *p = calloc(1, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *p, int value, size_t bytes) {
    memset(p, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *p) {
    free(p);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p) {
    free(p);
    return cudaSuccess;
}

/* The timed kernel marks the lines it reads, which the kernel before it may have marked. */
static cudaError_t marking_kernel(void *ctx, cudaStream_t stream) {
    (void)ctx, (void)stream;
    assert_false(gpu.marked);
    assert_true(gpu.read >= 2 * L2_BYTES);
    assert_int_equal(gpu.left_over, cudaSuccess); /* a user's void function is judged by it */
    gpu.running = gpu.marked = true;
    gpu.read = 0;
    gpu.launches++;
    return of_call(gpu.launch);
}

static launch_clock opened(bool soft) {
    launch_clock clock;
    gpu = (struct gpu){.marked = true, .running = true}; /* a warm-up that nobody waited for */
    assert_int_equal(clock_open(&clock, soft, L2_BYTES), cudaSuccess);
    return clock;
}

static cudaError_t timed(launch_clock *clock, bool waits, double *seconds) {
    *seconds = -1;
    return clock_time(clock, marking_kernel, NULL, waits, seconds);
}

static void test_cold_whatever_ran_before(void **state) {
    (void)state;
    double seconds;
    launch_clock clock = opened(false);
    for (int i = 0; i < 6; i++) {
        bool waits = i % 3 == 2;
        assert_int_equal(timed(&clock, waits, &seconds), cudaSuccess);
        assert_true(waits ? seconds >= 0 && seconds < 60 : seconds > 0.0019 && seconds < 0.0021);
    }
    assert_int_equal(gpu.launches, 6);
    clock_close(&clock);
}

/* A launcher's own error leaves the clock ready for the next. */
static void test_cold_after_an_error(void **state) {
    (void)state;
    double seconds;
    launch_clock clock = opened(false);
    gpu.launch = cudaErrorInvalidValue;
    assert_int_equal(timed(&clock, false, &seconds), cudaErrorInvalidValue);
    cudaGetLastError();
    gpu.launch = cudaSuccess;
    assert_int_equal(timed(&clock, false, &seconds), cudaSuccess);
    assert_int_equal(gpu.launches, 2);
    clock_close(&clock);
}

/* Nothing is timed on a device that does not do what the clock asks of it. */
static void test_errors_come_back(void **state) {
    (void)state;
    double seconds;
    launch_clock clock = opened(false);
    cudaError_t *failing[] = {&gpu.broken, &gpu.reset, &gpu.read_all, &gpu.hold};
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        *failing[i] = cudaErrorLaunchFailure;
        assert_int_equal(timed(&clock, false, &seconds), cudaErrorLaunchFailure);
        assert_true(seconds == -1);
        *failing[i] = cudaSuccess;
    }
    assert_int_equal(gpu.launches, 0);
    clock_close(&clock);
}

/* A device without such lines says that it has no such call; that error is nobody's. */
static void test_a_device_without_marks(void **state) {
    (void)state;
    double seconds;
    launch_clock clock = opened(false);
    gpu.marked = false;
    gpu.reset = cudaErrorNotSupported;
    assert_int_equal(timed(&clock, false, &seconds), cudaSuccess);
    assert_int_equal(gpu.launches, 1);
    clock_close(&clock);
}

static cudaError_t count(void *ctx, cudaStream_t stream) {
    (void)stream;
    ++*(int *)ctx;
    return cudaSuccess;
}

static void test_softgpu_has_no_cache_to_cool(void **state) {
    (void)state;
    double seconds = -1;
    int launches = 0;
    launch_clock clock = opened(true);
    assert_int_equal(clock_time(&clock, count, &launches, false, &seconds), cudaSuccess);
    assert_true(seconds >= 0 && launches == 1 && gpu.resets == 0 && gpu.read == 0);
    clock_close(&clock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cold_whatever_ran_before), cmocka_unit_test(test_cold_after_an_error),
        cmocka_unit_test(test_errors_come_back), cmocka_unit_test(test_a_device_without_marks),
        cmocka_unit_test(test_softgpu_has_no_cache_to_cool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
