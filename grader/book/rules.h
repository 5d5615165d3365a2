/* rules.h: lateness and its cost. Pure: times and points in, days and points out. */
#pragma once

#include "runtime/base/base.h"

typedef struct gr_rules {
    bool has_due;
    int64_t due;    /* seconds since 1970 */
    int64_t grace;  /* seconds after the due time that are not late */
    double penalty; /* per cent of the earned points, for each begun day */
    int64_t days;   /* a submission later than this many days earns nothing; -1: no limit */
    bool best;      /* the submission with most points counts; otherwise the last */
} gr_rules;

/* Returns the begun days late; 0 without a due time. The extension is in days. */
int64_t gr_days_late(const gr_rules *rules, int64_t handed_in, int64_t extension);
/* Returns the points after the penalty for `late` days. */
double gr_after_penalty(const gr_rules *rules, double points, int64_t late);
int64_t gr_free_days(const gr_rules *rules, int64_t late, int64_t left);

/* Reads "2026-11-30 23:59", with or without seconds or a T. A Z at the end means UTC, else it is
 * local time. A date alone is the end of its day. */
bool gr_time_read(const char *text, int64_t *time);
/* Writes local time in the same form. */
enum { GR_TIME_TEXT = 32 };
const char *gr_time_text(int64_t time, char text[GR_TIME_TEXT]);
