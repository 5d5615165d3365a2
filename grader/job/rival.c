/* rival.c: the rival that a job's time is compared with. */
#include "grader/job/job.h"

#include <math.h>

static double scalar_of(const gr_job *job, const char *name, double otherwise) {
    const gr_job_arg *arg = *name ? gr_job_find(job, name) : NULL;
    return arg ? arg->scalar : otherwise;
}

bool gr_job_rival_make(const gr_lab *lab, const gr_vars *sizes, gr_job *job, wb_error *err) {
    const gr_rival_spec *spec = &lab->rival;
    job->rival = (gr_job_rival){.kind = spec->kind,
                                .type = spec->type,
                                .alpha = scalar_of(job, spec->scalars[0], 1),
                                .beta = scalar_of(job, spec->scalars[1], 0)};
    memcpy(job->rival.name, spec->name, sizeof job->rival.name);
    for (int i = 0; i < spec->n_sizes; i++)
        if (!gr_expr(spec->sizes[i], sizes, &job->rival.sizes[i], err))
            return false;
    return true;
}

const wbk_kernel *gr_job_rival_row(const gr_job_rival *rival) {
    return rival->kind == GR_RIVAL_CALL ? wbk_find(rival->name) : NULL;
}

wbk_size gr_job_rival_size(const gr_job_rival *rival) {
    const wbk_kernel *row = gr_job_rival_row(rival);
    size_t s[GR_RIVAL_SIZES];
    for (int i = 0; i < GR_RIVAL_SIZES; i++)
        s[i] = (size_t)rival->sizes[i];
    return row && wbk_dimensions(row->shape) == 1 ? (wbk_size){.n = s[0]}
                                                  : (wbk_size){.m = s[0], .n = s[1], .k = s[2]};
}

/* An H100 copies 4 to 42 MB 3 us faster if they are whole pages of 4,096 bytes. */
double gr_job_copy_bytes(double minimum_bytes) {
    enum { PAGE = 4096 };
    return ceil(minimum_bytes / 2 / PAGE) * PAGE;
}

const char *gr_job_rival_words(const gr_job_rival *rival, char *text, size_t size) {
    const wbk_kernel *row = gr_job_rival_row(rival);
    if (rival->kind == GR_RIVAL_COPY)
        snprintf(text, size, _("the device's copy of as many bytes"));
    else if (rival->kind == GR_RIVAL_SOURCE)
        snprintf(text, size, _("the lab's %s"), rival->name);
    else if (row && row->reference)
        snprintf(text, size, "%s's %s", strncmp(row->name, "cub.", 4) == 0 ? "CUB" : "cuBLAS",
                 strchr(row->name, '.') + 1);
    else
        snprintf(text, size, _("%s of the kernel set"), rival->name);
    return text;
}
