/* rules.c: late days and penalties; reads and writes times. */
#include "grader/book/rules.h"

#include <time.h>

enum { DAY = 86400 };

int64_t gr_days_late(const gr_rules *rules, int64_t handed_in, int64_t extension) {
    int64_t over = handed_in - rules->due - extension * DAY;
    if (!rules->has_due || over <= rules->grace)
        return 0;
    return (over + DAY - 1) / DAY;
}

double gr_after_penalty(const gr_rules *rules, double points, int64_t late) {
    if (late <= 0)
        return points;
    if (rules->days >= 0 && late > rules->days)
        return 0;
    double part = 1 - rules->penalty / 100 * (double)late;
    return part > 0 ? points * part : 0;
}

int64_t gr_free_days(const gr_rules *rules, int64_t late, int64_t left) {
    int64_t used = late < left ? late : left;
    bool too_late = rules->days >= 0 && late - used > rules->days;
    bool costs = rules->penalty > 0 || (rules->days >= 0 && late > rules->days);
    return costs && !too_late && used > 0 ? used : 0;
}

bool gr_time_read(const char *text, int64_t *result) {
    struct tm tm = {.tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1};
    int n = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &n) != 3)
        return false;
    const char *rest = text + n;
    if (*rest == ' ' || *rest == 'T') {
        n = 0;
        if (sscanf(rest + 1, "%2d:%2d%n", &tm.tm_hour, &tm.tm_min, &n) != 2)
            return false;
        rest += 1 + n;
        tm.tm_sec = 0;
        if (*rest == ':' && (n = 0, sscanf(rest + 1, "%2d%n", &tm.tm_sec, &n) == 1))
            rest += 1 + n;
    }
    bool utc = strcmp(rest, "Z") == 0;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    struct tm asked = tm;
    time_t t = utc ? timegm(&tm) : mktime(&tm);
    *result = t;
    /* Reject the 31st of June or a 25th hour, which mktime would change. An hour that summer time
     * skips becomes the next hour. */
    return (utc || !*rest) && tm.tm_year == asked.tm_year && tm.tm_mon == asked.tm_mon &&
           tm.tm_mday == asked.tm_mday && tm.tm_min == asked.tm_min && asked.tm_hour < 24 &&
           asked.tm_hour >= 0 && asked.tm_sec < 60 && asked.tm_sec >= 0;
}

const char *gr_time_text(int64_t value, char text[GR_TIME_TEXT]) {
    time_t t = value;
    struct tm tm;
    if (!localtime_r(&t, &tm) || !strftime(text, GR_TIME_TEXT, "%Y-%m-%d %H:%M", &tm))
        snprintf(text, GR_TIME_TEXT, "?");
    return text;
}
