/* symbolize.c: runs addr2line. */
#include "runtime/worker/client/symbolize.h"
#include "runtime/base/base.h"
#include "runtime/json/fields.h"

static void add_frame(wb_frame **list, size_t *count, const char *function, const char *place) {
    wb_frame *frame = WB_PUSH(*list, *count);
    if (!frame)
        return;
    const char *colon = strrchr(place, ':');
    if (strcmp(function, "??") != 0)
        frame->function = strdup(function);
    if (colon && strncmp(place, "??", 2) != 0) {
        frame->file = strndup(place, (size_t)(colon - place));
        frame->line = atoi(colon + 1);
    }
}

/* Parses the output of addr2line -f -i -C -s: for each frame a line with the function, then
 * file:line (-s omits the folder, which cells do not have). */
static void parse(char *text, wb_frame **list, size_t *count) {
    char *rest = text, *function, *place;
    while ((function = strsep(&rest, "\n")) && (place = strsep(&rest, "\n")))
        add_frame(list, count, function, place);
}

static void symbolize_one(const char *library, json_int_t offset, wb_frame **list, size_t *count) {
    char address[32];
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)offset);
    const char *argv[] = {"addr2line", "-f", "-i", "-C", "-s", "-e", library, address, NULL};
    wb_proc_result result;
    if (wb_proc_run(&(wb_proc_spec){.argv = argv, .timeout_s = 10, .max_output = 1 << 16}, &result,
                    NULL) &&
        result.exit_code == 0 && result.out.data)
        parse(result.out.data, list, count);
    wb_proc_result_free(&result);
}

void wb_symbolize(const json_t *frames, wb_frame **list, size_t *count) {
    *list = NULL;
    *count = 0;
    WB_JSON_EACH(frame, frames) {
        const char *library = json_string_value(json_array_get(frame, 0));
        if (library && frame_at < 8)
            symbolize_one(library, json_integer_value(json_array_get(frame, 1)), list, count);
    }
}
