/* error.c: error messages. */
#include "runtime/base/base.h"

bool wb_fail(wb_error *err, int code, const char *format, ...) {
    if (!err)
        return false;
    err->code = code;
    WB_FORMAT_INTO(err->text, format);
    return false;
}
