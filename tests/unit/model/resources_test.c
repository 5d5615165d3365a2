/* resources_test.c: what ptxas says of one kernel of a module is what it says of it in the whole
 * module, is kept, and can be asked for inside a program that waits for children of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/device/toolkit.h"
#include "runtime/model/alone.h"
#include "runtime/model/resources.h"

#define HEAD                                                                                       \
    ".version 9.0\n"                                                                               \
    "// .target sm_100 .entry nowhere {\n"                                                         \
    ".target sm_75\n.address_size 64\n"                                                            \
    "/* .visible .entry nowhere() { */\n"

static const char text_module[] = HEAD
    ".global .align 4 .b8 words[4] = {1, 2, 3, 4};\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".file 1 \"a } brace {{ in // a name\"\n"
    ".func (.param .f32 r) square(.param .f32 x)\n{ // a function stays {\n"
    ".reg .f32 %f<3>;\n ld.param.f32 %f1, [x]; mul.f32 %f2, %f1, %f1; st.param.f32 [r], %f2; ret;\n"
    "}\n"
    "\t// .globl plain }\n"
    ".visible .entry plain(.param .u64 p)\n"
    ".pragma \"nounroll\"; .maxntid 128, 1, 1\n"
    "{\n"
    " .shared .align 4 .b8 tile[1024];\n .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .b32 %r<3>;\n"
    " .loc 1 1 1 // }\n"
    " ld.param.u64 %rd1, [p]; mov.u32 %r1, tile; ld.global.f32 %f1, [%rd1];\n"
    " st.shared.f32 [%r1+512], %f1; bar.sync 0; ld.shared.f32 %f2, [%r1+4]; /* } } { */\n"
    " st.global.f32 [%rd1], %f2; ret;\n"
    "}\n"
    ".weak /* { */ .entry calls(.param .u64 p)\n.maxntid 64 .minnctapersm 2\n{\n"
    " .local .align 8 .b8 here[64];\n"
    " .reg .b64 %rd<6>; .reg .f32 %f<4>; .reg .b32 %r<3>;\n"
    " ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; ld.global.u32 %r1, [%rd1+4];\n"
    " mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, here; add.u64 %rd4, %rd3, %rd2;\n"
    " st.local.f32 [%rd4], %f1; cvta.local.u64 %rd5, %rd3; \n"
    " { .param .b64 c; .param .b64 d; .param .b32 e; st.param.b64 [c], %rd5; st.param.b64 [d], "
    "%rd5;"
    " call (e), vprintf, (c, d); }\n"
    " "
    "ld.local.f32 %f3, [%rd3+8];\n"
    " { .param .f32 a; .param .f32 b; st.param.f32 [a], %f3; call (b), square, (a);\n"
    "   ld.param.f32 %f2, [b]; }\n"
    " st.global.f32 [%rd1], %f2; ret;\n"
    "}\n";

static char compiler[4200], folder[] = "/tmp/warpbook-resources-XXXXXX";
static wb_buf module; /* text_module and the kernel `spills` */

static int begin(void **state) {
    (void)state;
    wb_toolkit toolkit;
    wb_error err = {0};
    if (!wb_toolkit_find(&toolkit, &err) || !mkdtemp(folder))
        return fprintf(stderr, "%s\n", err.text);
    snprintf(compiler, sizeof compiler, "%s/ptxas", dirname(toolkit.nvcc));
    wb_buf_puts(&module, text_module);
    wb_buf_puts(&module, ".visible .entry spills(.param .u64 p)\n.maxnreg 24\n{\n .reg .b64 %rd<3>;"
                         " .reg .f32 %f<99>;\n ld.param.u64 %rd1, [p];\n");
    for (int i = 0; i < 64; i++)
        wb_buf_printf(&module, "ld.volatile.global.f32 %%f%d, [%%rd1+%d];\n", i, 4 * i);
    for (int i = 0; i < 64; i++)
        wb_buf_printf(&module, "st.volatile.global.f32 [%%rd1+%d], %%f%d;\n", 4 * i, 63 - i);
    wb_buf_puts(&module, "ret;\n}\n");
    return module.failed;
}

static int end(void **state) {
    (void)state;
    wb_buf_free(&module);
    return wb_dir_remove(folder, NULL) ? 0 : 1;
}

/* An empty cache of the test's own; NAME is a folder that is not there yet. */
static void use_cache(const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    setenv("XDG_CACHE_HOME", path, 1);
}

static bool ask_of(const char *ptxas, const char *ptx, const char *kernel, unsigned capability,
                   model_resources *r, wb_error *err) {
    return model_resources_of(ptxas, ptx, strlen(ptx), kernel, capability, r, err);
}

