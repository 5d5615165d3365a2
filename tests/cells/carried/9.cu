template <class T> T twice(T x, int y) { return x + y; }
struct Box { int other() const { return 6; } };
doubled(1)
