/* split_test.c: how cells are taken apart: pieces, what they make known, what a later cell needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/cells/live/live.h"
#include "runtime/cells/split/split.h"

static wb_split split(const char *code) {
    wb_split s;
    assert_true(wb_split_cell(code, strlen(code), NULL, &s));
    return s;
}

/* The kinds of a cell's pieces: D(eclaration), S(tatements), E(xpression). */
static void expect(const char *code, const char *kinds) {
    wb_split s = split(code);
    char got[64] = "";
    for (size_t i = 0; i < s.n_items && i < sizeof got - 1; i++)
        got[i] = "DSE"[s.items[i].kind];
    if (strcmp(got, kinds) != 0)
        fail_msg("\"%s\": %s, not %s", code, got, kinds);
    wb_split_free(&s);
}

static void test_pieces(void **state) {
    (void)state;
    static const struct {
        const char *code, *kinds;
    } cases[] = {
        {"", ""},
        {"  // nothing\n/* at all */", ""},
        {"int n = 5;", "D"},
        {"n = 5;", "S"},
        {"n", "E"},
        {"n;", "S"},
        {"n // shown", "E"},
        {"n /* shown */ \n\n", "E"},
        {"int n = 5;\nn + 1", "DE"},
        {"f(1);\ng(2)", "SE"},
        {"a * b", "E"},
        {"a == b && c < d", "E"},
        {"x ? y : z", "E"},
        {"-x", "E"},
        {"*p", "E"},
        {"(float)n / 2", "E"},
        {"std::vector<int>{1, 2}", "E"},
        {"std::cout << n << std::endl;", "S"},
        {"std::cout << n", "E"},
        {"k<<<1, 32>>>(d, n);", "S"},
        {"k<<<grid, block, 0, stream>>>(d)", "E"},
        {"tk<float, 4><<<1, 1>>>(p);", "S"},
        {"for (;;) {}\nif (a) b(); else c();\nint x;\nx++;", "SDS"},
        {"a + b;\nint c;", "SD"},
        {"#define D(n) int n = 1\nD(x);\nx", "DDE"},
        {"#define D(n) struct n { int a; };\nD(S)\nf(1)", "DDE"},
        {"#define C(a, b) a##b\nint C(x, 1) = 2;\nC(x, 1)++;\nC(x, 1)", "DDSE"},
        {"int (*p)[3] = m;\nint **f(int *);\nf(*p)[3] = 4;\np[0][1]", "DDSE"},
        {"const float (&r)[2][3] = m;\nint(*q)[2];\nint (*f)(int) = g;", "DDD"},
        {"int a, b;\na * b;\na & b;\nFILE * f;", "DSD"},
        {"namespace n { int b; struct t; }\nn::b * n::b;\nn::t * p;\nstd::string & s = r;", "DSDD"},
        {"struct A { static int b; struct c; static c *d; };\nA::b * A::b;\nA::c * A::d;", "DSD"},
        {"int (*p)() = f;\nvoid (*q)();\np();\nint (*const t[2])(int) = {g, h};", "DDSD"},
        {"struct S { int v; };\nint (S::*get)() = &S::get;\nint S::*v = &S::v;\nS (*f)();", "DDDD"},
        {"std::vector<int> (*p)(T<int>) = f;\nint (std::pair<int, int>::*m) = nullptr;", "DD"},
        {"f(*p)(3);\ng(*p)();\nif (*p) (q)();\nreturn (*p)();", "S"},
        {"#define P(x) f(x)\nP(1);\nP(2)", "DSE"},
        {"#define D(n) int n = 1\n#undef D\nD(x);", "DDS"},
        {"#define D(n) D(n) D(\nD(x);\nD(", "DSD"},
        {"m(0, 0) = 5; cout << a << m(0, 0) << b; int d = 3; -m(0, 0)", "SDE"},
        {"#define SWAP(a, b, T) do { T t = a; a = b; b = t; } while (0)\nSWAP(x, y, int);\n"
         "puts(\"SWAP(\"); SWAP(x, y, float *);\nint n;\nn",
         "DSDE"},
        {"#pragma unroll\nfor (;;) {}", "S"},
        {"#pragma once\nint a;", "DD"},
        {"struct S { int a; } s;\nstruct T;\nenum E { A };", "DDD"},
        {"template <class T> __global__ void k(T *p) { *p = 1; }", "D"},
        {"__constant__ float w[16];\nextern \"C\" __global__ void c(int *a) {}", "DD"},
        {"#define N 5\n#include <cstdio>\nusing namespace std;\nprintf(\"%d\", N);", "DDDS"},
        {"namespace a::b { int x; }\n{ int local; }", "DS"},
        {"try { f(); } catch (...) {}", "S"},
        {"#define CHECK(x) do { x; } while (0)\nCHECK(f())", "DS"},
        {"using T = int;\nT *p;", "DD"},
        {"struct A {}; A *b", "DD"},
        {"#ifdef A\nf();\n#endif", "S"},
        {"auto f = [](int x) { return x; };\nf(3)", "DE"},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++)
        expect(cases[i].code, cases[i].kinds);
}

