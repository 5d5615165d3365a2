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

bool gr_work_fail(gr_work *work, bool machine, const char *format, ...) {
    if (work->message)
        return false;
    char text[8000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    work->message = strdup(text);
    work->machine_failed = machine;
    return false;
}

bool gr_work_stopped(gr_work *work) {
    if (!work->stop || !*work->stop)
        return false;
    gr_work_fail(work, true, "interrupted");
    return true;
}

bool gr_task_fail(gr_task *task, const char *format, ...) {
    if (task->text)
        return false;
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    task->text = strdup(text);
    return false;
}
