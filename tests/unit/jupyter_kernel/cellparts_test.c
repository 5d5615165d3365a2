/* cellparts_test.c: what of a cell is C++, and what is a magic, a shell line or a question. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/execution/cell.h"
#include "runtime/worker/session.h"

/* cell.c asks the session's splitter about C++; here braces do. */
const char *wb_cell_is_complete(const char *code, size_t len, char *indent, size_t indent_size) {
    (void)indent;
    (void)indent_size;
    return memchr(code, '{', len) && !memchr(code, '}', len) ? "incomplete" : "complete";
}

static bool is_magic(const char *name, size_t len) {
    return len == 4 && memcmp(name, "time", 4) == 0;
}

/* The parts as text: a letter for the kind, the line, the text, a bar. */
static void expect(const char *code, const char *wanted) {
    cell_parts parts;
    assert_true(cell_split(code, strlen(code), is_magic, &parts));
    char got[2000] = "";
    size_t n = 0;
    for (size_t i = 0; i < parts.n; i++) {
        const cell_part *p = &parts.part[i];
        n += (size_t)snprintf(got + n, sizeof got - n, "%c%d:%.*s|", "CLWSA"[p->kind], p -> line,
                              (int)p -> len, p -> text);
        if (p->kind == CELL_WHOLE)
            n += (size_t)snprintf(got + n, sizeof got - n, "body:%.*s|", (int)p->body_len, p->body);
    }
    assert_string_equal(got, wanted);
    cell_parts_free(&parts);
}

static void test_nothing(void **state) {
    (void)state;
    expect("", "");
    expect(" \n\t\n", "");
    expect("// only\n/* words\n in */ // comments", "");
}

static void test_lines(void **state) {
    (void)state;
    expect("%time x", "L1:time x|");
    expect("int a;\n%time f(a)\nint b;", "C1:int a;\n|L2:time f(a)|C3:int b;|");
    expect("  %device soft  \n", "L1:device soft|");
    expect("!ls -l\n!pwd", "S1:ls -l|S2:pwd|");
    expect("#include <x>\n!ls", "C1:#include <x>\n|S2:ls|");
    expect("void f() { }\n%who", "C1:void f() { }\n|L2:who|");
}

/* A backslash at the end of a magic's line, or of a shell's, takes in the next. */
static void test_lines_that_go_on(void **state) {
    (void)state;
    expect("%%compare a \\\n  b \\ \n c\nint x;", "W1:compare a \\\n  b \\ \n c|body:int x;|");
    expect("%time f(a, \\\n b)\nint b;", "L1:time f(a, \\\n b)|C3:int b;|");
    expect("!ls \\\n-l\nint b;", "S1:ls \\\n-l|C3:int b;|");
    expect("!echo \\\\\nint b;", "S1:echo \\\\|C2:int b;|"); /* a backslash that is one */
    expect("%who \\", "L1:who \\|");
    expect("int a = 7 \\\n% 3;", "C1:int a = 7 \\\n% 3;|");
}

static void test_operators_stay(void **state) {
    (void)state;
    expect("int a = b\n  % c;", "C1:int a = b\n  % c;|");
    expect("int a = b\n%c;", "C1:int a = b\n%c;|");
    expect("f(a,\n!b);", "C1:f(a,\n!b);|");
    expect("int a = x ||\n!y;", "C1:int a = x ||\n!y;|");
    expect("void f() {\n%time\n}", "C1:void f() {\n%time\n}|");
    expect("int a = b ? c : d;", "C1:int a = b ? c : d;|");
    /* ... but a known magic right behind an expression is one */
    expect("x\n%time y", "C1:x\n|L2:time y|");
}

