int use(int a) { return f(a) * 1000 + helper(a) + scale; }
auto here = [](int a) { return f(a) + scale; };
int &alias = scale;
use(1)
