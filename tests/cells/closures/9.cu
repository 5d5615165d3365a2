smallest.push(0);
twice(1)
