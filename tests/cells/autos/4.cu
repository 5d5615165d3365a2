auto g = f(1), h = 2.5;
