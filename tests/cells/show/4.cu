struct Body { double x, y, vx, vy; };
struct Particle { float x, y, z; int mass; };
struct Pixel { unsigned char r, g, b; };
struct Odd { char x; double y; };
struct Rgba { float r, g, b, a; };
std::make_tuple(Body{1, 2, 3, 4}, Particle{1, 2, 3, 4}, Pixel{1, 2, 3}, Odd{'a', 2}, Rgba{1, 2, 3, 4})
