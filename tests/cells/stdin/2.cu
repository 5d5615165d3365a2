scanf("%d%d", &a, &b);
a * 10 + b
