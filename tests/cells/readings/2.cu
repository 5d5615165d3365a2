f(a), f(b);
calls
