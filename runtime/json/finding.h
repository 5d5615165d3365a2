/* finding.h: what a checker found, as data. A finding is a JSON object:
 *
 *   {"kind": NAME, "text": sentence, "subject": "out", "cause": "never-written",
 *    "file": "a.cu", "line": 7, "name": a criterion's, "sizes": ["n=3"], "runs": 2, "of": 5}
 *
 * Only kind and text are always there. Programs read the other members; the text is for people, in
 * the language of who made it, and no program reads it. */
#ifndef WARPBOOK_JSON_FINDING_H
#define WARPBOOK_JSON_FINDING_H

#include "runtime/json/fields.h"
#include "runtime/json/json.h"

typedef enum wb_finding_kind {
    WB_FOUND_OTHER, /* a report of an earlier version: no kinds */
    /* the whole submission */
    WB_FOUND_MACHINE, /* the machine failed or the lab is at fault: no result */
    WB_FOUND_UNREADABLE,
    WB_FOUND_NOT_COMPILED,   /* subject: the compiler's first message */
    WB_FOUND_UNDEFINED_NAME, /* likewise */
    WB_FOUND_COMPILES_LONG,
    WB_FOUND_NO_SOLVE,
    WB_FOUND_SIGNATURE,
    WB_FOUND_CUT_OFF,
    WB_FOUND_NO_KERNEL,
    WB_FOUND_FORBIDDEN, /* subject: the library */
    WB_FOUND_FLOODS,
    /* a run of solve() */
    WB_FOUND_NOT_RUN,
    WB_FOUND_HOST_CRASHED,
    WB_FOUND_HOST_ENDED,
    WB_FOUND_HOST_ENDLESS,
    WB_FOUND_UNLOADABLE,
    WB_FOUND_NOT_RECORDED, /* solve() asks for what the grader does not do */
    WB_FOUND_RACE,
    WB_FOUND_UNINITIALISED,
    WB_FOUND_FAULT, /* subject: softgpu's kind of fault */
    WB_FOUND_RUN_FAILED,
    WB_FOUND_KERNEL_ENDLESS,
    WB_FOUND_WRONG, /* subject: the array; cause: what its wrong elements have in common */
    WB_FOUND_UNREPEATABLE,
    WB_FOUND_REFUSED,         /* by the lab's check(), whose sentence is the cause */
    WB_FOUND_CAUSE_ELSEWHERE, /* subject: the test that names a cause */
    WB_FOUND_NO_RACE,
    /* performance, from here on */
    WB_FOUND_RIGHT_FIRST,
    WB_FOUND_TIME,
    WB_FOUND_NO_TIME,
    WB_FOUND_IMPOSSIBLE_TIME,
    WB_FOUND_LONGEST, /* subject: the kernel; cause: what bounds it */
    WB_FOUND_SPEED,
    WB_FOUND_COUNT, /* subject: the measure */
    WB_FOUND_HELD,
    WB_FOUND_KINDS
} wb_finding_kind;

/* A new finding. The text may be any bytes. NULL when memory runs out. */
json_t *wb_finding(wb_finding_kind kind, const char *text);
/* The same, of a kind that says the same each time. */
json_t *wb_finding_plain(wb_finding_kind kind);
/* Appends a finding to an array. Returns it, which the array owns; NULL if there is no array. */
json_t *wb_finding_add(json_t *findings, wb_finding_kind kind, const char *format, ...)
    WB_PRINTF(3, 4);

/* Adds what softgpu's fault, a report's "fault", knows: its kind as the subject, file and line. */
void wb_finding_locate(json_t *finding, const json_t *fault);

/* WB_FOUND_OTHER if the object names no kind of ours. */
wb_finding_kind wb_finding_of(const json_t *finding);
/* The kind in a few words, translated. */
const char *wb_finding_words(wb_finding_kind kind);
/* Returns true if it can make results wrong: a race, or a read of unwritten memory. */
bool wb_finding_explains(const json_t *finding);
/* Returns true if kind, subject, cause and name are the same; with places, also file and line. */
bool wb_finding_alike(const json_t *a, const json_t *b, bool places);

/* Returns all for people, one a line, behind sizes or names. The caller frees the result. */
char *wb_findings_text(const json_t *findings);

#endif
