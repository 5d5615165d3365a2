double index = 0.5;
struct P { int a; };
P remove{4};
index + remove.a
