/* expect.c: runs a lab's reference on the inputs of every run, in the sandbox, after the
 * submission's kernels have ended. */
#include "grader/job/map.h"
#include "grader/stages/stages.h"
#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/sandbox/sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ANSWERS = 16 << 20 };
/* a call of the reference may take this many times a kernel's limit */
enum { SLOWER = 3 };
/* Returns the bytes that all the reference's processes together may use. */
static size_t room(void) {
    size_t least = (size_t)8 << 30;
    size_t quarter = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
    return quarter > least ? quarter : least;
}

/* Returns the path of a run's expected results. The sandbox writes to "expected". "known" is
 * read-only and has results of another submission. */
static char *expected_in(const gr_work *w, const char *folder, size_t task, uint32_t run,
                         gr_values values) {
    return wb_format("%s/%s/%zu-%u-%d", w->folder, folder, task, run, (int)values);
}

char *gr_work_expected(const gr_work *w, size_t task, uint32_t run, gr_values values) {
    char *known = expected_in(w, "known", task, run, values);
    if (known && wb_file_exists(known))
        return known;
    free(known);
    return expected_in(w, "expected", task, run, values);
}

/* ---- results of the batch -------------------------------------------------------------------- */

/* Hashes all that determines a run's expected results: the compiled reference, the job, its
 * seed. */
static bool make_key(const char library[WB_SHA256_TEXT], const gr_job *job, const gr_run *run,
                     char key[WB_SHA256_TEXT]) {
    WB_SCOPED_BUF wb_buf all = {0};
    wb_buf_printf(&all, "%s %u %d ", library, run->number, run->values);
    bool ok = wb_buf_append(&all, job, sizeof *job);
    if (ok)
        wb_sha256(all.data, all.len, key);
    return ok;
}

/* Links each run's expected results from the batch into the work's folder; `keep`: the other
 * way. */
static void share_known(gr_work *w, const char *library, bool keep) {
    char sum[WB_SHA256_TEXT], key[WB_SHA256_TEXT];
    if (!w->known || !wb_sha256_files((const char *[]){library, NULL}, sum))
        return;
    for (size_t i = 0; i < w->n_tasks; i++) {
        gr_run runs[GR_MAX_RUNS];
        size_t n = w->tasks[i].ran ? gr_work_runs(w, i, runs) : 0;
        for (size_t k = 0; k < n; k++) {
            WB_SCOPED char *path =
                expected_in(w, keep ? "expected" : "known", i, runs[k].number, runs[k].values);
            if (path && make_key(sum, &w->tasks[i].job, &runs[k], key)) {
                if (keep)
                    gr_known_put(w->known, key, path);
                else
                    gr_known_get(w->known, key, path);
            }
        }
    }
}

/* ---- the request
 * ------------------------------------------------------------------------------ */

/* Links a result into the folder that the sandbox sees. Returns its path, malloc'd. */
static char *show(const gr_work *w, const char *output) {
    const char *slash = strrchr(output, '/');
    char *shown = wb_format("%s/shown%s", w->folder, slash ? slash : "");
    if (shown && link(output, shown) == 0)
        chmod(shown, 0644); /* the sandbox's user reads it */
    return shown;
}

/* Returns true if the submission's results equal the reference's bits. The reference's file may
 * have magnitudes after its results. */
static bool same_bits(const char *output, const char *expected) {
    gr_map a = {NULL, 0}, b = {NULL, 0};
    bool same = gr_map_open(output, &a, NULL) && gr_map_open(expected, &b, NULL) &&
                a.len <= b.len && memcmp(a.data, b.data, a.len) == 0;
    gr_map_close(&a);
    gr_map_close(&b);
    return same;
}

/* Requests a run, unless its results are known. With a check(), also requests every output that
 * differs from known results. The first run of a task is repeated: unwritten or random results of a
 * reference depend on sizes, not on data. */
static void add_run(const gr_work *w, size_t task, uint32_t run, gr_values values,
                    const char *output, json_t *runs) {
    WB_SCOPED char *file = gr_work_expected(w, task, run, values);
    WB_SCOPED char *shown = *w->lab->check ? show(w, output) : NULL;
    WB_SCOPED char *given = expected_in(w, "known", task, run, values);
    bool known = given && wb_file_exists(given);
    bool check = *w->lab->check && !(known && same_bits(output, given));
    WB_JSON_EACH(earlier, runs) {
        const char *other = wb_field_string(earlier, "expected");
        known |= other && file && strcmp(other, file) == 0;
    }
    if (!known || check)
        json_array_append_new(
            runs, json_pack("{s:I, s:i, s:s, s:b, s:b, s:s}", "run", (json_int_t)run, "values",
                            values, "expected", file ? file : "", "known", known, "twice",
                            json_array_size(runs) == 0, "output", shown ? shown : output));
}

static json_t *request_of(const gr_work *w, size_t i) {
    json_t *list = json_array();
    gr_work_outputs(w, i, add_run, list);
    return json_pack("{s:o, s:o}", "job", gr_job_save(&w->tasks[i].job), "runs", list);
}

/* Fails with the reference's error and the sizes. It is an error of the lab. */
static bool fail_lab(gr_work *w, const gr_task *task, const char *text) {
    char sizes[200];
    return gr_work_fail(w, WB_FOUND_MACHINE, _("the lab's %s %s (%s)"), w->lab->source, text,
                        gr_job_describe(&task->job, sizes, sizeof sizes));
}

