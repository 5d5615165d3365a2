/* stages.h: the four stages a submission goes through, each in processes of its own. */
#ifndef GRADER_STAGES_H
#define GRADER_STAGES_H

#include <jansson.h>
#include "grader/job/job.h"
#include "grader/stages/known.h"
#include "grader/submission/submission.h"
#include "runtime/device/device.h"
#include "runtime/json/finding.h"

/* Limits of a submission's processes. */
typedef struct gr_limits {
    double compile_s; /* of processor time */
    double plan_s;    /* for each call of solve(), but what it waits for a processor */
    double run_s;     /* wall clock, likewise */
} gr_limits;

/* One call of solve() and what became of it. */
typedef struct gr_task {
    gr_job job;
    bool count;    /* softgpu's performance runs */
    bool modelled; /* ... with the time that a GPU would take */
    bool races;    /* softgpu looks for races and reads of what nothing wrote */
    bool sampled;  /* ... in some blocks of a further run, with other data of the same kind */
    bool other;    /* a further run with values of another kind (gr_job_other) */
    bool repeat;
    bool timed; /* a GPU's performance runs */
    bool call;  /* of no submission: the job's rival, a call of the set, on softgpu */
    double minimum_bytes;
    char *rival_plan; /* of the lab's own rival, beside which it is timed; malloc'd or NULL */
    double rival_s;   /* what that or a call takes, as modelled; 0: not asked for */
    /* results */
    bool ran, passed;
    bool refused;   /* by the lab's own check() */
    json_t *found;  /* why it did not pass, or NULL */
    json_t *report; /* softgpu's, of a run that passed, or NULL */
    json_t *time;   /* gr_time's, or NULL */
} gr_task;

/* What grading one submission works with; the folder is private to it. */
typedef struct gr_work {
    const gr_lab *lab;
    const gr_submission *submission;
    const wb_device *device;
    gr_limits limits;
    bool sandbox;
    bool lab_source;          /* the "submission" is the lab's: no library is forbidden to it */
    const volatile int *stop; /* what becomes non-zero ends the stage's process; or NULL */
    char *folder;             /* absolute, mode 0700 */
    char *built;              /* a folder in it that the sandbox may write to */
    char *group;              /* the control group of its processes (cgroup.h); NULL: none here */
    gr_task *tasks;
    size_t n_tasks;
    json_t *found;       /* what stopped the whole submission, for the student; or NULL */
    bool machine_failed; /* ... and it was the machine, not the student */
    wb_buf printed;      /* what the submission's code printed */
    gr_known *known;     /* what is right, of a batch by one seed; or NULL */
    char *rival_code;    /* the device code of the lab's own rival, or NULL */
} gr_work;

/* Compiles the lab's reference; has it give what is right. */
bool gr_stage_library(gr_work *work);
bool gr_stage_expect(gr_work *work);

/* Where a unit of the lab's own lies decides whether the compiler's cache knows it again: by its
 * content, beside the cache; where that can't be written, in the work's folder. malloc'd. */
char *gr_work_unit(const gr_work *work, const char *unit, const char *suffix);

/* Each returns false when the submission can go no further (work->found says why). */
bool gr_stage_compile(gr_work *work);
bool gr_stage_plan(gr_work *work);
bool gr_stage_run(gr_work *work);
bool gr_stage_check(gr_work *work);

/* The GPU whose times softgpu's runs are given, wherever they are graded. */
#define GR_MODEL_GPU "h200"

/* The runs of a task before any timed ones. */
typedef struct gr_run {
    uint32_t number;  /* gr_input_fill's */
    gr_values values; /* the job's, or another kind */
    enum { GR_WATCH_NOTHING, GR_WATCH_ALL, GR_WATCH_SOME } watch;
    char output[24]; /* the name of its file in the work's folder */
} gr_run;
enum { GR_MAX_RUNS = 3 };
/* How many they are. */
size_t gr_work_runs(const gr_work *work, size_t task, gr_run runs[GR_MAX_RUNS]);

/* Where what is right for a run's inputs lies, malloc'd. */
char *gr_work_expected(const gr_work *work, size_t task, uint32_t run, gr_values values);

/* work.c, for the stages: a path in the work's folder ("plan-%zu"), malloc'd. */
char *gr_work_path(const gr_work *work, const char *format, size_t number);
char *gr_work_file(const gr_work *work, const char *name); /* the same of a whole name */
/* Bounds what processes of the work that run from now on have together; the group that they are to
 * join, or NULL. */
const char *gr_work_room(const gr_work *work, size_t bytes);
/* Sets work->found unless it is set; false. WB_FOUND_MACHINE: the machine failed. */
bool gr_work_fail(gr_work *work, wb_finding_kind kind, const char *format, ...) WB_PRINTF(3, 4);
/* Whether *work->stop has ended it; then notes it as the machine's. */
bool gr_work_stopped(gr_work *work);
/* Sets task->found unless it is set; false. */
bool gr_task_fail(gr_task *task, wb_finding_kind kind, const char *format, ...) WB_PRINTF(3, 4);

#endif
