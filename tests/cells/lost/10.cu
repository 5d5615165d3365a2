count<<<1, 1>>>(nullptr);
printf("%d %d %d %d\n", twice(3), even(10), kept_default(2), ns::dup(3));
