printf("%d %d\n", add(1), with_p(P{1.5, 7}));
twice
