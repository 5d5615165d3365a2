auto even = make(2), third = make(3), // two
     five = make(5);
printf("%d\n", __LINE__);
third(9) && five(10) && even(2)
