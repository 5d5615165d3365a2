/* rules.h: how late is late, and what that costs. Pure: times and points in, days and points out.
 */
#ifndef GRADER_BOOK_RULES_H
#define GRADER_BOOK_RULES_H

#include "runtime/base/base.h"

typedef struct gr_rules {
    bool has_due;
    int64_t due;    /* seconds since 1970 */
    int64_t grace;  /* seconds after it that are not late */
    double penalty; /* per cent of the points earned, for each day late that is begun */
    int64_t days;   /* what is later than so many days earns nothing; -1: it does */
    bool best;      /* of several submissions the one that comes to most counts, else the last */
} gr_rules;

/* Days late that are begun, 0 without a due time; the extension is in days. */
int64_t gr_days_late(const gr_rules *rules, int64_t handed_in, int64_t extension);
/* Returns the points after the penalty for `late` days. Returns how many `free` days to spend: the
 * fewest that make the submission count, or 0 if they are too few. */
double gr_after_penalty(const gr_rules *rules, double points, int64_t late);
int64_t gr_free_days(const gr_rules *rules, int64_t late, int64_t left);

/* "2026-11-30 23:59", with seconds or a T or not; local time, with a Z behind it UTC; a date alone
 * is the end of its day. */
bool gr_time_read(const char *text, int64_t *time);
/* Local time, as that. */
enum { GR_TIME_TEXT = 32 };
const char *gr_time_text(int64_t time, char text[GR_TIME_TEXT]);

#endif
