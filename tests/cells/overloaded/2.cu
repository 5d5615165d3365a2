int f(double a) { return a * 1000; }
int f(P const &p, unsigned long n) { return 0; }
P operator+(P a, P b) { return {a.x * 100}; }
bool operator<(const P &a, const P &b) { return false; }
namespace n { P operator-(P a) { return {a.x * 5}; } int f(char) { return 1; } }
S::S(int x) : v(10 * x) {}
int S::get() { return v + 1; }
constexpr int K = 5;
printf("%d %d %d %d %d\n", fs(), g(), h(), times(3), M().at(1));
