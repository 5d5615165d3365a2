float floor = 3;
