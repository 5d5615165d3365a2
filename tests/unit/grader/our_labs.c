/* our_labs.c: a job's arguments as references and checks take them. */
#include "tests/unit/grader/our_labs.h"
#include "grader/job/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* our_labs.cpp */
const char *our_check(const char *lab, void **arguments);

gr_job our_job(const char *lab, const char *values, const char *sizes) {
    char path[100];
    wb_error err = {0};
    gr_case at = {.values = 0};
    snprintf(path, sizeof path, "labs/%s/lab.json", lab);
    gr_lab *read = gr_lab_read(path, &err);
    if (!read)
        fail_msg("%s", err.text);
    for (int i = 0; i < read->n_args; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s=", read->args[i].name);
        const char *found = strstr(sizes, key);
        double value = found ? atof(found + strlen(key)) : 1;
        at.sizes[i] = (gr_range){(int64_t)value, (int64_t)value, 1};
        at.scalars[i] = value;
    }
    gr_job job;
    if (!gr_job_make(read, &at, 99, 4, &job, &err))
        fail_msg("%s", err.text);
    for (job.values = 0; values && strcmp(job.sets[job.values], values) != 0; job.values++)
        if (job.values + 1 == job.n_sets)
            fail_msg("the lab draws no %s", values);
    gr_lab_free(read);
    return job;
}

void *our_input(const gr_job *job, const char *name) {
    const gr_job_arg *arg = gr_job_find(job, name);
    void *data = malloc(gr_job_arg_bytes(arg) + 1);
    gr_input_fill(job, (int)(arg - job->args), 0, data);
    return data;
}

/* All arguments of a call, and what they point to. */
typedef struct call {
    void *pointers[3 * GR_MAX_ARGS], *slots[3 * GR_MAX_ARGS];
    int sizes[GR_MAX_ARGS];
    float scalars[GR_MAX_ARGS];
    int n;
} call;

static void add(call *c, void *data) {
    c->slots[c->n] = data;
    c->pointers[c->n] = &c->slots[c->n];
    c->n++;
}

/* solve()'s arguments; results lie in `results`, one behind the other, or hold their inputs. */
static void add_arguments(call *c, const gr_job *job, char *results) {
    for (int i = 0; i < job->n_args; i++) {
        const gr_job_arg *arg = &job->args[i];
        c->sizes[i] = (int)arg->count;
        c->scalars[i] = (float)arg->scalar;
        if (gr_is_result(arg->role)) {
            add(c, results);
            results += gr_job_arg_bytes(arg);
        } else {
            add(c, gr_is_array(arg->role) ? our_input(job, arg->name) : NULL);
        }
        if (!gr_is_array(arg->role))
            c->pointers[c->n - 1] = arg->role == GR_SIZE ? (void *)&c->sizes[i] : &c->scalars[i];
    }
}

static void free_inputs(call *c, const gr_job *job) {
    for (int i = 0; i < job->n_args; i++)
        if (job->args[i].role == GR_INPUT)
            free(c->slots[i]);
}

static size_t bytes_of(const gr_job *job, bool magnitudes) {
    size_t bytes = 0;
    for (int i = 0; i < job->n_args; i++) {
        bytes +=
            gr_is_result(job->args[i].role) && !magnitudes ? gr_job_arg_bytes(&job->args[i]) : 0;
        bytes += magnitudes && gr_job_has_magnitude(job, i)
                     ? (size_t)job->args[i].count * sizeof(double)
                     : 0;
    }
    return bytes;
}

/* Inouts as they are before. */
static void begin(const gr_job *job, char *results) {
    for (int i = 0; i < job->n_args; i++)
        if (gr_is_result(job->args[i].role)) {
            gr_input_fill(job, i, 0, results);
            results += gr_job_arg_bytes(&job->args[i]);
        }
}

/* Results, and magnitudes behind them. */
static char *expect(const char *lab, const gr_job *job) {
    size_t results = bytes_of(job, false);
    char *data = calloc(1, results + bytes_of(job, true) + 1);
    double *magnitudes = calloc(1, bytes_of(job, true) + 1), *next = magnitudes;
    call c = {.n = 0};
    begin(job, data);
    add_arguments(&c, job, data);
    for (int i = 0; i < job->n_args; i++)
        if (gr_job_has_magnitude(job, i)) {
            add(&c, next);
            next += job->args[i].count;
        }
    assert_true(our_reference(lab, c.pointers));
    memcpy(data + results, magnitudes, bytes_of(job, true));
    free(magnitudes);
    free_inputs(&c, job);
    return data;
}

void *our_results(const char *lab, const gr_job *job) {
    return expect(lab, job);
}

static void add_results(call *c, const gr_job *job, char *results, bool inouts) {
    for (int i = 0; i < job->n_args; i++)
        if (gr_is_result(job->args[i].role)) {
            if (!inouts || job->args[i].role == GR_INOUT)
                add(c, results);
            results += gr_job_arg_bytes(&job->args[i]);
        }
}

gr_verdict our_verdict(const char *lab, const gr_job *job, const void *results) {
    size_t bytes = bytes_of(job, false);
    char *expected = expect(lab, job), *before = malloc(bytes + 1), *is = malloc(bytes + 1);
    gr_verdict verdict;
    wb_error err = {0};
    call c = {.n = 0};
    memcpy(is, results, bytes);
    begin(job, before);
    add_arguments(&c, job, is);
    add_results(&c, job, expected, false);
    add_results(&c, job, before, true);
    const char *words = our_check(lab, c.pointers);
    if (!gr_check(job, 0, is, bytes, (gr_given){expected, bytes + bytes_of(job, true)}, &verdict,
                  &err))
        fail_msg("%s", err.text);
    if (words && verdict.passed)
        fail_msg("check() says of a right result: %s", words);
    size_t n = strlen(verdict.text);
    snprintf(verdict.text + n, sizeof verdict.text - n, "%s %s", gr_causes[verdict.cause].words,
             words ? words : "");
    free_inputs(&c, job);
    free(expected);
    free(before);
    free(is);
    return verdict;
}

bool our_pass(const char *lab, const gr_job *job, const void *results) {
    gr_verdict v = our_verdict(lab, job, results);
    if (!v.passed)
        fprintf(stderr, "refused: %s\n", v.text);
    return v.passed;
}

void our_words(const char *lab, const gr_job *job, const void *results, const char *words) {
    gr_verdict v = our_verdict(lab, job, results);
    assert_false(v.passed);
    assert_true(v.wrong > 0);
    if (!strstr(v.text, words))
        fail_msg("expected ...%s..., got: %s", words, v.text);
}
