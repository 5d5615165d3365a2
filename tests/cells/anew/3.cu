int f(int a) { return a + 10; }
__global__ void k(int *out) { *out = 2; }
namespace ns { int level = 6; }
extern "C" int index_of(int a) { return 2 * a; }
printf("%d %d %d %d %d %d %d %d %d\n", f(1), helper(1), S().of(1), S().later(1), t(1), ns::g(1), lambda(1), kept(1), launch());
printf("%d %d %d %d %d %d\n", use(1), here(1), pointer(1), early(), ns::with_level(), use_c(4));
