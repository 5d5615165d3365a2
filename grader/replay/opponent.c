/* opponent.c: times the rival in its own process. Both sides send lines of JSON:
 *
 *   {"job": {...}, "minimum_bytes": n, "code": FILE, "plan": FILE}    prepare this job's rival
 *   {"round": 3}    time it once
 *   {"ok": true, "name": "cuBLAS's sgemm", "seconds": 0.001, "text": ""}    the answer */
#include "grader/replay/timing.h"
#include "runtime/json/json.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct gr_opponents {
    pid_t pid;
    FILE *ask, *answer;
    char name[120];
};

/* ---- the rival's process -------------------------------------------------------------------- */

typedef struct server {
    gr_clock clock;
    gr_job job;
    gr_rival *rival;
    bool open;
} server;

static bool prepare(server *s, const json_t *request, wb_error *err) {
    gr_rival_files files = {wb_field_string(request, "code"), wb_field_string(request, "plan")};
    if (!s->open && (!gr_cuda_open(err) || !gr_clock_open(&s->clock, err)))
        return false;
    s->open = true;
    gr_rival_free(s->rival);
    s->rival = NULL;
    if (!gr_job_load(json_object_get(request, "job"), &s->job, err))
        return false;
    s->rival = gr_rival_make(&s->job, wb_field_number(request, "minimum_bytes"), &files, err);
    return s->rival != NULL;
}

static void serve(FILE *from, FILE *to) {
    server s = {.open = false};
    json_t *request;
    while ((request = json_loadf(from, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
        wb_error err = {0};
        double seconds = 0;
        const json_t *round = json_object_get(request, "round");
        bool ok = round ? s.rival && gr_rival_time(&s.clock, s.rival, &seconds, &err)
                        : prepare(&s, request, &err);
        json_t *line = wb_json_pack("{s:b, s:s, s:f, s:s}", "ok", ok, "name",
                                    s.rival ? gr_rival_name(s.rival) : "", "seconds", seconds,
                                    "text", err.text);
        wb_json_say(line, JSON_COMPACT, to);
        json_decref(request);
    }
}

/* ---- the caller's side ---------------------------------------------------------------------- */

gr_opponents *gr_opponents_start(void) {
    gr_opponents *o = calloc(1, sizeof *o);
    int ask[2], answer[2];
    if (!o || pipe(ask) != 0)
        return free(o), NULL;
    if (pipe(answer) != 0)
        return close(ask[0]), close(ask[1]), free(o), NULL;
    fflush(NULL);
    o->pid = fork();
    if (o->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ask[1]);
        close(answer[0]);
        serve(fdopen(ask[0], "r"), fdopen(answer[1], "w"));
        _exit(0);
    }
    close(ask[0]);
    close(answer[1]);
    o->ask = fdopen(ask[1], "w");
    o->answer = fdopen(answer[0], "r");
    if (o->pid > 0 && o->ask && o->answer)
        return o;
    gr_opponents_end(o);
    return NULL;
}

/* Sends the request and takes it over. Returns a new reference to the answer. NULL with *err. */
static json_t *asked(gr_opponents *o, json_t *request, wb_error *err) {
    json_t *line = NULL;
    if (wb_json_say(request, JSON_COMPACT, o->ask))
        line = json_loadf(o->answer, JSON_DISABLE_EOF_CHECK, NULL);
    const char *why = wb_field_string(line, "text");
    bool ok = wb_field_true(line, "ok");
    if (ok)
        return line;
    wb_fail(err, 1, _("the rival can't be timed: %.700s"),
            why && *why ? why : _("its process ended"));
    json_decref(line);
    return NULL;
}

static bool time_once(void *ctx, int round, double *seconds, wb_error *err) {
    WB_SCOPED_JSON json_t *line = asked(ctx, wb_json_pack("{s:i}", "round", round), err);
    *seconds = wb_field_number(line, "seconds");
    return line != NULL;
}

bool gr_opponents_prepare(gr_opponents *o, const gr_job *job, double minimum_bytes,
                          const gr_rival_files *files, gr_opponent *opponent, wb_error *err) {
    if (!o)
        return wb_fail(err, 1, _("no process can be made for the rival"));
    WB_SCOPED_JSON json_t *line =
        asked(o,
              json_pack("{s:o, s:f, s:s?, s:s?}", "job", gr_job_save(job), "minimum_bytes",
                        minimum_bytes, "code", files->code, "plan", files->plan),
              err);
    snprintf(o->name, sizeof o->name, "%s", wb_field_text(line, "name"));
    *opponent = (gr_opponent){o->name, o, time_once};
    return line != NULL;
}

void gr_opponents_end(gr_opponents *o) {
    if (!o)
        return;
    if (o->ask)
        fclose(o->ask);
    if (o->answer)
        fclose(o->answer);
    if (o->pid > 0) {
        kill(o->pid, SIGKILL);
        waitpid(o->pid, NULL, 0);
    }
    free(o);
}
