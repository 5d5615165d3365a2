/* libFuzzer: any bytes as what comes from the student's side: a plan, or a compiled file. */
#include "grader/submission/elf.h"
#include "grader/replay/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int fd = -1;
    char path[64];
    gr_job job = {.n_args = 2};
    job.args[0] = (gr_job_arg){"in", GR_INPUT, GR_FLOAT, 100, 0, 0, 0};
    job.args[1] = (gr_job_arg){"out", GR_OUTPUT, GR_FLOAT, 1, 0, 0, 0};
    if (fd < 0)
        fd = memfd_create("plan", 0);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    wb_error err = {0};
    gr_plan *plan = gr_plan_read(path, &job, &err);
    if (!plan && !err.text[0])
        abort();
    gr_plan_free(plan);
    size_t bytes;
    gr_elf_fatbin(data, size, &bytes);
    gr_elf_symbol(data, size, false, "x", false);
    gr_elf_symbol(data, size, true, "warpbook_solve", true);
    return 0;
}