static void must(const char *kernel, unsigned capability, model_resources *r) {
    wb_error err = {0};
    if (!ask_of(compiler, module.data, kernel, capability, r, &err))
        fail_msg("%s: %s", kernel, err.text);
}

static void must_fail(const char *ptxas, const char *ptx, const char *kernel, unsigned capability,
                      const char *says) {
    wb_error err = {0};
    model_resources r;
    assert_false(ask_of(ptxas, ptx, kernel, capability, &r, &err));
    if (!strstr(err.text, says))
        fail_msg("said: %s", err.text);
}

/* The text behind `from` in what ptxas -v says of the whole module, as a number. */
static uint64_t figure(const char *log, const char *kernel, const char *unit) {
    char *heading = wb_format("entry function '%s'", kernel);
    const char *at = strstr(log, heading);
    free(heading);
    assert_non_null(at);
    const char *used = strstr(at, "Used "), *stop = strchr(used, '\n');
    const char *found = strstr(at, unit);
    if (!found || found > stop)
        return 0;
    while (found[-1] >= '0' && found[-1] <= '9')
        found--;
    return strtoull(found, NULL, 10);
}

static void each_kernel_is_as_in_the_whole_module(void **state) {
    (void)state;
    static const char *const kernels[] = {"plain", "calls", "spills"};
    static const unsigned capabilities[] = {75, 90};
    char path[200], arch[40];
    use_cache("whole");
    snprintf(path, sizeof path, "%s/module.ptx", folder);
    assert_true(wb_file_write(path, module.data, module.len, NULL));
    for (size_t c = 0; c < WB_COUNT(capabilities); c++) {
        snprintf(arch, sizeof arch, "-arch=sm_%u", capabilities[c]);
        const char *const argv[] = {compiler, "-v", arch, path, "-o", "/dev/null", NULL};
        wb_proc_result whole;
        assert_true(wb_proc_run(&(wb_proc_spec){.argv = argv, .merge_stderr = true}, &whole, NULL));
        assert_int_equal(whole.exit_code, 0);
        for (size_t i = 0; i < WB_COUNT(kernels); i++) {
            model_resources r;
            must(kernels[i], capabilities[c], &r);
            const char *log = whole.out.data, *k = kernels[i];
            assert_int_equal(r.registers, figure(log, k, " registers"));
            assert_int_equal(r.spill_store_bytes, figure(log, k, " bytes spill stores"));
            assert_int_equal(r.spill_load_bytes, figure(log, k, " bytes spill loads"));
            assert_int_equal(r.shared_bytes, figure(log, k, " bytes smem"));
            assert_true(r.local_bytes >= figure(log, k, " bytes stack frame"));
            assert_int_equal(r.shared_bytes, i == 0 ? 1024 : 0);
            assert_int_equal(r.spill_store_bytes > 0, i == 2);
            assert_int_equal(r.spill_load_bytes > 0, i == 2);
            assert_true(i != 1 || r.local_bytes >= 64);
            assert_true(i != 2 || r.registers <= 24);
        }
        wb_proc_result_free(&whole);
    }
}

static void a_kernel_is_left_alone(void **state) {
    (void)state;
    wb_buf out = {0};
    assert_true(model_alone(module.data, module.len, "calls", &out));
    assert_null(strstr(out.data, "tile"));
    assert_null(strstr(out.data, ".visible .entry plain"));
    assert_null(strstr(out.data, "maxnreg"));
    assert_non_null(strstr(out.data, ".weak /* { */ .entry calls"));
    assert_non_null(strstr(out.data, "square(.param .f32 x)"));
    assert_non_null(strstr(out.data, "words[4] = {1, 2, 3, 4}"));
    wb_buf_clear(&out);
    assert_false(model_alone(module.data, module.len, "nowhere", &out));
    for (size_t len = 0; len <= module.len; len++) { /* cut anywhere, nothing is read beyond */
        char *cut = malloc(len ? len : 1);
        memcpy(cut, module.data, len);
        wb_buf_clear(&out);
        assert_true(model_alone(cut, len, "spills", &out) == (len >= module.len - 1));
        free(cut);
    }
    wb_buf_free(&out);
}

/* A name in a variable's value can't be left out. ptxas then gets the code as it is. */
static void a_kernel_that_is_named_elsewhere(void **state) {
    (void)state;
    use_cache("named");
    model_resources r;
    wb_error err = {0};
    static const char text[] = HEAD ".visible .entry one()\n{ ret; }\n"
                                    ".visible .entry two()\n{ ret; }\n"
                                    ".global .u64 table[1] = {one};\n";
    if (!ask_of(compiler, text, "two", 75, &r, &err))
        fail_msg("%s", err.text);
    assert_true(r.registers > 0);
}

