#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <thread>
#include <vector>
struct P { int a; } p{5};
auto anon = [] { struct { int a; } x{4}; return x; }();
int k = 3, arr[3] = {1, 2, 3}, calls = 0;
std::string who = "me";
auto add = [k](int x) { return x + k; };
static auto counter = [n = 0]() mutable { static int all; ++all; return ++n * 100 + all; };
auto hello = [who, &k](const std::string &s) { return s + who + std::to_string(k); };
const auto every = [=] { return arr[0] + arr[2] + k; };
auto cmp = [](int a, int b) { return a > b; };
auto both = [&](auto f, auto... xs) -> int { return f(xs...) + k; };
auto fact = [](auto self, int n) -> int { return n < 2 ? 1 : n * self(self, n - 1); };
auto adder = [](int x) { return [x](int y) { return x + y; }; };
auto of_p = [p] { return p.a; };
auto with_p = [](const P &q) { return q.a; };
auto of_anon = [anon] { return anon.a; };
thread_local auto mine = [n = 0]() mutable { return ++n; };
auto größe = [k] { return k; };
auto add5 = adder(5);
auto twice = [add](int x) {
    return 2 * add(x);
};
void callback(void (*f)(void *), void *x) { f(x); }
auto on_done = [](void *n) { ++*(int *)n; };
void takes(decltype(add) f) { printf("%d\n", f(0)); }
std::priority_queue<int, std::vector<int>, decltype(cmp)> smallest(cmp);
printf("%d %d %s %d\n", add(4), counter(), hello("a").c_str(), every());
printf("%d %d %d\n", mine(), add5(1), of_anon());
