double k = 2.5;
struct P { double b; int a; };
printf("%d %d\n", counter(), copy());
printf("%d %s %d\n", named.first(1), named.second.c_str(), smallest.top());
