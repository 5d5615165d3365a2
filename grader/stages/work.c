/* work.c: what the stages share: where their files lie, and how one says that it can't go on. */
#include "grader/stages/stages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *gr_work_path(const gr_work *work, const char *format, size_t number) {
    char name[64];
    snprintf(name, sizeof name, format, number); /* formats of this folder's own */
    return wb_format("%s/%s", work->folder, name);
}

/* The first reason stays. Whether this is it. */
static bool note(char **text, const char *format, va_list args) {
    char reason[8000];
    if (*text)
        return false;
    vsnprintf(reason, sizeof reason, format, args);
    *text = strdup(reason);
    return true;
}

bool gr_work_fail(gr_work *work, bool machine, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (note(&work->message, format, args))
        work->machine_failed = machine;
    va_end(args);
    return false;
}

bool gr_work_stopped(gr_work *work) {
    if (!work->stop || !*work->stop)
        return false;
    gr_work_fail(work, true, "interrupted");
    return true;
}

bool gr_task_fail(gr_task *task, const char *format, ...) {
    va_list args;
    va_start(args, format);
    note(&task->text, format, args);
    va_end(args);
    return false;
}
