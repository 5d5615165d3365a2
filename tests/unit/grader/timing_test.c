/* timing_test.c: submission and reference are timed on a cold L2, whatever the submission left in
 * it. The GPU is one on paper: host memory, a cache that remembers marks and what passed through
 * since, and work that ends when waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/job/input.h"
#include "grader/replay/timing.h"

enum { L2_BYTES = 1 << 16, ELEMENTS = 1000, ROUNDS = 10 };

static struct gpu {
    bool keeps;              /* the device knows lines that stay */
    bool running;            /* something queued that nobody has waited for */
    bool marked;             /* lines that stay, of a kernel before */
    size_t passed;           /* bytes that pushed other lines out since the last run */
    bool dirty;              /* lines that have to be written back when they are pushed out */
    int launches, copies;    /* of the submission; of the reference */
    cudaError_t reset;       /* what taking marks back returns */
    cudaError_t left_over;   /* the last error */
    float *in;               /* where the last input was copied to */
    int spoils;              /* the launch that changes its input; 0: none does */
    float first[ROUNDS + 1]; /* of each launch, what its input began with */
} gpu;

static cudaError_t synchronize(void) {
    gpu.running = false;
    return cudaSuccess;
}

static cudaError_t take_marks_back(void) {
    assert_false(gpu.running); /* what runs on would mark more */
    if (gpu.reset == cudaSuccess)
        gpu.marked = false;
    return gpu.left_over = gpu.reset;
}

static cudaError_t last_error(void) {
    cudaError_t status = gpu.left_over;
    gpu.left_over = cudaSuccess;
    return status;
}

static void run_on_cold(void) {
    assert_false(gpu.marked);
    assert_true(gpu.passed >= 2 * L2_BYTES);
    assert_false(gpu.dirty); /* or the run would wait for what was written before */
    assert_int_equal(gpu.left_over, cudaSuccess);
    gpu.passed = 0;
    gpu.running = true;
}

static const char reader[] = "what the clock reads with";

/* The submission's kernel: it marks what it reads, and writes. */
static cudaError_t launch(const cudaLaunchConfig_t *config, const void *kernel, void **params) {
    (void)config;
    if (kernel == reader) {
        gpu.running = true;
        if (!gpu.marked) /* else the lines that stay are not pushed out */
            gpu.passed += 16 * *(unsigned long long *)params[1];
        gpu.dirty &= gpu.passed < 2 * L2_BYTES;
        return cudaSuccess;
    }
    run_on_cold();
    gpu.dirty = true;
    gpu.marked = gpu.keeps;
    if (gpu.launches <= ROUNDS)
        gpu.first[gpu.launches] = gpu.in[0];
    gpu.in[7] += ++gpu.launches == gpu.spoils;
    return cudaSuccess;
}

/* The reference: nothing else here copies on the stream. */
static cudaError_t copy_async(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    (void)stream;
    assert_int_equal(kind, cudaMemcpyDeviceToDevice);
    run_on_cold();
    memcpy(to, from, bytes);
    gpu.dirty = true;
    gpu.copies++;
    return cudaSuccess;
}

static cudaError_t fill_async(void *p, int value, size_t bytes, cudaStream_t stream) {
    (void)stream;
    memset(p, value, bytes);
    gpu.running = gpu.dirty = true;
    return cudaSuccess;
}

