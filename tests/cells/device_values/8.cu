counter = 5;
cc[0]++;
