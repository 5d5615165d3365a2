n += 10; hidden++; deep::er::value = 30; unnamed++; err = cudaErrorInvalidValue;
printf("%d %d %d %zu %d %d %.1f %.1f\n", n, *p, table[2], sizeof table / sizeof *table, hidden, limit, half, deduced);
int fixed[size];
printf("%zu %d %s %d %.0f %d %d\n", v.size(), v[1], name.c_str(), twice(4), s.b, GREEN, (int)sizeof fixed);
printf("%d %d %d %d %d %d %d\n", add(1), sub(5, 3), deep::er::get(), unnamed, SQUARE(4), largest(2, 3), (int)err);
v.push_back(n);
v // the whole of it
