int(k) = 7;
T(t3) = 5;
T(t4){6};
T(t5)(7);
V<int>(w);
n::C(c);
int(arr)[3] = {1, 2, 3};
int(&r) = k;
