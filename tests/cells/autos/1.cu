auto make = [](int k) { return [k](int x) { return x % k == 0; }; };
int f(int x) { return x; }
int n = 4;
