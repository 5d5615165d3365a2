__constant__ int table[2] = {1, 7};
constexpr int N = 4;
struct Box { int get() const { return 6; } };
printf("%d %d %d\n", launch(), size(), boxed());
