stdout && f(1);
calls = 0;
stderr && f(5);
calls
