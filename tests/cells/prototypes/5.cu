int helper(int x, int y);
int once() { return helper(10, 1); }
int helper(int x, int y) { return x + y; }
once() * 100 + early()
