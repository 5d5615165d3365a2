/* report.h: what `warpbook doctor` found: a list of checks, printed as a table or as JSON. */
#pragma once

#include "runtime/base/base.h"

#include <jansson.h>

typedef enum report_status {
    REPORT_FOUND,    /* it is there and works */
    REPORT_OPTIONAL, /* missing or broken; the rest works without it */
    REPORT_MISSING   /* missing or broken, and needed */
} report_status;

typedef struct report_check {
    const char *group; /* "device", "compiler", ... : static text */
    const char *name;  /* "nvcc": static text */
    report_status status;
    char *detail; /* what was found or is wrong, in one sentence */
    char *fix;    /* the command that fixes it, or NULL */
} report_check;

/* All-zero is the empty report. */
typedef struct report {
    report_check *checks;
    size_t count;
} report;

/* Adds a check. detail is a printf format. Copies fix, which may be NULL. */
void report_add(report *r, const char *group, const char *name, report_status status,
                const char *fix, const char *detail, ...) WB_PRINTF(6, 7);
size_t report_missing(const report *r); /* how many needed things are missing */
void report_print(const report *r, FILE *out);
/* {"ok":bool,"checks":[{"group","name","status":"found|optional|missing","detail","fix"}]} */
json_t *report_json(const report *r);
void report_free(report *r);
