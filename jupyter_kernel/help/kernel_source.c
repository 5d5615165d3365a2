#include "jupyter_kernel/help/kernel_source.h"

#include <ctype.h>
#include <glob.h>

#include "runtime/base/scoped.h"
#include "runtime/base/words.h"

enum { MOST_BYTES = 1 << 20 };

/* Returns the launcher's definition in the text, from its return type on, or NULL. */
static const char *definition(const char *text, const char *symbol) {
    size_t len = strlen(symbol);
    for (const char *p = text; (p = strstr(p, symbol)); p += len) {
        bool whole = p[len] == '(' && p > text && isspace((unsigned char)p[-1]);
        const char *line = text + wb_line_begin(text, (size_t)(p - text));
        static const char before[] = "extern \"C\" ";
        if (whole && strncmp(line, before, strlen(before)) == 0)
            return line + strlen(before);
    }
    return NULL;
}

char *kernel_source(const char *symbol, char **file) {
    WB_SCOPED char *folder = wb_path_share("kernels");
    WB_SCOPED char *pattern = folder ? wb_format("%s/*/*.cu", folder) : NULL;
    char *found = NULL;
    glob_t files = {0};
    *file = NULL;
    if (pattern && glob(pattern, 0, NULL, &files) == 0)
        for (size_t i = 0; i < files.gl_pathc && !found; i++) {
            WB_SCOPED_BUF wb_buf text = {0};
            if (wb_file_read(files.gl_pathv[i], MOST_BYTES, &text, NULL) && text.data &&
                definition(text.data, symbol)) {
                *file = strdup(files.gl_pathv[i] + strlen(folder) + 1);
                found = wb_buf_steal(&text);
            }
        }
    globfree(&files);
    return found;
}

char *kernel_source_head(const char *text, size_t *len) {
    const char *end = strncmp(text, "/*", 2) == 0 ? strstr(text, "*/") : NULL;
    wb_buf head = {0};
    *len = 0;
    if (!end)
        return strdup("");
    for (const char *line = text + 2; line < end;) {
        size_t n = strcspn(line, "\n");
        const char *stop = line + n < end ? line + n : end, *next = stop + (*stop == '\n');
        if (line > text + 2) /* " * " begins every line but the first */
            line += strspn(line, " \t");
        if (line < stop && *line == '*')
            line++;
        if (line < stop && *line == ' ')
            line++;
        while (stop > line && isspace((unsigned char)stop[-1]))
            stop--;
        wb_buf_printf(&head, "%.*s\n", line < stop ? (int)(stop - line) : 0, line);
        line = next;
    }
    *len = (size_t)(end + 2 - text);
    *len += strspn(end + 2, "\n");
    return wb_buf_steal(&head);
}

char *kernel_source_declaration(const char *text, const char *symbol) {
    const char *p = definition(text, symbol);
    wb_buf out = {0};
    if (!p)
        return NULL;
    for (; *p && *p != '{'; p++) {
        bool blank = isspace((unsigned char)*p);
        if (!blank)
            wb_buf_putc(&out, *p);
        else if (out.len > 0 && out.data[out.len - 1] != ' ')
            wb_buf_putc(&out, ' ');
    }
    out.len = wb_trimmed(out.data, out.len, " ");
    wb_buf_puts(&out, ";");
    return wb_buf_steal(&out);
}
