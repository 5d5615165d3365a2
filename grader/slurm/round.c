/* round.c: the folder of a round. */
#include "grader/slurm/round.h"
#include "grader/slurm/queue.h"
#include "runtime/json/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT = 1, MAX_SPEC = 64 << 20, MAX_RESULT = 16 << 20 };

static const char script[] =
    "#!/bin/sh\n"
    "# warpbook, the round, the first task of this array\n"
    "exec \"$1\" grade --slurm-task \"$2\" \"$(($3 + SLURM_ARRAY_TASK_ID))\"\n";

static bool make_folders(const char *path, wb_error *err) {
    static const char *const names[] = {"tasks", "results", "logs"};
    bool ok = mkdir(path, 0700) == 0 || wb_fail(err, 1, "can't make %s: %s", path, strerror(errno));
    for (size_t i = 0; ok && i < WB_COUNT(names); i++) {
        char *folder = wb_format("%s/%s", path, names[i]);
        ok = folder ? wb_dir_make(folder, err) : wb_fail(err, 1, "out of memory");
        free(folder);
    }
    return ok;
}

/* The folder's last part names the jobs. */
static bool name_round(gr_round *r, wb_error *err) {
    const char *slash = r->path ? strrchr(r->path, '/') : NULL;
    r->name = slash ? wb_format("warpbook-%s", slash + 1) : NULL;
    return r->name || wb_fail(err, 1, "out of memory");
}

bool gr_round_new(const char *folder, const gr_lab *lab, const gr_round_how *o, gr_round *r,
                  wb_error *err) {
    char seed[32], *lab_json = realpath(lab->path, NULL);
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)o->seed);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *r = (gr_round){.path = wb_format("%s/round-%lld.%06ld-%ld", folder, (long long)now.tv_sec,
                                      now.tv_nsec / 1000, (long)getpid())};
    r->spec = lab_json ? wb_json_pack("{s:i, s:s, s:b, s:b, s:[f,f,f], s:o}", "format", FORMAT,
                                      "lab", lab_json, "gpu", o->gpu, "sandbox", o->sandbox,
                                      "limits", o->limits.compile_s, o->limits.plan_s,
                                      o->limits.run_s, "tasks", json_array())
                       : NULL;
    free(lab_json);
    if (o->seeded && r->spec)
        json_object_set_new(r->spec, "seed", json_string(seed));
    return r->spec && r->path ? name_round(r, err) && make_folders(r->path, err)
                              : wb_fail(err, 1, "can't say where the lab lies, or out of memory");
}

char *gr_round_place(const gr_round *r, wb_error *err) {
    char *folder = wb_format("%s/tasks/%zu", r->path, r->n);
    if (folder && wb_dir_make(folder, err))
        return folder;
    free(folder);
    return NULL;
}

static bool read_task(gr_round *r, const json_t *task, wb_error *err) {
    gr_round_task *tasks = realloc(r->tasks, (r->n + 1) * sizeof *tasks);
    if (!tasks)
        return wb_fail(err, 1, "out of memory");
    r->tasks = tasks;
    tasks[r->n] =
        (gr_round_task){.submission = json_integer_value(json_object_get(task, "submission")),
                        .name = json_string_value(json_object_get(task, "name")),
                        .content = json_string_value(json_object_get(task, "content")),
                        .file = json_string_value(json_object_get(task, "file"))};
    const gr_round_task *t = &tasks[r->n];
    if (!t->name || !t->content || !t->file)
        return wb_fail(err, 1, "%s/round.json is damaged: task %zu names nothing", r->path, r->n);
    r->n++;
    return true;
}

bool gr_round_add(gr_round *r, int64_t submission, const char *name, const char *content,
                  const char *file, wb_error *err) {
    json_t *task = wb_json_pack("{s:I, s:s, s:s, s:s}", "submission", (json_int_t)submission,
                                "name", name, "content", content, "file", file);
    bool ok = task && json_array_append(json_object_get(r->spec, "tasks"), task) == 0
                  ? read_task(r, task, err)
                  : wb_fail(err, 1, "out of memory");
    json_decref(task);
    return ok;
}

