/* job.c: runs one cell: loads its library, runs its initialisers in order, reports how it went. */
#include "runtime/worker/process/process.h"
#include "runtime/base/language.h"
#include "runtime/worker/process/cell_api.h"
#include "runtime/worker/shared/elf.h"
#include "runtime/json/json.h"

#include <dlfcn.h>
#include <unistd.h>

typedef int (*caller)(void (*)(void), char *, size_t);
typedef int (*main_function)(int, char **);

static struct {
    const wb_initialiser *initialisers;
    size_t count;
    main_function program; /* NULL for a cell */
    int argc, status;
    const volatile int *finished_items; /* of the cell, or NULL */
    void (*streams)(void *[]);          /* wb_cell_streams of the cell, or NULL */
    char **argv;
    bool running, finished;
} job;

extern char **environ;

/* Runs inside wb_cell_call's try block. */
static void run_initialisers(void) {
    for (size_t i = 0; i < job.count; i++)
        job.initialisers[i](job.argc, job.argv, environ);
}

static void run_program(void) {
    run_initialisers();
    job.status = job.program(job.argc, job.argv);
}

/* Records the address range of a loaded library's segments, and merges its mappings with others.
 * The loader's lock is held, so no other thread looks up an exception handler meanwhile. */
static int note_range(struct dl_phdr_info *info, size_t size, void *path) {
    (void)size;
    if (strcmp(info->dlpi_name, path) != 0)
        return 0;
    uintptr_t end = info->dlpi_addr;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t last = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && last > end)
            end = last;
    }
    signals_add_library(path, info->dlpi_addr, end);
    mappings_add(info);
    return 1;
}

/* Undoes what a cell did to stdin, stdout and stderr. A program keeps its own streams. */
static void restore_streams(void) {
    static void *buffers[WB_CELL_STREAMS];
    if (job.program)
        return;
    if (job.streams) /* first: the cell may have freed a buffer */
        job.streams(buffers);
    output_restore();
    stdin_restore();
}

static void answer(const char *outcome, const char *text) {
    limits_restore(); /* first: the rest opens files and allocates */
    memory_loosen();
    restore_streams();
    output_flush();
    size_t held = throw_report();
    json_t *message = wb_json_pack("{s:s, s:s, s:s*, s:i}", "op", "done", "outcome", outcome,
                                   "text", text, "status", job.status);
    if (job.finished_items)
        json_object_set_new(message, "finished", json_integer(*job.finished_items));
    if (held) {
        json_object_set_new(message, "held", json_integer((json_int_t)held));
        json_object_set_new(message, "limit", json_integer((json_int_t)memory_limit()));
    }
    size_t limit = signals_file_limit();
    if (limit)
        json_object_set_new(message, "file_limit", json_integer((json_int_t)limit));
    bool usable = cuda_finish(message);
    output_flush(); /* output that the device printed during the wait */
    json_object_set_new(message, "usable", json_boolean(usable));
    job.finished = true;
    talk_send(message);
}

static bool load(const json_t *request, caller *call, char **wish) {
    const char *path = wb_field_string(request, "library");
    /* Local: a cell's library names those it uses, and must not see what they replaced. */
    void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle) {
        /* A copy, because answer() calls the loader again, which forgets this error. */
        const char *error = path ? dlerror() : "no library was named";
        char *why = strdup(error ? error : "the loader gave no reason");
        answer("unloadable", why);
        free(why);
        return false;
    }
    dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL); /* for flushing std::cout */
    dl_iterate_phdr(note_range, (void *)path);
    *wish = cuda_wish(wb_field_string(request, "record"), handle);
    statics_share(handle, json_object_get(request, "statics"));
    redefine_load(handle, json_object_get(request, "binds"));
    *call = (caller)dlsym(handle, "wb_cell_call");
    job.streams = (void (*)(void *[]))dlsym(handle, "wb_cell_streams");
    job.finished_items = (const volatile int *)dlsym(handle, "wb_cell_finished");
    job.count = wb_elf_initialisers(handle, &job.initialisers);
    if (wb_field_true(request, "program"))
        job.program = (main_function)dlsym(handle, "main");
    if (*call && (job.program || !wb_field_true(request, "program")))
        return true;
    answer("unloadable", "the library lacks wb_cell_call or main");
    return false;
}

static void take_arguments(const json_t *list) {
    job.argc = (int)json_array_size(list);
    job.argv = calloc((size_t)job.argc + 1, sizeof *job.argv);
    if (!job.argv)
        job.argc = 0;
    for (int i = 0; i < job.argc; i++)
        job.argv[i] = strdup(json_string_value(json_array_get(list, (size_t)i)));
}

/* Applies the folder and variables that the notebook set since the last job, no others. */
static void take_place(const json_t *request) {
    static char *folder;
    static json_t *environment;
    const char *now = wb_field_string(request, "folder"), *name;
    json_t *all = json_object_get(request, "environment"), *value;
    if (now && (!folder || strcmp(now, folder) != 0) && chdir(now) == 0) {
        free(folder);
        folder = strdup(now);
    }
    json_object_foreach(all, name, value) {
        if (!json_equal(value, json_object_get(environment, name)))
            setenv(name, json_string_value(value), 1);
    }
    json_decref(environment);
    environment = json_deep_copy(all);
}

/* Ends a forked child at the end of the cell, so that it does not enter the worker's loop. */
static void end_child(int status) {
    if (talk_ours())
        return;
    output_flush();
    _exit(status);
}

void job_run(const json_t *request) {
    static char text[4096]; /* static, because it must outlive a jump */
    caller call = NULL;
    memset(&job, 0, sizeof job);
    text[0] = '\0';
    take_arguments(json_object_get(request, "argv"));
    char *wish = NULL;
    if (!load(request, &call, &wish)) {
        free(wish);
        return;
    }
    take_place(request);
    wb_language language = wb_language_get();
    const char *name = wb_field_string(request, "language");
    if (name && wb_language_read(name, &language))
        wb_language_set(language);
    cuda_prepare((unsigned)wb_field_int(request, "options"), wish,
                 wb_field_string(request, "debug"));
    free(wish);
    job.running = true;
    if (sigsetjmp(*interrupt_enter(), 1) == 0) {
        restore_streams(); /* a thread of an earlier cell may have changed them */
        memory_tighten();
        limits_begin();
        exit_open(!job.program);
        interrupt_start();
        int threw = call(job.program ? run_program : run_initialisers, text, sizeof text);
        interrupt_leave();
        end_child(threw == 1 ? 1 : job.status);
        answer(threw == 2 ? "returned" : threw ? "threw" : "ran", text);
    } else {
        bool left = exit_report(&job.status);
        end_child(job.status);
        answer(left ? "left" : "stopped", NULL);
    }
    exit_close();
    job.running = false;
    if (job.program)
        exit(job.status); /* runs the program's atexit functions and destructors, which may print */
}

void job_exiting(int status) {
    interrupt_leave();
    output_flush();
    if (job.running && !job.finished) {
        job.status = status;
        answer("exited", NULL);
    }
}
