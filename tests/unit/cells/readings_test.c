/* readings_test.c: whether a piece is a statement or a declaration, for each shape of code that may
 * be both and each kind of name it may begin with: of this cell, of an earlier one, of a header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cells/live/live.h"
#include "runtime/cells/live/live_names.h"

static const char known[] =
    "int x = 3, y = 4, t = 5, arr[4];\n"
    "int *p = &x;\n"
    "int f(int n) { return n; }\n"
    "auto lam = [](int i) { return i; };\n"
    "int (*fp)(int) = f;\n"
    "struct T { int n; static int s; struct In {}; typedef int Num; };\n"
    "T obj;\n"
    "namespace n { int v; struct C { static int s; }; void fn(int); enum Tint { RED }; }\n"
    "template <class U> struct V { U u; static U st; };\n"
    "template <class U> U tf(U u) { return u; }\n"
    "template <int N> __global__ void kt(int *q) { *q = N; }\n"
    "__global__ void kern(int *q) { *q = 1; }\n"
    "__device__ int dv;\n"
    "#define MV 5\n"
    "#define MT float\n"
    "#define CALL(a) f(a)\n"
    "typedef int Int;\n"
    "using Alias = T;\n"
    "template <class U> using Of = V<U>;\n"
    "enum E { E1, E2 };\n"
    "enum class F { F1 };\n"
    "const int K = 7;\n"
    "union Un { int i; float f; };";

static const char *const types[] = {"T",      "::T", "T::In", "T::Num",  "n::C",    "::n::C",
                                    "V<int>", "Int", "Alias", "Of<int>", "E",       "F",
                                    "Un",     "MT",  "int",   "n::Tint", "V<n::C>", "float"};
static const char *const values[] = {
    "x",   "::x",  "arr",      "p",       "f",       "::f",   "lam", "fp", "T::s",
    "obj", "n::v", "n::fn",    "n::C::s", "tf<int>", "kern",  "dv",  "MV", "V<int>::st",
    "E1",  "K",    "tf<n::C>", "::n::v",  "n::RED",  "kt<3>", "tf"};
static const char *const unknown[] = {"unk", "std::unk", "unk<int>", "::unk", "lib::in::unk<T>"};

/* "@" is the name. How the piece reads if that is a type, a value, or known to the compiler alone:
 * D(eclaration), S(tatements), E(xpression); "-": no such code. */
static const struct {
    const char *code, *as;
} shapes[] = {
    {"@ * z;", "DSD"},
    {"@ & z;", "DSD"},
    {"@ && z;", "DSD"},
    {"@ * z, w;", "DSD"},
    {"@ & z = t;", "DSD"},
    {"@ && f(x);", "DSD"},
    {"@ * y", "-EE"},
    {"@ & f(x)", "-EE"},
    {"@(z);", "DSS"},
    {"@(x);", "DSS"},
    {"@ (z);", "DSS"},
    {"@(*z);", "DSS"},
    {"@(&z) = t;", "DSD"},
    {"@(**z) = nullptr;", "DSD"},
    {"@(z) = 3;", "DSD"},
    {"@(z)[3];", "DSS"},
    {"@(z)[2] = {1, 2};", "DSD"},
    {"@(z)(3);", "DSS"},
    {"@(z), x = 3;", "DSD"},
    {"@(x), f(y);", "-SD"},
    {"@, x;", "-SS"},
    {"@, x = 3;", "-SS"},
    {"@(z) += 3;", "SSS"},
    {"@(x) == y;", "SSS"},
    {"@(x) + 1;", "SSS"},
    {"@(x).n;", "SSS"},
    {"@(3);", "SSS"},
    {"@(x, y);", "SSS"},
    {"@(x + 1);", "SSS"},
    {"@(\"text\");", "SSS"},
    {"@(f(x));", "SSS"},
    {"@(-x);", "SSS"},
    {"@(x)", "EEE"},
    {"@(x) + 1", "EEE"},
    {"@(*p) * 2", "EEE"},
    {"(@)(x);", "SSS"},
    {"(@)x;", "S-S"},
    {"(@)x + 1", "E-E"},
    {"(@ *)p;", "S-S"},
    {"x = @(y);", "SSS"},
    {"arr[0] = {@(y)};", "SSS"},
    {"static_cast<@>(x);", "S-S"},
    {"f(@(x));", "SSS"},
    {"*p = @(y);", "SSS"},
    {"{ @ * z; }", "SSS"},
    {"if (x) @(z);", "SSS"},
    {"for (;;) @(z);", "SSS"},
    {"std::vector<int> z(@(x));", "D-D"},
};

static void notebook(wb_live *live) {
    wb_split s;
    assert_true(wb_split_cell(known, strlen(known), NULL, &s));
    assert_true(wb_live_accept(live, &s, 0, 1));
    wb_split_free(&s);
}

