// left it has a lambda for the device
static int run() { auto f = [] __device__(int i) { return i; }; (void)f; return 1; }
