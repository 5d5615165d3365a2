int get() { return x; }
