#define sq(x) ((x) * (x))
#define c 40
#define cc 50
#define x 77
#define q 78
#define dv 3
#define n 2
#define T float
#define green 12
#define A B
#define Colour int
#define add(x) 7
sq(3) + c + cc + green + n + add(1) + host()
