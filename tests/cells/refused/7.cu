int one = 1;
one
