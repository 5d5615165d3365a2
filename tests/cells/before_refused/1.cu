int f(int x) { return x; }
template <class T> T t(T x) { return x; }
thread_local int n = 1;
