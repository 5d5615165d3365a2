int n = 3;
dev(n);
