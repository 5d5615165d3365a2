V0 operator+(V0 a, V0 b) { return {a.x + b.x + 2}; }
const int c1 = 2;
