ignore(9);
