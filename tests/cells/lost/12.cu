printf("%d %d\n", twice(3), kept_default(1));
ns::dup(4)
