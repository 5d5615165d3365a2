/* finding.h: what a checker found, as data. A finding is a JSON object:
 *
 *   {"kind": NAME, "text": sentence, "subject": "out", "cause": "never-written",
 *    "file": "a.cu", "line": 7, "name": a criterion's, "sizes": ["n=3"], "runs": 2, "of": 5}
 *
 * Only kind and text are always there. Programs read the other members; the text is for people, in
 * the language of who made it, and no program reads it. */
#pragma once

#include "runtime/json/json.h"

typedef enum wb_finding_kind {
#define WB_KIND(constant, name, words) WB_FOUND_##constant,
#include "runtime/json/kinds.inc"
#undef WB_KIND
    WB_FOUND_KINDS
} wb_finding_kind;

/* Returns a new finding, or NULL if memory runs out. The text may be any bytes. */
json_t *wb_finding(wb_finding_kind kind, const char *text);
/* Returns a new finding of a kind whose text is always the same. */
json_t *wb_finding_plain(wb_finding_kind kind);
/* Appends a finding to an array. Returns it, which the array owns; NULL if there is no array. */
json_t *wb_finding_add(json_t *findings, wb_finding_kind kind, const char *format, ...)
    WB_PRINTF(3, 4);

/* Adds the subject (the fault's kind), file and line from softgpu's fault, a report's "fault". */
void wb_finding_locate(json_t *finding, const json_t *fault);

/* Returns WB_FOUND_OTHER if the object names no kind of ours. */
wb_finding_kind wb_finding_of(const json_t *finding);
/* Returns a short translated name of the kind. */
const char *wb_finding_words(wb_finding_kind kind);
/* Returns true if it can make results wrong: a race, or a read of unwritten memory. */
bool wb_finding_explains(const json_t *finding);
/* Returns true if kind, subject, cause and name are the same; with places, also file and line. */
bool wb_finding_alike(const json_t *a, const json_t *b, bool places);

/* Returns the findings as lines for people, with sizes or names. The caller frees the result. */
char *wb_findings_text(const json_t *findings);
