/* round.h: a round: submissions that were handed to Slurm together, in a folder that all nodes see.
 *
 *     ROUND/round.json        what is graded, by which lab, how
 *     ROUND/tasks/I/NAME      the copy that task I grades
 *     ROUND/results/I.json    what it found, put there by a rename
 *     ROUND/logs/             what the tasks said
 *
 * The name of the jobs is the folder's, so a call that is killed at any time leaves what the next
 * one finds: the folder, and by its name what Slurm has of it. */
#ifndef GRADER_SLURM_ROUND_H
#define GRADER_SLURM_ROUND_H

#include "grader/report/report.h"
#include "grader/stages/stages.h"

typedef struct gr_round_task {
    int64_t submission;  /* of the book */
    const char *name;    /* as it is told to people */
    const char *content; /* handed.h: what the submission held when it was sent */
    const char *file;    /* below tasks/I */
    char state[24];      /* what Slurm said last, or "" */
    bool done;           /* its result was taken */
} gr_round_task;

typedef struct gr_round {
    char *path, *name;
    json_t *spec;
    gr_round_task *tasks;
    size_t n;
} gr_round;

/* How a round's tasks grade. */
typedef struct gr_round_how {
    bool gpu, sandbox, seeded; /* seeded: by this seed; else a new one each */
    uint64_t seed;
    gr_limits limits;
} gr_round_how;

/* A new round in `folder`, without tasks. */
bool gr_round_new(const char *folder, const gr_lab *lab, const gr_round_how *how, gr_round *round,
                  wb_error *err);
/* The folder that the next task's copy is to lie in, made; malloc'd. */
char *gr_round_place(const gr_round *round, wb_error *err);
/* Adds the task whose copy lies there. */
bool gr_round_add(gr_round *round, int64_t submission, const char *name, const char *content,
                  const char *file, wb_error *err);
/* Writes round.json and hands all tasks to Slurm; *sent of them, also where it failed. */
bool gr_round_send(gr_round *round, bool gpu, size_t *sent, wb_error *err);

/* A round that lies there; false with *err where round.json is none. */
bool gr_round_open(const char *path, gr_round *round, wb_error *err);
void gr_round_remove(gr_round *round); /* from the disk */
void gr_round_free(gr_round *round);

/* The rounds that lie in the folder, by their age; malloc'd paths, NULL-terminated; NULL: no
 * memory. */
char **gr_rounds(const char *folder);

/* A task's result as a document, and out of it again. */
json_t *gr_round_result(const char *of, const char *version, const gr_report *report);
bool gr_round_read(const char *path, char of[WB_SHA256_TEXT], char version[WB_SHA256_TEXT],
                   gr_report *report, wb_error *err);

#endif
