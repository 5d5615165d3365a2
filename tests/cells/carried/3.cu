__constant__ int table[2] = {1, 7};
constexpr int N = 4;
struct Box { int get() const { return 6; } };
printf("%d %d %d\n", launch(), size(), boxed());
auto plain = [](int x) { return x + 2; };
Made::Made(int x) : a(2 * x), b(1) {}
Made::~Made() { gone = -a; }
thread_local int own = 6;
printf("%d %d %d", lambdas(1), made(), owned());
printf(" %d %d %d\n", gone, outer(1), nested());
