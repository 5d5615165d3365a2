/* Files from a process that ran the student's code: plans, compiled files, handed-in files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/submission/elf.h"
#include "grader/replay/plan.h"
#include "grader/submission/submission.h"

static char *folder;

static gr_job reduce_job(void) {
    gr_job job = {.n_args = 3, .n_sets = 1};
    job.args[0] = (gr_job_arg){"in", GR_INPUT, GR_FLOAT, 100, 0, 0, 0};
    job.args[1] = (gr_job_arg){"out", GR_OUTPUT, GR_FLOAT, 1, 0, 0, 0};
    job.args[2] = (gr_job_arg){"n", GR_SIZE, GR_INT, 100, 0, 0, 0};
    return job;
}

static gr_plan *read_text(const char *text, wb_error *err) {
    gr_job job = reduce_job();
    char *path = wb_format("%s/plan", folder);
    assert_true(wb_file_write(path, text, strlen(text), err));
    gr_plan *plan = gr_plan_read(path, &job, err);
    free(path);
    return plan;
}

#define BUFFERS                                                                                    \
    "\"buffers\":[{\"id\":0,\"name\":\"in\",\"kind\":\"argument\",\"bytes\":400},"                 \
    "{\"id\":1,\"name\":\"out\",\"kind\":\"argument\",\"bytes\":4},"                               \
    "{\"id\":2,\"name\":\"\",\"kind\":\"temporary\",\"bytes\":64}]"
#define PLAN(steps)                                                                                \
    "{\"version\":1,\"complete\":true," BUFFERS ",\"steps\":[" steps "],\"error\":null}"
#define LAUNCH(params, pointers)                                                                   \
    "{\"op\":\"launch\",\"kernel\":\"k\",\"grid\":[2,1,1],\"block\":[32,1,1],\"shared\":16,"       \
    "\"cooperative\":false,\"cluster\":[1,1,1],\"max_dynamic_shared\":0,\"carveout\":-1,"          \
    "\"params\":\"" params "\",\"pointers\":[" pointers "]}"

static void test_a_good_plan(void **state) {
    (void)state;
    wb_error err = {0};
    gr_plan *plan = read_text(
        PLAN(LAUNCH("00112233445566770a00000000000000",
                    "{\"at\":0,\"buffer\":0,\"offset\":-8},{\"at\":8,\"buffer\":2,\"offset\":"
                    "4}") ","
                          "{\"op\":\"memset\",\"buffer\":2,\"offset\":32,\"value\":255,"
                          "\"bytes\":32},"
                          "{\"op\":\"memset2d\",\"buffer\":2,\"offset\":0,\"value\":1,"
                          "\"pitch\":16,\"width\":8,"
                          "\"height\":4},"
                          "{\"op\":\"copy\",\"dst\":1,\"dst_offset\":0,\"src\":2,\"src_"
                          "offset\":60,\"bytes\":4},"
                          "{\"op\":\"symbol\",\"name\":\"c\",\"offset\":0,\"data\":\"0aff\"},"
                          "{\"op\":\"upload\",\"buffer\":2,\"offset\":62,\"data\":\"0102\"},"
                          "{\"op\":\"symbol_copy\",\"name\":\"c\",\"offset\":3,\"buffer\":2,"
                          "\"buffer_offset\":60,\"bytes\":4,\"to_symbol\":true}"),
        &err);
    if (!plan)
        fail_msg("%s", err.text);
    assert_int_equal(plan->n_steps, 7);
    assert_true(plan->steps[6].to_symbol);
    assert_int_equal(plan->steps[6].source_offset, 60);
    assert_int_equal(plan->n_buffers, 3);
    assert_int_equal(plan->buffers[1].arg, 1);
    assert_int_equal(plan->buffers[2].arg, -1);
    assert_int_equal(plan->steps[0].data[1], 0x11);
    assert_int_equal(plan->steps[0].pointers[0].offset, -8);
    assert_int_equal(plan->steps[0].grid[0], 2);
    assert_int_equal(plan->steps[4].data[1], 0xff);
    /* fills of 32 and of 4 rows in 64 bytes, copies both ways of a sector, two sectors written */
    assert_int_equal(gr_plan_copied(plan), 32 + 64 + 2 * 32 + 32 + 32 + 2 * 32);
    gr_plan_free(plan);
}

