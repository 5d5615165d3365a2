// left it has a call whose arguments' order may show
int n = 1;
constexpr int up(int &x) { return ++x; }
static void run() { printf("%d %d\n", up(n), n); }
