/* lsp.h: messages of the Language Server Protocol: JSON behind a Content-Length header. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

typedef enum lsp_found {
    LSP_NOTHING, /* the message is incomplete */
    LSP_MESSAGE,
    LSP_RUBBISH /* this is no such message, so nothing after it can be read */
} lsp_found;

/* Appends the message, and frees it. */
void lsp_write(wb_buf *out, json_t *message);
/* Takes the first message out of `in`. *message is a new reference. */
lsp_found lsp_read(wb_buf *in, json_t **message);
