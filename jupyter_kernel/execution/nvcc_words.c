/* nvcc_words.c: nvcc writes an error as "x.cu(3): error: MESSAGE", and the source line below it. */
#include "jupyter_kernel/execution/nvcc_words.h"

#include "runtime/base/base.h"
#include "runtime/worker/session.h"

#define ERROR "): error: "
enum { MOST_HINTS = 3 };

/* Copies `text` up to the end of its line. The caller frees the copy. */
static char *line_at(const char *text) {
    return strndup(text, strcspn(text, "\n"));
}

char *nvcc_words_hints(const char *text) {
    wb_buf all = {0};
    int n = 0;
    for (const char *at = text; n < MOST_HINTS && (at = strstr(at, ERROR));) {
        const char *begin = at;
        while (begin > text && begin[-1] != '\n')
            begin--;
        at += strlen(ERROR);
        const char *next = at + strcspn(at, "\n");
        char *words = line_at(at), *excerpt = *next ? line_at(next + 1) : NULL;
        char *hint = words ? wb_cell_error_hint(words, excerpt) : NULL;
        if (hint && (!all.data || !strstr(all.data, hint))) {
            wb_buf_printf(&all, "%.*s: %s\n", (int)(strchr(begin, ')') + 1 - begin), begin, hint);
            n++;
        }
        WB_FREE(words, excerpt, hint);
    }
    return n ? wb_buf_steal(&all) : NULL;
}
