auto [i0, d0] = std::pair{100, 0.25};
use_i0()
