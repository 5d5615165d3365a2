template <class T> int f(T) { static int n = 100; return ++n; }
template <class T> int counter(T) { return 5; }
namespace ns { inline int i = 40; }
struct Box { int b = 5, a = 6; };
int n = 50;
printf("%d %d %d %d %d %s %d\n", f(0), C<int>::n++, ns::i++, ns::A<int>::m++, V().next(), log_of<int>().name.c_str(), counter(0));
printf("%d %d %d\n", fp == &f<int>, fp(0), kernel == sets<3>);