static cudaError_t allocate(void **p, size_t bytes) {
    *p = malloc(bytes);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t release(void *p) {
    free(p);
    return cudaSuccess;
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    if (kind == cudaMemcpyHostToDevice && *(const uint32_t *)from != GR_POISON)
        gpu.in = to;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static cudaError_t fill(void *p, int value, size_t bytes) {
    memset(p, value, bytes);
    gpu.dirty = true;
    return cudaSuccess;
}

static cudaError_t load(cudaLibrary_t *library, const void *code, enum cudaJitOption *o, void **v,
                        unsigned n, enum cudaLibraryOption *lo, void **lv, unsigned ln) {
    (void)code, (void)o, (void)v, (void)n, (void)lo, (void)lv, (void)ln;
    *library = NULL;
    return cudaSuccess;
}

static cudaError_t find_kernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    (void)library;
    *kernel = strcmp(name, "read_all") == 0 ? (cudaKernel_t)reader : NULL;
    return cudaSuccess;
}

static cudaError_t no_parameter(const void *f, size_t index, size_t *offset, size_t *size) {
    (void)f, (void)index, (void)offset, (void)size;
    return gpu.left_over = cudaErrorInvalidValue;
}

static cudaError_t make_event(cudaEvent_t *event) {
    *event = NULL;
    return cudaSuccess;
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
    (void)event, (void)stream;
    return cudaSuccess;
}

/* So slow that the fewest rounds suffice. */
static cudaError_t elapsed(float *ms, cudaEvent_t begin, cudaEvent_t end) {
    (void)begin, (void)end;
    *ms = 600;
    return cudaSuccess;
}

static const char *words(cudaError_t status) {
    return status == cudaErrorUnknown ? "unknown error" : "another error";
}

/* Never called: it only says that every buffer has an allocation of its own. */
static char *report(int reset) {
    (void)reset;
    return NULL;
}

static const gr_cuda fake = {.cudaMalloc = allocate,
                             .cudaFree = release,
                             .cudaMemcpy = copy,
                             .cudaMemcpyAsync = copy_async,
                             .cudaMemset = fill,
                             .cudaMemsetAsync = fill_async,
                             .cudaDeviceSynchronize = synchronize,
                             .cudaCtxResetPersistingL2Cache = take_marks_back,
                             .cudaGetLastError = last_error,
                             .cudaGetErrorName = words,
                             .cudaGetErrorString = words,
                             .cudaEventCreate = make_event,
                             .cudaEventRecord = record,
                             .cudaEventElapsedTime = elapsed,
                             .cudaLibraryLoadData = load,
                             .cudaLibraryGetKernel = find_kernel,
                             .cudaLaunchKernelExC = launch,
                             .cudaFuncGetParamInfo = no_parameter,
                             .report = report,
                             .l2_bytes = L2_BYTES};

static char *folder; /* of the files that the checker would read */

/* The rival, in this process. */
typedef struct copier {
    gr_rival *rival;
    gr_clock clock;
} copier;

static bool time_copy(void *ctx, int round, double *seconds, wb_error *err) {
    copier *c = ctx;
    (void)round;
    return gr_rival_time(&c->clock, c->rival, seconds, err);
}

/* Times one launch for an input and an output of ELEMENTS floats. */
static bool timed(json_t **result, wb_error *err) {
    gr_job job = {.n_args = 2, .n_sets = 1};
    for (int i = 0; i < 2; i++) {
        job.draws[i].n_fields = 1;
        job.draws[i].fields[0].type = GR_FLOAT;
        job.draws[i].fills[0][0] = (gr_fill){.draw = GR_DRAW_UNIFORM, .a = 1, .b = 2};
    }
    job.args[0] = (gr_job_arg){"in", GR_INPUT, GR_FLOAT, ELEMENTS, 0, 0, 0};
    job.args[1] = (gr_job_arg){"out", GR_OUTPUT, GR_FLOAT, ELEMENTS, 0, 0, 0};
    unsigned char parameter[8] = {0};
    gr_plan_step step = {.op = GR_LAUNCH,
                         .name = "k",
                         .carveout = -1,
                         .data = parameter,
                         .data_len = sizeof parameter};
    gr_plan *plan = calloc(1, sizeof *plan);
    assert_non_null(plan);
    plan->buffers[0].bytes = plan->buffers[1].bytes = ELEMENTS * sizeof(float);
    plan->buffers[1].arg = 1;
    plan->n_buffers = 2;
    plan->steps = &step;
    plan->n_steps = 1;
    char *prefix = wb_format("%s/out", folder);
    cuda = fake;
    copier c = {.rival = gr_rival_make(&job, 8000, NULL, err)};
    bool ok = c.rival && gr_clock_open(&c.clock, err);
    gr_opponent opponent = {"the copy", &c, time_copy};
    ok = ok && gr_time("", plan, &job, &opponent, ROUNDS, prefix, result, err);
    gr_clock_close(&c.clock);
    gr_rival_free(c.rival);
    free(prefix);
    free(plan);
    return ok;
}

static void test_cold_whatever_a_submission_leaves(void **state) {
    (void)state;
    wb_error err = {0};
    json_t *result = NULL;
    gpu = (struct gpu){.keeps = true, .marked = true}; /* by the runs that were checked */
    assert_true(timed(&result, &err));
    assert_int_equal(json_array_size(json_object_get(result, "times")), ROUNDS);
    assert_int_equal(json_array_size(json_object_get(result, "reference_times")), ROUNDS);
    assert_int_equal(gpu.launches, ROUNDS + 1); /* and one to warm up */
    assert_int_equal(gpu.copies, ROUNDS + 1);
    json_decref(result);
}

static void test_a_device_that_can_not_reset_is_an_error(void **state) {
    (void)state;
    wb_error err = {0};
    json_t *result = NULL;
    gpu = (struct gpu){.reset = cudaErrorUnknown};
    assert_false(timed(&result, &err));
    assert_non_null(strstr(err.text, "L2"));
    assert_non_null(strstr(err.text, "unknown error"));
    assert_int_equal(gpu.launches + gpu.copies, 0);
}

/* A device without such lines says that it has no such call. */
static void test_a_device_without_marks(void **state) {
    (void)state;
    wb_error err = {0};
    json_t *result = NULL;
    gpu = (struct gpu){.reset = cudaErrorNotSupported};
    assert_true(timed(&result, &err));
    assert_int_equal(gpu.launches, ROUNDS + 1);
    json_decref(result);
}

/* No round has the inputs of another, so that a result left anywhere is of no use; of some, the
 * results go to the checker. */
static void test_rounds_have_inputs_of_their_own(void **state) {
    (void)state;
    wb_error err = {0};
    json_t *result = NULL;
    gpu = (struct gpu){.keeps = true};
    assert_true(timed(&result, &err));
    for (int i = 0; i <= ROUNDS; i++)
        for (int k = 0; k < i; k++)
            assert_true(gpu.first[i] != gpu.first[k]);
    json_t *outputs = json_object_get(result, "outputs");
    assert_int_equal(json_array_size(outputs), 8);
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(json_integer_value(json_object_get(json_array_get(outputs, i), "run")) !=
                        json_integer_value(json_object_get(json_array_get(outputs, k), "run")));
    json_decref(result);
}

/* ... in whichever round it does. */
static void test_a_changed_input_is_seen(void **state) {
    (void)state;
    for (int launch = 1; launch <= ROUNDS + 1; launch += 5) {
        wb_error err = {0};
        json_t *result = NULL;
        gpu = (struct gpu){.spoils = launch};
        assert_false(timed(&result, &err));
        assert_non_null(strstr(err.text, "changed its input in, which is const"));
        assert_int_equal(gpu.launches, launch);
    }
}

static int make_folder(void **state) {
    (void)state;
    folder = wb_dir_temp("timing-test", NULL);
    return folder ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cold_whatever_a_submission_leaves),
        cmocka_unit_test(test_a_device_that_can_not_reset_is_an_error),
        cmocka_unit_test(test_a_device_without_marks),
        cmocka_unit_test(test_rounds_have_inputs_of_their_own),
        cmocka_unit_test(test_a_changed_input_is_seen)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
