int k = Counter().twice();
template <class T>
struct Couple { T a, b; T sum() { return a + b; } }
