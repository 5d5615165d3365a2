/* framed.h: JSON behind a Content-Length header: messages of the Language Server Protocol and of
 * the Debug Adapter Protocol. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

typedef enum wb_framed {
    WB_FRAMED_NOTHING, /* the message is incomplete */
    WB_FRAMED_MESSAGE,
    WB_FRAMED_RUBBISH /* this is no such message, so nothing after it can be read */
} wb_framed;

/* Appends the message, and frees it. */
void wb_framed_write(wb_buf *out, json_t *message);
/* Takes the first message out of `in`. *message is a new reference. */
wb_framed wb_framed_read(wb_buf *in, json_t **message);
