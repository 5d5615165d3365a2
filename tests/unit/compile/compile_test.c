/* compile_test.c: the toolkit, the nvcc driver, its diagnostics and the cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compile/cache/cache.h"
#include "runtime/compile/compile.h"
#include "runtime/device/toolkit.h"
#include "runtime/compile/diag.h"
#include "runtime/compile/disassemble.h"

static char *folder; /* a private place; the cache lies under it too */

static int set_up(void **state) {
    (void)state;
    folder = wb_dir_temp("compile-test", NULL);
    if (!folder)
        return -1;
    setenv("XDG_CACHE_HOME", folder, 1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    return 0;
}

static void put(const char *name, const char *text) {
    char *path = wb_format("%s/%s", folder, name);
    wb_error err = {0};
    if (!wb_file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
    free(path);
}

static wb_compile_result compile(wb_compile_spec spec) {
    static const char *const sources[] = {"a.cu", NULL};
    char *output = wb_format("%s/out", folder);
    wb_device soft = {.kind = WB_DEVICE_SOFT, .capability = 90};
    spec.sources = sources;
    spec.output = output;
    spec.cwd = folder;
    spec.device = &soft;
    wb_compile_result result;
    wb_error err = {0};
    if (!wb_compile(&spec, &result, &err))
        fail_msg("%s", err.text);
    free(output);
    return result;
}

static void parse(wb_compile_result *r, const char *log) {
    *r = (wb_compile_result){.log = strdup(log)};
    assert_true(wb_diag_parse(r));
}

static void test_toolkit(void **state) {
    (void)state;
    wb_toolkit toolkit;
    wb_error err = {0};
    if (!wb_toolkit_find(&toolkit, &err))
        fail_msg("%s", err.text);
    assert_true(toolkit.version >= 1300);
    char *header = wb_format("%s/cuda_runtime.h", toolkit.include_dir);
    assert_true(wb_file_exists(header));
    free(header);
    setenv("WARPBOOK_NVCC", "/nowhere/nvcc", 1);
    assert_false(wb_toolkit_find(&toolkit, &err));
    assert_non_null(strstr(err.text, "/nowhere/nvcc"));
    unsetenv("WARPBOOK_NVCC");
}

static void test_diagnostics(void **state) {
    (void)state;
    wb_compile_result r;
    parse(&r, "cell [3](12): error: identifier \"m\" is undefined\n"
              "  a[i] += m;\n"
              "          ^\n"
              "\n"
              "cell [3](2): warning #177-D: variable \"z\" was declared but never referenced\n"
              "  int z;\n"
              "      ^\n"
              "\n"
              "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
              "\n"
              "a.cu(9): error: no instance of function \"f\" matches\n"
              "            argument types are: (int)\n"
              "    f(3);\n"
              "    ^\n"
              "cell [3]:3:10: fatal error: nosuch.h: No such file or directory\n"
              "    3 | #include \"nosuch.h\"\n"
              "      |          ^~~~~~~~~~\n"
              "compilation terminated.\n"
              "2 errors detected in the compilation of \"a.cu\".\n");
    assert_int_equal(r.n_diagnostics, 4);
    const wb_diagnostic *d = r.diagnostics;
    assert_int_equal(d[0].severity, WB_DIAG_ERROR);
    assert_string_equal(d[0].file, "cell [3]");
    assert_int_equal(d[0].line, 12);
    assert_string_equal(d[0].text, "identifier \"m\" is undefined");
    assert_string_equal(d[0].excerpt, "  a[i] += m;\n          ^");
    assert_int_equal(d[1].severity, WB_DIAG_WARNING);
    assert_string_equal(d[2].text, "no instance of function \"f\" matches\n"
                                   "            argument types are: (int)");
    assert_int_equal(d[3].line, 3);
    assert_int_equal(d[3].column, 10);
    assert_string_equal(d[3].excerpt, "#include \"nosuch.h\"\n         ^~~~~~~~~~");
    wb_compile_result_free(&r);

    parse(&r, "ptxas error   : Entry function '_Z1kv' uses too much shared data\n"
              "nvcc fatal   : Unknown option '-foo'\n"
              "/usr/bin/ld: 0.o: in function `bar()':\n"
              "/usr/bin/ld: a.cu:2: undefined reference to `foo()'\n"
              "b (1).cu:7:(.text._ZN1GC2Ev[_ZN1GC5Ev]+0x16): undefined reference to `bar()'\n"
              "collect2: error: ld returned 1 exit status\n");
    assert_int_equal(r.n_diagnostics, 5);
    assert_null(r.diagnostics[0].file);
    assert_string_equal(r.diagnostics[1].text, "Unknown option '-foo'");
    assert_string_equal(r.diagnostics[2].file, "a.cu");
    assert_int_equal(r.diagnostics[2].line, 2);
    assert_string_equal(r.diagnostics[2].text, "undefined reference to `foo()'");
    assert_string_equal(r.diagnostics[3].file, "b (1).cu");
    assert_int_equal(r.diagnostics[3].line, 7);
    assert_string_equal(r.diagnostics[3].text, "undefined reference to `bar()'");
    wb_compile_result_free(&r);

    char *clean = wb_diag_clean("/t/x/tmpxft_0001abcd_00000000-6_a.cu: /t/xy", "/t/x");
    assert_string_equal(clean, "a.cu: /t/xy");
    free(clean);
}

/* One good compile, then the cache with everything that must and must not miss. */
static void test_cache(void **state) {
    (void)state;
    wb_compile_spec ptx = {.kind = WB_COMPILE_PTX};
    put("h.h", "#define N 1\n");
    put("a.cu", "#include \"h.h\"\n\n"
                "#line 2 \"cell [3]\"\n__global__ void k(int *a) { int unused; *a = N; }\n");
    wb_compile_result r = compile(ptx);
    assert_true(r.ok);
    assert_false(r.from_cache);
    assert_int_equal(r.n_diagnostics, 1);
    wb_compile_result_free(&r);

    r = compile(ptx);
    assert_true(r.from_cache);
    assert_int_equal(r.n_diagnostics, 1); /* the warning comes again */
    assert_int_equal(r.diagnostics[0].line, 2);
    wb_compile_result_free(&r);
    char *path = wb_format("%s/out", folder);
    wb_buf text = {0};
    assert_true(wb_file_read(path, 0, &text, NULL));
    assert_non_null(strstr(text.data, ".visible .entry"));
    wb_buf_free(&text);
    free(path);

    put("h.h", "#define N 2\n");
    r = compile(ptx);
    assert_true(r.ok && !r.from_cache);
    wb_compile_result_free(&r);
    wb_compile_spec other = ptx;
    other.flags = (const char *const[]){"-DM=3", NULL};
    r = compile(other);
    assert_true(r.ok && !r.from_cache);
    wb_compile_result_free(&r);
    r = compile(other);
    assert_true(r.from_cache);
    wb_compile_result_free(&r);

    other.flags =
        (const char *const[]){"-Xlinker", "extra.o", NULL}; /* one is part of the output */
    for (const char *object = "one"; object; object = *object == 'o' ? "three" : NULL) {
        put("extra.o", object);
        r = compile(other);
        assert_true(r.ok && !r.from_cache);
        wb_compile_result_free(&r);
    }

    other.flags = (const char *const[]){"-std=c++20", NULL}; /* in place of ours, without a word */
    r = compile(other);
    assert_true(r.ok && r.n_diagnostics == 1);
    wb_compile_result_free(&r);
}

/* A kernel that no source can define is told without compiling any of them. */
static void test_disassemble(void **state) {
    (void)state;
    wb_device soft = {.kind = WB_DEVICE_SOFT, .capability = 90};
    wb_error err = {0};
    put("one.cu", "__global__ void one(int *a) { *a = 1; }\n");
    put("two.cu", "#define K(n) __global__ void n##_two(int *a) { *a = 2; }\nK(part)\n");
    char *one = wb_format("%s/one.cu", folder), *two = wb_format("%s/two.cu", folder);
    char *cache = wb_format("%s/warpbook", folder);
    const char *const sources[] = {one, two}, *const flags[] = {NULL};
    wb_dir_remove(cache, NULL);
    assert_null(wb_disassemble(sources, 1, flags, &soft, "nosuch", false, &err));
    assert_non_null(strstr(err.text, "no cell that ran defines a kernel called 'nosuch'"));
    assert_false(wb_file_exists(cache));
    static const char *const found[] = {"one", "_Z3onePi", "part_two", NULL};
    for (size_t i = 0; i < WB_COUNT(found); i++) {
        char *text = wb_disassemble(sources, 2, flags, &soft, found[i], false, &err);
        if (!text)
            fail_msg("%s: %s", found[i], err.text);
        assert_non_null(strstr(text, i < 2 ? ".entry _Z3onePi" : ".entry _Z8part_twoPi"));
        free(text);
    }
    assert_true(wb_file_exists(cache));
    free(one);
    free(two);
    free(cache);
}

static void test_errors(void **state) {
    (void)state;
    put("a.cu", "int f() {\n  return x;\n}\n");
    wb_compile_result r = compile((wb_compile_spec){.kind = WB_COMPILE_SHARED});
    assert_false(r.ok);
    assert_int_equal(r.n_diagnostics, 1);
    assert_string_equal(r.diagnostics[0].file, "a.cu");
    assert_int_equal(r.diagnostics[0].line, 2);
    assert_null(strstr(r.log, ".nvcc-"));
    wb_compile_result_free(&r);

    wb_compile_spec limited = {.kind = WB_COMPILE_PTX, .timeout_s = 0.01, .no_cache = true};
    r = compile(limited);
    assert_true(r.timed_out && !r.ok);
    wb_compile_result_free(&r);
    static const volatile int stop = 1;
    r = compile((wb_compile_spec){.kind = WB_COMPILE_PTX, .stop = &stop, .no_cache = true});
    assert_true(r.stopped && !r.ok);
    wb_compile_result_free(&r);
}

/* ---- what is kept and what comes back ------------------------------------------------------- */

/* A thing to keep and all that goes with it. */
static struct {
    char key[WB_SHA256_TEXT], *content;
    size_t len;
    char *made, *deps, *got, *path; /* files: to keep, its inputs, where it comes back, the entry */
} thing;

static const char *const thing_sources[] = {"a.cu", NULL};
static unsigned seed;

static void new_thing(size_t len) {
    seed = (unsigned)time(NULL) ^ (unsigned)getpid() << 16;
    wb_sha256(&len, sizeof len, thing.key);
    thing.len = len;
    thing.content = malloc(len + 1);
    for (size_t i = 0; i < len; i++)
        thing.content[i] = (char)('a' + (i * 7 + i / 251) % 26);
    thing.content[len] = '\0';
    put("made", thing.content);
    put("deps", "out : a.cu \\\n  h.h\n");
    put("h.h", "1");
    thing.made = wb_format("%s/made", folder);
    thing.deps = wb_format("%s/deps", folder);
    thing.got = wb_format("%s/got", folder);
    thing.path = wb_format("%s/warpbook/compile/%s", folder, thing.key);
}

static void end_thing(void) {
    free(thing.content);
    free(thing.made);
    free(thing.deps);
    free(thing.got);
    free(thing.path);
}

static void keep_thing(void) {
    char *inputs;
    wb_cache_put(thing.key, folder, thing.made, "log", thing.deps, thing_sources, &inputs);
    free(inputs);
}

/* Returns the cache's entry for the source. */
static enum found { NONE, RIGHT, WRONG } look_up(void) {
    wb_buf log = {0}, text = {0};
    char *inputs = NULL;
    enum found found = NONE;
    if (wb_cache_get(thing.key, folder, thing.got, &log, &inputs)) {
        bool same = wb_file_read(thing.got, 0, &text, NULL) && text.len == thing.len &&
                    memcmp(text.data, thing.content, thing.len) == 0;
        found =
            same && strcmp(log.data, "log") == 0 && strcmp(inputs, "h.h\n") == 0 ? RIGHT : WRONG;
    }
    free(inputs);
    wb_buf_free(&log);
    wb_buf_free(&text);
    return found;
}

/* Whether the cache has it; what it gives then is right. */
static bool fetch_thing(void) {
    enum found found = look_up();
    if (found == WRONG)
        fail_msg("something else came back (seed %u)", seed);
    return found == RIGHT;
}

enum damage { FLIPPED, CUT, EMPTY, LONGER, FOLDER, PIPE, UNREADABLE, OTHERS, N_DAMAGE };

/* Does that to the entry. */
static void damage(enum damage kind) {
    wb_buf bytes = {0};
    assert_true(wb_file_read(thing.path, 0, &bytes, NULL));
    size_t at = (size_t)rand_r(&seed) % bytes.len;
    if (kind == FLIPPED)
        bytes.data[at] ^= (char)(1 << rand_r(&seed) % 8);
    else if (kind == LONGER)
        wb_buf_puts(&bytes, "x");
    else if (kind == OTHERS) /* as it would be, were it another thing's */
        memcpy(bytes.data + bytes.len - 3, "abc", 3);
    size_t len = kind == CUT ? at : kind == EMPTY ? 0 : bytes.len;
    assert_int_equal(unlink(thing.path), 0);
    if (kind == FOLDER)
        assert_int_equal(mkdir(thing.path, 0700), 0);
    else if (kind == PIPE)
        assert_int_equal(mkfifo(thing.path, 0600), 0);
    else
        assert_true(wb_file_put(thing.path, bytes.data, len, 0644, NULL));
    if (kind == UNREADABLE)
        assert_int_equal(chmod(thing.path, 0), 0);
    wb_buf_free(&bytes);
}

/* An entry that something has happened to is none, and can be made again. */
static void test_damaged(void **state) {
    (void)state;
    new_thing(3000);
    for (int i = 0; i < 400; i++) {
        enum damage kind = i < 200 ? FLIPPED : i < 300 ? CUT : (enum damage)(i % N_DAMAGE);
        keep_thing();
        assert_true(fetch_thing());
        damage(kind);
        bool found = fetch_thing();
        if (found != (kind == UNREADABLE && geteuid() == 0))
            fail_msg("damage %d: %s (seed %u)", kind, found ? "found" : "not found", seed);
        if (!found)
            assert_false(kind != UNREADABLE && wb_file_exists(thing.path));
    }
    end_thing();
}

/* As a lab's reference is compiled: with a name that a #line made up, in no folder of its own. */
static void test_line_names(void **state) {
    (void)state;
    new_thing(10);
    char *inputs = NULL, *deps = wb_format("out : a.cu %s/h.h call_of_reference\n", folder);
    put("deps", deps);
    wb_buf log = {0};
    wb_cache_put(thing.key, NULL, thing.made, "log", thing.deps, thing_sources, &inputs);
    free(inputs);
    inputs = NULL;
    assert_true(wb_cache_get(thing.key, NULL, thing.got, &log, &inputs));
    assert_null(strstr(inputs, "call_of_reference"));
    free(inputs);
    wb_buf_free(&log);
    free(deps);
    end_thing();
}

/* Without room for it nothing is kept, and nothing is lost. */
static void test_full(void **state) {
    (void)state;
    new_thing(30000);
    keep_thing();
    pid_t pid = fork();
    if (pid == 0) {
        int wrong = 0;
        signal(SIGXFSZ, SIG_IGN);
        for (rlim_t room = 0; room < 60000; room += 5000) {
            if (room % 10000)
                unlink(thing.path);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){room, RLIM_INFINITY});
            keep_thing();
            wrong += look_up() == WRONG;
        }
        _exit(wrong);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    fetch_thing();
    keep_thing();
    assert_true(fetch_thing());
    end_thing();
}

/* Processes that keep the same entry and fetch it, while another spoils it. */
static void test_together(void **state) {
    (void)state;
    new_thing(20000);
    keep_thing();
    pid_t pid[2];
    for (int k = 0; k < 2; k++)
        if ((pid[k] = fork()) == 0) {
            int wrong = 0;
            thing.got = wb_format("%s/got%d", folder, k);
            for (int i = 0; i < 150; i++) {
                enum found found = look_up();
                wrong += found == WRONG;
                if (found == NONE)
                    keep_thing();
            }
            _exit(wrong);
        }
    int status[2], left = 2;
    while (left) {
        wb_buf bytes = {0};
        if (wb_file_read(thing.path, 0, &bytes, NULL) && bytes.len) { /* in place */
            FILE *f = fopen(thing.path, "r+");
            if (f) {
                fseek(f, (long)((size_t)rand_r(&seed) % bytes.len), SEEK_SET);
                fputc('?', f);
                fclose(f);
            }
        }
        wb_buf_free(&bytes);
        usleep(2000);
        for (int k = 0; k < 2; k++)
            if (pid[k] && waitpid(pid[k], &status[k], WNOHANG) == pid[k]) {
                pid[k] = 0;
                left--;
            }
    }
    assert_int_equal(status[0], 0);
    assert_int_equal(status[1], 0);
    end_thing();
}

/* A process that keeps the same entry over and over, killed at random moments: what is found
 * afterwards is whole. */
static void test_killed(void **state) {
    (void)state;
    new_thing((1 << 20) - 1);
    int hits = 0;
    for (int i = 0; i < 20 || (hits == 0 && i < 1000); i++) { /* a slow machine takes longer */
        pid_t pid = fork();
        if (pid == 0)
            for (;;)
                keep_thing();
        usleep(3000 + (unsigned)(rand_r(&seed) % 40000 * (1 + i / 20))); /* longer and longer */
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        hits += fetch_thing();
    }
    assert_true(hits > 0);
    put("h.h", "2");
    assert_false(fetch_thing());
    end_thing();
}

/* Whatever happens to all that lies in the cache, what is compiled is right. */
static void test_spoilt(void **state) {
    (void)state;
    static const char *const ways[] = {
        ("for f in $(find $D -type f); do printf '\\125\\252' | "
         "dd of=$f bs=1 seek=$(($(stat -c %s $f) - 400)) conv=notrunc 2>/dev/null; done"),
        "for f in $(find $D -type f); do : >$f; done",
        "for f in $(find $D -type f); do rm $f; mkdir $f; done",
        "for f in $(find $D -type f); do truncate -s 777 $f; done"};
    char *cache = wb_format("%s/warpbook", folder), *path = wb_format("%s/out", folder);
    wb_dir_remove(cache, NULL);
    setenv("D", cache, 1);
    put("a.cu", "__global__ void k(float *a) { *a = 6.283f; }\n");
    wb_compile_spec ptx = {.kind = WB_COMPILE_PTX};
    wb_buf right = {0}, text = {0};
    for (size_t i = 0; i <= 2 * WB_COUNT(ways); i++) {
        wb_compile_result r = compile(ptx);
        assert_true(r.ok);
        assert_int_equal(r.from_cache, i % 2);
        wb_compile_result_free(&r);
        wb_buf_clear(&text);
        assert_true(wb_file_read(path, 0, i ? &text : &right, NULL));
        if (i)
            assert_string_equal(text.data, right.data);
        if (i % 2)
            assert_int_equal(system(ways[i / 2]), 0);
    }
    wb_buf_free(&right);
    wb_buf_free(&text);
    free(cache);
    free(path);
}

static void test_trim(void **state) {
    (void)state;
    static char content[1 << 20];
    memset(content, 'x', sizeof content - 1);
    put("big", content);
    put("deps", "out : a.cu\n");
    char *big = wb_format("%s/big", folder), *deps = wb_format("%s/deps", folder);
    char *got = wb_format("%s/got", folder), *inputs;
    setenv("WARPBOOK_CACHE_MB", "3", 1);
    char first[WB_SHA256_TEXT] = "", key[WB_SHA256_TEXT];
    for (int i = 0; i < 6; i++) {
        const char name[2] = {(char)('a' + i), 0};
        wb_sha256(name, 1, key);
        if (i == 0)
            strcpy(first, key);
        wb_cache_put(key, folder, big, "", deps, thing_sources, &inputs);
        free(inputs);
        usleep(20000);
    }
    wb_buf log = {0};
    assert_true(wb_cache_get(key, folder, got, &log, &inputs)); /* the newest is there */
    free(inputs);
    assert_false(wb_cache_get(first, folder, got, &log, &inputs));
    int kept = 0;
    for (int i = 0; i < 6; i++) {
        char name[2] = {(char)('a' + i), 0};
        wb_sha256(name, 1, key);
        if (wb_cache_get(key, folder, got, &log, &inputs)) {
            kept++;
            free(inputs);
        }
    }
    assert_in_range(kept, 2, 3);
    unsetenv("WARPBOOK_CACHE_MB");
    wb_buf_free(&log);
    free(big);
    free(deps);
    free(got);
}

static void test_device(void **state) {
    (void)state;
    wb_device device;
    wb_error err = {0};
    assert_true(wb_device_select("soft", &device, &err));
    assert_int_equal(device.kind, WB_DEVICE_SOFT);
    assert_true(device.memory > 0);
    char *environment = wb_device_environment(&device);
    assert_int_equal(strncmp(environment, "LD_LIBRARY_PATH=", 16), 0);
    assert_non_null(strstr(environment, "/softgpu"));
    setenv("LD_LIBRARY_PATH", environment + 16, 1);
    free(environment);
    /* a shell gets more; with a GPU nothing, and softgpu's folder leaves its path */
    char **shell = wb_device_shell(&device);
    assert_non_null(shell[0]);
    wb_device_entries_free(shell);
    wb_device gpu = {.kind = WB_DEVICE_GPU, .library_dir = "/gpu"};
    shell = wb_device_shell(&gpu);
    assert_non_null(shell);
    assert_null(shell[0]);
    wb_device_entries_free(shell);
    environment = wb_device_environment(&gpu);
    assert_string_equal(environment, "LD_LIBRARY_PATH=/gpu");
    free(environment);
    unsetenv("LD_LIBRARY_PATH");
    assert_false(wb_device_select("toaster", &device, &err));
    assert_non_null(strstr(err.text, "toaster"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolkit),    cmocka_unit_test(test_diagnostics),
        cmocka_unit_test(test_cache),      cmocka_unit_test(test_disassemble),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_full),       cmocka_unit_test(test_together),
        cmocka_unit_test(test_killed),     cmocka_unit_test(test_spoilt),
        cmocka_unit_test(test_trim),       cmocka_unit_test(test_device),
        cmocka_unit_test(test_line_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
