/* main.c: warpbook-compare times and checks kernels on its libcudart's device.
 *
 * `warpbook compare` starts it, after it found the device and compiled the user's files. It also
 * runs by hand where only this folder and libcudart.so.13 exist. It prints JSON lines.
 *
 * warpbook-compare [OPTION...] NAME... [+user LABEL MODEL LIBRARY SYMBOL WORK]...
 *
 * MODEL is the kernel of the set with the user function's shape. WORK is 1 if it takes a work
 * buffer. Exit status: 0 done, 1 a kernel was wrong or failed, 2 usage, 3 no device. */
#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

#include "runtime/cli/option.h"
#include "runtime/compare/program/bench.h"
#include "runtime/compare/program/emit.h"
#include "runtime/compare/program/sampled.h"

enum { MOST_SIZES = 256 };

typedef struct job {
    bench_options options;
    double rounds, offset; /* options as read */
    wb_seed seed;
    int skewed;
    const char *list; /* of sizes */
    subject subjects[MOST_SUBJECTS];
    size_t n_subjects;
    const char *sizes[MOST_SIZES];
    size_t n_sizes;
    const char *reference; /* NULL: the default */
    char folder[4200];     /* has this program and the libraries */
} job;

static int fail(int status, const char *text, const char *more) {
    char line[1500];
    snprintf(line, sizeof line, text, more ? more : "");
    emit("error", "text:s", line);
    return status;
}

static bool add_kernel(job *j, const char *name) {
    const wbk_kernel *kernel = wbk_find(name);
    if (!kernel || j->n_subjects == MOST_SUBJECTS)
        return false;
    j->subjects[j->n_subjects++] =
        (subject){.kernel = *kernel, .label = kernel->name, .has_work = wbk_takes_work(kernel)};
    return true;
}

static bool add_user(job *j, char **words) {
    const wbk_kernel *model = wbk_find(words[1]);
    if (!model || j->n_subjects == MOST_SUBJECTS)
        return false;
    subject *s = &j->subjects[j->n_subjects++];
    *s = (subject){.kernel = *model, .label = words[0], .has_work = strcmp(words[4], "1") == 0};
    s->kernel.reference = false;
    s->kernel.row_bytes = 0;
    s->kernel.title = "yours";
    s->kernel.efficiency = 0;
    subject_load_user(s, words[2], words[3]);
    return true;
}

static bool split_sizes(job *j, char *list) {
    for (char *size = strtok(list, ","); size; size = strtok(NULL, ",")) {
        if (j->n_sizes == MOST_SIZES)
            return false;
        j->sizes[j->n_sizes++] = size;
    }
    return j->n_sizes > 0;
}

static bool read_type(const char *text, void *type) {
    return wbk_parse_type(text, type);
}

#define WB_RECORD job
static const wb_option options[] = {
    WB_OPTION("--check", FLAG, options.check_only, NULL, NULL),
    WB_OPTION("--counters", FLAG, options.count, NULL, NULL),
    WB_OPTION("--model", FLAG, options.model, NULL, NULL),
    WB_OPTION("--type", READ, options.type, "TYPE", NULL, .read = read_type),
    WB_OPTION("--sizes", TEXT, list, "S,S...", NULL),
    WB_OPTION("--rounds", REAL, rounds, "N", NULL, .least = 0, .most = 1e9),
    WB_OPTION("--seconds", REAL, options.seconds, "S", NULL),
    WB_OPTION("--share", REAL, options.share, "S", NULL),
    WB_OPTION("--offset", REAL, offset, "N", NULL, .least = 0, .most = 1024),
    WB_OPTION("--alpha", REAL, options.alpha, "X", NULL),
    WB_OPTION("--beta", REAL, options.beta, "X", NULL),
    WB_OPTION_SEED(seed),
    WB_OPTION("--values", INDEX, skewed, "even|skewed", NULL),
    WB_OPTION("--reference", TEXT, reference, "NAME|none", NULL),
    {0}};

static bool read_arguments(job *j, int argc, char **argv) {
    wb_option_fault fault;
    char **words = argv + 1, *wrong = NULL;
    int n = wb_option_read(options, WB_OPTION_ANYWHERE, words, argc - 1, j, words, &fault);
    for (int i = 0; i < n && !wrong; i++) {
        bool own = strcmp(words[i], "+user") == 0;
        if (own ? i + 5 >= n || !add_user(j, words + i + 1) : !add_kernel(j, words[i]))
            wrong = words[i];
        i += own ? 5 : 0;
    }
    if (n < 0 || wrong) {
        fail(2, "warpbook-compare: can't use \"%s\"", wrong ? wrong : fault.word);
        return false;
    }
    j->options.rounds = (size_t)j->rounds;
    j->options.offset = (size_t)j->offset;
    j->options.seed = j->seed.given ? j->seed.value : j->options.seed;
    j->options.skewed = j->skewed == 1;
    if (j->list && !split_sizes(j, (char *)j->list)) /* a word of argv */
        j->n_sizes = 0;
    if (j->n_subjects == 0 || j->n_sizes == 0) {
        fail(2, "warpbook-compare: give kernels and --sizes%s", NULL);
        return false;
    }
    return true;
}

/* Returns the first kernel that is no copy. A copy only shows a limit for the others. */
static const wbk_kernel *leading_kernel(const job *j) {
    for (size_t i = 0; i < j->n_subjects; i++)
        if (j->subjects[i].kernel.shape != WBK_COPY)
            return &j->subjects[i].kernel;
    return &j->subjects[0].kernel;
}

