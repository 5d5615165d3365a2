/* use_test.c: what a text does with the result of a call. In each row '@' stands before the call
 * that is asked about; the test takes it away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/cells/split/use.h"

static const char *const macros[] = {
    "#define CHECK(x) do { cudaError_t e = (x); if (e) fail(e); } while (0)",
    "#define BRACES(ans) { check((ans), __FILE__, __LINE__); }",
    "#define JUST(x) x",
    "#define PAREN(x) (x)",
    "#define RESET(d) cudaSet(d)",
    "#define LAST() do { cudaError_t e = cudaSet(0); if (e) fail(e); } while (0)",
    "#define BOTH(d) do { cudaSet(d); cudaSet(d); } while (0)",
    "#define OUTER(x) CHECK(x)",
};

static const char *find(void *ctx, const char *name, size_t len) {
    (void)ctx;
    for (size_t i = 0; i < WB_COUNT(macros); i++)
        if (strncmp(macros[i] + 8, name, len) == 0 && macros[i][8 + len] == '(')
            return macros[i];
    return NULL;
}

static const struct {
    wb_use use;
    const char *text;
} rows[] = {
    {WB_USE_DROPPED, "@cudaSet(5);"},
    {WB_USE_DROPPED, "::@cudaSet<float>(&p, 5);"},
    {WB_USE_DROPPED, "@cudaSet(5), printf(\"x\\n\");"},
    {WB_USE_DROPPED, "printf(\"x\\n\"), @cudaSet(5);"},
    {WB_USE_DROPPED, "(@cudaSet(d));"},
    {WB_USE_DROPPED, "(int)@cudaSet(d);"},
    {WB_USE_DROPPED, "a ? @cudaSet(d) : other(d);"},
    {WB_USE_DROPPED, "if (d) @cudaSet(d);"},
    {WB_USE_DROPPED, "if (d)\n    other(d);\nelse\n    @cudaSet(d);"},
    {WB_USE_DROPPED, "for (int i = 0; i < 3; i++) @cudaSet(i);"},
    {WB_USE_DROPPED, "for (int i = 0; i < 3; i++, @cudaSet(i)) ;"},
    {WB_USE_DROPPED, "void f(int d) { @cudaSet(d); }"},
    {WB_USE_DROPPED, "struct S { ~S() { @cudaSet(d); } };"},
    {WB_USE_DROPPED, "auto f = [](int d) { @cudaSet(d); };"},
    {WB_USE_DROPPED, "template <class T> void f(T d) { @cudaSet(d); }"},
    {WB_USE_DROPPED, "@cudaSet(a,\n        b,\n        c);"},
    {WB_USE_DROPPED, "k<<<1, 32>>>(p); @cudaSet(p);"},
    {WB_USE_DROPPED, "k<<<1, 32>>>(&p);\n@cudaSet(&p);"},
    {WB_USE_DROPPED, "switch (d) { case 1: @cudaSet(d); }"},
    {WB_USE_DROPPED, "JUST(@cudaSet(6));"},
    {WB_USE_DROPPED, "PAREN(@cudaSet(6));"},
    {WB_USE_DROPPED, "@RESET(6);"},
    {WB_USE_DROPPED, "@BOTH(6);"},
    {WB_USE_DROPPED, "%%cuda\nint main() {\n    @cudaSet(5);\n}"},
    {WB_USE_DROPPED, "%time\n@cudaSet(5);\nint x = 3;"},
    {WB_USE_DROPPED, "!ls -l\nint x = 3;\n@cudaSet(5);"},
    {WB_USE_DROPPED, "try { @cudaSet(5); } catch (...) { }"},
    {WB_USE_DROPPED, "std::thread t([&] { @cudaSet(5); });"},
    {WB_USE_DROPPED, "#ifdef A\nint x;\n#else\n@cudaSet(5);\n#endif"},
    {WB_USE_VOID, "(void)@cudaSet(5);"},
    {WB_USE_VOID, "void f() { (void)(@cudaSet(d)); }"},
    {WB_USE_RETURNED, "int f(int d) { return @cudaSet(d); }"},
    {WB_USE_RETURNED, "auto f = [](int d) { return @cudaSet(d); };"},
    {WB_USE_RETURNED, "int f(int d) { return d ? @cudaSet(d) : 0; }"},
    {WB_USE_RETURNED, "int f(int d) { return @RESET(d); }"},
    {WB_USE_TAKEN, "cudaError_t e = @cudaSet(5);"},
    {WB_USE_TAKEN, "%%cuda\nint main() {\n    cudaError_t e = @cudaSet(5);\n}"},
    {WB_USE_TAKEN, "%%time\ne = @cudaSet(5);"},
    {WB_USE_TAKEN, "!ls -l\nif (@cudaSet(5)) printf(\"x\");"},
    {WB_USE_TAKEN, "static_cast<void>(@cudaSet(5) == 0);"},
    {WB_USE_TAKEN, "switch (@cudaSet(5)) { case 0: break; }"},
    {WB_USE_TAKEN, "v.push_back(@cudaSet(5));"},
    {WB_USE_TAKEN, "cudaError_t es[] = {@cudaSet(5)};"},
    {WB_USE_DROPPED, "int n = 0, bad = (@cudaSet(5), n);"},
    {WB_USE_TAKEN, "cudaError_t e{@cudaSet(5)};"},
    {WB_USE_TAKEN, "cudaError_t a = other(), e = @cudaSet(d);"},
    {WB_USE_TAKEN, "e = @cudaSet(d);"},
    {WB_USE_TAKEN, "cudaError_t e(@cudaSet(d));"},
    {WB_USE_TAKEN, "std::vector<int> v(max(@cudaSet(d), 1));"},
    {WB_USE_TAKEN, "e |= @cudaSet(d);"},
    {WB_USE_TAKEN, "if (@cudaSet(d) != cudaSuccess) printf(\"x\");"},
    {WB_USE_TAKEN, "if (@cudaSet(d)) printf(\"x\");"},
    {WB_USE_TAKEN, "if (cudaError_t e = @cudaSet(d)) printf(\"x\");"},
    {WB_USE_TAKEN, "if (auto e = @cudaSet(d); e != cudaSuccess) printf(\"x\");"},
    {WB_USE_TAKEN, "while (@cudaSet(d) == cudaErrorNotReady) ;"},
    {WB_USE_TAKEN, "do ; while (@cudaSet(d));"},
    {WB_USE_TAKEN, "for (; @cudaSet(d);) ;"},
    {WB_USE_TAKEN, "@cudaSet(d) || fail();"},
    {WB_USE_TAKEN, " !@cudaSet(d);"},
    {WB_USE_TAKEN, "check(@cudaSet(d));"},
    {WB_USE_TAKEN, "printf(\"%s\\n\", name(@cudaSet(\n    12)));"},
    {WB_USE_TAKEN, "std::cout << @cudaSet(d) << \"\\n\";"},
    {WB_USE_TAKEN, "assert(@cudaSet(d) == cudaSuccess);"},
    {WB_USE_TAKEN, "UNKNOWN(@cudaSet(d));"},
    {WB_USE_TAKEN, "CHECK(@cudaSet(d));"},
    {WB_USE_TAKEN, "CHECK(@cudaSet((void **)&p, n * sizeof(float)));"},
    {WB_USE_TAKEN, "CHECK(@cudaSet(d))\nint x = 3;"},
    {WB_USE_TAKEN, "BRACES(@cudaSet(&p));"},
    {WB_USE_TAKEN, "OUTER(@cudaSet(d));"},
    {WB_USE_TAKEN, "void f(float *p) { CHECK(@cudaSet(p)); }"},
    {WB_USE_TAKEN, "@LAST();"},
    {WB_USE_TAKEN, "JUST(e = @cudaSet(6));"},
    {WB_USE_TAKEN, "if (@RESET(6) != cudaSuccess) printf(\"x\");"},
    {WB_USE_TAKEN, "e = JUST(@cudaSet(6));"},
    {WB_USE_TAKEN, "@cudaSet(5)"},
    {WB_USE_TAKEN, "int x = 3;\n@cudaSet(5)"},
    {WB_USE_UNKNOWN, "@other(5);"},
    {WB_USE_UNKNOWN, "cudaSet(1);\n@other(5);"},
};

static void test_rows(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < WB_COUNT(rows); i++) {
        char *text = strdup(rows[i].text), *at = strchr(text, '@');
        int line = 1;
        for (const char *p = text; p < at; p++)
            line += *p == '\n';
        memmove(at, at + 1, strlen(at));
        char *function = NULL;
        wb_use use = wb_use_of_call(text, line, "cudaSet", find, NULL, &function);
        assert_true((use == WB_USE_RETURNED) == (function != NULL));
        free(function);
        if (use != rows[i].use)
            print_error("%s: %d, not %d\n", rows[i].text, use, rows[i].use);
        bad += use != rows[i].use;
        free(text);
    }
    assert_int_equal(bad, 0);
}

/* A call without a name: a lambda's. */
static void test_any(void **state) {
    (void)state;
    static const char text[] = "f(1);\ne = f(2);\n";
    assert_int_equal(wb_use_of_call(text, 1, "", find, NULL, NULL), WB_USE_DROPPED);
    assert_int_equal(wb_use_of_call(text, 2, "", find, NULL, NULL), WB_USE_TAKEN);
}

/* The function that returns the value. */
static void test_function(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"int choose(int d) { return f(d); }", "choose"},
        {"static inline cudaError_t *a::choose(int d) { return f(d); }", "choose"},
        {"template <class T> auto choose(T d) { if (d) return f(d); else return 0; }", "choose"},
        {"struct S { int choose(int d) const { return f(d); } };", "choose"},
        {"auto choose = [](int d) { return f(d); };", ""},
        {"int choose(int d) { return [&] { return f(d); }(); }", ""},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *name = NULL;
        assert_int_equal(wb_use_of_call(cases[i].text, 1, "f", find, NULL, &name), WB_USE_RETURNED);
        assert_string_equal(name, cases[i].name);
        free(name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_any),
                                       cmocka_unit_test(test_function)};
    return cmocka_run_group_tests_name("use", tests, NULL, NULL);
}
