int x = 3;
choose(8);