static void test_texts_stay(void **state) {
    (void)state;
    expect("auto s = R\"(\n%time\n!ls\n)\";", "C1:auto s = R\"(\n%time\n!ls\n)\";|");
    expect("auto s = R\"x(\n)\"\n%who\n)x\";", "C1:auto s = R\"x(\n)\"\n%who\n)x\";|");
    expect("/*\n%time\n*/ int a;", "C1:/*\n%time\n*/ int a;|");
    expect("char c = '\"';\n%who", "C1:char c = '\"';\n|L2:who|");
    expect("long n = 1'000'000;\n%who", "C1:long n = 1'000'000;\n|L2:who|");
    expect("#define A \\\n%x\n%who", "C1:#define A \\\n%x\n|L3:who|");
    expect("puts(\"a;\\\n%who\");", "C1:puts(\"a;\\\n%who\");|");
}

static void test_whole(void **state) {
    (void)state;
    expect("%%bash a b\nls\n%x", "W1:bash a b|body:ls\n%x|");
    expect("\n// first\n%%time\nx", "W3:time|body:x|");
    expect("%%time", "W1:time|body:|");
    expect("int a;\n%%time\nx", "C1:int a;\n|L2:%time|C3:x|");
}

/* Above a magic or a shell's line, and at the cell's end, # begins a comment as in IPython. */
static void test_hash_comments(void **state) {
    (void)state;
    expect("# Download\n!ls", "S2:ls|");
    expect("#!./x\n!./y", "S2:./y|");
    expect("#@title Run\n\n// it\n#%%cu\n%who", "L5:who|");
    expect("# %%gpu\n%%cu\nint main() { }", "W2:cu|body:int main() { }|");
    expect("!ls\n# and then\n!pwd\n# done", "S1:ls|S3:pwd|");
    expect("int a = 1;\n# now\n!ls", "C1:int a = 1;\n|S3:ls|");
    expect("# alone", "");
    expect("# a\n#include <x>\n# b\n!ls", "C1:# a\n#include <x>\n|S4:ls|");
    /* C++ follows, or it is a directive, right or misspelt, or stands within C++ */
    expect("# My kernel\nint a;", "C1:# My kernel\nint a;|");
    expect("# include <x>\n!ls", "C1:# include <x>\n|S2:ls|");
    expect("#inclde <x>\n!ls", "C1:#inclde <x>\n|S2:ls|");
    expect("#\n!ls", "C1:#\n|S2:ls|");
    expect("void f() {\n# x\n}\n!ls", "C1:void f() {\n# x\n}\n|S4:ls|");
}

static void test_questions(void **state) {
    (void)state;
    expect("cudaMalloc?", "A1:cudaMalloc|");
    expect("?a::b\n", "A1:a::b|");
    expect("%time?", "A1:%time|");
    expect("f??", "A1:f|");
    expect("a ? b : c", "C1:a ? b : c|");
    expect("a = b ?\n c : d;", "C1:a = b ?\n c : d;|");
}

static void test_complete(void **state) {
    (void)state;
    char indent[16];
    const char *cases[][2] = {{"", "complete"},
                              {"f() {", "incomplete"},
                              {"%time {", "complete"},
                              {"%%time\nx", "incomplete"},
                              {"%%time\nx\n\n", "complete"},
                              {"int a; {\n%time x", "incomplete"}};
    for (size_t i = 0; i < WB_COUNT(cases); i++)
        assert_string_equal(
            cell_is_complete(cases[i][0], strlen(cases[i][0]), indent, sizeof indent), cases[i][1]);
}

static void test_placed(void **state) {
    (void)state;
    char *text = cell_placed("a\nb", 3, 3);
    assert_string_equal(text, "\n\na\nb");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),          cmocka_unit_test(test_lines),
        cmocka_unit_test(test_lines_that_go_on), cmocka_unit_test(test_operators_stay),
        cmocka_unit_test(test_texts_stay),       cmocka_unit_test(test_whole),
        cmocka_unit_test(test_hash_comments),    cmocka_unit_test(test_questions),
        cmocka_unit_test(test_complete),         cmocka_unit_test(test_placed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
