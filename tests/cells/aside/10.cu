index = plain; max = 5;
index + max
