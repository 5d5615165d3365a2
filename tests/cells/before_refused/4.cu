int before = n;
thread_local int n = 2;
