// left it has a call whose arguments' order may show
static void run() { int n = 0; auto next = [&] { return ++n; }; printf("%d %d\n", next(), next()); }
