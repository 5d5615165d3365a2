/* lsp_fuzz.c: lsp_read on arbitrary bytes, which arrive at once and one by one. Both ways find the
 * same messages, and a message that is written is read again. */
#include "jupyter_kernel/help/lsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads what is there. Returns the last thing found, and the messages in `all`. */
static lsp_found read_all(wb_buf *in, json_t *all) {
    json_t *message = NULL;
    lsp_found found;
    while ((found = lsp_read(in, &message)) == LSP_MESSAGE)
        json_array_append_new(all, message);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_buf at_once = {0}, slowly = {0}, written = {0};
    json_t *first = json_array(), *second = json_array(), *again = json_array(), *message;
    wb_buf_append(&at_once, data, size);
    lsp_found found = read_all(&at_once, first), last = LSP_NOTHING;
    for (size_t i = 0; i < size && last == LSP_NOTHING; i++) {
        wb_buf_append(&slowly, data + i, 1);
        last = read_all(&slowly, second);
    }
    if (found != last || !json_equal(first, second))
        abort();
    size_t i;
    json_array_foreach(first, i, message) lsp_write(&written, json_incref(message));
    if (read_all(&written, again) != LSP_NOTHING || !json_equal(first, again) || written.len)
        abort();
    wb_buf_free(&at_once);
    wb_buf_free(&slowly);
    wb_buf_free(&written);
    json_decref(first);
    json_decref(second);
    json_decref(again);
    return 0;
}
