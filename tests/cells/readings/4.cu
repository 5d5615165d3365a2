calls = 0; a, f(b);
a && f(b);
t1 & t2;
calls
