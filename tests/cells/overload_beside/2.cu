V0 operator+(V0 a, V0 b) { return {a.x + b.x + 1}; }
const int c1 = 1;
