template <class T> int f(T, T) { return -1; }
int unused = 3;
printf("%d %d %d %d %d\n", f(0), f(0, 0), C<int>::n++, ns::i++, V().next());
printf("%d\n", table[0] == boxed<int>);
boxed(0)