/* Marks the reference, and appends it if it is not among the subjects. */
static void choose_reference(job *j) {
    const char *name = j->reference;
    const wbk_kernel *usual = wbk_reference(leading_kernel(j)->shape, j->options.type);
    if (!name)
        name = usual ? usual->name : "none";
    for (size_t i = 0; i < j->n_subjects; i++)
        if (strcmp(j->subjects[i].label, name) == 0) {
            j->subjects[i].reference = true;
            return;
        }
    if (add_kernel(j, name))
        j->subjects[j->n_subjects - 1].reference = true;
}

static bool find_device(bench_device *device) {
    struct cudaDeviceProp properties;
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0 ||
        cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        return false;
    size_t total = 0;
    *device = (bench_device){.capability = properties.major * 10 + properties.minor,
                             .l2_bytes = (size_t)properties.l2CacheSize};
    snprintf(device->name, sizeof device->name, "%s", properties.name);
    cudaMemGetInfo(&device->free_bytes, &total);
    device->set_options = (void (*)(unsigned))dlsym(RTLD_DEFAULT, "softgpu_set_options");
    device->report = (char *(*)(int))dlsym(RTLD_DEFAULT, "softgpu_report");
    device->recover = (void (*)(void))dlsym(RTLD_DEFAULT, "softgpu_recover");
    device->soft = device->set_options && device->report;
    int clock_khz = 0, memory_khz = 0;
    cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
    cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0);
    /* two transfers for each clock (DDR), over the whole bus */
    double rate = device->soft ? 0 : 2.0 * memory_khz * 1e3 * properties.memoryBusWidth / 8;
    emit("device",
         "name:s soft:b capability:z multiprocessors:z l2_bytes:z clock_hz:f memory_bytes_per_s:f",
         properties.name, device->soft, (size_t)device->capability,
         (size_t)properties.multiProcessorCount, device->l2_bytes, clock_khz * 1e3, rate);
    return true;
}

static void announce_size(const job *j, size_t index, wbk_size size) {
    char text[100];
    wbk_shape shape = j->subjects[0].kernel.shape;
    emit("size", "size:z text:s type:s m:z n:z k:z flops:b idle:b", index,
         wbk_format_size(shape, size, text, sizeof text), wbk_type_name(j->options.type), size.m,
         size.n, size.k, wbk_rate_is_flops(shape), bench_is_idle(shape, size));
    for (size_t i = 0; i < j->n_subjects; i++) {
        const subject *s = &j->subjects[i];
        bool reads_c = j->options.beta != 0;
        char why[300];
        bool takes = wbk_takes_size(&s->kernel, j->options.type, size, why, sizeof why);
        emit("kernel",
             "size:z kernel:z name:s title:s reference:b host_clock:b bytes:f flops:f efficiency:f "
             "problem:s",
             index, i, s->label, s->kernel.title, s->reference, s->kernel.waits,
             wbk_bytes(&s->kernel, size, j->options.type, reads_c), wbk_flops(&s->kernel, size),
             s->kernel.efficiency,
             !s->function ? s->problem
             : takes      ? NULL
                          : why);
    }
}

/* Loads every launcher that this device can run. Returns how many are missing. A kernel for other
 * hardware is left out and does not count. */
static size_t load_subjects(job *j, const bench_device *device) {
    size_t missing = 0;
    for (size_t i = 0; i < j->n_subjects; i++) {
        subject *s = &j->subjects[i];
        if (!s->user && !wbk_runs_on(&s->kernel, device->name, device->capability, device->soft,
                                     s->problem, sizeof s->problem))
            continue;
        if (!s->user)
            subject_load(s, j->options.type, j->folder);
        missing += !s->function;
    }
    return missing;
}

static int run(job *j) {
    bench_device device;
    launch_clock clock;
    if (!find_device(&device))
        return fail(3, "There is no CUDA device that answers (%s)",
                    cudaGetErrorString(cudaGetLastError()));
    cudaError_t status = clock_open(&clock, device.soft, device.l2_bytes);
    if (status != cudaSuccess)
        return fail(3, "The device can't be used: %s", cudaGetErrorString(status));
    if (!(j->options.seconds > 0))
        j->options.seconds = device.soft ? 4 : 20;
    size_t wrong = load_subjects(j, &device);
    bool alive = true;
    for (size_t i = 0; i < j->n_sizes && alive; i++) {
        wbk_size size;
        if (!wbk_parse_size(j->subjects[0].kernel.shape, j->sizes[i], &size))
            return fail(2, "\"%s\" is not a size for these kernels", j->sizes[i]);
        announce_size(j, i, size);
        bool some = sampled_wanted(&device, &j->options, j->subjects, j->n_subjects, size);
        alive =
            some ? sampled_size(&device, &j->options, j->subjects, j->n_subjects, i, size, &wrong)
                 : bench_size(&device, &clock, &j->options, j->subjects, j->n_subjects, i, size,
                              &wrong);
    }
    if (!alive)
        fail(1, "A kernel or a copy failed and the device can't go on (%s); the rest was left out",
             cudaGetErrorString(cudaGetLastError()));
    else
        clock_close(&clock);
    emit("end", "wrong:z", wrong);
    return wrong || !alive ? 1 : 0;
}

int main(int argc, char **argv) {
    static job j = {.options = {.alpha = 1, .seed = 1}};
    ssize_t n = readlink("/proc/self/exe", j.folder, sizeof j.folder - 1);
    if (n > 0)
        dirname(j.folder);
    if (!read_arguments(&j, argc, argv))
        return 2;
    choose_reference(&j);
    return run(&j);
}
