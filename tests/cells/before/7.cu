int copy = twice(2), total = 1;
