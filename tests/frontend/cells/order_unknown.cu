// left it has a call whose arguments' order may show
int elsewhere(int);
int n = 1;
static void run() { printf("%d %d\n", n, elsewhere(1)); }
