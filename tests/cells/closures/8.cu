auto add = [k](int x) { return x + k; };
printf("%.1f %d\n", add(4), smallest.top());
