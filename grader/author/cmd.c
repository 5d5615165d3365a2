/* cmd.c: `warpbook lab`. */
#include "grader/author/author.h"
#include "grader/job/random.h"
#include "runtime/cli/cli.h"
#include "runtime/sandbox/sandbox.h"

#include <unistd.h>

typedef struct arguments {
    const char *what, *name, *folder, *device;
    bool no_sandbox;
    int64_t seeds, mutants;
    wb_seed seed;
    gr_author_options options;
} arguments;

static arguments asked = {
    .device = "auto", .seeds = 1, .mutants = 12, .options = {.grading = {.limits = {120, 10, 20}}}};

static int run(int argc, char **argv);

#define WB_RECORD arguments
static const wb_option options[] = {
    WB_OPTION_JSON(options.json, .only = "check"),
    WB_OPTION("--seeds", WHOLE, seeds, "N",
              "grade with N seeds each (default: 1), which shows whether points depend on the seed",
              .least = 1, .most = 100, .only = "check"),
    WB_OPTION("--mutants", WHOLE, mutants, "N",
              "plant N small mistakes in the best solution (default: 12), and list those that the "
              "tests let pass",
              .least = 0, .most = 1000, .only = "check"),
    WB_OPTION_SEED(seed, .only = "check"),
    WB_OPTION_DEVICE(device, .only = "check"),
    WB_OPTION("--unsafe-no-sandbox", FLAG, no_sandbox, NULL,
              "run the lab's code with your own rights", .only = "check"),
    {0}};

WB_COMMAND(lab){
    .name = "lab",
    .usage = "new NAME | check LAB | gradescope|classroom|nbgrader LAB FOLDER",
    .summary = N_("makes a lab of your own, checks if its points spread, exports it"),
    .help = N_(
        "lab new NAME makes the folder NAME with a lab that grades at once: lab.json, the "
        "correct results (reference.cpp), a starter, two solutions and a README.\n"
        "lab check LAB grades the starter and every solution, and reports what to fix: a "
        "starter that earns much, a solution that fails a test, full marks that no solution "
        "earns, points that do not spread. It also lists small mistakes in the best solution "
        "that the tests let pass. LAB is a folder, a lab.json or a lab's name.\n"
        "lab gradescope LAB FOLDER writes the content of a Gradescope autograder's zip.\n"
        "lab classroom LAB FOLDER writes the starter repository of a GitHub Classroom "
        "assignment, with its workflow.\n"
        "lab nbgrader LAB FOLDER writes a course folder with the lab as an assignment.\n\n"
        "labs/README.md describes how to write a lab. Exit status: 0 done, and nothing to fix; "
        "1 there is something to fix; 2 wrong usage; 3 the machine lacks something, or the "
        "lab's reference fails."),
    .order = 51,
    .options = options,
    .record = &asked,
    .run = run,
};

static int read_arguments(int argc, char **argv, arguments *a) {
    for (int i = 1; i < argc; i++) {
        if (!a->what)
            a->what = argv[i];
        else if (!a->name)
            a->name = argv[i];
        else if (!a->folder && gr_author_exports(a->what))
            a->folder = argv[i];
        else
            return wb_cli_usage(&lab, _("one lab at a time, not '%s' too"), argv[i]);
    }
    bool exports = a->what && gr_author_exports(a->what);
    if (!a->what || (strcmp(a->what, "new") != 0 && strcmp(a->what, "check") != 0 && !exports))
        return wb_cli_usage(&lab, _("new, check, gradescope, classroom or nbgrader?"));
    if (!a->name)
        return wb_cli_usage(&lab, _("which lab?"));
    if (exports && !a->folder)
        return wb_cli_usage(&lab, _("into which folder?"));
    return WB_EXIT_DONE;
}

static int fail(int status, const char *text) {
    fprintf(stderr, "warpbook lab: %s\n", text);
    return status;
}

static void show_progress(void *ctx, const char *stage) {
    fprintf(stderr, "\r\033[K%s: %s", (const char *)ctx, stage);
    fflush(stderr);
}

static int make_new(const char *name) {
    wb_error err = {0};
    if (!gr_author_new(name, &err))
        return fail(WB_EXIT_USAGE, err.text);
    printf(_("%s is made. Grade with `warpbook grade %s%s %s/starter.cu`, and see what its "
             "solutions earn with `warpbook lab check %s%s`; then make it yours.\n"),
           name, strchr(name, '/') ? "" : "./", name, name, strchr(name, '/') ? "" : "./", name);
    return WB_EXIT_DONE;
}

static int export(const arguments *a) {
    wb_error err = {0};
    gr_lab *found = gr_lab_find(a->name, &err);
    bool ok = found && gr_author_export(a->what, found, a->folder, &err);
    if (ok && strcmp(a->what, "gradescope") == 0)
        printf(_("%s is made, for %.4g points. Put Warpbook's wheel into it, and zip what is "
                 "in it:   cd %s && zip -r ../autograder.zip .\n"),
               a->folder, gr_lab_max_score(found, false), a->folder);
    else if (ok && strcmp(a->what, "nbgrader") == 0)
        printf(_("%s is made. In it:   nbgrader generate_assignment %s   and, when work is "
                 "handed in,   nbgrader autograde %s\n"),
               a->folder, found->name, found->name);
    else if (ok)
        printf(_("%s is made: push it as the assignment's template repository, and set the "
                 "organisation's variable WARPBOOK_WHEEL to where Warpbook's wheel lies.\n"),
               a->folder);
    gr_lab_free(found);
    return ok ? WB_EXIT_DONE : fail(WB_EXIT_USAGE, err.text);
}

static int check(arguments *a) {
    wb_error err = {0};
    gr_options *grading = &a->options.grading;
    a->options.seeds = (size_t)a->seeds;
    a->options.mutants = (size_t)a->mutants;
    grading->seed = a->seed.value;
    grading->sandbox = !a->no_sandbox;
    if (!wb_device_select(a->device, &grading->device, &err) ||
        (grading->sandbox && !wb_sandbox_check(&err)) ||
        (!a->seed.given && !gr_seed_new(&grading->seed, &err)))
        return fail(WB_EXIT_MACHINE, err.text);
    gr_lab *found = gr_lab_find(a->name, &err);
    if (!found)
        return fail(WB_EXIT_USAGE, err.text);
    wb_buf out = {0};
    bool fine = false, shown = isatty(2);
    wb_cli_catch_interrupts();
    grading->stop = &wb_cli_interrupted;
    grading->progress = shown ? show_progress : NULL;
    grading->progress_ctx = found->path;
    bool ok = gr_author_check(found, &a->options, &out, &fine, &err);
    if (shown)
        fprintf(stderr, "\r\033[K");
    if (ok)
        fwrite(out.data, 1, out.len, stdout);
    wb_buf_free(&out);
    gr_lab_free(found);
    if (!ok)
        return fail(WB_EXIT_MACHINE, err.text);
    return fine ? WB_EXIT_DONE : WB_EXIT_FAILED;
}

static int run(int argc, char **argv) {
    int status = read_arguments(argc, argv, &asked);
    if (status != WB_EXIT_DONE)
        return status;
    if (asked.folder)
        return export(&asked);
    return strcmp(asked.what, "new") == 0 ? make_new(asked.name) : check(&asked);
}
