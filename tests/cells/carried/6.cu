double doubled(int x) { return x / 2.; }
doubled(1)