/* Every launch is a statement, or the expression that is shown, whatever its first argument begins
 * with and whatever stands before it. */
static void test_launches(void **state) {
    (void)state;
    static const char *const callees[] = {"k",    "::k",  "n::k", "k<float, 4>", "n::k<(2 > 1)>",
                                          "t[1]", "K(k)", "s.k",  "s->t[i]",     "(*f)"};
    static const char *const launches[] = {"<<<1, 1>>>",
                                           " <<<1, 1>>> ",
                                           "<<<g, b, 0>>>",
                                           "<<<1, 1, 0, 0>>>",
                                           "<<<dim3(1), dim3(2, 2)>>>",
                                           "<<<(n + 255) / 256, 256>>>",
                                           "<<<n >> 8, 1 << 8>>>"};
    static const char *const first[] = {"",
                                        "&m",
                                        "*p",
                                        "&a[1]",
                                        "(int *)p",
                                        "(&m)",
                                        "&m, *p",
                                        "**q",
                                        "&&m",
                                        "!m",
                                        "-1",
                                        "~m",
                                        "m",
                                        "m * 2",
                                        "\"s\"",
                                        "{1, 2}",
                                        "S{1}",
                                        "[](int) { return 1; }",
                                        "[=] __device__ (int i) { return i; }",
                                        "f<int>(m)",
                                        "static_cast<int *>(p)",
                                        "&S::v",
                                        "nullptr",
                                        "*&m",
                                        "&(*p)",
                                        "sizeof(int)",
                                        "new int"};
    static const struct {
        const char *before, *after, *kinds;
    } places[] = {{"", ";", "S"},
                  {"", "", "E"},
                  {"f(1); ", ";", "S"},
                  {"int z; ", ";", "DS"},
                  {"// a comment\n", ";", "S"},
                  {"/* & */ ", "; m", "SE"},
                  {"{ ", "; }", "S"},
                  {"for (;;) ", ";", "S"},
                  {"if (m) ", "; else f(2);", "S"},
                  {"if (m) f(1); else ", ";", "S"},
                  {"#define Z 1\n", ";\nint y;", "DSD"},
                  {"m = 0; ", "; f(3);\nm + 1", "SE"},
                  {"int a, b; ", "; a * b;", "DS"}};
    for (size_t c = 0; c < WB_COUNT(callees); c++)
        for (size_t l = 0; l < WB_COUNT(launches); l++)
            for (size_t a = 0; a < WB_COUNT(first); a++)
                for (size_t p = 0; p < WB_COUNT(places); p++) {
                    char *code = wb_format("%s%s%s(%s)%s", places[p].before, callees[c],
                                           launches[l], first[a], places[p].after);
                    expect(code, places[p].kinds);
                    free(code);
                }
}

static const wb_entity *find(const wb_split *s, const char *name) {
    for (size_t i = 0; i < s->n_entities; i++)
        if (strcmp(s->entities[i].name, name) == 0)
            return &s->entities[i];
    fail_msg("%s is not known", name);
    return NULL;
}

static void test_entities(void **state) {
    (void)state;
    wb_split s = split("static inline int f(int a, int b = 2) { return a; }\n"
                       "__device__ float g(float x) { return x; }\n"
                       "__global__ void k(float *p, int n) { }\n"
                       "const int N = 4 * 2;\n"
                       "const int later = f(1);\n"
                       "int n = 3, *p, list[] = {1};\n"
                       "namespace { struct In { int x; }; }\n"
                       "enum Color { RED, GREEN };\n"
                       "dim3 grid(2, 3);\n"
                       "std::vector<int> v(n), product(n * N), first(list[0]), found(f(n));\n"
                       "enum { WIDE = 3 };\n"
                       "#define real double\n"
                       "std::vector<int> wide(WIDE), most(std::max(n, N)), drawn(rand());\n"
                       "In twice(In *x), same(In &n);\n"
                       "real half(real), third(real *n);\n"
                       "int proto(int);\n");
    assert_string_equal(find(&s, "f")->text, "int f(int a, int b = 2);");
    assert_string_equal(find(&s, "f")->key, "f:f(int,int)");
    assert_int_equal(find(&s, "g")->kind, WB_ENTITY_SOURCE_FUNCTION);
    assert_int_equal(find(&s, "k")->kind, WB_ENTITY_KERNEL);
    assert_string_equal(find(&s, "k")->text, "__global__ void k(float *p, int n);");
    assert_int_equal(find(&s, "N")->kind, WB_ENTITY_CONSTANT);
    assert_int_equal(find(&s, "later")->kind, WB_ENTITY_VARIABLE);
    assert_true(find(&s, "later")->constant);
    assert_int_equal(find(&s, "list")->kind, WB_ENTITY_VARIABLE);
    assert_string_equal(find(&s, "In")->scope, "__wb_unnamed::");
    assert_non_null(strstr(find(&s, "Color")->also, "GREEN"));
    assert_int_equal(find(&s, "grid")->kind, WB_ENTITY_VARIABLE);
    assert_int_equal(find(&s, "v")->kind, WB_ENTITY_VARIABLE); /* not a function of a type n */
    static const char *const variables[] = {"product", "first", "found", "wide", "most", "drawn"};
    for (size_t i = 0; i < WB_COUNT(variables); i++)
        assert_int_equal(find(&s, variables[i])->kind, WB_ENTITY_VARIABLE);
    static const char *const functions[] = {"twice", "same", "half", "third"};
    for (size_t i = 0; i < WB_COUNT(functions); i++)
        assert_int_equal(find(&s, functions[i])->kind, WB_ENTITY_FUNCTION);
    assert_int_equal(find(&s, "proto")->kind, WB_ENTITY_FUNCTION);
    assert_false(s.has_main);
    wb_split_free(&s);
    s = split("int main() { return 0; }");
    assert_true(s.has_main);
    wb_split_free(&s);
}

