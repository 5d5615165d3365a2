printf("%d %g %s %d %d %d\n", i0, d0, t0.c_str(), t1, s0 + s1 + s2, g1.a);
g0.a = 50; i0 = 2; st0++;
printf("%d %d %d %d\n", grid[0].a, use_i0(), sum(), st0);
printf("%zu %d\n", v0.size(), un0 * un1);