static void test_bad_plans(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "never called"},
        {"{", "damaged"},
        {"[]", "damaged"},
        {"{\"complete\":false," BUFFERS ",\"steps\":[],\"error\":null}", "did not return"},
        {"{\"complete\":false," BUFFERS ",\"steps\":[],\"error\":{\"text\":\"solve() reads\"}}",
         "solve() reads"},
        {"{\"complete\":true," BUFFERS ",\"steps\":[],\"error\":{\"text\":\"2048 threads\"}}",
         "2048 threads"},
        {"{\"complete\":true," BUFFERS ",\"steps\":[],\"error\":{\"call\":\"cudaMemcpy\","
         "\"text\":\"the source: 4 bytes\"}}",
         "cudaMemcpy: the source: 4 bytes"},
        {"{\"complete\":true,\"buffers\":[{\"name\":\"in\",\"kind\":\"argument\",\"bytes\":9}],"
         "\"steps\":[]}",
         "damaged (buffers)"},
        {"{\"complete\":true,\"buffers\":[{\"name\":\"n\",\"kind\":\"argument\",\"bytes\":4}],"
         "\"steps\":[]}",
         "damaged (buffers)"},
        {"{\"complete\":true,\"buffers\":[{\"name\":\"out\",\"kind\":\"argument\",\"bytes\":4},"
         "{\"name\":\"out\",\"kind\":\"argument\",\"bytes\":4}],\"steps\":[]}",
         "damaged (buffers)"},
        {"{\"complete\":true,\"buffers\":[],\"steps\":7}", "damaged (steps)"},
        {PLAN("{\"op\":\"symbol_copy\",\"name\":\"c\",\"offset\":3,\"buffer\":2,"
              "\"buffer_offset\":61,\"bytes\":4}"),
         "step 0"},
        {PLAN("{\"op\":\"symbol_copy\",\"name\":\"c\",\"offset\":3,\"buffer\":2}"), "step 0"},
        {PLAN("{\"op\":\"format\"}"), "step 0"},
        {PLAN("{\"op\":\"memset\",\"buffer\":2,\"offset\":33,\"value\":1,\"bytes\":32}"), "step 0"},
        {PLAN("{\"op\":\"memset\",\"buffer\":3,\"offset\":0,\"value\":1,\"bytes\":1}"), "step 0"},
        {PLAN("{\"op\":\"memset\",\"buffer\":2,\"offset\":-1,\"value\":1,\"bytes\":1}"), "step 0"},
        {PLAN("{\"op\":\"memset2d\",\"buffer\":2,\"offset\":0,\"value\":1,\"pitch\":16,\"width\":8,"
              "\"height\":5}"),
         "step 0"},
        {PLAN("{\"op\":\"memset2d\",\"buffer\":2,\"offset\":0,\"value\":1,\"pitch\":1099511627776,"
              "\"width\":8,\"height\":1073741824}"),
         "step 0"},
        {PLAN("{\"op\":\"copy\",\"dst\":1,\"src\":2,\"bytes\":5}"), "step 0"},
        {PLAN("{\"op\":\"copy\",\"dst\":1,\"src\":2,\"bytes\":4.5}"), "step 0"},
        {PLAN("{\"op\":\"upload\",\"buffer\":1,\"offset\":1000000,\"data\":\"00000000\"}"),
         "step 0"},
        {PLAN("{\"op\":\"upload\",\"buffer\":2,\"offset\":63,\"data\":\"0102\"}"), "step 0"},
        {PLAN("{\"op\":\"upload\",\"buffer\":2,\"offset\":0,\"data\":\"0x02\"}"), "step 0"},
        {PLAN("{\"op\":\"upload\",\"buffer\":2,\"offset\":0,\"data\":\"012\"}"), "step 0"},
        {PLAN(LAUNCH("00", "") "," LAUNCH("0000000000000000",
                                          "{\"at\":1,\"buffer\":0,\"offset\":0}")),
         "step 1"},
        {PLAN(LAUNCH("0000000000000000", "{\"at\":0,\"buffer\":9,\"offset\":0}")), "step 0"},
        {PLAN("{\"op\":\"launch\",\"kernel\":\"k\",\"grid\":[0,1,1],\"block\":[1,1,1],"
              "\"params\":\"\"}"),
         "step 0"},
        {PLAN("{\"op\":\"launch\",\"grid\":[1,1,1],\"block\":[1,1,1],\"params\":\"\"}"), "step 0"},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        wb_error err = {0};
        gr_plan *plan = read_text(cases[i].text, &err);
        if (plan || !strstr(err.text, cases[i].says))
            fail_msg("%s: expected ...%s..., got %s", cases[i].text, cases[i].says,
                     plan ? "a plan" : err.text);
    }
}

