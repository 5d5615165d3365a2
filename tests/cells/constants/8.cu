printf("%d %d\n", int(get() - again), int(newest - again));
kept[1] * 10 + again[1]
