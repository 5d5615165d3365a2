namespace m { constexpr int z = 1; }
auto own = [z = 1](int x) { return x + z; };
auto outer = [y = m::z](int x) { return x + y; };
std::function<int()> by_own = [] { return own(0); };
std::function<int()> by_outer = [] { return m::z + own(0); };
