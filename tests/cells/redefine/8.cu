typedef float real;
real halved(real x) { return x / 2; }
