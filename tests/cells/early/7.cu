printf("%d %d %d\n", set, f(1), lam(0));
for (int i = 0; i < 2; i++) { struct L { int f() { return 3; } } l; if (l.f() == 4) return; }
x
