template <class T> int f(T, T) { return -1; }
int unused = 3;
printf("%d %d %d %d %d\n", f(0), f(0, 0), C<int>::n++, ns::i++, V().next());
boxed(0)
