#define TWO(x) x + x
#define E5(x) TWO(TWO(TWO(TWO(TWO(x)))))
#define E20(x) E5(E5(E5(E5(x))))
int nothing = 1;

int sum = E20(E20(nothing));
