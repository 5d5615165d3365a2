// made
struct Point { float x, y; Point operator+(Point o) const { return {x + o.x, y + o.y}; } };
template <class T> struct Box { T value; T get() const { return value; } };
Box<Point> box{{1, 2}};
float length(const Point &p) { return sqrtf(p.x * p.x + p.y * p.y); }
