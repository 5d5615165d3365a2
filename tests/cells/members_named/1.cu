#include <functional>
namespace n { const int c = 1; }
union U { int v = 1; char c; };
int held() { return U().v; }
std::function<int()> kept = [] { return U().v; };
