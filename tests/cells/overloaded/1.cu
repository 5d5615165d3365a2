struct P { int x; };
int f(int a) { return a + 1; }
int f(double a) { return a * 10; }
int f(const P &p, size_t n) { return p.x + n; }
P operator+(P a, P b) { return {a.x + b.x}; }
bool operator<(const P &a, const P &b) { return a.x < b.x; }
namespace n { P operator-(P a) { return {-a.x}; } int f(char) { return 7; } int f(const char *, int = 0) { return 8; } }
int g() { return f(1) + f(2.5) + f(P{100}, 3) + (P{1} + P{2}).x + (P{1} < P{2}); }
int h() { using n::operator-; return n::f('a') * 10 + n::f("b") + (-P{1}).x; }
struct S { int v; S(int x); int get(); };
S::S(int x) : v(x) {}
int S::get() { return v; }
int fs() { return S(3).get(); }
constexpr int K = 2;
template <class T> T times(T x) { return x * K; }
struct M { int at(int x) const { return times(x) + 1; } };
printf("%d %d %d\n", g(), h(), M().at(1));
