constexpr int again[2] = {1, 2};
const int *kept = again;
