struct { double a; } s = {1.5};
printf("%g %d\n", s.a, other.b);
s.nothing
