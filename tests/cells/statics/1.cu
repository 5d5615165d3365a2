#include <string>
struct Log { std::string name; Log(const char *n) : name(n) { printf("made %s\n", n); } };
struct Box { int a = 1, b = 2; };
template <class T> int f(T) { static int n; return ++n; }
template <> int f<double>(double) { static int n; return ++n; }
template <class T> int boxed(T) { static Box b; return ++b.a * 10 + b.b; }
template <class T> int counter = 0;
template <class T> struct C { static int n; static inline int m = 0; int next() { static int k; return ++k; } };
template <class T> int C<T>::n = 0;
template <> int C<float>::n = 7;
struct V { virtual int next() { static int n; return ++n; } static inline Log log{"V"}; auto a() { static int n; return ++n; } };
auto nexta() { static int n = 0; return ++n; }
static auto nexts() { static int n = 0; return ++n; }
template <class T> int local(T) { static thread_local int n; return ++n; }
namespace ns { inline int i = 0; template <class T> struct A { static inline int m = 0; }; }
template <class T> Log &log_of() { static Log l("one"); return l; }
#if !defined(NEVER)
int inside() { static int n; return ++n; }
#endif
template <class T> struct D { T v; T get() { return v; } static int one() { return 1; } };
template <int N> __global__ void sets(int *to) { extern __shared__ int big[]; *to = N + big[0] * 0; }
int (*fp)(int) = &f<int>;
int (*table[])(int) = {boxed<int>, &f<int>};
int (D<int>::*member)() = &D<int>::get;
int (*one)() = D<int>::one, (*va)(V *) = nullptr;
void (*kernel)(int *) = sets<3>;
int *set;
cudaMallocManaged(&set, sizeof *set);
cudaFuncSetAttribute(sets<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
printf("%d %d %d %d %d %d %d %d\n", f(0), f(0.), counter<int>++, C<int>::n++, C<int>::m++, C<float>::n++, C<int>().next(), V().next());
printf("%d %d %d %d %d %d %s\n", V().a(), nexta(), nexts(), local(0), ns::i++, ns::A<int>::m++, log_of<int>().name.c_str());
boxed(0) + inside()
