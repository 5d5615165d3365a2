score = 3;
