int more = copy + total;
int total = more + 10, copy = 0;
