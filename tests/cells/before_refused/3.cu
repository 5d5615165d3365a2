int q = t(3);
template <class T> T t(T x) { return 2 * x; }
