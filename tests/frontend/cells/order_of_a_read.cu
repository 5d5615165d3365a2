// left it has a call whose arguments' order may show
int calls = 0;
int next() { return ++calls; }
static void run() { printf("%d %d\n", calls, next()); }
