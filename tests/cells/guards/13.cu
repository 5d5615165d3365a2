int deeper(int n) { return n + deeper(n + 1); }
deeper(1)