static bool write_files(const gr_round *r, wb_error *err) {
    char *text = json_dumps(r->spec, JSON_INDENT(1));
    char *spec = wb_format("%s/round.json", r->path), *job = wb_format("%s/job.sh", r->path);
    bool ok = text && spec && job ? wb_file_write(spec, text, strlen(text), err) &&
                                        wb_file_write(job, script, strlen(script), err)
                                  : wb_fail(err, 1, "out of memory");
    free(text);
    free(spec);
    free(job);
    return ok;
}

bool gr_round_send(gr_round *r, bool gpu, size_t *sent, wb_error *err) {
    *sent = 0;
    char *program = wb_path_bin();
    bool ok = write_files(r, err) && (program || wb_fail(err, 1, "out of memory"));
    for (size_t part = 0; ok && part * GR_ARRAY < r->n; part++) {
        size_t first = part * GR_ARRAY, n = r->n - first < GR_ARRAY ? r->n - first : GR_ARRAY;
        char number[32];
        snprintf(number, sizeof number, "%zu", first);
        ok = gr_queue_send(r->path, r->name, part, n, gpu, "job.sh",
                           (const char *[]){program, r->path, number, NULL}, err);
        *sent += ok ? n : 0;
    }
    free(program);
    return ok;
}

bool gr_round_open(const char *path, gr_round *r, wb_error *err) {
    char *file = wb_format("%s/round.json", path);
    wb_buf text = {0};
    *r = (gr_round){.path = strdup(path)};
    bool ok = file && r->path ? name_round(r, err) && wb_file_read(file, MAX_SPEC, &text, err)
                              : wb_fail(err, 1, "out of memory");
    if (ok) {
        r->spec = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
        json_t *task, *tasks = json_object_get(r->spec, "tasks");
        ok = (json_integer_value(json_object_get(r->spec, "format")) == FORMAT &&
              json_is_string(json_object_get(r->spec, "lab")) && json_is_array(tasks)) ||
             wb_fail(err, 1, "%s is no round of this Warpbook's", file);
        size_t i;
        json_array_foreach(tasks, i, task) ok = ok && read_task(r, task, err);
    }
    wb_buf_free(&text);
    free(file);
    return ok;
}

void gr_round_remove(gr_round *r) {
    wb_dir_remove(r->path, NULL);
}

void gr_round_free(gr_round *r) {
    json_decref(r->spec);
    free(r->tasks);
    free(r->path);
    free(r->name);
    *r = (gr_round){.path = NULL};
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **gr_rounds(const char *folder) {
    DIR *dir = opendir(folder);
    size_t n = 0;
    char **paths = calloc(1, sizeof *paths);
    for (struct dirent *e; paths && dir && (e = readdir(dir));) {
        char **more =
            strncmp(e->d_name, "round-", 6) == 0 ? realloc(paths, (n + 2) * sizeof *more) : NULL;
        if (!more)
            continue;
        paths = more;
        if ((paths[n] = wb_format("%s/%s", folder, e->d_name)))
            n++;
        paths[n] = NULL;
    }
    if (dir)
        closedir(dir);
    if (n)
        qsort(paths, n, sizeof *paths, by_text);
    return paths;
}

json_t *gr_round_result(const char *of, const char *version, const gr_report *report) {
    return wb_json_pack("{s:i, s:s, s:s, s:o}", "format", FORMAT, "of", of, "version", version,
                        "report", gr_report_json(report));
}

bool gr_round_read(const char *path, char of[WB_SHA256_TEXT], char version[WB_SHA256_TEXT],
                   gr_report *report, wb_error *err) {
    wb_buf text = {0};
    if (!wb_file_read(path, MAX_RESULT, &text, err))
        return wb_buf_free(&text), false;
    json_t *json = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
    const char *lab = json_string_value(json_object_get(json, "of"));
    const char *by = json_string_value(json_object_get(json, "version"));
    char *found = json_dumps(json_object_get(json, "report"), 0);
    bool ok = lab && by && found && json_integer_value(json_object_get(json, "format")) == FORMAT
                  ? gr_report_load(found, report, err)
                  : wb_fail(err, 1, "%s is no result", path);
    if (ok) {
        snprintf(of, WB_SHA256_TEXT, "%s", lab);
        snprintf(version, WB_SHA256_TEXT, "%s", by);
    }
    free(found);
    json_decref(json);
    wb_buf_free(&text);
    return ok;
}
