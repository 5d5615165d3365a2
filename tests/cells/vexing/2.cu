std::vector<int> a(n * m), b(E * F), c(dims[0]), d(std::max(n, m)), e(seven()), f(SIX * n);
std::vector<int> unseen(Config::size);
const std::vector<int> g(n * n);
double r(sqrt(n));
real sum(real *, real);
a[1] = b[1] = c[1] = d[1] = e[1] = f[1] = 5;
#define N 100
#define M 2
N + M
