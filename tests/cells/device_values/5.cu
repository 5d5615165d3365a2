printf("%d %zu\n", made.x, sizeof cc);
made.x
