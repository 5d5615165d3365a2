/* entry.c: see entry.h. */
#include "runtime/compile/cache/entry.h"

#include <sys/stat.h>

/* "warpbook entry 1 SHA-256 MODE INPUTS LOG OUTPUT\n", with an octal mode and sizes in bytes. The
 * sum covers all after itself, so also the mode and the sizes. */
#define FORMAT_NAME "warpbook entry 1 "
enum { NAME_LEN = sizeof FORMAT_NAME - 1, SUM_END = NAME_LEN + WB_SHA256_TEXT - 1 };

void entry_free(entry *e) {
    wb_buf_free(&e->bytes);
    *e = (entry){.output = NULL};
}

/* Finds the parts in checked bytes. */
static bool find_parts(entry *e) {
    unsigned mode;
    size_t inputs, log;
    int head = 0;
    if (sscanf(e->bytes.data + SUM_END, " %o %zu %zu %zu%n", &mode, &inputs, &log, &e->output_len,
               &head) != 4)
        return false;
    e->mode = (mode_t)mode;
    e->inputs = e->bytes.data + SUM_END + head + 1;
    e->log = e->inputs + inputs + 1;
    e->output = e->log + log + 1;
    return e->output + e->output_len == e->bytes.data + e->bytes.len;
}

bool entry_load(const char *path, entry *e) {
    char sum[WB_SHA256_TEXT];
    struct stat st;
    *e = (entry){.output = NULL};
    bool ok = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
              wb_buf_reserve(&e->bytes, (size_t)st.st_size) &&
              wb_file_read(path, 0, &e->bytes, NULL) && e->bytes.len > SUM_END &&
              memcmp(e->bytes.data, FORMAT_NAME, NAME_LEN) == 0;
    if (ok) {
        wb_sha256(e->bytes.data + SUM_END, e->bytes.len - SUM_END, sum);
        ok = memcmp(e->bytes.data + NAME_LEN, sum, WB_SHA256_TEXT - 1) == 0 && find_parts(e);
    }
    if (!ok)
        entry_free(e);
    return ok;
}

bool entry_save(const char *path, const char *inputs, const char *log, const char *output) {
    WB_SCOPED_BUF wb_buf made = {0}, b = {0};
    struct stat st;
    char sum[WB_SHA256_TEXT];
    bool ok = stat(output, &st) == 0 && wb_file_read(output, 0, &made, NULL);
    if (ok) {
        wb_buf_printf(&b, FORMAT_NAME "%*s %o %zu %zu %zu\n", WB_SHA256_TEXT - 1, "",
                      (unsigned)st.st_mode & 0777, strlen(inputs), strlen(log), made.len);
        wb_buf_append(&b, inputs, strlen(inputs) + 1);
        wb_buf_append(&b, log, strlen(log) + 1);
        wb_buf_append(&b, made.data, made.len);
        ok = !b.failed;
    }
    if (ok) {
        wb_sha256(b.data + SUM_END, b.len - SUM_END, sum);
        memcpy(b.data + NAME_LEN, sum, WB_SHA256_TEXT - 1);
        ok = wb_file_write_unsynced(path, b.data, b.len, NULL);
    }
    return ok;
}
