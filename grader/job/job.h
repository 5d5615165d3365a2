/* job.h: one call of solve() with all choices made: sizes, scalars, element counts and the seed of
 * its inputs. The trusted processes (warpbook-replay, warpbook-check) read it and make the same
 * inputs from it. So neither inputs nor expected results are passed. */
#pragma once

#include <jansson.h>
#include "grader/lab/lab.h"

typedef struct gr_job_arg {
    char name[32];
    gr_role role;
    gr_type type;
    int64_t count; /* arrays: elements; sizes: the value */
    double scalar;
    uint32_t bytes; /* of an element; 0: its type's */
    int64_t row;    /* elements in a row; 0: no rows */
} gr_job_arg;

/* The fields of an argument's elements, and how each kind of values draws them. */
typedef struct gr_job_draws {
    int n_fields;
    gr_field fields[GR_MAX_FIELDS];
    gr_fill fills[GR_MAX_SETS][GR_MAX_FIELDS];
} gr_job_draws;

/* The lab's rival for the job's sizes. */
typedef struct gr_job_rival {
    gr_rival_kind kind;
    char name[64];
    wbk_type type;
    int64_t sizes[GR_RIVAL_SIZES]; /* in the row's order; unused ones are 0 */
    double alpha, beta;
} gr_job_rival;

typedef struct gr_job {
    gr_values values;
    uint64_t seed;   /* of the whole grading run */
    uint32_t stream; /* of the test's case; gives each its own inputs */
    int n_args;
    gr_job_arg args[GR_MAX_ARGS];
    int n_sets;
    char sets[GR_MAX_SETS][24];
    gr_job_draws draws[GR_MAX_ARGS]; /* by argument */
    gr_job_rival rival;
} gr_job;

/* Chooses the sizes of a case. Returns false with *err if a formula fails. */
bool gr_job_make(const gr_lab *lab, const gr_case *at, uint64_t seed, uint32_t stream, gr_job *job,
                 wb_error *err);

/* Returns the lab's next kind of values, or the job's own if there is no other. */
gr_values gr_job_other(const gr_job *job);
/* Returns true if the lab has this kind of values. */
bool gr_job_has(const gr_job *job, gr_values values);
gr_job gr_job_with(const gr_job *job, gr_values values);

/* Returns the rival's row of the registry if it is a call, else NULL. */
const wbk_kernel *gr_job_rival_row(const gr_job_rival *rival);
wbk_size gr_job_rival_size(const gr_job_rival *rival);
/* Returns how many bytes to copy when minimum_bytes are to be moved: half of them, in whole pages.
 * For other sizes the driver needs two launches. */
double gr_job_copy_bytes(double minimum_bytes);
/* Writes the rival's name for a sentence ("cuBLAS's gemm", "the lab's rival.cu"). Returns text. */
const char *gr_job_rival_words(const gr_job_rival *rival, char *text, size_t size);

/* Convert a job to a JSON string, its bytes in hexadecimal, and back. Only for processes of the
 * same build. The load returns false with *err for any other text. */
json_t *gr_job_save(const gr_job *job); /* a new reference */
bool gr_job_load(const json_t *json, gr_job *job, wb_error *err);

/* Returns the argument of that name, or NULL. */
static inline const gr_job_arg *gr_job_find(const gr_job *job, const char *name) {
    for (int i = 0; i < job->n_args; i++)
        if (strcmp(job->args[i].name, name) == 0)
            return &job->args[i];
    return NULL;
}

size_t gr_job_element_bytes(const gr_job_arg *arg);
size_t gr_job_arg_bytes(const gr_job_arg *arg);
/* Returns true for a result with errors that are scaled by a magnitude from the reference. */
bool gr_job_has_magnitude(const gr_job *job, int arg);
/* Returns the value of a lab's formula for the job's sizes. */
double gr_job_formula(const gr_job *job, const char *text);
/* Writes "rows=33, cols=65, alpha=2". Returns text. */
const char *gr_job_describe(const gr_job *job, char *text, size_t size);
/* Appends this description to the "sizes" of a finding. */
void gr_job_add_sizes(const gr_job *job, json_t *finding);

/* The exit status of warpbook-plan if not even the first call got a process. */
enum { GR_PLAN_NO_PROCESS = 91 };
