k += Couple<int>{1, 2}.sum();
printf("%d\n", k);
enum class Kind : char { first, second }
