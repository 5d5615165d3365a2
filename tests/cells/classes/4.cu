class Counter { public: int n = 4; int twice() { return 2 * n; } } // a count
