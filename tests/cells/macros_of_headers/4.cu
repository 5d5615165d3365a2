int size = 8;
