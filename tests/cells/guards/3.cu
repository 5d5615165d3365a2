int fact(int k) { return k * fact(k - 1); }
fact(5)
