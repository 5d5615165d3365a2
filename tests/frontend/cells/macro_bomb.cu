// left the front end crashed or took too long
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(x))
const char *text = C(C("0123456789"));
