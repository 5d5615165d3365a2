struct T { double a, b, c; };
T bigger = {1, 2, 3};
bigger.c + f(1)
