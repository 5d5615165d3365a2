struct { int a, b; } s = {1, 2};
static union { int i; unsigned char c[4]; } u;
enum { RED, GREEN = 5 } colour = GREEN;
enum : char { ON = 'n' } state = ON;
struct { int v; } tab[3] = {{1}, {2}, {3}}, *p = &tab[1];
const struct{ int w; } k = {9};
namespace n { struct { int z; } deep = {4}; int b = 6; struct t { int v = 1; }; namespace c { int d = 7; } }
constexpr struct { int q; } cq = {11};
constexpr struct Named { int q; struct { int y; } in; } named = {12, {3}};
struct A { static int b; struct node { int v; }; static node *head; };
int A::b = 3;
A::node *A::head;
#define CAT(a, b) a##b
#define CALL(n) run_##n(1)
int run_one(int x) { return x + 1; }
int glue = 4;
int call() { return CALL(one) + CAT(gl, ue); }
u.i = 258;
