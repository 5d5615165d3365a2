/* framed_fuzz.c: wb_framed_read on arbitrary bytes, which arrive at once and one by one. Both ways
 * find the same messages, and a message that is written is read again. */
#include "runtime/json/framed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads what is there. Returns the last thing found, and the messages in `all`. */
static wb_framed read_all(wb_buf *in, json_t *all) {
    json_t *message = NULL;
    wb_framed found;
    while ((found = wb_framed_read(in, &message)) == WB_FRAMED_MESSAGE)
        json_array_append_new(all, message);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_buf at_once = {0}, slowly = {0}, written = {0};
    json_t *first = json_array(), *second = json_array(), *again = json_array(), *message;
    wb_buf_append(&at_once, data, size);
    wb_framed found = read_all(&at_once, first), last = WB_FRAMED_NOTHING;
    for (size_t i = 0; i < size && last == WB_FRAMED_NOTHING; i++) {
        wb_buf_append(&slowly, data + i, 1);
        last = read_all(&slowly, second);
    }
    if (found != last || !json_equal(first, second))
        abort();
    size_t i;
    json_array_foreach(first, i, message) wb_framed_write(&written, json_incref(message));
    if (read_all(&written, again) != WB_FRAMED_NOTHING || !json_equal(first, again) || written.len)
        abort();
    wb_buf_free(&at_once);
    wb_buf_free(&slowly);
    wb_buf_free(&written);
    json_decref(first);
    json_decref(second);
    json_decref(again);
    return 0;
}
