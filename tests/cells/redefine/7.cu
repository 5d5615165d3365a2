struct T { double a, b, c; };
bigger.c
