/* worker_test.c: the worker process and the session's side of it, with libraries made by g++ in
 * place of compiled cells: no CUDA is needed to run, crash, hang, read, print and exit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/worker/client/memory.h"
#include "runtime/worker/client/worker.h"
#include "runtime/worker/shared/elf.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *folder;

/* Stands before the user's code in each compiled cell. */
static const char prelude[] =
    "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <exception>\n"
    "#include <stdexcept>\n#include <iostream>\n#include <unistd.h>\n"
    "#include \"runtime/worker/process/cell_api.h\"\n"
    "extern \"C\" __attribute__((visibility(\"default\"))) int wb_cell_call(void (*f)(void), char "
    "*t, "
    "size_t n) {\n"
    "  try { f(); return 0; } catch (std::exception &e) { snprintf(t, n, \"%s\", e.what()); }\n"
    "  return 1; }\n"
    "#line 1 \"cell\"\n";

/* Cells are loaded each for itself; one is linked to those whose definitions it uses. */
static char *make_library(const char *name, const char *uses, const char *code) {
    char *source = wb_format("%s/%s.cpp", folder, name),
         *library = wb_format("%s/%s.so", folder, name);
    char *text = wb_format("%s%s", prelude, code);
    wb_error err = {0};
    assert_true(wb_file_write(source, text, strlen(text), &err));
    char *soname = wb_format("-Wl,-soname,%s.so", name);
    char *used = uses ? wb_format("%s/%s.so", folder, uses) : NULL;
    const char *argv[] = {"g++",  "-std=c++17", "-g1",   "-O0",  "-I.", "-shared", "-fPIC",
                          soname, "-o",         library, source, used,  NULL};
    wb_proc_result r;
    assert_true(wb_proc_run(&(wb_proc_spec){.argv = argv, .timeout_s = 600}, &r, &err));
    if (r.exit_code != 0)
        fail_msg("g++: %s", r.err.data);
    wb_proc_result_free(&r);
    free(soname);
    free(used);
    if (!wb_elf_defer_init(library, &err) || !wb_elf_defer_init(library, &err))
        fail_msg("%s", err.text);
    free(source);
    free(text);
    return library;
}

typedef struct log {
    wb_buf out, err, displays;
    size_t out_bytes;
    bool count_only;
    const char *answer;
    char prompt[100];
    wb_worker *interrupt; /* interrupted at the first output */
    bool awaited;         /* output only says that the cell runs */
    _Atomic bool begun;
} log;

static void on_stream(void *ctx, int fd, const char *text, size_t len) {
    log *l = ctx;
    l->out_bytes += len;
    l->begun = true;
    if (!l->count_only && !l->awaited)
        wb_buf_append(fd == 1 ? &l->out : &l->err, text, len);
    if (l->interrupt)
        wb_worker_interrupt(l->interrupt);
}

static void on_display(void *ctx, const json_t *data, const json_t *metadata, const char *id,
                       bool update) {
    log *l = ctx;
    (void)metadata;
    char *text = json_dumps(data, JSON_COMPACT);
    wb_buf_printf(&l->displays, "[%s %s %d after '%s']", text, id ? id : "-", update,
                  l->out.data ? l->out.data : "");
    free(text);
}

static char *on_input(void *ctx, const char *prompt, bool password) {
    log *l = ctx;
    (void)password;
    snprintf(l->prompt, sizeof l->prompt, "%s", prompt);
    return l->answer ? strdup(l->answer) : NULL;
}

static wb_worker *start(void) {
    wb_device device = {.kind = WB_DEVICE_SOFT};
    snprintf(device.library_dir, sizeof device.library_dir, "/nonexistent");
    wb_error err = {0};
    wb_worker *w = wb_worker_start(&(wb_worker_options){.device = &device}, &err);
    if (!w)
        fail_msg("%s", err.text);
    return w;
}

static void free_log(log *l) {
    wb_buf_free(&l->out);
    wb_buf_free(&l->err);
    wb_buf_free(&l->displays);
}

static wb_outcome run_using(wb_worker *w, const char *name, const char *uses, const char *code,
                            log *l, bool program) {
    char *library = make_library(name, uses, code);
    const char *argv[] = {"program", "one", NULL};
    wb_sink sink = {.ctx = l, .stream = on_stream, .display = on_display, .input = on_input};
    wb_job job = {.library = library, .cell = 1, .program = program, .argv = program ? argv : NULL};
    wb_outcome o;
    wb_worker_run(w, &job, &sink, &o);
    free(library);
    return o;
}

