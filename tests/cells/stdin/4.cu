freopen("numbers.txt", "r", stdin);
scanf("%d", &a); std::cin >> b;
int c = 0, d = 0; scanf("%d%d", &c, &d);
printf("%d %d %d %d\n", a, b, c, freopen("/nowhere/at/all", "r", stdin) != nullptr);