static void what_is_wrong_is_said(void **state) {
    (void)state;
    use_cache("wrong");
    must_fail("/nowhere/ptxas", module.data, "plain", 90, "can't run /nowhere/ptxas: No such file");
    must_fail("/etc/passwd", module.data, "plain", 90, "can't run /etc/passwd: Permission denied");
    must_fail(compiler, module.data, "absent", 90, "no kernel absent");
    must_fail(compiler, HEAD ".visible .entry k()\n{ ret; }\n.entry b()\n{\n add.u33 %r1, 1; \n}\n",
              "b", 75, "ptxas refuses this code: line 10: ");
    must_fail(compiler, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }", "k",
              75, "this code is for compute capability 9.0 and newer, and this GPU's is 7.5");
    must_fail(compiler, ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() { ret; }", "k",
              100, "for compute capability 9.0 alone (sm_90a), and this GPU's is 10.0");
    must_fail(compiler, ".version 9.0\n.target sm_100f\n.address_size 64\n.entry k() { ret; }", "k",
              120, "for GPUs like those of compute capability 10.0 (sm_100f)");
    must_fail(compiler, module.data, "plain", 78, "ptxas refuses this code: Value 'sm_78'");
    model_resources r;
    assert_true(ask_of(compiler,
                       ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k()\n"
                       "{ wgmma.fence.sync.aligned; ret; }\n",
                       "k", 90, &r, NULL));
}

enum { INHERITED = 40 }; /* a descriptor of the test */

/* A compiler that counts its runs, and refuses from the second on. */
static void make_script(char path[200], const char *name) {
    snprintf(path, 200, "%s/%s", folder, name);
    char *text = wb_format("#!/bin/sh\n"
                           "if [ -e '%s.ran' ]; then echo 'no more' >&2; exit 3; fi\n"
                           ": >'%s.ran'\n"
                           "[ -z \"$LD_PRELOAD$LD_LIBRARY_PATH\" ] || exit 4\n"
                           "[ ! -e /proc/$$/fd/%d ] || exit 5\n"
                           "exec '%s' \"$@\"\n",
                           path, path, INHERITED, compiler);
    assert_true(wb_file_put(path, text, strlen(text), 0755, NULL));
    free(text);
}

static void forget_run(const char *script) {
    char path[250];
    snprintf(path, sizeof path, "%s.ran", script);
    assert_int_equal(unlink(path), 0);
}

/* The one entry of the cache. */
static char *entry(void) {
    char *root = wb_path_cache("resources"), *path = NULL;
    DIR *d = opendir(root);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') {
            assert_null(path);
            path = wb_format("%s/%s", root, e->d_name);
        }
    closedir(d);
    free(root);
    assert_non_null(path);
    return path;
}

static void figures_are_kept(void **state) {
    (void)state;
    char script[200];
    model_resources first, again;
    use_cache("kept");
    make_script(script, "counting");
    setenv("LD_PRELOAD", "", 1);
    setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    wb_error err = {0};
    if (!ask_of(script, module.data, "spills", 90, &first, &err))
        fail_msg("%s", err.text);
    unsetenv("LD_PRELOAD");
    unsetenv("LD_LIBRARY_PATH");
    assert_true(ask_of(script, module.data, "spills", 90, &again, NULL));
    assert_memory_equal(&first, &again, sizeof first);
    must_fail(script, module.data, "plain", 90, "ptxas ended with status 3");
    must_fail(script, module.data, "spills", 80, "ptxas ended with status 3");
    char *path = entry();
    wb_buf text = {0};
    assert_true(wb_file_read(path, 0, &text, NULL));
    for (size_t i = 0; i < text.len; i++) { /* each byte counts, and so does the length */
        text.data[i] ^= 1;
        assert_true(wb_file_put(path, text.data, text.len, 0600, NULL));
        must_fail(script, module.data, "spills", 90, "status 3");
        text.data[i] ^= 1;
    }
    assert_true(wb_file_put(path, text.data, text.len - 1, 0600, NULL));
    must_fail(script, module.data, "spills", 90, "status 3");
    assert_true(wb_file_put(path, "", 0, 0600, NULL));
    forget_run(script);
    assert_true(ask_of(script, module.data, "spills", 90, &again, NULL)); /* made anew */
    assert_memory_equal(&first, &again, sizeof first);
    wb_buf made = {0};
    assert_true(wb_file_read(path, 0, &made, NULL));
    assert_string_equal(made.data, text.data);
    make_script(script, "counting"); /* another file of the name: it has to say so itself */
    must_fail(script, module.data, "spills", 90, "status 3");
    wb_buf_free(&made);
    wb_buf_free(&text);
    free(path);
}