static wb_outcome run(wb_worker *w, const char *name, const char *code, log *l, bool program) {
    return run_using(w, name, NULL, code, l, program);
}

static void cells_share_state_and_print_in_order(void **state) {
    (void)state;
    wb_worker *w = start();
    log l = {0};
    wb_outcome o =
        run(w, "a", "int x = 40; static int s = (printf(\"x is %d\\n\", x), 0);", &l, false);
    assert_int_equal(o.kind, WB_RAN);
    assert_true(o.alive);
    wb_outcome_free(&o);
    o = run_using(
        w, "b", "a",
        "extern int x; static int s = (printf(\"before \"), wb_cell_display(\"{\\\"text/plain\\\":"
        "\\\"d\\\"}\", 0, \"id\", 0), fprintf(stderr, \"oops\\n\"), wb_cell_value(\"text/plain\", "
        "\"42\", 2), std::cout << x + 2, 0);",
        &l, false);
    assert_int_equal(o.kind, WB_RAN);
    assert_string_equal(l.out.data, "x is 40\nbefore 42");
    assert_string_equal(l.err.data, "oops\n");
    assert_string_equal(l.displays.data, "[{\"text/plain\":\"d\"} id 0 after 'x is 40\nbefore ']");
    assert_string_equal(json_string_value(json_object_get(o.value, "text/plain")), "42");
    wb_outcome_free(&o);
    free_log(&l);
    wb_worker_stop(w);
}

static void an_exception_keeps_the_state(void **state) {
    (void)state;
    wb_worker *w = start();
    log l = {0};
    wb_outcome o =
        run(w, "throw", "int y = 1; int z = (throw std::runtime_error(\"no\"), 2);", &l, false);
    assert_int_equal(o.kind, WB_THREW);
    assert_string_equal(o.text, "no");
    assert_true(o.alive);
    wb_outcome_free(&o);
    o = run_using(w, "after", "throw", "extern int y; static int s = (printf(\"%d\", y), 0);", &l,
                  false);
    assert_string_equal(l.out.data, "1");
    wb_outcome_free(&o);
    free_log(&l);
    wb_worker_stop(w);
}

