namespace geo {
int a = 1;
int f() { return a; }
namespace deep {
constexpr int K = 4;
int d() { return K + a; }
}
}
using namespace geo::deep;
namespace g2 = geo::deep;
using geo::f;
f() + d()
