c++;
a + b + c + d + *p + *q + t + u + ns::w + ns::z
