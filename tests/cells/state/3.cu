using namespace deep::er;
S t = s;
t.a = 77;
value * t.a
