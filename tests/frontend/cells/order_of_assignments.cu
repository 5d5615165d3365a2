// left it has a call whose arguments' order may show
struct P { int a; };
P p, q;
int of(P x, P y) { return x.a + 2 * y.a; }
static int run() { return of(p = q, p); }
