#define PAIR(x, y) std::pair{x, y}
auto [m0, m1] = PAIR(1, 2); auto [m2, m3] = PAIR(m0 + 2, m1 + 2);
auto [one] = std::array<int, 1>{77};
m3 * one
