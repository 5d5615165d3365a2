/* doctor.c: `warpbook doctor`: what is here, what is missing, the command that mends it. */
#include "runtime/cli/cli.h"
#include "runtime/doctor/checks.h"

#include <string.h>

static int run(int argc, char **argv);

WB_COMMAND(doctor){
    .name = "doctor",
    .usage = "[--json]",
    .summary = "tells what was found on this machine, what is missing, and how to mend it",
    .help =
        "Looks at devices, the CUDA toolkit, compilers, the sandbox, Warpbook's own files and\n"
        "Jupyter. Each line says what was found; where something is missing or does not work,\n"
        "the next line is the command that mends it. `--` marks what the rest does without.\n"
        "\n"
        "  --json   one JSON document: {\"ok\", \"checks\": [{\"group\", \"name\", \"status\",\n"
        "           \"detail\", \"mend\"}]}, status being found, optional or missing\n"
        "\n"
        "Exit status: 0 nothing that is needed is missing, 3 something is.",
    .order = 30,
    .flags = "--json",
    .run = run,
};

static int run(int argc, char **argv) {
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") != 0)
            return wb_cli_usage(&doctor, "'%s' is not known here", argv[i]);
        json = true;
    }
    report r = {0};
    checks_device(&r);
    checks_compiler(&r);
    checks_installation(&r);
    checks_sandbox(&r);
    checks_jupyter(&r);
    if (json) {
        json_t *document = report_json(&r);
        json_dumpf(document, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(document);
    } else {
        report_print(&r, stdout);
    }
    int status = report_missing(&r) ? WB_EXIT_MACHINE : WB_EXIT_DONE;
    report_free(&r);
    return status;
}
