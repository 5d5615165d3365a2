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
    char root[PATH_MAX];
    wb_error err = {0};
    if (argc < 2)
        return fail("names no program");
    argv[1] = realpath(argv[1], NULL);
    if (!argv[1])
        return fail("there is no such program");
    strcpy(root, argv[1]);
    const char *read_only[] = {dirname(dirname(root)), NULL};
    wb_sandbox_spec spec = {.read_only = read_only,
                            .program = (const char *const *)argv + 1,
                            .memory = (size_t)3 << 30,
                            .processes = 16,
                            .file = (size_t)256 << 20,
                            .cpu_s = SECONDS};
    char **all = wb_sandbox_argv(&spec, &err);
    if (!all)
        return fail(err.text);
    execv(all[0], all);
    return fail("bubblewrap can't be run");
}
