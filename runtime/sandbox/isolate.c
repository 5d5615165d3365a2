/* warpbook-isolate PROGRAM ARGUMENT...: runs a tool of the CUDA toolkit on untrusted input in a
 * sandbox. The tool sees the toolkit and writes only to the descriptors that it inherits. For
 * libraries inside other programs, which can't make a sandbox themselves (../model/assemble.c).
 *
 * Exit status 126, with a message on stderr: no sandbox could be made. */
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "runtime/sandbox/sandbox.h"

enum { NO_SANDBOX = 126, SECONDS = 300 };

static int fail(const char *why) {
    fprintf(stderr, "warpbook-isolate: %s\n", why);
    return NO_SANDBOX;
}

int main(int argc, char **argv) {
    char program[PATH_MAX], root[PATH_MAX];
    wb_error err = {0};
    if (argc < 2 || !realpath(argv[1], program))
        return fail(argc < 2 ? "names no program" : "there is no such program");
    strcpy(root, program);
    const char *read_only[] = {dirname(dirname(root)), NULL};
    wb_sandbox_spec spec = {.read_only = read_only,
                            .memory = (size_t)3 << 30,
                            .processes = 16,
                            .file = (size_t)256 << 20,
                            .cpu_s = SECONDS};
    char **wrapper = wb_sandbox_argv(&spec, &err);
    if (!wrapper)
        return fail(err.text);
    size_t n = 0;
    while (wrapper[n])
        n++;
    char **all = calloc(n + (size_t)argc, sizeof *all);
    if (!all)
        return fail("out of memory");
    memcpy(all, wrapper, n * sizeof *all);
    all[n] = program;
    memcpy(all + n + 1, argv + 2, (size_t)(argc - 2) * sizeof *all);
    execv(all[0], all);
    return fail("bubblewrap can't be run");
}
