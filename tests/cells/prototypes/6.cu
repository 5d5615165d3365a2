int helper(const int x, int y);
helper(4, 5) + user(20)