/* This test program itself is an ELF file with symbols. */
static void test_elf(void **state) {
    (void)state;
    wb_buf self = {0};
    wb_error err;
    size_t bytes = 0;
    assert_true(wb_file_read("/proc/self/exe", 0, &self, &err));
    assert_non_null(gr_elf_section(self.data, self.len, ".text", &bytes));
    assert_true(bytes > 1000);
    assert_null(gr_elf_section(self.data, self.len, ".nv_fatbin", &bytes));
    assert_null(gr_elf_fatbin(self.data, self.len, &bytes));
    assert_null(gr_elf_symbol(self.data, self.len, true, "warpbook_solve", true));
    /* cut anywhere, or with any byte of its header broken, it is refused without harm */
    for (size_t n = 0; n < self.len; n += self.len / 300 + 1) {
        char *copy = malloc(n + 1);
        memcpy(copy, self.data, n);
        gr_elf_section(copy, n, ".nosuch", &bytes);
        gr_elf_symbol(copy, n, true, "main", true);
        free(copy);
    }
    for (size_t i = 0; i < sizeof(Elf64_Ehdr); i++) {
        self.data[i] ^= (char)0xff;
        gr_elf_section(self.data, self.len, ".text", &bytes);
        gr_elf_symbol(self.data, self.len, true, "main", true);
        self.data[i] ^= (char)0xff;
    }
    wb_buf_free(&self);
}

static void test_unit(void **state) {
    (void)state;
    wb_error err = {0};
    gr_lab *lab = gr_lab_read("labs/transpose/lab.json", &err);
    assert_non_null(lab);
    char *path = wb_format("%s/mine.cu", folder);
    const char text[] = "void solve(const float *, float *, int, int) {}\n";
    assert_true(wb_file_write(path, text, sizeof text - 1, &err));
    gr_submission s;
    assert_true(gr_submission_read(path, lab, &s, &err));
    char *unit = gr_submission_unit(&s, lab);
    assert_int_equal(strncmp(unit, "#line 1 \"warpbook\"\n#include <", 28), 0);
    assert_non_null(strstr(unit, "#line 1 \"mine.cu\"\nvoid solve("));
    assert_non_null(strstr(unit, text));
    assert_non_null(
        strstr(unit, "void (*warpbook_call)(const float *, float *, int, int) = &solve;"));
    assert_non_null(strstr(unit, "warpbook_call(*(const float * *)warpbook_a[0], "
                                 "*(float * *)warpbook_a[1], *(int *)warpbook_a[2], "
                                 "*(int *)warpbook_a[3]);"));
    free(unit);
    gr_submission_free(&s);
    free(path);
    gr_lab_free(lab);
}

static int make_folder(void **state) {
    (void)state;
    wb_error err;
    folder = wb_dir_temp("plan-test", &err);
    return folder ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    wb_dir_remove(folder, NULL);
    free(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_plan),
        cmocka_unit_test(test_bad_plans),
        cmocka_unit_test(test_elf),
        cmocka_unit_test(test_unit),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