/* The kinds of the pieces in `text`, whose last are `want`. */
static void expect(wb_live *live, const char *text, const char *want, unsigned seed) {
    wb_split s;
    wb_splitting how = live ? wb_live_how(live) : (wb_splitting){0};
    assert_true(wb_split_cell(text, strlen(text), &how, &s));
    char got[256] = "";
    for (size_t i = 0; i < s.n_items && i < sizeof got - 1; i++)
        got[i] = "DSE"[s.items[i].kind];
    size_t n = strlen(want), all = strlen(got);
    if (all < n || strcmp(got + all - n, want) != 0 || (live && all != n))
        fail_msg("seed %u, %s: \"%s\": %s, not %s", seed, live ? "earlier cell" : "one cell",
                 live ? text : text + strlen(known), got, want);
    wb_split_free(&s);
}

/* "f<int>, x" is no code: a template's name alone is not a value. */
static bool no_code(const char *shape, const char *name) {
    return strncmp(shape, "@,", 2) == 0 && name[strlen(name) - 1] == '>';
}

static char *written(const char *shape, const char *name) {
    const char *at = strchr(shape, '@');
    return wb_format("%.*s%s%s", (int)(at - shape), shape, name, at + 1);
}

static void expect_all(wb_live *live, const char *const *names, size_t n, size_t kind, bool own) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < WB_COUNT(shapes); k++) {
            char want[2] = {shapes[k].as[kind], '\0'};
            char *piece = written(shapes[k].code, names[i]);
            char *cell = wb_format("%s\n%s", known, piece);
            if (no_code(shapes[k].code, names[i]))
                *want = '-';
            if (*want != '-' && own)
                expect(NULL, cell, want, 0);
            else if (*want != '-')
                expect(live, piece, want, 0);
            free(piece);
            free(cell);
        }
}

static void test_each(void **state) {
    (void)state;
    wb_live live = {0};
    notebook(&live);
    for (int own = 0; own < 2; own++) {
        expect_all(&live, types, WB_COUNT(types), 0, own);
        expect_all(&live, values, WB_COUNT(values), 1, own);
        expect_all(&live, unknown, WB_COUNT(unknown), 2, own);
    }
    wb_live_free(&live);
}

/* Cells of several pieces: one does not change how the next one reads. */
static void test_drawn(void **state) {
    (void)state;
    static const struct {
        const char *const *names;
        size_t n;
    } kinds[] = {
        {types, WB_COUNT(types)}, {values, WB_COUNT(values)}, {unknown, WB_COUNT(unknown)}};
    static const char *const between[] = {" ", "\n", "\n// a; b * c;\n", " /* ; */ ", "\n\n"};
    unsigned seed = (unsigned)time(NULL) ^ (unsigned)getpid() << 16, first = seed;
    print_message("seed %u\n", seed);
    wb_live live = {0};
    notebook(&live);
    for (int i = 0; i < 3000; i++) {
        wb_buf cell = {0};
        char want[16] = "";
        size_t n = 0;
        for (int pieces = 2 + rand_r(&seed) % 4; pieces > 0;) {
            size_t kind = (size_t)rand_r(&seed) % WB_COUNT(kinds);
            size_t k = (size_t)rand_r(&seed) % WB_COUNT(shapes);
            const char *name = kinds[kind].names[(size_t)rand_r(&seed) % kinds[kind].n];
            char as = no_code(shapes[k].code, name) ? '-' : shapes[k].as[kind];
            if (as == '-' || (as == 'E' && pieces > 1))
                continue;
            if (n == 0 || as != 'S' || want[n - 1] != 'S') /* statements in a row are one piece */
                want[n++] = as;
            char *piece = written(shapes[k].code, name);
            wb_buf_printf(&cell, "%s%s", piece, between[(size_t)rand_r(&seed) % WB_COUNT(between)]);
            free(piece);
            pieces--;
        }
        expect(&live, cell.data, want, first);
        wb_buf_free(&cell);
    }
    wb_live_free(&live);
}

/* A guess is the reading that fails loudly if it is wrong; the compiler's verdict is kept. */
static void test_guesses(void **state) {
    (void)state;
    wb_live live = {0};
    wb_split s;
    static const char code[] = "::std::unk(z) = 3;";
    wb_splitting how = wb_live_how(&live);
    assert_true(wb_split_cell(code, strlen(code), &how, &s));
    assert_int_equal(s.n_guesses, 1);
    assert_string_equal(s.guesses[0].name, "std::unk");
    assert_true(wb_live_doubt(&live, &s.guesses[0]));
    wb_split_free(&s);
    expect(&live, code, "S", 0);
    expect(&live, "std::unk * z;", "S", 0);
    assert_false(wb_live_doubt_none(&live)); /* the grammar reads it so, too */
    wb_live_settle(&live, true);
    expect(&live, code, "S", 0);
    static const char product[] = "unk * z;";
    assert_true(wb_split_cell(product, strlen(product), &how, &s));
    assert_int_equal(s.n_guesses, 1);
    assert_true(wb_live_doubt(&live, &s.guesses[0]));
    wb_split_free(&s);
    expect(&live, product, "S", 0);
    assert_true(wb_live_doubt_none(&live));
    expect(&live, product, "D", 0);
    wb_live_settle(&live, false);
    expect(&live, product, "D", 0);
    assert_int_equal(live.n_learned, 1);
    wb_live_free(&live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_guesses),
    };
    return cmocka_run_group_tests_name("readings", tests, NULL, NULL);
}
