// the same as in cell [1], on another line
auto cmp = [](int a, int b) { return a > b; };
cmp(2, 1)
