/* stdin.c: turns a read from stdin into a question to the user (input_request).
 *
 * glibc lets a program replace the variable stdin. scanf, getchar, fgets and std::cin (which reads
 * the variable when libstdc++ is loaded) then all read from here. C++ keeps the stream, so it must
 * never be closed. The loader finds the worker's fclose and freopen before libc's (like exit,
 * exit.c). They make the stream read nothing, or a file, until the cell ends. */
#include "runtime/worker/process/process.h"
#include "runtime/worker/shared/channel.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

static wb_buf line; /* the unread part of the last answer */
static FILE *asking;
static bool closed;     /* by fclose */
static int source = -1; /* the file of freopen */

/* Sends {"op":"input"} and takes the answer. Returns false at the end of file. */
static bool ask(void) {
    output_flush();
    talk_send(json_pack("{s:s}", "op", "input"));
    json_t *answer = talk_answer("input");
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
    if (closed)
        return 0;
    if (source >= 0)
        return read(source, to, size);
    if (line.len == 0 && !ask())
        return 0;
    size_t n = line.len < size ? line.len : size;
    memcpy(to, line.data, n);
    wb_buf_consume(&line, n);
    return (ssize_t)n;
}

/* Makes the stream read from a file, or (-1) nothing. Drops what it had read. */
static void lead(int file) {
    __fpurge(asking);
    clearerr(asking);
    if (source >= 0)
        close(source);
    source = file;
    closed = file < 0;
}

__attribute__((visibility("default"))) int fclose(FILE *stream) {
    static int (*real)(FILE *);
    if (asking && stream == asking) {
        lead(-1);
        return 0;
    }
    if (!real)
        real = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    return real(stream);
}

__attribute__((visibility("default"))) FILE *freopen(const char *path, const char *mode,
                                                     FILE *stream) {
    static FILE *(*real)(const char *, const char *, FILE *);
    if (asking && stream == asking) {
        if (path)
            lead(open(path, O_RDONLY | O_CLOEXEC));
        return closed ? NULL : stream;
    }
    if (!real)
        real = (FILE * (*)(const char *, const char *, FILE *)) dlsym(RTLD_NEXT, "freopen");
    return real(path, mode, stream);
}

__attribute__((visibility("default"))) FILE *freopen64(const char *path, const char *mode,
                                                       FILE *stream) {
    return freopen(path, mode, stream);
}

void stdin_open(void) {
    asking = fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_line});
    if (asking)
        stdin = asking;
}

void stdin_restore(void) {
    if (!asking)
        return;
    if (closed || source >= 0)
        lead(-1);
    closed = false;
    clearerr(asking);
    stdin = asking;
    int null = fcntl(0, F_GETFD) < 0 ? open("/dev/null", O_RDONLY) : 0;
    if (null > 0) { /* 0 was free, and no other thread took it, so open returned it */
        dup2(null, 0);
        close(null);
    }
}
