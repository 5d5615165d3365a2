/* stages.h: the stages of grading a submission. Each runs in its own processes. */
#pragma once

#include <jansson.h>
#include "grader/job/job.h"
#include "grader/stages/known.h"
#include "grader/submission/submission.h"
#include "runtime/device/device.h"
#include "runtime/json/finding.h"

/* Time limits of a submission's processes. */
typedef struct gr_limits {
    double compile_s; /* processor time */
    double plan_s;    /* for each call of solve(), without waiting for a processor */
    double run_s;     /* wall clock, for each call's kernels */
} gr_limits;

/* One call of solve() and its result. */
typedef struct gr_task {
    gr_job job;
    bool count;    /* performance run on softgpu: count */
    bool modelled; /* performance run on softgpu: also model a GPU's time */
    bool races;    /* softgpu looks for races and uninitialised reads */
    bool sampled;  /* also in some blocks of another run, with other data of the same kind */
    bool other;    /* another run with another kind of values (gr_job_other) */
    bool repeat;
    bool timed; /* performance run on a GPU */
    bool call;  /* the job's rival, a call of the set, instead of a submission */
    double minimum_bytes;
    char *rival_plan; /* plan of the lab's own rival, for timing; or NULL. The task frees it */
    double rival_s;   /* modelled time of the rival's source or call; 0: not needed */
    /* results */
    bool ran, passed;
    bool refused;   /* the lab's own check() refused the result */
    json_t *found;  /* why it did not pass, or NULL */
    json_t *report; /* softgpu's report of a run that passed, or NULL */
    json_t *time;   /* gr_time's result, or NULL */
} gr_task;

/* The state of grading one submission. It owns the folder. */
typedef struct gr_work {
    const gr_lab *lab;
    const gr_submission *submission;
    const wb_device *device;
    gr_limits limits;
    gr_budget used; /* by the runs so far */
    bool sandbox;
    bool lab_source;          /* the "submission" is the lab's rival: it may use any library */
    const volatile int *stop; /* non-zero ends the stage's process; or NULL */
    char *folder;             /* absolute, mode 0700 */
    char *built;              /* the subfolder that the sandbox may write to */
    char *group;              /* the control group of its processes (cgroup.h), or NULL */
    gr_task *tasks;
    size_t n_tasks;
    json_t *found;       /* the reason that ended the whole submission, for the student; or NULL */
    bool machine_failed; /* that reason is a failure of the machine */
    wb_buf printed;      /* output of the submission's code */
    gr_known *known;     /* expected results of a batch with one seed, or NULL */
    char *rival_code;    /* device code of the lab's own rival, or NULL */
} gr_work;

/* Compile the lab's reference; and compute the expected results with it. */
bool gr_stage_library(gr_work *work);
bool gr_stage_expect(gr_work *work);

/* Writes a unit of the lab's own code and returns its path, which the caller frees. The path
 * depends on the content, so the compiler's cache can find it. It is beside the cache if possible,
 * else in the work's folder. */
char *gr_work_unit(const gr_work *work, const char *unit, const char *suffix);

/* Returns the folder of the CUDA toolkit, or NULL and sets err. The caller frees it. */
char *gr_toolkit_root(wb_error *err);

/* Each returns false if the submission can't continue; work->found says why. */
bool gr_stage_compile(gr_work *work);
bool gr_stage_plan(gr_work *work);
bool gr_stage_run(gr_work *work);
bool gr_stage_check(gr_work *work);

/* Nice value of the stages without a clock, which may run beside another submission's timed runs */
enum { GR_UNTIMED = 10 };

/* softgpu's runs get modelled times of this GPU on every machine. */
#define GR_MODEL_GPU "h200"

/* The runs of a task, except timed ones. */
typedef struct gr_run {
    uint32_t number;  /* for gr_input_fill */
    gr_values values; /* the job's kind, or another one */
    enum { GR_WATCH_NOTHING, GR_WATCH_ALL, GR_WATCH_SOME } watch;
    char output[24]; /* file name in the work's folder */
} gr_run;
enum { GR_MAX_RUNS = 3 };
/* Lists the runs of a task and returns their number. */
size_t gr_work_runs(const gr_work *work, size_t task, gr_run runs[GR_MAX_RUNS]);
/* Calls add for each result to judge: those of a task's runs, then those of timed runs. */
typedef void gr_work_add(const gr_work *work, size_t task, uint32_t run, gr_values values,
                         const char *path, json_t *list);
void gr_work_outputs(const gr_work *work, size_t task, gr_work_add *add, json_t *list);

/* Returns the path of the expected results of a run. The caller frees it. */
char *gr_work_expected(const gr_work *work, size_t task, uint32_t run, gr_values values);

/* work.c, for the stages: returns a path in the work's folder ("plan-%zu"). The caller frees it. */
char *gr_work_path(const gr_work *work, const char *format, size_t number);
char *gr_work_file(const gr_work *work, const char *name); /* the same for a plain name */
/* Limits the memory of all processes of the work that start from now on. Returns the control group
 * that they must join, or NULL. */
const char *gr_work_room(const gr_work *work, size_t bytes);
/* Frees what the work owns, but does not remove its folder. */
void gr_work_free(gr_work *work);
/* Sets work->found unless it is set. Returns false. WB_FOUND_MACHINE: the machine failed. */
bool gr_work_fail(gr_work *work, wb_finding_kind kind, const char *format, ...) WB_PRINTF(3, 4);
/* Returns true if *work->stop is set, and notes that as a failure of the machine. */
bool gr_work_stopped(gr_work *work);
/* Sets task->found unless it is set. Returns false. */
bool gr_task_fail(gr_task *task, wb_finding_kind kind, const char *format, ...) WB_PRINTF(3, 4);
