ignore_in_header(9); e = choose(5);
