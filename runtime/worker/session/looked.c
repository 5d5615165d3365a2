/* looked.c: see looked.h. */
#include "runtime/worker/session/looked.h"
#include "runtime/cells/split/use.h"
#include "runtime/json/fields.h"
#include "runtime/json/json.h"

static bool is(const json_t *object, const char *key) {
    return json_is_true(json_object_get(object, key));
}

/* Implements wb_macro_find. */
static const char *find_macro(void *listing, const char *name, size_t len) {
    return wb_listing_define(listing, name, len);
}

/* Reads one frame's text. If the function returns the result, sets *callee to its name. */
static wb_use use_in_frame(const wb_session *s, const wb_frame *frame, char **callee) {
    const char *text = wb_listing_text(s->listing, frame->file);
    char *function = NULL;
    wb_use use = wb_use_of_call(text, frame->line, *callee, find_macro, s->listing, &function);
    if (function) {
        free(*callee);
        *callee = function;
    }
    return use;
}

static void free_frames(wb_frame *frames, size_t n) {
    for (size_t i = 0; i < n; i++)
        WB_FREE(frames[i].function, frames[i].file);
    free(frames);
}

/* Returns true for cudaMalloc(T **) and similar functions in CUDA's header, which return the
 * result. Other libraries check it. */
static bool is_wrapper(const wb_frame *frame) {
    return !frame->file || strcmp(frame->file, "cuda_runtime.h") == 0;
}

/* Returns what the program does with a failed call's result, and the frame that decides. The caller
 * frees place->function and place->file. */
static wb_use use_of(const wb_session *s, const json_t *call, wb_frame *place) {
    char *callee = strdup(wb_field_text(call, "call"));
    wb_use use = WB_USE_DROPPED;
    const json_t *frame;
    size_t i, n;
    bool decided = false;
    json_array_foreach(json_object_get(call, "frames"), i, frame) {
        json_t *one = wb_json_pack("[O]", frame); /* each starts a process */
        wb_frame *frames;
        wb_symbolize(one, &frames, &n);
        for (size_t k = 0; k < n && !decided; k++) {
            wb_names_text(s->names_of_cells, &frames[k].file);
            if (wb_listing_name(s->listing, frames[k].file))
                use = use_in_frame(s, &frames[k], &callee);
            else
                use = is_wrapper(&frames[k]) ? WB_USE_RETURNED : WB_USE_TAKEN;
            decided = use != WB_USE_RETURNED;
            if (decided) {
                *place = frames[k];
                frames[k] = (wb_frame){0};
            }
        }
        free_frames(frames, n);
        json_decref(one);
        if (decided)
            break;
    }
    free(callee);
    return !decided ? WB_USE_DROPPED : use;
}

typedef struct verdict {
    json_t *ignored; /* the first ignored call; borrowed, or NULL */
    wb_frame place;  /* where the program drops its result */
    bool fault_seen; /* the program checked the fault's error */
} verdict;

static void forget_ignored(verdict *v) {
    WB_FREE(v->place.function, v->place.file);
    v->place = (wb_frame){0};
    v->ignored = NULL;
}

static verdict judge(const wb_session *s, const wb_outcome *o) {
    verdict v = {0};
    json_t *call;
    size_t i;
    json_array_foreach(json_object_get(o->report, "failed"), i, call) {
        verdict one = {.ignored = call};
        bool asked = is(call, "asked"), sticky = is(call, "sticky");
        wb_use use = is(call, "launch") ? WB_USE_DROPPED : use_of(s, call, &one.place);
        bool looked = use < (asked ? WB_USE_DROPPED : WB_USE_VOID);
        v.fault_seen |= looked && (sticky || asked);
        if (looked && asked)
            forget_ignored(&v);
        if (looked || v.ignored || asked || sticky) {
            forget_ignored(&one);
        } else {
            v.ignored = call;
            v.place = one.place;
        }
    }
    return v;
}

/* Makes the call the outcome's error. */
static void blame(wb_outcome *o, verdict *v) {
    o->cuda_code = (int)json_integer_value(json_object_get(v->ignored, "code"));
    free(o->cuda_name);
    o->cuda_name = strdup(wb_field_text(v->ignored, "error"));
    free_frames(o->frames, o->n_frames);
    o->frames = NULL;
    o->n_frames = 0;
    if (is(v->ignored, "launch"))
        wb_symbolize(json_object_get(v->ignored, "frames"), &o->frames, &o->n_frames);
    else if ((o->frames = malloc(sizeof *o->frames)))
        o->frames[o->n_frames++] = v->place;
    v->place = o->frames ? (wb_frame){0} : v->place;
    json_object_set(o->report, "unchecked", v->ignored);
    o->kind = o->kind == WB_RAN ? WB_CUDA_FAILED : o->kind;
    forget_ignored(v);
}

void wb_looked(const wb_session *s, wb_outcome *o) {
    bool ended_well = o->kind == WB_RAN || o->kind == WB_CUDA_FAILED ||
                      (o->kind == WB_EXITED && o->exit_status == 0);
    const json_t *fault = json_object_get(o->report, "fault");
    bool faulted = json_is_object(fault);
    if (!ended_well || !json_array_size(json_object_get(o->report, "failed")) ||
        (faulted && !is(fault, "named")))
        return;
    verdict v = judge(s, o);
    o->fault_seen = faulted && v.fault_seen;
    bool late = o->cuda_late && !o->fault_seen;
    if (faulted && !o->fault_seen) {
        forget_ignored(&v);
    } else if (v.ignored) {
        blame(o, &v);
    } else if (!late && !is(o->report, "failed_more")) {
        o->cuda_code = 0;
        o->kind = o->kind == WB_CUDA_FAILED ? WB_RAN : o->kind;
    }
}
