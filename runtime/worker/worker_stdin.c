/* worker_stdin.c: a read from stdin becomes a question to the user (input_request).
 *
 * glibc lets a program replace the variable stdin; scanf, getchar, fgets and std::cin (which asks
 * the variable when libstdc++ is loaded) then all read from here. */
#include "runtime/worker/process.h"
#include "runtime/worker/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wb_buf line; /* the part of the last answer that was not read yet */

/* The answer to {"op":"input"}: the text, or NULL for the end of file. */
static bool ask(void) {
    process_flush();
    process_send(json_pack("{s:s}", "op", "input"));
    json_t *answer = process_answer("input");
    json_t *text = json_object_get(answer, "text");
    bool some = json_is_string(text);
    if (some) {
        wb_buf_append(&line, json_string_value(text), json_string_length(text));
        wb_buf_putc(&line, '\n');
    }
    json_decref(answer);
    return some;
}

static ssize_t read_line(void *cookie, char *to, size_t size) {
    (void)cookie;
    if (line.len == 0 && !ask())
        return 0;
    size_t n = line.len < size ? line.len : size;
    memcpy(to, line.data, n);
    wb_buf_consume(&line, n);
    return (ssize_t)n;
}

void stdin_open(void) {
    FILE *asking = fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_line});
    if (asking)
        stdin = asking;
}