static void a_crash_names_signal_and_line(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    wb_outcome o = run(w, "segv",
                       "static void touch(int *p) {\n  *p = 1;\n}\n"
                       "static int s = (printf(\"last words\"), touch((int *)16), 0);",
                       &l, false);
    assert_int_equal(o.kind, WB_CRASHED);
    assert_int_equal(o.signal, SIGSEGV);
    assert_int_equal(o.address, 16);
    assert_false(o.stack_overflow);
    assert_false(o.alive);
    assert_false(wb_worker_alive(w));
    assert_string_equal(l.out.data, "last words");
    assert_true(o.n_frames >= 2);
    assert_string_equal(o.frames[0].file, "cell");
    assert_int_equal(o.frames[0].line, 2);
    assert_int_equal(o.frames[1].line, 4);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    w = start();
    o = run(w, "deep",
            "volatile int sink;\nint deep(int n) { return deep(n + 1) + sink; }\n"
            "static int s = deep(0);",
            &l, false);
    assert_int_equal(o.kind, WB_CRASHED);
    assert_true(o.stack_overflow);
    assert_int_equal(o.frames[0].line, 2);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    w = start();
    o = run(w, "abort", "\nstatic int s = (abort(), 0);", &l, false);
    assert_int_equal(o.signal, SIGABRT);
    assert_int_equal(o.frames[0].line, 2);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

static void exit_is_told_from_a_crash(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    wb_outcome o = run(w, "exit", "static int s = (printf(\"bye\"), exit(3), 0);", &l, false);
    assert_int_equal(o.kind, WB_LEFT); /* the cell, and not the process */
    assert_int_equal(o.exit_status, 3);
    assert_true(o.alive);
    assert_string_equal(l.out.data, "bye");
    wb_outcome_free(&o);
    static const char *const elsewhere[] = {
        "#include <stdlib.h>\nstatic int leave(const void *, const void *) { exit(4); }\n"
        "static int two[2], s = (qsort(two, 2, sizeof(int), leave), 0);",
        "#include <thread>\nstatic int s = (std::thread([] { exit(4); }).join(), 0);"};
    for (size_t i = 0; i < WB_COUNT(elsewhere); i++) {
        o = run(w, i ? "exit_thread" : "exit_qsort", elsewhere[i], &l, false);
        assert_int_equal(o.kind, WB_EXITED); /* a library may hold a lock */
        assert_int_equal(o.exit_status, 4);
        assert_false(o.alive);
        wb_outcome_free(&o);
        wb_worker_stop(w);
        w = start();
    }
    o = run(w, "kill", "#include <signal.h>\nstatic int s = kill(getpid(), SIGKILL);\n", &l, false);
    assert_int_equal(o.kind, WB_KILLED);
    assert_int_equal(o.signal, SIGKILL);
    assert_false(o.interrupted);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

static void a_program_runs_from_main_to_exit(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    wb_outcome o = run(w, "program",
                       "struct D { ~D() { printf(\"destroyed\\n\"); } } d;\n"
                       "int main(int "
                       "argc, char **argv) {"
                       " printf(\"%d %s\\n\", argc, argv[1]); return 7; }",
                       &l, true);
    assert_int_equal(o.kind, WB_EXITED);
    assert_int_equal(o.exit_status, 7);
    assert_string_equal(l.out.data, "2 one\ndestroyed\n");
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

static void stdin_asks(void **state) {
    (void)state;
    log l = {.answer = "12 words"};
    wb_worker *w = start();
    wb_outcome o =
        run(w, "input",
            "static int n; static char t[20]; static std::string s;\n"
            "static int r = (printf(\"number? \"), scanf(\"%d\", &n), scanf(\"%19s\", t), "
            "std::cin >> s, printf(\"%d %s %s\", n, t, s.c_str()), 0);",
            &l, false);
    assert_int_equal(o.kind, WB_RAN);
    assert_string_equal(l.out.data, "number? 12 words 12");
    wb_outcome_free(&o);
    l.answer = NULL;
    o = run(w, "eof",
            "static int c = (getchar(), getchar(), getchar(), getchar(), getchar(), getchar(), "
            "getchar(), "
            "printf(\" %d\", getchar()), 0);",
            &l, false);
    assert_string_equal(l.out.data, "number? 12 words 12 -1");
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

typedef struct interruption {
    wb_worker *worker;
    log *log;
} interruption;

/* Once the cell has said that it runs, and had time to come to where it stays. */
static void *interrupt_soon(void *of) {
    interruption *i = of;
    while (!i->log->begun)
        usleep(1000);
    usleep(100 * 1000);
    wb_worker_interrupt(i->worker);
    return NULL;
}

#define RUNS "puts(\"on\"); fflush(stdout); "

static wb_outcome run_library(wb_worker *w, const char *library, bool interrupted, log *l) {
    wb_sink sink = {.ctx = l, .stream = on_stream};
    wb_outcome o;
    pthread_t thread;
    interruption interruption = {w, l};
    l->awaited = interrupted;
    l->begun = false;
    if (interrupted)
        pthread_create(&thread, NULL, interrupt_soon, &interruption);
    wb_worker_run(w, &(wb_job){.library = library}, &sink, &o);
    l->begun = true; /* also where it could not */
    if (interrupted)
        pthread_join(thread, NULL);
    l->awaited = false;
    return o;
}

static wb_outcome run_interrupted(wb_worker *w, const char *name, const char *code, log *l) {
    char *library = make_library(name, NULL, code);
    wb_outcome o = run_library(w, library, true, l);
    free(library);
    return o;
}

/* Calls a function of an earlier cell's. */
static wb_outcome run_again(wb_worker *w, const char *uses, const char *call, bool interrupted,
                            log *l) {
    static int number;
    char *name = wb_format("again%d", number++);
    char *code = wb_format("int work(int n); static int s = ([] { " RUNS "return %s; })();", call);
    char *library = make_library(name, uses, code);
    wb_outcome o = run_library(w, library, interrupted, l);
    free(name);
    free(code);
    free(library);
    return o;
}

static void interrupts_keep_the_state_where_they_can(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    wb_outcome o = run_interrupted(w, "spin",
                                   "int kept = 5; volatile int go = 1;\n"
                                   "static int s = ([] { " RUNS "while (go) ; return 0; })();",
                                   &l);
    assert_int_equal(o.kind, WB_STOPPED);
    assert_true(o.alive);
    wb_outcome_free(&o);
    o = run_interrupted(w, "sleep",
                        "static int s = ([] { " RUNS "for (;;) sleep(1000); return 0; })();", &l);
    assert_int_equal(o.kind, WB_STOPPED);
    wb_outcome_free(&o);
    o = run_using(w, "kept", "spin", "extern int kept; static int s = (printf(\"%d\", kept), 0);",
                  &l, false);
    assert_string_equal(l.out.data, "5");
    wb_outcome_free(&o);
    wb_worker_stop(w);
    w = start();
    o = run_interrupted(w, "deaf",
                        "#include <signal.h>\nstatic int s = ([] { sigset_t a; sigfillset(&a); "
                        "sigprocmask(SIG_BLOCK, &a, 0); " RUNS "for (;;) ; return 0; })();",
                        &l);
    assert_int_equal(o.kind, WB_KILLED);
    assert_true(o.interrupted);
    assert_false(o.alive);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

/* A cell that is nearly always inside calls stops where one of them returns, again and again, and
 * its code is as it was afterwards. */
static void interrupts_stop_calls_where_they_return(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    static const struct {
        const char *name, *code;
    } cells[] = {
        {"fill", "#include <cstring>\nchar block[1 << 24];\n"
                 "int work(int n) { while (n--) memset(block, n, sizeof block); return 1; }\n"},
        {"stream", "#include <sstream>\nint work(int n) { while (n--) { std::ostringstream s; "
                   "s << n << 1.5; } return 1; }\n"},
        {"threads",
         "#include <cstring>\n#include <thread>\nchar block[1 << 22];\n"
         "void some(int n) { while (n--) memset(block, n, sizeof block); }\n"
         "int work(int n) { std::thread([] { some(900); }).detach(); some(n); return 1; }\n"},
        {"forks", "#include <sys/wait.h>\nint work(int n) { while (n--) { int s, p = fork(); "
                  "if (!p) _exit(0); while (waitpid(p, &s, WNOHANG) == 0) ; } return 1; }\n"},
    };
    for (size_t i = 0; i < WB_COUNT(cells); i++) {
        wb_outcome o = run(w, cells[i].name, cells[i].code, &l, false);
        assert_int_equal(o.kind, WB_RAN);
        wb_outcome_free(&o);
        for (int again = 0; again < 2; again++) {
            o = run_again(w, cells[i].name, "work(2000000000)", true, &l);
            assert_int_equal(o.kind, WB_STOPPED);
            wb_outcome_free(&o);
            o = run_again(w, cells[i].name, "work(3)", false, &l);
            assert_int_equal(o.kind, WB_RAN);
            wb_outcome_free(&o);
        }
    }
    wb_worker_stop(w);
    free_log(&l);
}

/* A breakpoint of the cell's own is a crash like others, and its own handler is its own. */
static void breakpoints_of_cells_are_theirs(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    wb_outcome o = run_interrupted(
        w, "handles",
        "#include <signal.h>\n#include <cstring>\nchar block[1 << 24]; volatile int seen;\n"
        "static int s = ([] { signal(SIGTRAP, [](int) { seen = seen + 1; }); asm(\"int3\");\n" RUNS
        "for (int i = 0; i < 30 || seen != 1; i++) memset(block, i, sizeof block); return 0; "
        "})();",
        &l);
    assert_true(o.kind == WB_RAN || o.kind == WB_STOPPED);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    w = start();
    o = run(w, "int3", "\nstatic int s = ([] { asm(\"int3\"); return 0; })();", &l, false);
    assert_int_equal(o.kind, WB_CRASHED);
    assert_int_equal(o.signal, SIGTRAP);
    assert_int_equal(o.frames[0].line, 2);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

/* signal() returns a bare handler; given back, it is what it was: told where and why. */
static void a_handler_given_back_is_what_it_was(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    wb_outcome o =
        run(w, "given",
            "#include <signal.h>\n#include <cstdio>\n#include <cstring>\n"
            "static int s = ([] {\n"
            "for (int n : {SIGTRAP, SIGSEGV, SIGFPE, SIGINT}) {\n"
            "    struct sigaction was, is;\n    sigaction(n, nullptr, &was);\n"
            "    auto old = signal(n, SIG_IGN);\n"
            "    if (signal(n, old) != SIG_IGN) puts(\"not ignored\");\n"
            "    sigaction(n, nullptr, &is);\n"
            "    if (is.sa_flags != was.sa_flags || memcmp(&is.sa_mask, &was.sa_mask, 8))\n"
            "        printf(\"%d differs\\n\", n);\n}\n"
            "*(volatile int *)0x1234 = 1; return 0; })();",
            &l, false);
    assert_int_equal(o.kind, WB_CRASHED);
    assert_int_equal(o.signal, SIGSEGV);
    assert_int_equal(o.address, 0x1234);
    assert_int_equal(l.out.len, 0);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

/* A cell that is nearly always inside the calls by which it takes SIGTRAP for itself: a breakpoint
 * where one of them returns would be its own handler's, or one that nobody may handle. */
static void who_takes_sigtrap_is_interrupted_too(void **state) {
    (void)state;
    static const char *const changes[] = {
        "auto before = signal(SIGTRAP, own); signal(SIGTRAP, before);",
        "struct sigaction a = {}, b; a.sa_handler = own; sigaction(SIGTRAP, &a, &b); "
        "sigaction(SIGTRAP, &b, 0);",
        "sigset_t a, b; sigfillset(&a); sigdelset(&a, SIGINT); sigdelset(&a, SIGRTMAX); "
        "sigprocmask(SIG_SETMASK, &a, &b); sigprocmask(SIG_SETMASK, &b, 0);"};
    for (size_t i = 0; i < WB_COUNT(changes); i++) {
        wb_worker *w = start();
        log l = {0};
        char *code = wb_format("#include <signal.h>\nvolatile int seen;\n"
                               "void own(int) { seen = seen + 1; }\n"
                               "int work(int) { puts(\"go\"); fflush(stdout); for (;;) { %s } }\n",
                               changes[i]);
        char *name = wb_format("takes%zu", i);
        wb_outcome o = run(w, name, code, &l, false);
        assert_int_equal(o.kind, WB_RAN);
        wb_outcome_free(&o);
        l.interrupt = w;
        char *library = make_library("call", name, "int work(int n); static int s = work(1);");
        for (int again = 0; again < 40; again++) {
            o = run_library(w, library, false, &l);
            assert_int_equal(o.kind, WB_STOPPED);
            assert_true(o.alive);
            wb_outcome_free(&o);
        }
        wb_worker_stop(w);
        free_log(&l);
        free(library);
        free(code);
        free(name);
    }
}

/* A thread's output while another one crashes appears once and in order, up to some point. */
static void a_crash_prints_nothing_twice(void **state) {
    (void)state;
    char *library = make_library("race", NULL,
                                 "#include <thread>\nstatic int s = ([] { std::thread([] { "
                                 "for (int i = 0;; i++) printf(\"%d\\n\", i); }).detach(); "
                                 "usleep(100000); return *(volatile int *)16; })();");
    for (int i = 0; i < 5; i++) {
        log l = {0};
        wb_worker *w = start();
        wb_outcome o = run_library(w, library, false, &l);
        assert_int_equal(o.kind, WB_CRASHED);
        char *line = l.out.data, *end;
        for (long expected = 0; (end = strchr(line, '\n')); line = end + 1, expected++)
            assert_int_equal(strtol(line, NULL, 10), expected);
        wb_outcome_free(&o);
        free_log(&l);
        wb_worker_stop(w);
    }
    free(library);
}

/* A flood loses no byte, and can be interrupted at once. */
static void floods_are_whole_and_interruptible(void **state) {
    (void)state;
    log l = {.count_only = true};
    wb_worker *w = start();
    wb_outcome o = run(w, "flood",
                       "static int s = ([] { for (int i = 0; i < 2000000; i++) "
                       "printf(\"%09d\\n\", i); return 0; })();",
                       &l, false);
    assert_int_equal(o.kind, WB_RAN);
    assert_int_equal(l.out_bytes, 20000000);
    wb_outcome_free(&o);
    l.interrupt = w;
    o = run(w, "endless", "static int s = ([] { for (;;) puts(\"again\"); return 0; })();", &l,
            false);
    assert_int_equal(o.kind, WB_STOPPED);
    assert_true(o.alive);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    free_log(&l);
}

static void what_cannot_load_is_said(void **state) {
    (void)state;
    log l = {0};
    wb_worker *w = start();
    wb_outcome o = run(w, "missing", "extern int nowhere(); int v = nowhere();", &l, false);
    assert_int_equal(o.kind, WB_UNLOADABLE);
    assert_non_null(strstr(o.text, "nowhere"));
    assert_true(o.alive);
    wb_outcome_free(&o);
    wb_worker_stop(w);
    wb_error err = {0};
    assert_false(wb_elf_defer_init("/dev/null", &err));
    assert_false(wb_elf_defer_init("Makefile", &err));
    assert_non_null(strstr(err.text, "not a 64-bit shared library"));
    free_log(&l);
}

static int make_folder(void **state) {
    (void)state;
    folder = wb_dir_temp("worker-test", NULL);
    return folder ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    return 0;
}

/* Output comes in pieces. Wherever it is cut, a name stays whole. */
static void names_of_cells(void **state) {
    (void)state;
    static const char text[] = "cell [0123456789abcdef]:3 cell [fedcba9876543210] cell [12] cell "
                               "[0123456789abcde ] cell cell [0123456789abcdef]";
    static const char want[] = "cell [7]:3 cell [fedcba9876543210] cell [12] cell "
                               "[0123456789abcde ] cell cell [7]";
    wb_names *names = wb_names_new();
    wb_names_add(names, "0123456789abcdef", 3);
    wb_names_add(names, "aaaaaaaaaaaaaaaa", 4);
    wb_names_add(names, "0123456789abcdef", 7);
    for (size_t cut = 0; cut < sizeof text; cut++) {
        size_t keep = wb_names_open(text, cut);
        wb_buf out = {0};
        assert_true(keep <= cut && keep < 23);
        wb_names_append(names, &out, text, cut - keep);
        wb_names_append(names, &out, text + cut - keep, sizeof text - 1 - cut + keep);
        assert_string_equal(out.data, want);
        wb_buf_free(&out);
    }
    assert_int_equal(wb_names_open("abc", 3), 1);
    assert_int_equal(wb_names_open("abcd", 4), 0);
    json_t *value =
        wb_names_json(names, json_pack("{s:[s, i]}", "a", "in cell [0123456789abcdef]", 1));
    assert_string_equal(json_string_value(json_array_get(json_object_get(value, "a"), 0)),
                        "in cell [7]");
    json_decref(value);
    wb_names_free(names);
}

static void memory_settings(void **state) {
    (void)state;
    static const struct {
        const char *setting;
        size_t limit; /* 0: refused */
    } cases[] = {{"4096", 4096},
                 {"3K", 3 << 10},
                 {"500m", (size_t)500 << 20},
                 {"2G", (size_t)2 << 30},
                 {"", 1},
                 {"0", 0},
                 {"2T", 0},
                 {"G", 0},
                 {"2GB", 0},
                 {"-1G", 0},
                 {" 1G", 0},
                 {"99999999999G", 0}};
    wb_error err = {0};
    size_t limit = 0;
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        setenv("WARPBOOK_WORKER_MEMORY", cases[i].setting, 1);
        bool ok = wb_memory_limit(&limit, &err);
        assert_int_equal(ok, cases[i].limit != 0);
        if (cases[i].limit > 1)
            assert_int_equal(limit, cases[i].limit);
    }
    assert_non_null(strstr(err.text, "as in 4G, or none"));
    setenv("WARPBOOK_WORKER_MEMORY", "none", 1);
    assert_true(wb_memory_limit(&limit, &err));
    assert_int_equal(limit, 0);
    unsetenv("WARPBOOK_WORKER_MEMORY");
    assert_true(wb_memory_limit(&limit, &err));
    assert_in_range(limit, 1, wb_memory_machine() - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_settings),
        cmocka_unit_test(names_of_cells),
        cmocka_unit_test(cells_share_state_and_print_in_order),
        cmocka_unit_test(an_exception_keeps_the_state),
        cmocka_unit_test(a_crash_names_signal_and_line),
        cmocka_unit_test(exit_is_told_from_a_crash),
        cmocka_unit_test(a_program_runs_from_main_to_exit),
        cmocka_unit_test(stdin_asks),
        cmocka_unit_test(interrupts_keep_the_state_where_they_can),
        cmocka_unit_test(interrupts_stop_calls_where_they_return),
        cmocka_unit_test(breakpoints_of_cells_are_theirs),
        cmocka_unit_test(a_handler_given_back_is_what_it_was),
        cmocka_unit_test(who_takes_sigtrap_is_interrupted_too),
        cmocka_unit_test(a_crash_prints_nothing_twice),
        cmocka_unit_test(floods_are_whole_and_interruptible),
        cmocka_unit_test(what_cannot_load_is_said),
    };
    return cmocka_run_group_tests_name("worker", tests, make_folder, remove_folder);
}
