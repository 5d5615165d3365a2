const auto a = f(1), b = f(2);
static auto c = n, d = f(3);
auto p = &n, q = &d;
thread_local auto t = f(4), u = f(5);
namespace ns { auto w = f(1), z = f(2); }
auto l = [](int x) { return x + 1; }, m = l;
static auto even2 = make(2), even3 = even2;
m(1) + even3(2)
