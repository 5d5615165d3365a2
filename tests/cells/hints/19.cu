void add(int *p) { *p = 1; }
add<<<1, 1>>>(nullptr);
