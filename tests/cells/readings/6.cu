printf("%d %d %d %d %d %d %d %d\n", k, t3.n, t4.n, t5.n, w.u, c.c, arr[2], r);
