Point p{twice(SIZE)};
p.a
