/* pending.c: see pending.h. */
#include "runtime/base/pending.h"
#include "runtime/base/scoped.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* Reads the log's last "[57/83] 41 s" and writes "57 of 83; about 19 s", or "". */
static void read_progress(const char *log, char *text, size_t size) {
    wb_buf words = {0};
    int done = 0, total = 0, seconds = 0;
    text[0] = '\0';
    if (wb_file_read(log, 0, &words, NULL) && words.data)
        for (const char *p = words.data; (p = strstr(p, "\n  [")) != NULL; p += 4)
            sscanf(p + 4, "%d/%d] %d s", &done, &total, &seconds);
    wb_buf_free(&words);
    if (done > 0 && total >= done)
        snprintf(text, size, _("%d of %d; about %d s"), done, total,
                 1 + (int)((double)seconds * (total - done) / done));
}

wb_pending wb_pending_state(char *text, size_t size) {
    WB_SCOPED char *path = wb_path_share("building");
    WB_SCOPED_BUF wb_buf log = {0};
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    wb_pending state = WB_PENDING_NONE;
    text[0] = '\0';
    if (fd >= 0 && wb_file_read(path, 4096, &log, NULL) && log.data) {
        log.data[strcspn(log.data, "\n")] = '\0';
        bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
        state = locked ? WB_PENDING_RUNS : WB_PENDING_FAILED;
        if (locked)
            read_progress(log.data, text, size);
        else
            snprintf(text, size, "%s", log.data);
    }
    if (fd >= 0)
        close(fd);
    return state;
}

/* Reports progress once. Returns false if nobody builds what is missing. */
static bool tell(const char *name, const char *what, void (*say)(void *ctx, const char *text),
                 void *ctx, wb_error *err) {
    char text[4096], line[300];
    switch (wb_pending_state(text, sizeof text)) {
    case WB_PENDING_RUNS:
        snprintf(line, sizeof line, _("%s is being built%s%.200s"), what, *text ? ": " : "", text);
        if (say)
            say(ctx, line);
        return true;
    case WB_PENDING_FAILED:
        return wb_fail(err, 1,
                       _("%s is missing, because its build failed or was stopped. Read the log "
                         "%.600s, and run `make` in Warpbook's folder"),
                       what, text);
    default:
        return wb_fail(err, 1, _("%s is missing (%s). Run `make` in Warpbook's folder"), what,
                       name);
    }
}

bool wb_pending_wait(const char *name, const char *what, void (*say)(void *ctx, const char *text),
                     void *ctx, const volatile int *stop, wb_error *err) {
    char *path = wb_path_lib(name), line[300];
    bool there = false, waits = path || wb_fail(err, 1, _("out of memory"));
    unsigned turn = 0;
    for (; waits && !(there = wb_file_exists(path)); turn++) {
        if (stop && *stop)
            waits =
                wb_fail(err, WB_PENDING_STOPPED, _("interrupted while %s was being built"), what);
        else if (turn % 10 == 0)
            waits = tell(name, what, say, ctx, err) || (there = wb_file_exists(path));
        if (waits && !there)
            usleep(100000);
    }
    snprintf(line, sizeof line, _("%s is built; waited %u s"), what, turn / 10);
    if (there && turn && say)
        say(ctx, line);
    free(path);
    return there;
}
