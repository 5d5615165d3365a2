// The state of a header exists once.
printf("%d %d\n", timer_end() >= 0, calls);
int got = geo::next(), c = c_next();
printf("%d %d %d %d %.2f %d\n", got, geo::count, Vec::made++, c, kPi, kTwo + GREEN);
