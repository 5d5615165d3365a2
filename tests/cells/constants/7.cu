constexpr int again[2] = {1, 3};
const int *newest = again;
