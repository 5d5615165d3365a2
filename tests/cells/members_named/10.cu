namespace m { constexpr int z = 2; }
