/* error.c: failures in words. */
#include "runtime/base/base.h"
#include "runtime/base/language.h"

#include <stdio.h>

bool wb_fail(wb_error *err, int code, const char *format, ...) {
    if (!err)
        return false;
    err->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, wb_tr(format), args);
    va_end(args);
    return false;
}
