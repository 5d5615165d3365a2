Point p{twice(SIZE)};
