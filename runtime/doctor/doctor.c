/* doctor.c: `warpbook doctor` reports what it found, what is missing, and how to fix it. */
#include "runtime/cli/cli.h"
#include "runtime/doctor/checks.h"
#include "runtime/json/json.h"

static struct asked { bool json; } asked;

static int run(int argc, char **argv);

#define WB_RECORD struct asked
WB_COMMAND(doctor){
    .name = "doctor",
    .usage = "",
    .summary = N_("reports what this machine has, what is missing, and how to get it"),
    .help = N_(
        "Looks at devices, the CUDA toolkit, compilers, the sandbox, Warpbook's own files and "
        "Jupyter. Each line says what was found. Where something is missing or does not work, "
        "the next line is the command that repairs it. `--` marks what is optional.\n\n"
        "The JSON document is {\"ok\", \"checks\": [{\"group\", \"name\", \"status\", "
        "\"detail\", \"fix\"}]}, where status is found, optional or missing.\n\n"
        "Exit status: 0 everything that is needed is here, 3 something is missing."),
    .order = 30,
    .options = (const wb_option[]){WB_OPTION_JSON(json), {0}},
    .record = &asked,
    .run = run,
};

static int run(int argc, char **argv) {
    if (argc > 1)
        return wb_cli_usage(&doctor, _("'%s' is not known here"), argv[1]);
    report r = {0};
    checks_device(&r);
    checks_compiler(&r);
    checks_installation(&r);
    checks_sandbox(&r);
    checks_jupyter(&r);
    if (asked.json) {
        wb_json_say(report_json(&r), JSON_INDENT(2), stdout);
    } else {
        report_print(&r, stdout);
    }
    int status = report_missing(&r) ? WB_EXIT_MACHINE : WB_EXIT_DONE;
    report_free(&r);
    return status;
}