/* ptxas by way of another program, and not without it. */
static void what_confines_is_asked_to(void **state) {
    (void)state;
    char by[200], *text;
    model_resources r;
    use_cache("confined");
    snprintf(by, sizeof by, "%s/by", folder);
    text = wb_format("#!/bin/sh\necho \"$1\" >>'%s.told'\nexec \"$@\"\n", by);
    assert_true(wb_file_put(by, text, strlen(text), 0755, NULL));
    setenv("WARPBOOK_SOFTGPU_PTXAS_BY", by, 1);
    must("plain", 90, &r);
    assert_true(r.registers > 0);
    setenv("WARPBOOK_SOFTGPU_PTXAS_BY", "/nowhere/by", 1);
    must_fail(compiler, module.data, "spills", 90, "can't run /nowhere/by");
    unsetenv("WARPBOOK_SOFTGPU_PTXAS_BY");
    free(text);
    wb_buf told = {0};
    char *path = wb_format("%s.told", by);
    assert_true(wb_file_read(path, 0, &told, NULL));
    text = wb_format("%s\n", compiler);
    assert_string_equal(told.data, text);
    wb_buf_free(&told);
    free(path);
    free(text);
}

static void a_cache_that_cant_be_written_is_no_error(void **state) {
    (void)state;
    model_resources r;
    setenv("XDG_CACHE_HOME", "/dev/null/none", 1);
    must("plain", 90, &r);
    setenv("XDG_CACHE_HOME", "/proc", 1); /* read-only, for root too */
    must("plain", 90, &r);
    assert_true(r.registers > 0);
}

static volatile sig_atomic_t told;

static void count_signal(int s) {
    (void)s;
    told++;
}

static size_t open_descriptors(void) {
    size_t n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void the_program_around_it_notices_nothing(void **state) {
    (void)state;
    model_resources r;
    sigset_t before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    setenv("XDG_CACHE_HOME", "/dev/null/none", 1);
    int inherited = dup(1), high = fcntl(1, F_DUPFD, INHERITED);
    assert_int_equal(high, INHERITED);
    size_t open_before = open_descriptors();
    char script[200];
    make_script(script, "descriptors");
    sigprocmask(SIG_SETMASK, NULL, &before);
    signal(SIGCHLD, count_signal);
    wb_error err = {0};
    if (!ask_of(script, module.data, "plain", 90, &r, &err))
        fail_msg("%s", err.text);
    assert_int_equal(told, 0);
    signal(SIGCHLD, SIG_IGN);
    must("plain", 90, &r);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, NULL, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1); /* no child, living or dead */
    assert_int_equal(open_descriptors(), open_before);
    close(inherited);
    close(high);
    int saved = dup(0); /* descriptors 0 to 2 may be anything */
    close(0);
    must("plain", 90, &r);
    assert_int_equal(dup2(saved, 0), 0);
    close(saved);
}

static void which_ptxas(void **state) {
    (void)state;
    wb_error err = {0};
    char *path = strdup(getenv("PATH")), *home = wb_format("%s/home", folder), link[200], *found;
    setenv("WARPBOOK_SOFTGPU_PTXAS", compiler, 1);
    found = model_ptxas(&err);
    assert_string_equal(found, compiler);
    free(found);
    setenv("WARPBOOK_SOFTGPU_PTXAS", "/nowhere/ptxas", 1);
    assert_null(model_ptxas(&err));
    assert_non_null(strstr(err.text, "$WARPBOOK_SOFTGPU_PTXAS names /nowhere/ptxas"));
    unsetenv("WARPBOOK_SOFTGPU_PTXAS");
    setenv("PATH", "/nowhere", 1);
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    assert_null(model_ptxas(&err));
    assert_non_null(strstr(err.text, "there is no ptxas on the PATH"));
    snprintf(link, sizeof link, "%s/bin", home);
    assert_true(wb_dir_make(link, NULL));
    strcat(link, "/ptxas");
    assert_int_equal(symlink(compiler, link), 0);
    setenv("CUDA_PATH", home, 1);
    found = model_ptxas(&err);
    assert_string_equal(found, link);
    free(found);
    unsetenv("CUDA_PATH");
    *strrchr(link, '/') = '\0';
    setenv("PATH", link, 1);
    found = model_ptxas(&err);
    assert_non_null(found);
    free(found);
    setenv("PATH", path, 1);
    free(path);
    free(home);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_left_alone),
        cmocka_unit_test(each_kernel_is_as_in_the_whole_module),
        cmocka_unit_test(a_kernel_that_is_named_elsewhere),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(figures_are_kept),
        cmocka_unit_test(what_confines_is_asked_to),
        cmocka_unit_test(a_cache_that_cant_be_written_is_no_error),
        cmocka_unit_test(the_program_around_it_notices_nothing),
        cmocka_unit_test(which_ptxas),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