static bool take_answers(gr_work *w, const wb_proc_result *r, const size_t *tasks, size_t n) {
    const char *p = r->out.data ? r->out.data : "";
    bool done = false;
    while (*p && !w->found) {
        size_t length = strcspn(p, "\n");
        WB_SCOPED_JSON json_t *line = json_loadb(p, length, 0, NULL);
        const char *text = wb_field_string(line, "text");
        json_int_t index = wb_field_int(line, "job");
        bool known = json_is_integer(json_object_get(line, "job")) && index >= 0 &&
                     (size_t)index < n && text;
        done |= wb_field_true(line, "done");
        gr_task *task = known ? &w->tasks[tasks[index]] : NULL;
        if (task && !wb_field_true(line, "ok"))
            fail_lab(w, task, text);
        else if (task && wb_field_true(line, "refused")) {
            task->refused = true;
            gr_task_fail(task, WB_FOUND_REFUSED, "%.1900s", text);
            /* its message is the only name for what check() found */
            json_object_set_new(task->found, "cause", wb_json_text(text, strlen(text)));
        }
        p += length + (p[length] == '\n');
    }
    return done && !w->found;
}

/* Paths in the sandbox: for expected results, known ones, and those that check() reads. */
typedef struct places {
    char *folder, *known, *shown, *library, *program, *loader;
} places;

static bool run(gr_work *w, const places *p, const char *input, double limit,
                wb_proc_result *result) {
    wb_error err = {0};
    const char *env[] = {p->loader, NULL}, *writable[] = {p->folder, NULL};
    const char *read_only[] = {p->library, p->shown, p->known, NULL}, *own[] = {p->program, NULL};
    wb_sandbox_spec spec = {.read_only = read_only,
                            .writable = writable,
                            .program = own,
                            .env = env,
                            .memory = (size_t)6 << 30,
                            .processes = 32,
                            .file = (size_t)4 << 30,
                            .cpu_s = (unsigned)limit + 1};
    char **wrapper = w->sandbox ? wb_sandbox_argv(&spec, &err) : NULL;
    if (w->sandbox && !wrapper)
        return gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    wb_proc_spec proc = {.argv = wrapper ? (const char *const *)wrapper : own,
                         .env = env,
                         .input = input,
                         .input_len = strlen(input),
                         .max_output = MAX_ANSWERS,
                         .cgroup = gr_work_room(w, room()),
                         .timeout_s = limit,
                         .nice = GR_UNTIMED,
                         .stop = w->stop};
    bool ok = wb_proc_run(&proc, result, &err);
    wb_sandbox_argv_free(wrapper);
    return ok || gr_work_fail(w, WB_FOUND_MACHINE, _("the lab's reference can't be started: %s"),
                              err.text);
}

static bool make_places(gr_work *w, places *p) {
    wb_error err = {0};
    const char *before = w->sandbox ? NULL : getenv("LD_LIBRARY_PATH");
    WB_SCOPED char *record = wb_path_lib("record");
    p->folder = gr_work_path(w, "expected", 0);
    p->known = gr_work_path(w, "known", 0);
    p->shown = gr_work_path(w, "shown", 0);
    p->library = gr_work_path(w, "reference.so", 0);
    p->program = wb_path_lib("warpbook-expect");
    p->loader = record ? wb_format("LD_LIBRARY_PATH=%s%s%s", record, before ? ":" : "",
                                   before ? before : "")
                       : NULL;
    if (!p->folder || !p->known || !p->shown || !p->library || !p->program || !p->loader)
        return gr_work_fail(w, WB_FOUND_MACHINE, _("out of memory"));
    chmod(p->library, 0755);
    if (!wb_dir_make(p->folder, &err) || !wb_sandbox_give(p->folder, &err) ||
        !wb_dir_make(p->known, &err) || chmod(p->known, 0755) != 0 ||
        !wb_dir_make(p->shown, &err) || chmod(p->shown, 0755) != 0)
        return gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    return true;
}

bool gr_stage_expect(gr_work *w) {
    places p = {.folder = NULL};
    size_t *tasks = calloc(w->n_tasks + 1, sizeof *tasks), n = 0;
    json_t *jobs = json_array();
    double each = SLOWER * w->limits.run_s;
    bool ok = tasks && make_places(w, &p);
    if (ok)
        share_known(w, p.library, false);
    for (size_t i = 0; ok && i < w->n_tasks; i++) {
        WB_SCOPED_JSON json_t *job = w->tasks[i].ran ? request_of(w, i) : NULL;
        if (json_array_size(json_object_get(job, "runs"))) {
            tasks[n++] = i;
            json_array_append(jobs, job);
        }
    }
    char *input = wb_json_dump(json_pack("{s:s?, s:f, s:I, s:b, s:o}", "library", p.library,
                                         "seconds", each, "memory", (json_int_t)room(), "check",
                                         *w->lab->check != '\0', "jobs", jobs),
                               JSON_COMPACT);
    wb_proc_result r;
    if (ok && n && (ok = input && run(w, &p, input, 60 + each * 4 * (double)n, &r))) {
        char how[120];
        ok = !gr_work_stopped(w) && take_answers(w, &r, tasks, n);
        if (!ok) /* keeps an earlier reason */
            gr_work_fail(w, WB_FOUND_MACHINE, _("the process of the lab's %s %s: %.300s"),
                         w->lab->source, wb_proc_describe(&r, how, sizeof how),
                         r.err.data ? r.err.data : "");
        else
            share_known(w, p.library, true);
        wb_proc_result_free(&r);
    }
    WB_FREE(tasks, input, p.folder, p.known, p.shown, p.library, p.program, p.loader);
    return ok;
}
