geo::a = 10;
int unrelated = 3;
f() + d() + K + g2::d()