static bool needs(const wb_live *live, const char *code, const char *name) {
    wb_split s = split(code);
    size_t n;
    size_t front;
    size_t *needed = wb_live_needed(live, &s, code, strlen(code), false, NULL, &front, &n);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        found |= strcmp(live->v[needed[i]].e.name, name) == 0;
    free(needed);
    wb_split_free(&s);
    return found;
}

static void accept(wb_live *live, const char *code, size_t cell) {
    wb_split s = split(code);
    assert_true(wb_live_accept(live, &s, cell, (int)cell + 1));
    wb_split_free(&s);
}

static void test_live(void **state) {
    (void)state;
    wb_live live = {0};
    accept(&live,
           "struct S { int a; };\nint use(S s) { return s.a; }\nint plain(int x) { return x; }\n"
           "#define TWICE(x) (2 * HALF(x))\n#define HALF(x) ((x) / 2)\n"
           "S operator+(S a, S b) { return a; }",
           0);
    assert_true(needs(&live, "TWICE(3)", "HALF"));
    assert_false(needs(&live, "plain(3)", "use"));
    assert_true(needs(&live, "S s;", "operator+"));
    /* what the cell defines itself is not declared before it */
    assert_false(needs(&live, "int plain(int x) { return 1; }", "plain"));
    /* an overload in a cell of its own is one more; the same set of names is the cell again */
    accept(&live, "int plain(double x) { return 0; }\nint other;", 1);
    int overloads = 0;
    for (size_t i = 0; i < live.n; i++)
        overloads += strcmp(live.v[i].e.name, "plain") == 0;
    assert_int_equal(overloads, 2);
    /* the type becomes another: what was compiled with it is stale, what is text is not */
    accept(&live, "struct S { double a, b; };", 2);
    const wb_live_entity *use = wb_live_find(&live, "use", 3);
    assert_int_equal(use->e.kind, WB_ENTITY_HIDDEN);
    assert_non_null(strstr(use->e.text, "cell [3]"));
    /* the same text again changes nothing */
    accept(&live, "int take(S s) { return 1; }", 3);
    accept(&live, "struct S { double a, b; };", 4);
    assert_int_equal(wb_live_find(&live, "take", 4)->e.kind, WB_ENTITY_FUNCTION);
    accept(&live, "#undef TWICE", 5);
    assert_null(wb_live_find(&live, "TWICE", 5));
    wb_live_free(&live);
}

static void test_complete(void **state) {
    (void)state;
    static const struct {
        const char *code, *answer;
        int depth;
    } cases[] = {
        {"int a;", "complete", 0},
        {"a", "complete", 0},
        {"void f() {", "incomplete", 1},
        {"f(1,", "incomplete", 1},
        {"x =", "incomplete", 0},
        {"/* open", "incomplete", 0},
        {"R\"(\n", "incomplete", 0},
        {"#if 1\nint a;", "incomplete", 0},
        {"}", "invalid", 0},
        {"(]", "invalid", 1},
        {"\"open\n\"", "invalid", 0},
        {"'{'; \"}\" // {", "complete", 0},
        {"1'000", "complete", 0},
        {"#define A(x) \\\n x +\n", "complete", 0},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        int depth;
        const char *answer = wb_split_complete(cases[i].code, strlen(cases[i].code), &depth);
        if (strcmp(answer, cases[i].answer) != 0 || depth != cases[i].depth)
            fail_msg("\"%s\": %s %d", cases[i].code, answer, depth);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),   cmocka_unit_test(test_launches),
        cmocka_unit_test(test_entities), cmocka_unit_test(test_live),
        cmocka_unit_test(test_complete),
    };
    return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
