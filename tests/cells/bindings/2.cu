q += 10; pn = 30; a0 = 9;
printf("%d %d %d %s %g %d %d\n", q, r, pt.n, name.c_str(), score, arr[0], a0);
auto twice = [q, &r] { return q + r; };
twice() + px + q2
